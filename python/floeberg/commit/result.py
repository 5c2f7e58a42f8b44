"""What did a commit do?"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

from floeberg._display import bytes_shown, facts_html
from floeberg._pyiceberg_names import SpelledLikePyIceberg

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.operations import OpenedTable

__all__ = ["CommitResult", "Committed", "UpsertResult"]


@dataclass(frozen=True, repr=False)
class CommitResult(SpelledLikePyIceberg):
    """What a commit did, or which earlier commit did it.

    Args:
        snapshot_id: Its last snapshot; `None` where no rows changed.
        operation: The operation of the snapshot: `append`, `overwrite`, `delete` or `replace`.
        already_committed: Whether an earlier commit with the same idempotency key did it. Then nothing was done now.
        added_files: The number of added data files. Files that a delete rewrites do not count.
        added_rows: Their rows.
        added_bytes: Their bytes.
        seconds: The time from the first operation to the end of the commit.
        deleted_rows: The rows that were deleted or replaced. Of a data file that metadata alone removes, all rows
            count, also those that were deleted before.
        deleted_files: The number of data files that were removed because all of their rows were deleted.
        deleted_bytes: Their bytes.
        rewritten_files: The number of data files that were removed and whose other rows were written again.
        rewritten_bytes: Their bytes.
        copied_rows: The rows that were written again.
        files_with_new_deletes: The number of data files that stay, with new deletes.
        updated_rows: The rows that an update, an upsert or a merge changed. They count as deleted and as added rows
            too.
        inserted_rows: The rows that an upsert or a merge inserted. They count as added rows too.
        rebased: How often changes of rows were put on a newer state of the table than the one their rows were found on,
            without looking for them again.
        repeated: How often an operation looked for its rows again, because what others committed conflicted with it.
        dry_run: Whether nothing was done: the counts say what would be.

    Examples:
        >>> first = orders.append(pa.table({"id": [1]}), idempotency_key="job-9")
        >>> again = orders.append(pa.table({"id": [1]}), idempotency_key="job-9")
        >>> first.operation, first.already_committed, again.already_committed
        ('append', False, True)
        >>> first.added_files, first.added_rows, again.added_rows
        (1, 1, 0)
        >>> again.snapshot_id == first.snapshot_id
        True
    """

    _spelled_as = "CommitResult"

    snapshot_id: int | None
    operation: str | None
    already_committed: bool
    added_files: int = field(default=0, compare=False)
    added_rows: int = field(default=0, compare=False)
    added_bytes: int = field(default=0, compare=False)
    seconds: float = field(default=0.0, compare=False)
    deleted_rows: int = field(default=0, compare=False)
    deleted_files: int = field(default=0, compare=False)
    deleted_bytes: int = field(default=0, compare=False)
    rewritten_files: int = field(default=0, compare=False)
    rewritten_bytes: int = field(default=0, compare=False)
    copied_rows: int = field(default=0, compare=False)
    files_with_new_deletes: int = field(default=0, compare=False)
    updated_rows: int = field(default=0, compare=False)
    inserted_rows: int = field(default=0, compare=False)
    rebased: int = field(default=0, compare=False)
    repeated: int = field(default=0, compare=False)
    dry_run: bool = False

    def _facts(self) -> dict[str, str | None]:
        """What happened, by what it is of. Counts of nothing are left out."""
        rows = {
            "added": self.added_rows - self.updated_rows - self.inserted_rows,
            "inserted": self.inserted_rows,
            "updated": self.updated_rows,
            "deleted": self.deleted_rows - self.updated_rows,
        }
        files = {
            "added": self.added_files,
            "removed": self.deleted_files,
            "rewritten": self.rewritten_files,
            "with new deletes": self.files_with_new_deletes,
        }
        wrote = (
            ("added", self.added_bytes),
            ("removed", self.deleted_bytes),
            ("rewritten", self.rewritten_bytes),
        )
        return {
            "rows": ", ".join(f"{number:,} {what}" for what, number in rows.items() if number > 0) or None,
            "files": ", ".join(f"{number:,} {what}" for what, number in files.items() if number > 0) or None,
            "bytes": ", ".join(f"{bytes_shown(size)} {what}" for what, size in wrote if size) or None,
            "rebased": f"{self.rebased} x" if self.rebased else None,
            "repeated": f"{self.repeated} x" if self.repeated else None,
            "snapshot": None if self.snapshot_id is None else str(self.snapshot_id),
            "time": f"{self.seconds:.3f} s" if self.seconds else None,
        }

    def _title(self) -> str:
        what = self.operation or "no new snapshot"
        if self.already_committed:
            return f"{what}, committed before"
        return f"{what}, dry run" if self.dry_run else what

    def __repr__(self) -> str:
        facts = "".join(f"; {name}: {fact}" for name, fact in self._facts().items() if fact is not None)
        return f"CommitResult({self._title()}{facts})"

    def _repr_html_(self) -> str:
        return facts_html(f"CommitResult: {self._title()}", self._facts())


@dataclass(frozen=True)
class UpsertResult:
    """What an upsert did. The names are PyIceberg's.

    Args:
        rows_updated: The rows that were updated.
        rows_inserted: The rows that were inserted.
        commit: What the commit did.
    """

    rows_updated: int = 0
    rows_inserted: int = 0
    commit: CommitResult | None = field(default=None, compare=False)

    def _repr_html_(self) -> str:
        facts = {"rows updated": f"{self.rows_updated:,}", "rows inserted": f"{self.rows_inserted:,}"}
        return facts_html("UpsertResult", facts, "" if self.commit is None else self.commit._repr_html_())


@dataclass(frozen=True)
class Committed:
    """A commit that is part of a table.

    Args:
        table: The table with it.
        here: Whether it was made here, and not by an earlier commit with the same key.
        snapshot_id: Its last snapshot.
        counts: The rows and files that it changed, by the names that `CommitResult` has for them.
        rebased: How often its changes of rows were rebased.
        row_proof: Of a repair, how rows before and after were compared.
    """

    table: OpenedTable
    here: bool
    snapshot_id: int | None
    counts: Mapping[str, int] = field(default_factory=dict)
    rebased: int = 0
    row_proof: tuple[int, int, bool, tuple[int, str], tuple[int, str]] | None = None

    @property
    def result(self) -> CommitResult:
        """The result for the user."""
        operation = None if self.snapshot_id is None else self.table.operation_of(self.snapshot_id)
        result = CommitResult(self.snapshot_id, operation, already_committed=not self.here)
        return replace(result, rebased=self.rebased, **cast("dict[str, Any]", self.counts))
