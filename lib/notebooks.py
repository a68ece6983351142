"""Runs notebooks with checked parameters, and keeps them free of what changes from run to run.

Papermill alone is too lenient: it only warns about an unknown parameter, takes the text 'false' for a bool, and lets
a notebook pass that ends itself with `sys.exit(0)`.
"""

import ast
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from lib.errors import ParameterError, StudyError, suggest
from lib.files import read_text, write_text
from lib.paths import NOTEBOOKS, ROOT

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from traitlets.config import Config

Value = bool | int | float | str
TYPES = {"bool": bool, "int": int, "float": float, "str": str}
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
_LONGEST_ADDRESS = 100  # bytes that the name of a socket may have on all systems, less a number behind it
_CELL_LIMIT = 1800  # seconds a cell may take; the longest of a study on Spider takes a third of it


@dataclass(frozen=True, slots=True)
class Parameter:
    """One line of a notebook's tagged cell, such as `seed: int = 1  # of the model`."""

    name: str
    type: type  # bool, int, float or str
    default: Value


def read_notebook(path: Path) -> "NotebookNode":
    """Reads a notebook.

    Raises:
        StudyError: if it is no notebook of format 4.
        CorpusError: if the file cannot be read.
    """
    import nbformat

    text = read_text(path)
    try:
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # nbformat lets through whatever its JSON and schema readers raise
        raise StudyError(f"'{path}' is not a notebook: {str(error).splitlines()[0]}") from error
    return notebook


def parameters_of(notebook: "NotebookNode", name: str) -> dict[str, Parameter]:
    """The parameters that a notebook declares in its one cell tagged `parameters`.

    Args:
        notebook: the notebook.
        name: what errors call it.

    Raises:
        StudyError: if there is not exactly one such cell, or a line is not `name: type = literal`.
    """
    cells = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", ())]
    if len(cells) != 1:
        raise StudyError(f"{name} has {len(cells)} cells tagged 'parameters', it must have one")
    try:
        statements = ast.parse(cells[0].source).body
    except SyntaxError as error:
        raise StudyError(f"{name}, parameters cell, line {error.lineno}: {error.msg}") from error
    return {parameter.name: parameter for parameter in (_declared(statement, name) for statement in statements)}


def _declared(statement: ast.stmt, notebook: str) -> Parameter:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=ast.Name(id=kind), value=value) if kind in TYPES:
            try:
                default = ast.literal_eval(value)
            except (ValueError, TypeError):
                default = None
            if type(default) is TYPES[kind]:
                return Parameter(name, TYPES[kind], default)
    known = ", ".join(TYPES)
    raise StudyError(f"{notebook}, parameters cell: '{ast.unparse(statement)}' is not 'name: type = literal' ({known})")


def checked(given: Mapping[str, object], declared: Mapping[str, Parameter], notebook: str) -> dict[str, Value]:
    """The given parameters, each known and of its declared type.

    Words stand for values as on a command line: 'false' for a bool, '3' for an int. An int is a float too.

    Raises:
        ParameterError: if a name is unknown or a value has the wrong type.
    """
    for name in given:
        if name not in declared:
            raise ParameterError(f"{notebook} has no parameter '{name}': {suggest(name, declared)}")
    return {name: _converted(declared[name], value, notebook) for name, value in given.items()}


def _converted(parameter: Parameter, value: object, notebook: str) -> Value:
    kind = parameter.type
    if type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(value, str) and kind is bool and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if isinstance(value, str) and kind in (int, float):
        try:
            return kind(value)
        except ValueError:
            pass  # the error below says what is wrong
    raise ParameterError(f"{notebook}: '{parameter.name}' must be {kind.__name__}, not {value!r:.60}")


def run_notebook(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, object],
    environment: Mapping[str, str] | None = None,
    cell_limit: int = _CELL_LIMIT,
) -> None:
    """Runs a notebook in the repository's root and writes it with its outputs, normalised, on success only.

    Args:
        notebook: the notebook.
        output: where the executed one goes.
        parameters: values for its tagged cell; those not given keep their defaults.
        environment: variables for its kernel.
        cell_limit: seconds that one cell may take.

    Raises:
        ParameterError: if a parameter is unknown or of the wrong type.
        StudyError: if a cell fails, takes too long, or ends the kernel, even with `sys.exit(0)`.
    """
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    name = Path(notebook).stem
    values = checked(parameters, parameters_of(read_notebook(notebook), name), name)
    draft = output.with_name(f".{output.stem}.part.ipynb")
    draft.parent.mkdir(parents=True, exist_ok=True)
    try:
        variables = {"JUPYTER_PREFER_ENV_PATH": "1", "TQDM_DISABLE": "1"} | dict(environment or {})
        with _private() as config, _variables(variables):
            papermill.execute_notebook(
                notebook, draft, values, kernel_name="python3", language="python", progress_bar=False, cwd=ROOT,
                execution_timeout=cell_limit, start_timeout=120, autosave_cell_every=0, config=config,
            )  # fmt: skip
        executed = read_notebook(draft)
        _check_completed(executed, name)
        write_notebook(output, normalised(executed))
    except papermill.PapermillExecutionError as error:
        reason = f"{error.ename}: {error.evalue}"
        raise StudyError(f"{name}, cell {error.cell_index}: {reason}") from error
    except CellTimeoutError as error:
        raise StudyError(f"{name}: a cell took over {cell_limit} seconds and was stopped") from error
    except DeadKernelError as error:
        raise StudyError(f"{name}: the kernel died (out of memory?)") from error
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _private() -> Iterator["Config"]:
    """How to speak to a kernel such that nobody else hears it: by files that only this user reads, else encrypted.

    Files also spare kernels that start at the same time from choosing the same TCP port.
    """
    import zmq
    from jupyter_client import KernelManager
    from traitlets.config import Config

    with TemporaryDirectory(prefix="kernel-", ignore_cleanup_errors=True) as folder:
        address = os.path.join(folder, "k")
        if zmq.has("ipc") and len(os.fsencode(address)) < _LONGEST_ADDRESS:
            yield Config({"KernelManager": {"transport": "ipc", "ip": address}})
        elif zmq.has("curve") and "transport_encryption" in KernelManager.class_trait_names():
            yield Config({"KernelManager": {"transport_encryption": "auto"}})
        else:
            yield Config()


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables, which a kernel inherits, and puts the old ones back."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _check_completed(notebook: "NotebookNode", name: str) -> None:
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        failed = [output for output in cell.outputs if output.output_type == "error"]
        if failed or cell.metadata.get("papermill", {}).get("status") != "completed":
            reason = f"it ended with {failed[0].ename}" if failed else "it did not run"
            raise StudyError(f"{name}, cell {number}: {reason}; every cell must run to its end")


def normalised(notebook: "NotebookNode", drop_injected: bool = False) -> "NotebookNode":
    """A copy without what changes by itself: random ids, clocks, metadata; text outputs in one piece.

    Args:
        notebook: as executed.
        drop_injected: leave out the cell of given parameters, when they are the defaults.
    """
    import nbformat

    cells, count = [], 0
    for cell in notebook.cells:
        tags = list(cell.metadata.get("tags", ()))
        if drop_injected and "injected-parameters" in tags:
            continue
        clean = {"cell_type": cell.cell_type, "id": f"cell-{len(cells):02d}", "source": cell.source}
        clean["metadata"] = {"tags": tags} if tags else {}
        if cell.cell_type == "code":
            count += 1
            executed = cell.execution_count is not None
            clean |= {"execution_count": count if executed else None, "outputs": _outputs(cell.outputs, count)}
        cells.append(clean)
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _outputs(outputs: list, count: int) -> list[dict]:
    """Outputs with consecutive pieces of one stream joined: where it is cut depends on timing."""
    kept: list[dict] = []
    for output in map(dict, outputs):
        same_stream = kept and output["output_type"] == "stream" and output["name"] == kept[-1].get("name")
        if same_stream:
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output | ({"execution_count": count} if "execution_count" in output else {}))
    return kept


def store(executed: Path) -> Path:
    """Puts an executed notebook back into `notebooks/`, without the cell of given parameters.

    Raises:
        StudyError: if it holds what must not be stored, or ran with other parameters than its own.
    """
    notebook = read_notebook(executed)
    _check_own_parameters(notebook, executed.stem)
    target = NOTEBOOKS / executed.name
    draft = executed.with_name(f".{executed.stem}.store.ipynb")
    write_notebook(draft, normalised(notebook, drop_injected=True))
    found = faults(draft)
    if found:
        draft.unlink()
        raise StudyError(f"{executed.stem} cannot be stored: {'; '.join(found)}")
    draft.replace(target)
    return target


def _check_own_parameters(notebook: "NotebookNode", name: str) -> None:
    own = {parameter.name: parameter.default for parameter in parameters_of(notebook, name).values()}
    for cell in notebook.cells:
        if "injected-parameters" in cell.metadata.get("tags", ()):
            given = {node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(cell.source).body}
            changed = sorted(key for key, value in given.items() if own.get(key) != value)
            if changed:
                raise StudyError(f"{name} ran with another {', '.join(changed)} than it declares; make both agree")


def write_notebook(path: Path, notebook: "NotebookNode") -> None:
    """Writes a notebook atomically, the same bytes for the same content."""
    import nbformat

    write_text(path, nbformat.writes(notebook, indent=1, sort_keys=True, ensure_ascii=False).rstrip("\n") + "\n")


# What must not be in a stored notebook, with what a reader of the message would call it.
_FORBIDDEN = {
    "an absolute path": r"(?<![\w.<])/(?:home|root|tmp|work|usr|Users|var|opt)/\w",
    "an address in memory": r"\b0x[0-9a-f]{6,}",
    "a clock": r"\b\d{1,2}:\d{2}:\d{2}\b|\b20\d\d-\d\d-\d\dT",
    "a progress bar": r"\d+%\|",
}
MAX_BYTES = 200_000


def faults(path: Path) -> list[str]:
    """What keeps a notebook from being stored: size, failed cells, things that change from run to run."""
    found = []
    size = Path(path).stat().st_size
    if size >= MAX_BYTES:
        found.append(f"{size:,} bytes, the limit is {MAX_BYTES:,}")
    notebook = read_notebook(path)
    if notebook != normalised(notebook):
        found.append("not normalised: run 'make notebooks'")
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code" and cell.source.strip() and cell.execution_count is None:
            found.append(f"cell {number} was not run")
        for text in _texts(cell):
            found += [f"cell {number} shows {what}" for what, pattern in _FORBIDDEN.items() if re.search(pattern, text)]
    return found


def _texts(cell: "NotebookNode") -> Iterator[str]:
    for output in cell.get("outputs", ()):
        if output.output_type == "error":
            yield output.ename
        yield output.get("text", "")
        for kind, value in output.get("data", {}).items():
            if kind.startswith("text/"):
                yield value


def main(paths: list[str]) -> int:
    """Prints the faults of notebooks; 1 if there are any. `python -m lib.notebooks FILES`, for hooks."""
    found = [f"{path}: {fault}" for path in paths for fault in faults(Path(path))]
    print(*found, sep="\n", end="\n" if found else "")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
