"""How right a generated SQL query is: both queries run on one database, and a typed record says what came out.

`from lib.accuracy import evaluate, evaluate_batch, Settings` is all that most programs need; each is loaded when asked
for, so that importing the package stays instant.
"""

from importlib import import_module

_PLACES = {
    "evaluate": "evaluation",
    "Evaluator": "evaluation",
    "evaluate_batch": "batch",
    "Case": "records",
    "Evaluation": "records",
    "Limits": "records",
    "Settings": "records",
    "open_engine": "engines.catalog",
}
__all__ = sorted(_PLACES)


def __getattr__(name: str):
    if name not in _PLACES:
        raise AttributeError(f"module 'lib.accuracy' has no attribute '{name}'")
    return getattr(import_module(f"lib.accuracy.{_PLACES[name]}"), name)
