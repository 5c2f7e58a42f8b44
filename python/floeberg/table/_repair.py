"""How are faults of a table mended that a check found?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_options, checked_text
from floeberg.repairing.table_repair import repair_table
from floeberg.table._base import TableBase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from floeberg.checking.finding import Finding
    from floeberg.repairing.result import RepairResult

__all__ = ["TableRepair"]


class TableRepair(TableBase):
    """The method of `floeberg.Table` that mends what a check found."""

    def repair(  # noqa: PLR0913 - keywords
        self,
        findings: Iterable[Finding],
        *,
        branch: str = "main",
        dry_run: bool = False,
        drop_missing_data_files: bool = False,
        drop_missing_delete_files: bool = False,
        drop_missing_manifests: bool = False,
        allow_changed_rows: bool = False,
        snapshot_properties: Mapping[str, str] | None = None,
    ) -> RepairResult:
        """Mends what a check found, as far as the files say what is right, in one commit. Nothing is guessed.

        Findings are checked again first, on the table as it is now: one that does not hold any more is skipped, and so
        is one of files that only older snapshots have, or other branches. What a scan gives stays the same, unless
        files are given up that are gone, which only the arguments do.

        - Counts, sizes, bounds and offsets that entries of manifests have wrong come from the footers of the files, and
          from their rows where footers lack them.
        - Manifests and manifest lists are written again where they are not what their files say.
        - The metadata is written again where it has one right answer only.

        The commit proves that the same files are live, with the same partitions, sequence numbers and row ids. Files
        that a scan would read in another way, such as one to which other deletes apply, are read both ways, and their
        rows are compared: `RepairResult.proof`.

        Args:
            findings: A check, or findings of one.
            branch: The branch whose snapshot is mended, and that the commit goes to. Its findings are those of
                `table.check(snapshot_id=...)`.
            dry_run: Whether to say only what would be done.
            drop_missing_data_files: Whether data files are given up that are gone. Their rows are lost.
            drop_missing_delete_files: Whether delete files and deletion vectors are given up that are gone. The rows
                that they deleted come back.
            drop_missing_manifests: Whether manifests are given up that are gone. The rows of their files are lost, or
                come back.
            allow_changed_rows: Whether the rows that a scan gives may change, where bounds of delete files were wrong
                and other deletes apply with the right ones. The snapshot is an `overwrite` then.
            snapshot_properties: Entries to add to the summary of the snapshot.

        Returns:
            What was done about each finding, and what is lost.

        Raises:
            InvalidInputError: `findings` has something else than findings, or `branch` is a tag.
            NotFoundError: The table has no such branch.
            UnsupportedError: The table cannot be written where it was opened.
            InvalidDataError: The rows that a scan gives would change. Nothing was committed.
            CommitConflictError: Another commit removed a file that was to be given up.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.repair(orders.check("rows"), dry_run=True).repaired
            ()
        """
        return repair_table(
            self._operations,
            self._inner,
            self._become,
            findings,
            branch=checked_text("branch", branch),
            dry_run=checked_bool("dry_run", dry_run),
            drop_missing_data_files=checked_bool("drop_missing_data_files", drop_missing_data_files),
            drop_missing_delete_files=checked_bool("drop_missing_delete_files", drop_missing_delete_files),
            drop_missing_manifests=checked_bool("drop_missing_manifests", drop_missing_manifests),
            allow_changed_rows=checked_bool("allow_changed_rows", allow_changed_rows),
            snapshot_properties=checked_options("snapshot_properties", snapshot_properties),
        )
