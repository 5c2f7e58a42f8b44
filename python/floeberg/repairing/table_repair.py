"""How are faults of a table mended that a check found?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg.checking.finding import Finding, finding_of
from floeberg.commit.filesystem import FileSystemTableOperations
from floeberg.commit.loop import commit
from floeberg.commit.static import StaticTableOperations
from floeberg.errors import InvalidInputError
from floeberg.repairing.result import LostFile, RepairResult, rows_proof

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.repairing.result import LostContent

__all__ = ["checked_findings", "repair_table"]


def checked_findings(findings: object) -> list[tuple[str, str, str, str, int | None]]:
    """Findings of a check, as Rust takes them.

    Raises:
        InvalidInputError: Something else is there.
    """
    if isinstance(findings, (str, bytes)) or not isinstance(findings, Iterable):
        raise InvalidInputError(
            f"findings: expected a check or its findings, found an object of type {type(findings).__name__}"
        )
    given = []
    for each in findings:
        if not isinstance(each, Finding):
            raise InvalidInputError(
                f"findings: expected findings of a check, found an object of type {type(each).__name__}"
            )
        given.append((each.rule.id, each.location, each.part, each.message, each.snapshot_id))
    return given


def repair_table(  # noqa: PLR0913 - keywords
    operations: TableOperations,
    table: OpenedTable,
    become: Callable[[OpenedTable], None],
    findings: object,
    *,
    branch: str,
    dry_run: bool,
    drop_missing_data_files: bool,
    drop_missing_delete_files: bool,
    drop_missing_manifests: bool,
    allow_changed_rows: bool,
    snapshot_properties: Mapping[str, str],
) -> RepairResult:
    """Mends what can be mended, in one commit. `Table.repair` says more."""
    if not dry_run:
        operations.check_writable()
    if not isinstance(operations, StaticTableOperations):
        current = operations.load(table)
        table.check_same_table(current)
        table = current
    folder = operations if isinstance(operations, FileSystemTableOperations) else None
    operation, repaired, skipped, lost, writes_hint = _native.plan_repair(
        table,
        checked_findings(findings),
        branch=branch,
        drop_missing_data_files=drop_missing_data_files,
        drop_missing_delete_files=drop_missing_delete_files,
        drop_missing_manifests=drop_missing_manifests,
        allow_changed_rows=allow_changed_rows,
        writes_metadata=operations.writes_metadata,
        owns_folder=folder is not None,
    )
    snapshot_id = proof = None
    if not dry_run:
        if operation is not None:
            done = commit(
                operations,
                operations=[operation],
                starting=table,
                snapshot_properties=snapshot_properties,
                branch=branch,
                files_are_new=True,
            )
            become(done.table)
            table, snapshot_id = done.table, done.snapshot_id
            proof = None if done.row_proof is None else rows_proof(done.row_proof)
        if writes_hint and folder is not None:
            folder.write_hint(table)
    return RepairResult(
        repaired=tuple((finding_of(found), what) for found, what in repaired),
        skipped=tuple((finding_of(found), why) for found, why in skipped),
        lost=tuple(LostFile(each[0], cast("LostContent", each[1]), *each[2:]) for each in lost),
        snapshot_id=snapshot_id,
        proof=proof,
        dry_run=dry_run,
    )
