"""What a split really is: the properties that its method promises, measured on its examples."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from lib.partition.compounds import Parts
from lib.partition.template import sql_key, sql_length, template
from lib.records import Example

COMPOUND_WEIGHT, ATOM_WEIGHT = 0.1, 0.5  # exponents of the training side (Keysers et al. 2020)
QUANTILES = {"p10": 0.1, "p25": 0.25, "median": 0.5, "p75": 0.75, "p90": 0.9}


@dataclass(frozen=True, slots=True)
class Against:
    """One part of a split against its training part."""

    compound_divergence: float  # 0 alike, 1 nothing in common
    atom_divergence: float  # the same for atoms, each counted once an example
    unseen_atom_examples: int  # examples with an atom that no training example has
    unseen_compound_examples: int  # the same for compounds
    shared_templates: int  # distinct templates that training has too
    seen_template_examples: int  # examples with one of these
    shared_sql: int  # distinct SQL that training has too
    seen_sql_examples: int  # examples with one of these


def divergence(train: Mapping[str, int], other: Mapping[str, int], weight: float) -> float:
    """1 - Σ p^weight q^(1 - weight): how differently two sides are distributed (Chernoff).

    Args:
        train: counts on the training side; p is their share.
        other: counts on the other side; q is their share.
        weight: exponent of the training side, 0-1.

    Returns:
        0-1; 1 if a side is empty.

    >>> divergence({"a": 2}, {"a": 5}, 0.1), divergence({"a": 2}, {"b": 5}, 0.1)
    (0.0, 1.0)
    """
    n_train, n_other = sum(train.values()), sum(other.values())
    shared = [name for name in other if train.get(name, 0) and other[name]]
    shares = ((train[name] / n_train) ** weight * (other[name] / n_other) ** (1 - weight) for name in shared)
    return max(0.0, round(1 - math.fsum(shares), 12))  # fsum does not depend on the order


def against(train: Sequence[Example], other: Sequence[Example], parts: Mapping[str, Parts]) -> Against:
    """Measures one part of a split against the training part.

    Args:
        train: training examples.
        other: examples of the other part.
        parts: atoms and compounds of each example, by id.
    """
    compounds, atoms = _counts(train, parts)
    other_compounds, other_atoms = _counts(other, parts)
    templates = _shared(train, other, template)
    queries = _shared(train, other, sql_key)
    return Against(
        compound_divergence=divergence(compounds, other_compounds, COMPOUND_WEIGHT),
        atom_divergence=divergence(atoms, other_atoms, ATOM_WEIGHT),
        unseen_atom_examples=sum(not atoms.keys() >= set(parts[example.id].atoms) for example in other),
        unseen_compound_examples=sum(any(name not in compounds for name, _ in parts[e.id].compounds) for e in other),
        shared_templates=len(templates),
        seen_template_examples=templates.total(),
        shared_sql=len(queries),
        seen_sql_examples=queries.total(),
    )


def _counts(examples: Iterable[Example], parts: Mapping[str, Parts]) -> tuple[Counter, Counter]:
    compounds, atoms = Counter(), Counter()
    for example in examples:
        for name, count in parts[example.id].compounds:
            compounds[name] += count
        atoms.update(parts[example.id].atoms)
    return compounds, atoms


def _shared(train: Sequence[Example], other: Sequence[Example], key) -> Counter:
    """Keys of the other part that training has too, with the number of examples that have them."""
    known = {key(example.query) for example in train}
    return Counter(found for example in other if (found := key(example.query)) in known)


def summary(values: Sequence[int]) -> dict[str, float]:
    """Number, mean and quantiles of lengths; no quantiles of nothing.

    >>> summary([1, 2, 6])["mean"]
    3.0
    """
    import numpy as np

    if not len(values):
        return {"n": 0}
    quantiles = np.quantile(np.asarray(values), list(QUANTILES.values())).tolist()
    mean = {"n": len(values), "mean": round(sum(values) / len(values), 4)}
    return mean | {name: round(value, 4) for name, value in zip(QUANTILES, quantiles, strict=True)}


def properties(split: Mapping[str, Sequence[Example]], parts: Mapping[str, Parts]) -> dict:
    """All properties of a split, for its manifest: those of the test part, of the validation part, and lengths.

    Args:
        split: examples of `train`, `validation` and `test`.
        parts: atoms and compounds of each example, by id.
    """
    held_out = {
        name: asdict(against(split["train"], split[name], parts)) for name in ("validation", "test") if split[name]
    }
    lengths = {name: summary([sql_length(example.query) for example in examples]) for name, examples in split.items()}
    return held_out.pop("test", {}) | {
        "validation": held_out.get("validation"),
        "sizes": {name: len(examples) for name, examples in split.items()},
        "sql_length": lengths,
    }
