"""Which methods of maintenance write manifests and delete files again?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_names, checked_properties
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, AlwaysTrue
from floeberg.maintenance._base import MaintainedTable
from floeberg.maintenance.one_snapshot import commit_snapshot, count_replaced
from floeberg.maintenance.results.metadata import (
    ConvertEqualityDeletesResult,
    RemoveDanglingDeletesResult,
    RewriteManifestsResult,
    RewritePositionDeleteFilesResult,
)
from floeberg.maintenance.rewrite_delete_files import (
    DeleteFileOptions,
    dangling_operation,
    delete_file_groups,
    rewrite_delete_files,
    rewrite_operation,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.expressions import AnyFilter
    from floeberg.maintenance.one_snapshot import OneSnapshot
    from floeberg.maintenance.rewrite_delete_files import DeleteKind, Groups
    from floeberg.progress.report import ProgressCallback

__all__ = ["MetadataMaintenance"]


class MetadataMaintenance(MaintainedTable):
    """The methods that write manifests and delete files again. No row changes."""

    def rewrite_manifests(
        self,
        *,
        spec_id: int | None = None,
        sort_by: Sequence[str] | None = None,
        branch: str | None = None,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> RewriteManifestsResult:
        """Writes manifests again, so that a plan with a filter on partitions reads few of them.

        New manifests have the size of `commit.manifest.target-size-bytes`, and each lists neighbouring partitions.
        Where manifests are large and in order already, nothing is done. Manifests that others add meanwhile stay.

        Args:
            spec_id: The partition spec of the manifests. By default, the table's current one.
            sort_by: Names of partition fields that files are ordered by, the first one first. By default, all fields in
                the order of the spec.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only how many manifests would be written again.

        Returns:
            What was done.

        Raises:
            InvalidInputError: The table has no such partition spec, or the spec has no such field.
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> for number in range(3):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> done = orders.maintenance.rewrite_manifests()
            >>> done.rewritten_manifests_count, done.added_manifests_count, orders.scan().count()
            (3, 1, 3)
        """
        checked_bool("dry_run", dry_run)
        wanted = {
            "spec-id": None if spec_id is None else _checked_spec(spec_id),
            "sort-by": [] if sort_by is None else checked_names("sort_by", sort_by),
        }
        operation = _native.Operation.rewrite_manifests(json.dumps(wanted))
        written_to = self._begin(branch, dry_run=dry_run)
        if dry_run:
            files, _ = count_replaced(self, operation, branch=written_to)
            return RewriteManifestsResult(rewritten_manifests_count=files, dry_run=True)
        properties = checked_properties("snapshot_properties", snapshot_properties)
        done = commit_snapshot(self, operation, branch=written_to, snapshot_properties=properties)
        if done.snapshot_id is None:
            return RewriteManifestsResult()
        return RewriteManifestsResult(
            (done.snapshot_id,), done.number("manifests-replaced"), done.number("manifests-created")
        )

    def rewrite_position_delete_files(  # noqa: PLR0913 - keywords
        self,
        *,
        where: AnyFilter = ALWAYS_TRUE,
        options: Mapping[str, str] | None = None,
        branch: str | None = None,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> RewritePositionDeleteFilesResult:
        """Writes small files of position deletes again, as fewer ones. In format version 3, all become vectors.

        Deletes of data files that are not in the table any more are left out. Whether a new delete file is for one data
        file or for a partition follows the table's `write.delete.granularity`.

        Args:
            where: Only delete files are written again that apply to a data file in which a row may match.
            options: As with Spark's procedure, as texts: `target-file-size-bytes`, `min-file-size-bytes`,
                `max-file-size-bytes`, `min-input-files`, `max-file-group-size-bytes`, `rewrite-all`,
                `partial-progress.enabled`, `partial-progress.max-commits`. In format version 3 sizes do not count.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            case_sensitive: Whether the case of names in the filter counts.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only what would be written again.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a line on stderr. By default, nothing is reported.

        Returns:
            What was done.

        Raises:
            InvalidInputError: An option does not exist, or sizes contradict each other.
            UnsupportedError: An option of Spark's procedure is not supported.
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> _ = orders.append(pa.table({"id": [1, 2, 3]}))
            >>> _ = orders.delete("id = 1", mode="merge-on-read")
            >>> done = orders.maintenance.rewrite_position_delete_files(options={"rewrite-all": "true"})
            >>> done.rewritten_delete_files_count, done.added_delete_files_count, orders.scan().count()
            (1, 1, 2)
        """
        read = DeleteFileOptions.read("rewrite_position_delete_files", options, self._table().properties)
        written_to = self._begin(branch, dry_run=dry_run)
        groups = self._groups("positions", where, read, written_to, case_sensitive=case_sensitive)
        if checked_bool("dry_run", dry_run):
            return RewritePositionDeleteFilesResult(
                rewritten_delete_files_count=sum(len(paths) for paths, _ in groups),
                rewritten_bytes_count=sum(size for _, size in groups),
                dry_run=True,
            )
        done = self._rewritten("positions", groups, read, written_to, snapshot_properties, progress)
        return RewritePositionDeleteFilesResult(
            tuple(each.snapshot_id for each in done if each.snapshot_id is not None),
            sum(each.counts.get("replaced_files", 0) for each in done),
            sum(each.number("added-delete-files") for each in done),
            sum(each.counts.get("replaced_bytes", 0) for each in done),
            sum(each.number("added-files-size") for each in done),
        )

    def convert_equality_deletes(  # noqa: PLR0913 - keywords
        self,
        *,
        where: AnyFilter = ALWAYS_TRUE,
        options: Mapping[str, str] | None = None,
        branch: str | None = None,
        case_sensitive: bool = True,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
        progress: ProgressCallback | bool | None = None,
    ) -> ConvertEqualityDeletesResult:
        """Turns equality deletes into position deletes, or into deletion vectors in format version 3.

        Writers of streams delete by keys, which every reader compares with all rows: positions cost a reader next to
        nothing. The key columns of the data files are read once. An equality delete goes when all rows that it deletes
        are deleted by position. The snapshot is an `overwrite`: a compaction of Iceberg Java that began before takes
        notice of the deletes of such snapshots alone.

        Args:
            where: Only equality deletes are converted that apply to a data file in which a row may match.
            options: `max-file-group-size-bytes`, `partial-progress.enabled` and `partial-progress.max-commits`, as
                texts: with the last two, partitions are converted in several commits.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            case_sensitive: Whether the case of names in the filter counts.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only what would be converted.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a line on stderr. By default, nothing is reported.

        Returns:
            What was done.

        Raises:
            InvalidInputError: An option does not exist.
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.maintenance.convert_equality_deletes(dry_run=True)
            ConvertEqualityDeletesResult(dry_run=True)
        """
        read = DeleteFileOptions.read("convert_equality_deletes", options, self._table().properties)
        written_to = self._begin(branch, dry_run=dry_run)
        groups = self._groups("equality", where, read, written_to, case_sensitive=case_sensitive)
        unmatched_too = isinstance(where, AlwaysTrue)
        if checked_bool("dry_run", dry_run):
            operation = rewrite_operation(
                "equality", [paths for paths, _ in groups], unmatched_too=unmatched_too
            )
            files, _ = count_replaced(self, operation, branch=written_to)
            return ConvertEqualityDeletesResult(converted_equality_delete_files_count=files, dry_run=True)
        done = self._rewritten(
            "equality",
            groups,
            read,
            written_to,
            snapshot_properties,
            progress,
            unmatched_too=unmatched_too,
        )
        return ConvertEqualityDeletesResult(
            tuple(each.snapshot_id for each in done if each.snapshot_id is not None),
            sum(each.counts.get("replaced_files", 0) for each in done),
            sum(each.number("added-delete-files") for each in done),
        )

    def remove_dangling_deletes(
        self,
        *,
        branch: str | None = None,
        snapshot_properties: Mapping[str, str] | None = None,
        dry_run: bool = False,
    ) -> RemoveDanglingDeletesResult:
        """Removes delete files, and deletion vectors, that apply to no data file any more.

        A vector goes with its data file. Other deletes of a partition go when all data files there are newer than they
        are, as after `rewrite_data_files`.

        Args:
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            snapshot_properties: Entries to add to the summary of the snapshot.
            dry_run: Whether to say only how many delete files would be removed.

        Returns:
            What was done.

        Raises:
            CommitConflictError: Others were faster at every attempt.
            FloebergError: Those of every commit, as with `append`.

        Examples:
            >>> orders.maintenance.remove_dangling_deletes()
            RemoveDanglingDeletesResult()
        """
        checked_bool("dry_run", dry_run)
        operation = dangling_operation()
        written_to = self._begin(branch, dry_run=dry_run)
        if dry_run:
            files, _ = count_replaced(self, operation, branch=written_to)
            return RemoveDanglingDeletesResult(removed_delete_files_count=files, dry_run=True)
        properties = checked_properties("snapshot_properties", snapshot_properties)
        done = commit_snapshot(self, operation, branch=written_to, snapshot_properties=properties)
        if done.snapshot_id is None:
            return RemoveDanglingDeletesResult()
        return RemoveDanglingDeletesResult((done.snapshot_id,), done.number("removed-delete-files"))

    def _rewritten(  # noqa: PLR0913, PLR0917 - the room's own
        self,
        kind: DeleteKind,
        groups: Groups,
        options: DeleteFileOptions,
        branch: str,
        snapshot_properties: Mapping[str, str] | None,
        progress: ProgressCallback | bool | None,  # noqa: FBT001 - as users pass it
        *,
        unmatched_too: bool = False,
    ) -> list[OneSnapshot]:
        """What each commit did."""
        properties = checked_properties("snapshot_properties", snapshot_properties)
        with self._reporting(progress):
            commits = rewrite_delete_files(
                self,
                kind,
                groups,
                most_commits=options.most_commits,
                unmatched_too=unmatched_too,
                branch=branch,
                snapshot_properties=properties,
            )
            return list(commits)

    def _groups(
        self,
        kind: DeleteKind,
        where: AnyFilter,
        options: DeleteFileOptions,
        branch: str,
        *,
        case_sensitive: bool,
    ) -> Groups:
        """The delete files of a branch to write again."""
        if branch == "main" and self._table().snapshot_id is None:
            return []
        # A filter leaves out deletes that no row of it can have: which apply to a file, only a plan of all rows says.
        plan = self._plan(ALWAYS_TRUE, case_sensitive, branch)
        chosen = None if isinstance(where, AlwaysTrue) else self._plan(where, case_sensitive, branch)
        return delete_file_groups(plan, chosen, kind, options, self._table().format_version)


def _checked_spec(spec_id: int) -> int:
    """The id of a partition spec, which has 32 bits."""
    if not -(2**31) <= checked_int("spec_id", spec_id) < 2**31:
        raise InvalidInputError(f"the table has no partition spec {spec_id}")
    return spec_id
