"""Which operations join a source to a Lance table: upserts, merges and feeds of changes?

In: a version, and a change of its rows. Out: the operation, with the data files that it needs.

Invariant: Rust decides what rows become, for tables of all formats. A key that is inserted was in no row of the version
that was read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.lance.pages import pages_of
from floeberg.lance.row_changes import changed

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.commit.new_values import Functions
    from floeberg.lance.committing import Made

__all__ = ["MissingKeys", "joined"]


@dataclass(frozen=True)
class MissingKeys:
    """Keys of a source, some of which were in no row of the version that was read."""

    keys: _native.LanceKeys

    def may_be_in(self, read: _native.LanceTable, newest: _native.LanceTable) -> bool:
        """Whether a row that came since has one of them: in a new fragment, or by a new value."""
        return self.keys.may_have_come(read, newest, pages_of(newest.storage_options))


def joined(
    table: _native.LanceTable,
    change: _native.RowChange,
    *,
    functions: Functions | None = None,
    dry_run: bool,
) -> Made:
    """Changes the rows of a version that have keys of a source, and inserts others.

    Args:
        table: The version.
        change: An upsert, a merge or a feed.
        functions: The functions of its clauses.
        dry_run: Whether rows are only counted.
    """
    made, keys = changed(table, change, functions=functions, dry_run=dry_run)
    if keys is not None and made.counts["inserted_rows"]:
        made.inserted_keys = MissingKeys(keys)
    return made
