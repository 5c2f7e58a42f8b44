"""Is a history of transactions as if they had run one after the other?

In: what each transaction read and wrote, by keys, and what there is at the end. A transaction reads who wrote a key
last, and where it writes a key, it read it. So the versions of a key are a chain, and which transaction comes before
which follows from it (Adya, "Weak Consistency", 1999): the history is serializable if there is no cycle, and strictly
so if there is none with those that ended before others began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["FIRST", "Transaction", "faults"]

FIRST = "first"
"""Who wrote the versions that there are at the beginning."""


@dataclass(frozen=True)
class Transaction:
    """A transaction that was acknowledged.

    Attributes:
        name: Who it is: what it writes.
        reads: Who had written each key that it read.
        writes: The keys that it wrote.
        begun: When it began.
        ended: When it was acknowledged.
    """

    name: str
    reads: Mapping[str, str]
    writes: frozenset[str]
    begun: float = 0.0
    ended: float = float("inf")


def faults(history: Sequence[Transaction], end: Mapping[str, str]) -> list[str]:
    """What is wrong with a history; nothing of one that is strictly serializable."""
    found, next_writer = _versions(history, end)
    known = {each.name for each in history}
    edges: dict[str, set[str]] = {each.name: set() for each in history}
    for each in history:
        for key, writer in each.reads.items():
            if writer != FIRST and writer not in known:
                found.append(f"{each.name} read key {key} of {writer}, which was not acknowledged")
            elif writer not in (FIRST, each.name):
                edges[writer].add(each.name)
            later = next_writer.get((key, writer))
            if later not in (None, each.name):
                edges[each.name].add(later)
        edges[each.name] |= {other.name for other in history if each.ended < other.begun}
    cycle = _cycle(edges)
    return found + ([f"each came before the next: {' -> '.join(cycle)}"] if cycle else [])


def _versions(
    history: Sequence[Transaction], end: Mapping[str, str]
) -> tuple[list[str], dict[tuple[str, str], str]]:
    """What is wrong with the chains of versions, and who wrote the version after each."""
    found: list[str] = []
    next_writer: dict[tuple[str, str], str] = {}
    for each in history:
        for key in sorted(each.writes):
            before = each.reads.get(key)
            if before is None:
                found.append(f"{each.name} wrote key {key}, and did not read it")
                continue
            other = next_writer.setdefault((key, before), each.name)
            if other != each.name:
                found.append(f"{other} and {each.name} both wrote key {key} over the version of {before}")
    keys = {key for each in history for key in each.writes} | set(end)
    for key in sorted(keys):
        at, passed = FIRST, {FIRST}
        while (later := next_writer.get((key, at))) is not None and later not in passed:
            at = later
            passed.add(at)
        if end.get(key) != at:
            found.append(f"key {key} is of {end.get(key)} at the end, and {at} wrote it last")
    return found, next_writer


def _cycle(edges: Mapping[str, set[str]]) -> list[str]:
    """Transactions of which each has an edge to the next, and the last to the first; nothing without a cycle."""
    left = {name: set(after) for name, after in edges.items()}
    while True:
        ends = {name for name, after in left.items() if not after & left.keys()}
        if not ends:
            break
        left = {name: after for name, after in left.items() if name not in ends}
    path: list[str] = []
    at = min(left, default=None)
    while at is not None and at not in path:
        path.append(at)
        at = min(left[at] & left.keys())
    return [*path[path.index(at) :], at] if at is not None else []
