"""The shape of the code: imports point one way, heavy packages have one door, files and functions stay small."""

import ast
from pathlib import Path

import pytest

from lib.paths import ROOT

LIB = ROOT / "lib"
# Lower layers first; a module may import its own layer's siblings only where that is said below.
LAYERS = [
    "errors",
    "paths",
    "files",
    "json_stream",
    "progress",
    "records",
    "sql_tokens",
    "splitting",
    "sql_parse",
    "tokens",
    "schemas",
    "corpora",
    "versions",
    "defects",
    "download",
    "archives",
    "catalogue",
    "tagging",
    "splicing",
    "segmentation",
    "alignment",
    "alignment_score",
    "composition",
    "datasets",
    "partition",
    "metrics",
    "models",
    "accuracy",
    "gold",
    "inputs",
    "run_results",
    "drawing",
    "report",
    "length_tables",
    "comparison",
    "comparison_tables",
    "ablation_tables",
    "statements",
    "error_tables",
    "rating",
    "rating_widget",
    "notebooks",
    "site",
    "cluster",
    "parameters",
    "study",
    "leash",
    "commands",
    "cli",
]
FORBIDDEN = {"accuracy": {"models"}, "leash": set(LAYERS)}  # beyond the order
DOORS = {
    "torch": {"models"},
    "matplotlib": {"drawing", "report"},
    "snakemake": set(),
    "papermill": {"notebooks"},
    "ipywidgets": {"rating_widget"},
}
MAX_FILE, MAX_FUNCTION, MEDIAN_FUNCTION = 400, 80, 20  # lines


def modules() -> list[Path]:
    return sorted(LIB.rglob("*.py"))


def layer_of(path: Path) -> str:
    return path.relative_to(LIB).parts[0].removesuffix(".py")


def imported(path: Path, tree: ast.AST) -> set[str]:
    """Full names of what a module imports, inside functions too."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: relative import; write the full name"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def wrong_imports(layer: str, names: set[str]) -> list[str]:
    """Imports of `lib` by a module of a layer that the order forbids."""
    wrong = []
    for name in sorted(names):
        parts = name.split(".")
        if parts[0] != "lib" or len(parts) < 2 or parts[1] == "__version__":
            continue
        other = parts[1]
        if other in FORBIDDEN.get(layer, ()) or LAYERS.index(other) > LAYERS.index(layer):
            wrong.append(name)
    return wrong


def wrong_doors(layer: str, names: set[str]) -> list[str]:
    """Imports of packages that only certain layers may import."""
    return [name for name in sorted(names) if layer not in DOORS.get(name.split(".")[0], {layer})]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(LIB)))
def test_imports_point_one_way(path):
    layer = layer_of(path)
    if layer == "__init__":
        assert not imported(path, ast.parse(path.read_text()))
        return
    assert layer in LAYERS, f"say in LAYERS where '{layer}' belongs"
    names = imported(path, ast.parse(path.read_text()))
    assert not wrong_imports(layer, names)
    assert not wrong_doors(layer, names)


@pytest.mark.parametrize(
    ("layer", "names", "wrong"),
    [
        ("files", {"lib.errors.CorpusError", "json"}, []),
        ("errors", {"lib.files.sha256"}, ["lib.files.sha256"]),
        ("accuracy", {"lib.models.search"}, ["lib.models.search"]),
        ("models", {"lib.models.search", "torch.nn"}, []),
        ("metrics", {"torch"}, ["torch"]),
        ("study", {"matplotlib.pyplot"}, ["matplotlib.pyplot"]),
    ],
    ids=["down", "up", "accuracy knows no models", "own layer", "torch outside models", "matplotlib outside report"],
)
def test_the_check_itself(layer, names, wrong):
    assert wrong_imports(layer, names) + wrong_doors(layer, names) == wrong


def functions(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", node.end_lineno - node.lineno + 1


def test_files_are_short():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules()}
    assert not {name: length for name, length in lengths.items() if length >= MAX_FILE}


def test_functions_are_short():
    lengths = dict(function for path in modules() for function in functions(path))
    assert not {name: length for name, length in lengths.items() if length > MAX_FUNCTION}
    assert sorted(lengths.values())[len(lengths) // 2] <= MEDIAN_FUNCTION


def test_public_functions_say_what_they_do():
    silent = []
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            public = isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
            if public and not ast.get_docstring(node):
                silent.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}")
    assert not silent


def test_layers_name_no_module_that_is_gone():
    present = {layer_of(path) for path in modules()}
    later = {"accuracy"}  # agreed, not written yet
    assert not set(LAYERS) - present - later
