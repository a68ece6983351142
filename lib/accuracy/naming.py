"""Whether two results without rows have the same columns: by name, or by the expression behind the name."""

from lib.accuracy.outline import Outline, outline


def columns_fit(
    gold: tuple[str, ...], gold_sql: str, pred: tuple[str, ...], pred_sql: str, further: bool = False
) -> bool:
    """Whether each golden column has a partner of its own among the generated ones.

    Args:
        gold: names of the golden columns.
        gold_sql: the query, whose select list says what an alias stands for.
        pred: names of the generated columns.
        pred_sql: the generated query.
        further: whether the generated result may have more columns.

    >>> columns_fit(("n",), "SELECT count(*) AS n FROM t", ("count(*)",), "SELECT COUNT(*) FROM t")
    True
    """
    if len(gold) > len(pred) or (len(gold) < len(pred) and not further):
        return False
    if len(gold) == len(pred) and sorted(map(str.lower, gold)) == sorted(map(str.lower, pred)):
        return True
    wanted, offered = _meanings(gold, gold_sql), _meanings(pred, pred_sql)
    partner: dict[int, int] = {}
    return all(_augment(index, wanted, offered, partner, set()) for index in range(len(gold)))


def _augment(index: int, wanted: list[set], offered: list[set], partner: dict[int, int], seen: set[int]) -> bool:
    """Finds a partner for a column, moving others on where needed."""
    for place, meanings in enumerate(offered):
        if place in seen or wanted[index].isdisjoint(meanings):
            continue
        seen.add(place)
        if place not in partner or _augment(partner[place], wanted, offered, partner, seen):
            partner[place] = index
            return True
    return False


def _meanings(names: tuple[str, ...], sql: str) -> list[set]:
    """For each column its name, and its expression without table names, as they compare."""
    meanings = [{name.lower().replace(" ", "")} for name in names]
    shape = outline(sql)
    if shape is not None and len(shape.items) == len(names):
        for known, expression in zip(meanings, _expressions(shape), strict=True):
            known.add(expression)
    return meanings


def _expressions(shape: Outline) -> list[str]:
    texts = []
    for item in shape.items:
        tokens = list(item.tokens)
        while "." in tokens[1:]:  # T1.name -> name
            at = tokens.index(".", 1)
            del tokens[at - 1 : at + 1]
        texts.append("".join(token.strip('"`[]') for token in tokens).lower())
    return texts
