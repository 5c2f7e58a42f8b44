"""What a table is, without files: columns, branches of snapshots, rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Row = dict[int, Any]
"""Values by column id."""
Occurrence = tuple[int, int]
"""A row: the number of the write that brought it, and its `id`."""
Rows = dict[Occurrence, Row]
Lineage = tuple[int | None, int | None]
"""The row id and the last update of a row."""

ID, PART, X, Y, S, Z = 1, 2, 3, 4, 5, 6
"""Columns that are there from the first on. `Z` stands in the struct `S`."""


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    number: int
    name: str
    type: str
    required: bool = False


Columns = tuple[Column, ...]
FIRST: Columns = (
    Column(ID, "id", "long", required=True),
    Column(PART, "p", "string"),
    Column(X, "x", "int"),
    Column(Y, "y", "double"),
    Column(S, "s", "struct"),
)


def value_of(row: Row, number: int) -> Any:
    """A value of a row."""
    return (row.get(S) or {}).get("z") if number == Z else row.get(number)


@dataclass
class Node:
    """A snapshot.

    Attributes:
        parent: The one before.
        rows: The rows that it has.
        columns: The columns that there were.
        branch: The branch that it was made on.
        key: The idempotency key of its commit.
        operations: What its commit did.
        files: The receipts whose files are live, by the numbers of receipts and of writes.
        snapshot_id: Its id.
        source: The snapshot whose changes it repeats.
        wap_id: The id of staged work.
        lineage: The row ids and last updates that its rows had when they were first looked at.
    """

    parent: Node | None
    rows: Rows
    columns: Columns
    branch: str
    key: str | None = None
    operations: tuple[str, ...] = ()
    files: frozenset[tuple[int, int]] = frozenset()
    snapshot_id: int = 0
    lineage: dict[Occurrence, Lineage] = field(default_factory=dict)
    source: Node | None = None
    wap_id: str | None = None

    def origin(self) -> Node:
        """The snapshot that did first what it repeats, or itself."""
        node = self
        while node.source is not None:
            node = node.source
        return node

    def added(self) -> Rows:
        """The rows that came with it."""
        before = {} if self.parent is None else self.parent.rows
        return {key: row for key, row in self.rows.items() if key not in before}

    def ancestry(self) -> Iterator[Node]:
        """It and all before it."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


@dataclass(frozen=True)
class Filter:
    """A condition on rows.

    Attributes:
        kind: Its form.
        column: The id of the column that it is about; 0 where it is about none.
        value: What the column is compared with.
    """

    kind: str
    column: int = 0
    value: Any = None

    def text(self, columns: Columns) -> str:
        """The condition in SQL, by the names that columns have."""
        at = S if self.column == Z else self.column
        name = next((each.name for each in columns if each.number == at), "")
        name += ".z" if self.column == Z else ""
        value = f"'{self.value}'" if isinstance(self.value, str) else self.value
        return {
            "all": "true",
            "equal": f"{name} = {value}",
            "null": f"{name} IS NULL",
            "nan": f"{name} IS NAN",
            "not": f"NOT ({name} < {value})",
            "below": f"{name} < {value}",
            "from": f"{name} >= {value}",
        }[self.kind]

    def holds(self, row: Row) -> bool:
        """Does it hold for a row? Null and NaN are neither equal nor above nor below; the two zeros are equal."""
        value = value_of(row, self.column)
        if self.kind in ("all", "null"):
            return self.kind == "all" or value is None
        if value is None:
            return False
        if self.kind in ("nan", "not"):
            return math.isnan(value) if self.kind == "nan" else not value < self.value
        return bool(
            value == self.value
            if self.kind == "equal"
            else value < self.value
            if self.kind == "below"
            else value >= self.value
        )


@dataclass(frozen=True)
class Change:
    """An operation on rows, as the model does it.

    Attributes:
        name: `append`, `overwrite`, `dynamic`, `delete`, `update` or `upsert`.
        rows: The rows that come; those of an upsert may be there already, by their ids.
        filter: The rows that go, or change.
        receipt: The number of the receipt that the rows are of.
        values: What an update sets.
    """

    name: str
    rows: Rows = field(default_factory=dict)
    filter: Filter | None = None
    receipt: int | None = None
    values: Row = field(default_factory=dict)

    def replaced(self, row: Row) -> bool:
        """Does a row go, that the operation must have seen?"""
        if self.name in ("append", "update", "upsert"):
            return False
        if self.name == "dynamic":
            return row.get(PART) in {each.get(PART) for each in self.rows.values()}
        assert self.filter is not None
        return self.filter.holds(row)

    def applied(self, rows: Rows) -> Rows:
        """What is left of rows, and what is new."""
        if self.name == "update":
            assert self.filter is not None
            return {key: row | self.values if self.filter.holds(row) else row for key, row in rows.items()}
        if self.name == "upsert":
            by_id = {row[ID]: row for row in self.rows.values()}
            known = {row[ID] for row in rows.values()}
            left = {key: row | by_id.get(row[ID], {}) for key, row in rows.items()}
            return left | {key: row for key, row in self.rows.items() if row[ID] not in known}
        return {key: row for key, row in rows.items() if not self.replaced(row)} | self.rows

    def touched(self, rows: Rows) -> set[int]:
        """The writes whose files may be copied."""
        if self.name == "update":
            assert self.filter is not None
            return {write for (write, _), row in rows.items() if self.filter.holds(row)}
        if self.name == "upsert":
            ids = {row[ID] for row in self.rows.values()}
            return {write for (write, _), row in rows.items() if row[ID] in ids}
        # Rows that stay of a file may be in a copy of it: the file itself can come again.
        return {write for write, _ in rows.keys() - self.applied(rows).keys()}
