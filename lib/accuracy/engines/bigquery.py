"""BigQuery: a dry run first, a limit on the bytes that a query may read, a timeout on the job.

Untested: there is neither the service nor an emulator of it where the tests run. It follows the documentation of
google-cloud-bigquery; try it with a small suite before you rely on it.
"""

from time import perf_counter
from urllib.parse import parse_qs, urlsplit

from lib.accuracy.engines.base import Engine, TooLarge, check_cells, failed
from lib.accuracy.records import Limits, Result
from lib.accuracy.values import canonical_rows
from lib.errors import EngineError, ParameterError

_MAX_BYTES = 1_000_000_000  # billed for one query, unless the address says otherwise


class BigqueryEngine(Engine):
    """A BigQuery dataset.

    Args:
        address: `bigquery://PROJECT/DATASET?max_bytes=1000000000`; credentials come from Google's own files
            (application default credentials). Give an account that may only read.
    """

    dialect = "bigquery"
    name = "bigquery"

    def __init__(self, address: str):
        try:
            from google.cloud import bigquery
        except ImportError as error:
            raise EngineError(
                "the bigquery engine needs google-cloud-bigquery: pip install 'spidercompose[bigquery]'"
            ) from error
        parts = urlsplit(address)
        limit = parse_qs(parts.query).get("max_bytes", [str(_MAX_BYTES)])[-1]
        if not limit.isdecimal():
            raise ParameterError(f"max_bytes is a number of bytes, not '{limit}'")
        self._max_bytes, self._bigquery = int(limit), bigquery
        self._client = bigquery.Client(project=parts.netloc or None)
        self._dataset = parts.path.strip("/")

    def run(self, sql: str, limits: Limits, golden: bool = False) -> Result:
        """See `Engine.run`; the dry run tells, before anything is billed, what kind of statement it is."""
        started = perf_counter()
        try:
            plan = self._client.query(sql, job_config=self._config(dry_run=True))
            if plan.statement_type != "SELECT":
                return failed("unsafe", f"{plan.statement_type} is no query: only one SELECT may run", started)
            if plan.total_bytes_processed > self._max_bytes:
                return failed("truncated", f"the query would read {plan.total_bytes_processed} bytes", started)
            job = self._client.query(sql, job_config=self._config(dry_run=False, timeout_s=limits.timeout_s))
            answer = job.result(timeout=limits.timeout_s, max_results=limits.max_rows + 1)
            return _result(answer, limits, started)
        except TooLarge as error:
            return failed("truncated", error, started)
        except Exception as error:  # the client's classes are known only where it is installed
            return failed(_status(error), error, started)

    def _config(self, dry_run: bool, timeout_s: float | None = None):
        config = self._bigquery.QueryJobConfig(dry_run=dry_run, maximum_bytes_billed=self._max_bytes)
        if self._dataset:
            config.default_dataset = f"{self._client.project}.{self._dataset}"
        if timeout_s is not None:
            config.job_timeout_ms = round(1000 * timeout_s)
        return config


def _result(answer, limits: Limits, started: float) -> Result:
    rows = canonical_rows(tuple(row.values()) for row in answer)
    check_cells(rows, limits)
    names = tuple(field.name for field in answer.schema)
    cut = len(rows) > limits.max_rows
    message = f"more than {limits.max_rows} rows" if cut else ""
    return Result("truncated" if cut else "ok", names, rows[: limits.max_rows], message, perf_counter() - started)


def _status(error: Exception) -> str:
    kind = type(error).__name__
    if kind in ("TimeoutError", "GatewayTimeout", "DeadlineExceeded"):
        return "timeout"
    if kind in ("Forbidden", "Unauthorized"):
        return "unsafe" if kind == "Forbidden" else "no_database"
    return "no_database" if kind in ("ServiceUnavailable", "DefaultCredentialsError", "TransportError") else "error"
