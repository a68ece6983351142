"""Which version of Spider a corpus is: told by its content, because no checksums were published with it.

Facts of the version of 7 June 2020 (7,000 train and 1,034 dev examples). An earlier dev file has other queries in 44
records, with other numbers of clauses, and so other counts of pairs.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from lib.records import Example


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells one version of a file from another, however it is laid out."""

    count: int  # examples
    databases: str  # SHA-256 of the databases in file order: the same in all versions
    queries: str  # SHA-256 of databases and queries in file order, blanks unified


JUNE_2020 = {
    "train": Fingerprint(
        7000,
        "9a97b878860d4675b3747fd83c29c98f6ba158bb4cde7c4d0c7f8486588c25bc",
        "00722db11e39aef3d015f22fbb220575832c761c005dc9d574dc3c13ea7c6c9f",
    ),
    "dev": Fingerprint(
        1034,
        "00016034b105f06e0702672f40d4615814d40d68b5980b2bb245235e1ecc7142",
        "48c9c95b0f9a1b8c6030ee69010d4c57081bfd521dd2ed6d72f34a4ed6641023",
    ),
}


def fingerprint(examples: Iterable[Example]) -> Fingerprint:
    """The fingerprint of one source of a corpus."""
    count, databases, queries = 0, hashlib.sha256(), hashlib.sha256()
    for example in examples:
        count += 1
        databases.update(f"{example.db_id}\n".encode())
        queries.update(f"{example.db_id}\t{' '.join(example.query.split())}\n".encode())
    return Fingerprint(count, databases.hexdigest(), queries.hexdigest())


def version(source: str, found: Fingerprint) -> str:
    """Says in words which version of Spider a source is; "" if it is not Spider.

    Args:
        source: `train` or `dev`.
        found: its fingerprint.
    """
    known = JUNE_2020[source]
    if found == known:
        return f"{source}: Spider's version of 7 June 2020"
    if found.databases != known.databases:
        return ""
    return (
        f"{source}: Spider, but not the version of 7 June 2020: some queries differ (an older or a changed copy), so "
        "counts will not be the paper's; run 'spidercompose fetch spider' for the version that the study needs"
    )
