"""Every error that users can cause, with the exit code that the command returns for it.

A message is one sentence that says what is wrong, where (file, record, clause, column) and what to do next.
Errors carry their facts as attributes and do nothing else: no printing, no logging.
"""

from difflib import get_close_matches

WRONG_USE = 2  # the request cannot be understood: options, SQL, parameters
DATA_MISSING = 3  # the request is fine; a file, a corpus, a service is not


class SpiderComposeError(Exception):
    """Base of all errors with a message for users."""

    exit_code = WRONG_USE


class ParameterError(SpiderComposeError):
    """An option or parameter is unknown, of the wrong type, or out of range."""


class SqlError(SpiderComposeError):
    """A text is not one SQL query.

    Args:
        message: what is wrong and what to do.
        sql: the text as given.
        position: offset in `sql` (characters, 0-based) where reading stopped, or None.
    """

    def __init__(self, message: str, sql: str = "", position: int | None = None):
        self.sql, self.position = sql, position
        super().__init__(
            message if position is None else f"{message} at character {position}: {_around(sql, position)}"
        )


class CorpusError(SpiderComposeError):
    """A corpus, or a file of it, is missing, unreadable or not in Spider's format."""

    exit_code = DATA_MISSING


class RecordError(SpiderComposeError):
    """One record of a file is broken.

    Args:
        file: name of the file.
        record: 0-based index in the file.
        reason: what is wrong with it.
    """

    exit_code = DATA_MISSING

    def __init__(self, file: str, record: int, reason: str):
        self.file, self.record, self.reason = file, record, reason
        line = f" (line {record + 1})" if file.endswith(".jsonl") else ""
        super().__init__(f"{file}, record {record}{line}: {reason}")


class DownloadError(SpiderComposeError):
    """A download failed, or what arrived is not what was expected."""

    exit_code = DATA_MISSING


class ModelError(SpiderComposeError):
    """A model cannot be trained, read or applied."""

    exit_code = DATA_MISSING


class StudyError(SpiderComposeError):
    """A step of a study (a notebook, a run) failed."""

    exit_code = DATA_MISSING


class RatingError(SpiderComposeError):
    """Sheets with human ratings are missing, broken, or do not fit their key."""

    exit_code = DATA_MISSING


class EngineError(SpiderComposeError):
    """A database cannot be opened or asked."""

    exit_code = DATA_MISSING


class ServiceError(SpiderComposeError):
    """A language model cannot be asked, or its answers cannot be used."""

    exit_code = DATA_MISSING


def suggest(name: str, known) -> str:
    """Ends a message about an unknown name with the nearest known one and the whole list.

    >>> suggest("bilstn", ["rgt", "bilstm"])
    "did you mean 'bilstm'? Known: bilstm, rgt"
    >>> suggest("x", ["rgt", "bilstm"])
    'known: bilstm, rgt'
    """
    names = sorted(known)
    near = get_close_matches(name, names, n=1) or [known for known in names if name and known.startswith(name)]
    listed = ", ".join(names)
    return f"did you mean '{near[0]}'? Known: {listed}" if near else f"known: {listed}"


def _around(text: str, position: int, width: int = 30) -> str:
    left, right = max(0, position - width), position + width
    shown = " ".join(text[left:right].split())
    return f'"{"..." if left else ""}{shown}{"..." if right < len(text) else ""}"'
