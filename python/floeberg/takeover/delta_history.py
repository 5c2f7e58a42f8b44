"""Which steps lead through the versions of a Delta table?

In: versions of a Delta table, in order. Out: for each, the files that come and go, and the rows that vectors delete.

Invariant: after its step, a table has the rows of the version. A version that brings rows back which a vector deleted
is an error: deletes are never taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.errors import InvalidDataError, NotFoundError, UnsupportedError
from floeberg.takeover.delta_log import read_delta_log, versions_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from floeberg.takeover.delta_log import DeltaFile, DeltaState

__all__ = ["Step", "earlier_states", "steps_of"]


@dataclass(frozen=True)
class Step:
    """What a version changes.

    Args:
        state: The version.
        added: Its new files.
        removed: The paths of files that it has no more.
        deleted: The positions of rows that it deletes, by the path of a file that was there before.
        deleted_of_added: The same of its new files.
        removes_deleted: Whether rows of a file that it has no more were deleted before.
    """

    state: DeltaState
    added: tuple[DeltaFile, ...]
    removed: tuple[str, ...]
    deleted: Mapping[str, Any]
    deleted_of_added: Mapping[str, Any]
    removes_deleted: bool


def earlier_states(last: DeltaState, options: Mapping[str, str]) -> list[DeltaState]:
    """The versions up to one that can still be read one after the other: with a log, and with all of their files.

    Args:
        last: The last version.
        options: The options of the storage.
    """
    found: list[DeltaState] = []
    seen: set[str] = set()
    for version in versions_of(last.location, options):
        if version >= last.version:
            break
        try:
            state = read_delta_log(last.location, options, version=version)
        except (NotFoundError, InvalidDataError):
            found, seen = [], set()
            continue
        paths = {each.path for each in state.files}
        is_there = all(
            _native.file_exists(state.place(path), storage_options=dict(options)) for path in paths - seen
        )
        if not is_there or state.partition_columns != last.partition_columns:
            found, seen = [], set()
            continue
        seen |= paths
        found.append(state)
    return [*found, last]


def steps_of(states: Sequence[DeltaState]) -> list[Step]:
    """The steps. The first one adds all files of the first version.

    Raises:
        UnsupportedError: A version brings back rows that a vector deleted before.
    """
    steps: list[Step] = []
    before: DeltaState | None = None
    for state in states:
        known = {} if before is None else {each.path: each for each in before.files}
        now = {each.path: each for each in state.files}
        deleted_before = {} if before is None else before.deleted
        steps.append(
            Step(
                state=state,
                added=tuple(each for path, each in now.items() if path not in known),
                removed=tuple(path for path in known if path not in now),
                deleted={
                    path: rows
                    for path in known
                    if path in now and len(rows := _newly(state, path, deleted_before.get(path)))
                },
                deleted_of_added={path: rows for path, rows in state.deleted.items() if path not in known},
                removes_deleted=any(path in deleted_before for path in known if path not in now),
            )
        )
        before = state
    return steps


def _newly(state: DeltaState, path: str, before: Any) -> Any:  # noqa: ANN401 - arrays
    """The positions that a version deletes of a file, and the version before did not."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.compute as pc  # noqa: PLC0415

    now = state.deleted.get(path)
    if now is None:
        now = pa.array([], pa.int64())
    if before is None:
        return now
    if not pc.all(pc.is_in(before, value_set=now)).as_py():
        raise UnsupportedError(
            f"version {state.version} of the Delta table brings back rows that a deletion vector deleted, which no "
            "delete file takes back: leave out keep_history, or take over a version before",
            context={"path": path},
        )
    return now.filter(pc.invert(pc.is_in(now, value_set=before)))
