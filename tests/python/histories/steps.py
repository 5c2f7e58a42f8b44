"""What may happen next to a table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import strategies as st

from histories.model import ID, PART, Filter, X, Y, Z

PARTS = ("a", "b", None)
DOUBLES = (None, float("nan"), -0.0, 0.0, 1.5)
STRUCTS = (None, {"z": None}, {"z": 0}, {"z": 1})


@dataclass(frozen=True)
class Step:
    """A step of a history.

    Attributes:
        action: What is done.
        handle: Which of the open tables does it.
        fresh: Whether that is refreshed before; else it may stand on an old base.
        branch: Where.
        rows: The partition and the values of each row that comes.
        filter: Which rows go.
        key: The idempotency key.
        number: What chooses among columns, names and receipts.
        elsewhere: Whether another process writes the files.
        parts: The steps of a transaction.
        beside: What another handle does after this step found its rows and wrote its files, and before it commits.
    """

    action: str
    handle: int = 0
    fresh: bool = True
    branch: str = "main"
    rows: tuple[tuple[Any, ...], ...] = ()
    filter: Filter = field(default_factory=lambda: Filter("all"))
    key: str | None = None
    number: int = 0
    elsewhere: bool = False
    parts: tuple[Step, ...] = ()
    beside: Step | None = None


rows = st.lists(
    st.tuples(
        st.sampled_from(PARTS),
        st.one_of(st.none(), st.integers(0, 9)),
        st.sampled_from(DOUBLES),
        st.sampled_from(STRUCTS),
    ),
    min_size=1,
    max_size=4,
).map(tuple)
filters = st.one_of(
    st.just(Filter("all")),
    st.builds(Filter, st.just("equal"), st.just(PART), st.sampled_from(["a", "b"])),
    st.just(Filter("null", PART)),
    st.builds(Filter, st.sampled_from(["below", "from"]), st.just(X), st.integers(0, 9)),
    st.builds(Filter, st.sampled_from(["below", "from", "equal"]), st.just(ID), st.integers(0, 40)),
    st.builds(Filter, st.just("null"), st.sampled_from([X, Y, Z])),
    st.just(Filter("nan", Y)),
    st.builds(
        Filter,
        st.sampled_from(["equal", "below", "from", "not"]),
        st.just(Y),
        st.sampled_from([0.0, -0.0, 1.0]),
    ),
    st.builds(Filter, st.sampled_from(["equal", "below", "not"]), st.just(Z), st.integers(0, 1)),
)
CHANGES = ("append", "append", "append", "overwrite", "dynamic", "delete", "delete")
COLUMNS = ("add", "rename", "swap", "drop", "require", "relax", "promote")
RECEIPTS = ("write", "take", "take", "take-overwriting", "take-dynamic")


REFS = (
    "branch",
    "branch",
    "unbranch",
    "rename-branch",
    "tag",
    "untag",
    "rollback",
    "current",
    "forward",
    "forward",
    "publish",
    "pick",
    "pick",
)
LAYOUTS = ("respec", "respec", "reorder")


def changes(actions: st.SearchStrategy[str]) -> st.SearchStrategy[Step]:
    """A step that changes rows."""
    return st.builds(
        Step,
        action=actions,
        handle=st.integers(0, 2),
        fresh=st.booleans(),
        branch=st.sampled_from(["main", "main", "main", "dev", "dev", "old"]),
        rows=rows,
        filter=filters,
        key=st.sampled_from([None, None, None, "k1", "k2"]),
        number=st.integers(0, 9),
        elsewhere=st.sampled_from([False, False, False, True]),
        parts=st.just(()),
    )


one_change = changes(st.sampled_from(CHANGES))
by_row = changes(st.sampled_from(["update", "upsert"]))
either = changes(st.sampled_from((*CHANGES, "update", "upsert", "update", "upsert")))
pairs = st.builds(
    lambda slower, faster: replace(
        slower, beside=replace(faster, handle=(slower.handle + 1) % 3, branch=slower.branch, key=None)
    ),
    either,
    either,
)
one_of_columns = st.builds(
    Step,
    action=st.sampled_from(COLUMNS),
    handle=st.integers(0, 2),
    fresh=st.booleans(),
    number=st.integers(0, 9),
)
transactions = st.builds(
    lambda first, parts: Step(
        "transaction", first.handle, first.fresh, first.branch, key=first.key, parts=tuple(parts)
    ),
    one_change,
    st.lists(changes(st.sampled_from((*CHANGES, "properties"))), min_size=1, max_size=3),
)
steps = st.one_of(
    one_change,
    one_change,
    by_row,
    pairs,
    pairs,
    changes(st.sampled_from(RECEIPTS)),
    changes(st.just("stage")),
    one_of_columns,
    transactions,
    st.builds(Step, action=st.sampled_from(["upgrade", "properties", "replace"]), handle=st.integers(0, 2)),
    st.builds(
        Step,
        action=st.sampled_from((*REFS, *LAYOUTS)),
        handle=st.integers(0, 2),
        fresh=st.booleans(),
        number=st.integers(0, 9),
    ),
)
