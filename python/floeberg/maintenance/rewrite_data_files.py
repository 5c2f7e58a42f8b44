"""How are small files and files with deletes written again?

Groups of files are chosen on a plan. A commit writes the rows of its groups as they are on its base: on another base, a
group whose files have other deletes by then is read again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options
from floeberg._table_properties import whole_of
from floeberg.commit.loop import commit
from floeberg.errors import CommitStateUnknownError, FloebergError, InvalidInputError, UnsupportedError
from floeberg.maintenance.results.rewriting import RewriteDataFilesResult

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from floeberg.commit.operations import OpenedTable, TableOperations
    from floeberg.scan.plan import Plan

__all__ = ["RewriteStrategy", "Rewriter", "read_options"]

RewriteStrategy = Literal["binpack"]
"""How files are written again: `binpack` joins and splits them, in their order."""

_TARGET = "write.target-file-size-bytes"
_NOT_SERVED = frozenset(
    {
        "max-concurrent-file-group-rewrites",
        "output-spec-id",
        "partial-progress.max-failed-commits",
        "remove-dangling-deletes",
        "rewrite-job-order",
        "use-starting-sequence-number",
    }
)


@dataclass(frozen=True)
class RewriteOptions:
    """The options of Spark's procedure. `read_options` has its defaults.

    Attributes:
        target: `target-file-size-bytes`; by default, that of the table.
        least: `min-file-size-bytes`; by default, 75 % of the target.
        most: `max-file-size-bytes`; by default, 180 % of the target.
        least_files: `min-input-files`.
        delete_files: `delete-file-threshold`.
        delete_ratio: `delete-ratio-threshold`.
        most_of_group: `max-file-group-size-bytes`.
        all_files: `rewrite-all`.
        partial: `partial-progress.enabled`.
        most_commits: `partial-progress.max-commits`.
    """

    target: int
    least: int
    most: int
    least_files: int
    delete_files: int
    delete_ratio: float
    most_of_group: int
    all_files: bool
    partial: bool
    most_commits: int


def read_options(options: Mapping[str, str] | None, properties: Mapping[str, str]) -> RewriteOptions:
    """Reads options, all of them texts.

    Raises:
        InvalidInputError: An option does not exist, has another type, or sizes contradict each other.
        UnsupportedError: An option of Spark's procedure is not supported.
    """
    given = dict(checked_options("options", options))
    target = _size(given, "target-file-size-bytes", whole_of(properties, _TARGET), 1)
    least = _size(given, "min-file-size-bytes", target * 3 // 4, 0)
    most = _size(given, "max-file-size-bytes", target * 9 // 5, 1)
    if not least < target < most:
        raise InvalidInputError(
            "options: expected min-file-size-bytes < target-file-size-bytes < max-file-size-bytes, found "
            f"{least}, {target}, {most}"
        )
    read = RewriteOptions(
        target,
        least,
        most,
        _size(given, "min-input-files", 5, 1),
        _size(given, "delete-file-threshold", 2**31 - 1, 1),
        _share(given, "delete-ratio-threshold", 0.3),
        _size(given, "max-file-group-size-bytes", 100 << 30, 1),
        _flag(given, "rewrite-all"),
        _flag(given, "partial-progress.enabled"),
        _size(given, "partial-progress.max-commits", 10, 1),
    )
    if refused := sorted(_NOT_SERVED.intersection(given)):
        raise UnsupportedError(f"options: {refused[0]!r} is not supported")
    if given:
        raise InvalidInputError(f"options: unknown option {min(given)!r} of rewrite_data_files")
    return read


def _size(given: dict[str, str], name: str, default: int, least: int) -> int:
    text = given.pop(name, None)
    if text is None:
        return default
    if not text.strip().isascii() or not text.strip().isdigit() or int(text) < least:
        raise InvalidInputError(
            f"options: expected a whole number of at least {least} for {name!r}, found {text!r}"
        )
    return min(int(text), 2**62)


def _share(given: dict[str, str], name: str, default: float) -> float:
    text = given.pop(name, None)
    if text is None:
        return default
    try:
        share = float(text)
    except ValueError:
        share = -1
    if not 0 < share <= 1:
        raise InvalidInputError(
            f"options: expected a number above 0 and at most 1 for {name!r}, found {text!r}"
        )
    return share


def _flag(given: dict[str, str], name: str) -> bool:
    text = given.pop(name, "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidInputError(f"options: expected 'true' or 'false' for {name!r}, found {text!r}")
    return text == "true"


@dataclass
class Rewriter:
    """Writes groups of files again.

    Attributes:
        operations: The operations of the table.
        table: Gives the table as it was loaded.
        become: Takes the table after a commit.
    """

    operations: TableOperations
    table: Callable[[], OpenedTable]
    become: Callable[[OpenedTable], None]

    def rewrite(
        self,
        plan: Plan,
        options: RewriteOptions,
        *,
        branch: str,
        dry_run: bool,
        snapshot_properties: Mapping[str, str],
    ) -> RewriteDataFilesResult:
        """Does what `TableMaintenance.rewrite_data_files` says, on the files of a plan."""
        checked_bool("dry_run", dry_run)
        groups = _native.rewrite_groups(
            plan._inner,  # noqa: SLF001 - the package's own
            target=options.target,
            least=options.least,
            most=options.most,
            least_files=options.least_files,
            delete_files=options.delete_files,
            delete_ratio=options.delete_ratio,
            most_of_group=options.most_of_group,
            all_files=options.all_files,
        )
        if dry_run:
            return RewriteDataFilesResult(
                rewritten_data_files_count=sum(len(paths) for paths, _ in groups),
                rewritten_bytes_count=sum(size for _, size in groups),
                rewritten_files=tuple(path for paths, _ in groups for path in paths),
                dry_run=True,
            )
        done = RewriteDataFilesResult()
        for some in _commits([paths for paths, _ in groups], options):
            done = self._and(done, some, options, branch, snapshot_properties)
        return done

    def _and(
        self,
        done: RewriteDataFilesResult,
        groups: Sequence[list[str]],
        options: RewriteOptions,
        branch: str,
        snapshot_properties: Mapping[str, str],
    ) -> RewriteDataFilesResult:
        """What was done, and one commit more. One that fails is counted, if progress may be partial."""
        try:
            return done.with_commit(self._commit(groups, options, branch, snapshot_properties))
        except CommitStateUnknownError:
            raise
        except FloebergError:
            if not options.partial:
                raise
            return done.with_failed(sum(map(len, groups)))

    def _commit(
        self,
        groups: Sequence[list[str]],
        options: RewriteOptions,
        branch: str,
        snapshot_properties: Mapping[str, str],
    ) -> tuple[dict[str, Any] | None, Mapping[str, int], tuple[str, ...]]:
        """Writes groups in one commit: its snapshot, its counts, and the files."""
        wanted = {"groups": groups, "options": {"target-file-size-bytes": str(options.target)}}
        done = commit(
            self.operations,
            operations=[_native.Operation.rewrite_data_files(json.dumps(wanted))],
            starting=self.table(),
            snapshot_properties=snapshot_properties,
            branch=branch,
            files_are_new=True,
        )
        self.become(done.table)
        snapshots = json.loads(done.table.metadata_json())["snapshots"]
        snapshot = next((each for each in snapshots if each["snapshot-id"] == done.snapshot_id), None)
        return snapshot, done.counts, tuple(path for paths in groups for path in paths)


def _commits(groups: list[list[str]], options: RewriteOptions) -> list[list[list[str]]]:
    """The groups of each commit: all in one, or a few in each of several."""
    if not groups:
        return []
    each = -(-len(groups) // options.most_commits) if options.partial else len(groups)
    return [groups[first : first + each] for first in range(0, len(groups), each)]
