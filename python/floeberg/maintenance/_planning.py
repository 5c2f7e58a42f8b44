"""Which methods of maintenance say what a table needs, and do it?"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_bool
from floeberg._table_properties import flag_of
from floeberg.errors import FloebergError
from floeberg.maintenance._base import never_over
from floeberg.maintenance._metadata import MetadataMaintenance
from floeberg.maintenance._removing import RemovingMaintenance
from floeberg.maintenance._rewriting import RewritingMaintenance
from floeberg.maintenance.budget import Budget, checked_threshold
from floeberg.maintenance.lease import Lease
from floeberg.maintenance.planned_table import check_not_moved, head_of, planned_table
from floeberg.maintenance.policy import arguments_of, check_call, read_policy
from floeberg.maintenance.results.planning import (
    HealthFinding,
    MaintenanceCall,
    MaintenancePlan,
    MaintenanceRun,
    TableHealth,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.maintenance.policy import MaintenancePolicy
    from floeberg.maintenance.results.base import Result
    from floeberg.progress.report import ProgressCallback

__all__ = ["PlanningMaintenance"]

_REWRITES = ("convert_equality_deletes", "rewrite_position_delete_files", "rewrite_data_files")
_REMOVALS = ("expire_snapshots", "remove_orphan_files")
_SHARE = 0.3
_COMMITS = "1000"
_NAMES = {
    "convert_equality_deletes": ("equality delete files", "total-delete-files", "each one"),
    "rewrite_position_delete_files": (
        "small files of position deletes",
        "total-delete-files",
        "option min-input-files",
    ),
    "rewrite_data_files": (
        "data files to write again",
        "total-data-files",
        "options of sizes, min-input-files and delete-ratio-threshold",
    ),
    "remove_dangling_deletes": ("dangling delete files", "total-delete-files", "each one"),
    "rewrite_manifests": (
        "small or overlapping manifests",
        "",
        "property commit.manifest.target-size-bytes",
    ),
    "expire_snapshots": ("old snapshots", "snapshots", "properties history.expire.*"),
    "remove_orphan_files": ("orphan files", "", "older than three days"),
}


class PlanningMaintenance(RewritingMaintenance, MetadataMaintenance, RemovingMaintenance):
    """The methods that say what a table needs, and do it."""

    def health(
        self,
        policy: MaintenancePolicy | None = None,
        *,
        branch: str | None = None,
        list_files: bool = False,
        skew_threshold: float = 10,
    ) -> TableHealth:
        """What a table needs: small files, deletes, manifests, snapshots, and how uneven its partitions are.

        Args:
            policy: The thresholds, as for `plan`.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            list_files: Whether orphan files are looked for, which lists all files of the table.
            skew_threshold: How many times as large as the median partition the largest one may be.

        Returns:
            What was found, with the call that mends it, and what that costs. Printed, it is a table.

        Raises:
            InvalidInputError: The policy names what does not exist.

        Examples:
            >>> for number in range(6):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> found = orders.maintenance.health()["data files to write again"]
            >>> found.value, found.is_due, found.call.procedure
            (6, True, 'rewrite_data_files')
        """
        wanted = read_policy(policy)
        most_skew = checked_threshold("skew_threshold", skew_threshold)
        if checked_bool("list_files", list_files):
            wanted.setdefault("remove_orphan_files", {})
        written_to = self._begin(branch, dry_run=True)
        totals = self._totals(written_to)
        findings = []
        for call in self._estimates(wanted, written_to):
            name, total, threshold = _NAMES[call.procedure]
            given = ", ".join(f"{key}={value}" for key, value in call.arguments.items())
            of = totals.get(total)
            findings.append(
                HealthFinding(name, call.files, of, given or threshold, is_due=call.files > 0, call=call)
            )
        findings += [_deleted(totals), self._skew(written_to, most_skew)]
        return TableHealth(written_to, tuple(findings))

    def plan(
        self,
        policy: MaintenancePolicy | None = None,
        *,
        branch: str | None = None,
    ) -> MaintenancePlan:
        """Which calls are worth it, most worth first: the most files for the fewest bytes, and what removes files last.

        Args:
            policy: A mapping of calls to their arguments, or the path of a TOML file with a table for each call.
                `older_than` may be an age, such as `P7D`. By default, all calls but `remove_orphan_files`, without
                arguments.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.

        Returns:
            The calls, which `apply` does.

        Raises:
            InvalidInputError: The policy names what does not exist.
            NotFoundError: The file of the policy does not exist.

        Examples:
            >>> for number in range(6):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> plan = orders.maintenance.plan({"rewrite_data_files": {}})
            >>> [(each.procedure, each.files) for each in plan.calls]
            [('rewrite_data_files', 6)]
        """
        written_to = self._begin(branch, dry_run=True)
        calls = self._estimates(read_policy(policy), written_to)
        rewrites = [each for each in calls if each.procedure in _REWRITES]
        rewrites.sort(key=lambda each: each.files / max(each.bytes, 1), reverse=True)
        others = [each for each in calls if each.procedure not in _REWRITES]
        return MaintenancePlan(
            tuple(each for each in rewrites + others if each.files),
            planned_table(self._metadata(), written_to),
        )

    def apply(
        self,
        plan: MaintenancePlan,
        *,
        max_seconds: float | None = None,
        max_bytes: int | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> MaintenanceRun:
        """Does the calls of a plan. Each chooses its files on the table as it is then.

        Args:
            plan: The plan, of this table.
            max_seconds: After so many seconds nothing more is begun.
            max_bytes: The bytes of data files and delete files that are written again, at most.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a line on stderr. By default, nothing is reported.

        Returns:
            What was done, and what was left.

        Raises:
            CommitConflictError: The branch was moved back, or columns, partition spec or sort order changed, since the
                plan was made; another run of maintenance goes on; or others were faster at every attempt.
            InvalidInputError: The plan is of another table.
            FloebergError: Those of the calls. What was done before is committed.
        """
        self._operations.check_writable()
        budget = Budget(max_seconds, max_bytes)
        self._become(self._operations.load(self._table()))
        check_not_moved(self._metadata(), plan.table)
        for call in plan.calls:
            check_call(call.procedure, call.arguments)
        lease = Lease(self)
        results: list[Result] = []
        left: list[MaintenanceCall] = []
        lease.renew()
        try:
            with self._reporting(progress):
                for call in plan.calls:
                    budget.was_over = False
                    # A compaction asks before each of its groups.
                    is_whole = call.procedure in _REWRITES and call.procedure != "rewrite_data_files"
                    if budget.is_over(call.bytes if is_whole else 0):
                        left.append(call)
                        continue
                    if results:
                        lease.renew()
                    done = self._done(call, plan.table["branch"], budget)
                    if done is not None:
                        results.append(done)
                    if budget.was_over:
                        left.append(call.without(done))
        finally:
            # It ends by itself, and must not hide what went wrong before.
            with suppress(FloebergError):
                lease.release()
        return MaintenanceRun(tuple(results), tuple(left), budget.seconds)

    def run(
        self,
        policy: MaintenancePolicy | None = None,
        *,
        branch: str | None = None,
        max_seconds: float | None = None,
        max_bytes: int | None = None,
        progress: ProgressCallback | bool | None = None,
    ) -> MaintenanceRun:
        """Plans, and does what is worth it, within a budget. A run after one that was killed goes on where that ended.

        Args:
            policy: As for `plan`.
            branch: The branch. By default `main`, or the `wap.branch` of the catalog.
            max_seconds: After so many seconds nothing more is begun.
            max_bytes: The bytes of data files and delete files that are written again, at most.
            progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or
                `True` for a line on stderr. By default, nothing is reported.

        Returns:
            What was done, and what was left.

        Raises:
            InvalidInputError: The policy names what does not exist.
            CommitConflictError: Another run of maintenance goes on, or others were faster at every attempt.
            FloebergError: Those of the calls. What was done before is committed.

        Examples:
            >>> for number in range(6):
            ...     _ = orders.append(pa.table({"id": [number]}))
            >>> done = orders.maintenance.run({"rewrite_data_files": {}, "rewrite_manifests": {}})
            >>> len(done.results), done.left, orders.scan().count()
            (1, (), 6)
        """
        self._operations.check_writable()
        plan = self.plan(policy, branch=branch)
        return self.apply(plan, max_seconds=max_seconds, max_bytes=max_bytes, progress=progress)

    def _estimates(self, policy: Mapping[str, Mapping[str, Any]], branch: str) -> list[MaintenanceCall]:
        """The calls of a policy, with what they would do."""
        with self._planning_once():
            return [self._estimated(procedure, arguments, branch) for procedure, arguments in policy.items()]

    def _estimated(self, procedure: str, arguments: Mapping[str, Any], branch: str) -> MaintenanceCall:
        """A call with what it would do."""
        if procedure in _REMOVALS and not flag_of(self._table().properties, "gc.enabled"):
            return MaintenanceCall(procedure, arguments)
        given = arguments_of(arguments)
        if procedure == "expire_snapshots":
            # Which files go is asked of all snapshots: too much for a plan.
            found = self.expire_snapshots(**given, delete_files=False, dry_run=True)
            return MaintenanceCall(procedure, arguments, len(found.snapshot_ids) + len(found.refs))
        if procedure == "remove_orphan_files":
            orphans = self.remove_orphan_files(**given, dry_run=True)
            return MaintenanceCall(
                procedure, arguments, len(orphans.orphan_file_locations), orphans.orphan_bytes
            )
        done: Any = getattr(self, procedure)(**given, branch=branch, dry_run=True)
        files, size = {
            "rewrite_data_files": ("rewritten_data_files_count", "rewritten_bytes_count"),
            "rewrite_position_delete_files": ("rewritten_delete_files_count", "rewritten_bytes_count"),
            "convert_equality_deletes": ("converted_equality_delete_files_count", ""),
            "rewrite_manifests": ("rewritten_manifests_count", ""),
            "remove_dangling_deletes": ("removed_delete_files_count", ""),
        }[procedure]
        return MaintenanceCall(procedure, arguments, getattr(done, files), getattr(done, size, 0))

    def _done(self, call: MaintenanceCall, branch: str, budget: Budget) -> Result | None:
        """The result of a call; `None` if there was nothing to do any more."""
        given = arguments_of(call.arguments)
        if call.procedure in _REMOVALS:
            done: Any = getattr(self, call.procedure)(**given, dry_run=False)
            return done if done != type(done)() else None
        if call.procedure == "rewrite_data_files":
            options = dict(given.pop("options", None) or {})
            options = {
                "partial-progress.enabled": "true",
                "partial-progress.max-commits": _COMMITS,
                **options,
            }
            self._is_over = budget.is_over
            try:
                done = self.rewrite_data_files(**given, options=options, branch=branch)
            finally:
                self._is_over = never_over
        else:
            done = getattr(self, call.procedure)(**given, branch=branch)
        return done if done.snapshot_ids else None

    def _totals(self, branch: str) -> dict[str, float]:
        """The totals of the snapshot of a branch."""
        metadata = self._metadata()
        head, snapshots = head_of(metadata, branch), metadata["snapshots"]
        snapshot: dict[str, Any] = next((each for each in snapshots if each["snapshot-id"] == head), {})
        numbers = {"snapshots": float(len(snapshots))}
        for name, text in snapshot.get("summary", {}).items():
            if str(text).isascii() and str(text).isdigit():
                numbers[name] = int(text)
        return numbers

    def _skew(self, branch: str, threshold: float) -> HealthFinding:
        """How many times as large as the median partition the largest one is."""
        sizes = sorted(self._partition_sizes(branch))
        median = sizes[len(sizes) // 2] if sizes else 0
        skew = round(sizes[-1] / median, 1) if median else 1
        return HealthFinding(
            "largest partition, in medians", skew, None, f"skew_threshold={threshold:g}", skew > threshold
        )


def _deleted(totals: Mapping[str, float]) -> HealthFinding:
    """The rows that position deletes and vectors delete."""
    deleted, rows = totals.get("total-position-deletes", 0), totals.get("total-records", 0)
    return HealthFinding(
        "rows deleted by position", deleted, rows, "30 % of all rows", rows > 0 and deleted >= rows * _SHARE
    )
