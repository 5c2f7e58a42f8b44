"""Is a table, or a view, what the specification of its format says?"""

from __future__ import annotations

from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, get_args

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_options,
    checked_path,
    checked_paths,
    checked_text,
)
from floeberg._display import facts_html, rows_html
from floeberg.checking.finding import Finding, Level, Severity, finding_of
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

__all__ = ["Check", "Level", "check"]

_MOST_SHOWN = 50


class Running(Protocol):
    """A check that runs: see `floeberg._native.Check`."""

    def next_findings(self) -> list[tuple[str, str, str, str, int | None]]:
        """The next findings; none at the end."""
        ...

    def read_all(self) -> Any:  # noqa: ANN401 - rows in Arrow form
        """All findings that are left, as rows."""
        ...


class Check:
    """A check that is run as its findings are taken.

    Nothing is kept: each use runs it again, on the files as they are then. It is neither true nor false: use
    `is_sound`, or take the findings.

    Examples:
        >>> check = table.check()
        >>> check.is_sound(), list(check), check.counts()
        (True, [], {'wrong-data': 0, 'engines-fail': 0, 'slow': 0, 'cosmetic': 0})
    """

    def __init__(self, begin: Callable[[], Running], shown: str) -> None:
        """Use `Table.check`, `View.check`, `LanceTable.check` or `fb.check`."""
        self._begin = begin
        self._shown = shown
        # What is asked for wrongly is said now, not with the first finding.
        begin()

    def __iter__(self) -> Iterator[Finding]:
        """Runs the check, and gives findings as they are found.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.
        """
        running = self._begin()
        while found := running.next_findings():
            yield from map(finding_of, found)

    def to_arrow(self) -> pa.Table:
        """Runs the check, and gives all findings as a table.

        Returns:
            A row for each finding: `rule`, `level`, `severity`, `section`, `location`, `part`, `message`,
            `snapshot_id`, `engines` and `repair`.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.

        Examples:
            >>> table.check("metadata").to_arrow().num_rows
            0
        """
        import pyarrow as pa  # noqa: PLC0415 - who does not ask for rows needs none

        return pa.table(self._begin().read_all())

    def counts(self) -> dict[Severity, int]:
        """Runs the check, and counts its findings.

        Returns:
            The number of findings of each severity, the worst first.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.
        """
        counted = Counter(finding.severity for finding in self)
        return {severity: counted[severity] for severity in get_args(Severity)}

    def is_sound(self) -> bool:
        """Runs the check up to the first finding.

        Returns:
            Whether there is none.

        Raises:
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.
        """
        return next(iter(self), None) is None

    def exit_code(self, fail_on: Severity = "engines-fail") -> int:
        """Runs the check up to the first finding that counts: what a job exits with.

        Args:
            fail_on: The mildest severity that counts: `wrong-data`, `engines-fail`, `slow` or `cosmetic`.

        Returns:
            1 if there is such a finding, or a worse one, and else 0.

        Raises:
            InvalidInputError: The severity is unknown.
            NotFoundError: The table does not have the snapshot.
            StorageError: The store failed.

        Examples:
            >>> table.check().exit_code()
            0
        """
        severities = get_args(Severity)
        if fail_on not in severities:
            raise InvalidInputError(f"fail_on: expected one of {[*severities]}, found {fail_on!r}")
        counted = severities[: severities.index(fail_on) + 1]
        return int(any(finding.severity in counted for finding in self))

    def __bool__(self) -> bool:
        raise InvalidInputError("a check is neither true nor false: use is_sound(), or list(check)")

    def __repr__(self) -> str:
        return f"Check({self._shown})"

    def _repr_html_(self) -> str:
        """Runs the check: a notebook shows what it finds."""
        found = list(islice(self, _MOST_SHOWN + 1))
        title = f"Check of {self._shown}"
        if not found:
            return facts_html(f"{title}: no finding", {})
        columns = ("severity", "rule", "location", "part", "found")
        rows = [
            (each.severity, each.rule.id, each.location, each.part, each.message)
            for each in found[:_MOST_SHOWN]
        ]
        more = "<p>there are more findings: counts() counts them</p>" if len(found) > _MOST_SHOWN else ""
        return facts_html(title, {}, rows_html(columns, rows), more)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a check cannot be pickled: send the table or the location that it checks")


def checked_request(
    level: Level, snapshot_id: int | None, since: int | None, sample: float | None, *, all_snapshots: bool
) -> dict[str, Any]:
    """The arguments of a check, as Rust takes them."""
    return {
        "level": checked_text("level", level),
        "snapshot_id": None if snapshot_id is None else checked_int("snapshot_id", snapshot_id),
        "since": None if since is None else checked_int("since", since),
        "all_snapshots": checked_bool("all_snapshots", all_snapshots),
        "sample": checked_sample(sample),
    }


def checked_sample(sample: float | None) -> float | None:
    """The part of the files that is opened, as Rust takes it."""
    if sample is not None and (isinstance(sample, bool) or not isinstance(sample, int | float)):
        raise InvalidInputError(f"sample: expected a number, found {sample!r}")
    return None if sample is None else float(sample)


def check(  # noqa: PLR0913 - all but two are keywords
    location: str | os.PathLike[str],
    level: Level = "manifests",
    *,
    snapshot_id: int | None = None,
    since: int | None = None,
    all_snapshots: bool = False,
    sample: float | None = None,
    relocate: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
) -> Check:
    """Checks an Iceberg table, a view, or a Lance table, that may be too broken to be opened.

    What is broken is a finding, and no error. Of a Lance table, the main branch is checked, and its versions are its
    snapshots.

    Args:
        location: The metadata file, or the folder of the table or the view.
        level: How deep: `metadata`, `manifests`, `files` (files are opened, and their footers read) or `rows` (all rows
            are read). Each level includes those before it. Views have metadata alone.
        snapshot_id: Checks the files of this snapshot, and not of the current one.
        since: Checks what is new since this snapshot: the snapshots after it, and the manifests that it does not have.
        all_snapshots: Whether the files of all snapshots are checked.
        sample: The part of the files that is opened, such as 0.01. The same files are opened each time.
        relocate: Written prefixes of locations, and where the files are now.
        storage_options: Options of the store.

    Returns:
        The check, which is run as its findings are taken.

    Raises:
        InvalidInputError: The level is unknown, the sample is not above 0 and up to 1, or all snapshots are asked for
            beside a snapshot.
        UnsupportedError: No store has the scheme of the location.

    Examples:
        >>> fb.check("no/table/is/here").counts()["engines-fail"]
        1
    """
    request = checked_request(level, snapshot_id, since, sample, all_snapshots=all_snapshots)
    place = checked_path("location", location)
    moved = checked_paths("relocate", relocate)
    options = checked_options("storage_options", storage_options)
    return Check(
        lambda: _native.Check.of_location(place, relocate=moved, storage_options=options, **request),
        f"{place!r}, {level!r}",
    )
