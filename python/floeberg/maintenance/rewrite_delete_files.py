"""How are delete files written again, as fewer ones or of another kind?

Groups of delete files are chosen on a plan. A commit looks up on its base which data files they apply to, so that a
delete of another commit counts, and a delete file goes only when its rows are deleted otherwise.
"""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from floeberg import _native
from floeberg._table_properties import whole_of
from floeberg.maintenance.one_snapshot import commit_snapshot, split_groups
from floeberg.maintenance.options import ProcedureOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from floeberg.maintenance._base import MaintainedTable
    from floeberg.maintenance.one_snapshot import OneSnapshot
    from floeberg.scan.plan import Plan

__all__ = [
    "DeleteFileOptions",
    "dangling_operation",
    "delete_file_groups",
    "rewrite_delete_files",
    "rewrite_operation",
]

_TARGET = "write.delete.target-file-size-bytes"
_REFUSED = ("max-concurrent-file-group-rewrites", "partial-progress.max-failed-commits", "rewrite-job-order")
_VECTORS = 3

DeleteKind = Literal["positions", "equality"]
Groups = list[tuple[list[str], int]]


@dataclass(frozen=True)
class DeleteFileOptions:
    """The options of Spark's procedure `rewrite_position_delete_files`.

    Attributes:
        sizes: How large files and groups are: those that Rust's `Sizes` has.
        all_files: `rewrite-all`.
        most_commits: `partial-progress.max-commits`, if `partial-progress.enabled`; else 1.
    """

    sizes: Mapping[str, int]
    all_files: bool
    most_commits: int

    @classmethod
    def read(
        cls, procedure: str, options: Mapping[str, str] | None, properties: Mapping[str, str]
    ) -> DeleteFileOptions:
        """Reads options, all of them texts.

        Raises:
            InvalidInputError: An option does not exist, has another type, or sizes contradict each other.
            UnsupportedError: An option of Spark's procedure is not supported.
        """
        given = ProcedureOptions(procedure, options)
        partial = given.flag("partial-progress.enabled")
        commits = given.size("partial-progress.max-commits", 10, 1)
        read = cls(
            given.sizes(whole_of(properties, _TARGET)),
            given.flag("rewrite-all"),
            commits if partial else 1,
        )
        given.end(_REFUSED)
        return read


def delete_file_groups(
    plan: Plan, chosen: Plan | None, kind: DeleteKind, options: DeleteFileOptions, format_version: int
) -> Groups:
    """The groups of delete files of a plan that are worth writing again: paths, and bytes.

    Args:
        plan: A plan of all rows.
        chosen: Only delete files count that apply to a data file of this plan. `None` is all.
        kind: The kind of delete files.
        options: Sizes.
        format_version: The format version of the table.
    """
    return _native.delete_file_groups(
        plan._inner,  # noqa: SLF001 - the package's own
        None if chosen is None else chosen._inner,  # noqa: SLF001 - the package's own
        kind=kind,
        sizes=dict(options.sizes),
        all_files=options.all_files,
        to_vectors=format_version >= _VECTORS,
    )


def rewrite_delete_files(  # noqa: PLR0913 - keywords
    maintained: MaintainedTable,
    kind: DeleteKind,
    groups: Groups,
    *,
    most_commits: int,
    unmatched_too: bool,
    branch: str,
    snapshot_properties: Mapping[str, str],
) -> Iterator[OneSnapshot]:
    """Writes groups of delete files again, in one commit or in several."""
    commits = list(split_groups([paths for paths, _ in groups], most_commits))
    workers = maintained._workers  # noqa: SLF001 - the room's own
    with nullcontext() if workers is None else workers.writing_deletes() as written:
        for some in commits or ([[]] if unmatched_too else []):
            operation = rewrite_operation(kind, some, unmatched_too=unmatched_too)
            unmatched_too = False
            yield commit_snapshot(
                maintained,
                operation,
                branch=branch,
                snapshot_properties=snapshot_properties,
                prepare=None if written is None else written.copy,
            )


def rewrite_operation(
    kind: DeleteKind, groups: Sequence[list[str]], *, unmatched_too: bool
) -> _native.Operation:
    """Writes groups of delete files again. With `unmatched_too`, equality deletes go that delete no row."""
    paths = [path for paths in groups for path in paths]
    wanted = {"kind": kind, "paths": paths, "unmatched-too": unmatched_too}
    return _native.Operation.rewrite_deletes(json.dumps(wanted))


def dangling_operation() -> _native.Operation:
    """Removes deletes that apply to no data file."""
    return _native.Operation.rewrite_deletes(json.dumps({"kind": "dangling", "paths": []}))
