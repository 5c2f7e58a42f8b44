"""Does a store give a name to one writer alone?

Folders without a catalog are committed to that way, so the check takes the call that these commits take: each writer
creates the metadata file of a table of its own, and all of them choose the same name.
"""

from __future__ import annotations

import json
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import AlreadyExistsError, FloebergError, StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.commit.attempt import Attempt

__all__ = ["WRITERS", "raced", "raced_file"]

WRITERS = 16
_SCHEMA = json.dumps(
    {"type": "struct", "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}
)


def raced(folder: str, storage_options: Mapping[str, str]) -> str:
    """Has writers create the same file at once.

    Args:
        folder: A folder of the check's own.
        storage_options: Those of the store.

    Raises:
        StorageError: Not exactly one of them won, or the file is not that of the winner.
        UnsupportedError: The store cannot create a file only where there is none.
        FloebergError: A writer failed otherwise.
    """
    location = raced_file(folder)
    writers = [str(uuid.uuid4()) for _ in range(WRITERS)]
    attempts = [_attempt(writer, folder, storage_options) for writer in writers]
    start = threading.Barrier(WRITERS)

    def write(attempt: Attempt) -> FloebergError | None:
        start.wait()
        try:
            attempt.write_metadata(location, if_absent=True)
        except FloebergError as failure:
            return failure
        return None

    with ThreadPoolExecutor(WRITERS) as threads:
        outcomes = dict(zip(writers, threads.map(write, attempts), strict=True))
    for failure in outcomes.values():
        if failure is not None and not _has_lost(failure):
            raise failure
    _check_winner(outcomes, _writer_of(location, storage_options))
    return f"{WRITERS} writers, one winner, whose bytes are read"


def raced_file(folder: str) -> str:
    """The file that the writers create."""
    return f"{folder}/metadata/v1.metadata.json"


def _has_lost(failure: FloebergError) -> bool:
    """Whether another writer may have been first. Of a lost answer, the bytes of the file say which."""
    return isinstance(failure, AlreadyExistsError) or failure.outcome_unknown


def _check_winner(outcomes: Mapping[str, FloebergError | None], found: object) -> None:
    """Checks that what is read is of the one writer that won."""
    won = [writer for writer, failure in outcomes.items() if failure is None]
    if len(won) > 1:
        raise StorageError(
            f"{len(won)} of {len(outcomes)} writers were told that they created the same file: expected 1"
        )
    if won and found != won[0]:
        raise StorageError("the file has other bytes than those of the one writer that created it")
    if not won and found not in outcomes:
        raise StorageError("no writer created the file, and none of their bytes are there")


def _attempt(writer: str, folder: str, storage_options: Mapping[str, str]) -> Attempt:
    """What creates a table whose uuid names the writer. Nothing is written yet."""
    operation = _native.Operation.create_table(
        schema_json=_SCHEMA,
        spec_json=None,
        sort_order_json=None,
        location=folder,
        properties={},
        format_version=2,
        uuid=writer,
    )
    begun = _native.Commit.begin(
        [operation],
        starting=None,
        storage_options=dict(storage_options),
        snapshot_properties={},
        branch="main",
        commit_key=writer,
    )
    return begun.attempt(None)


def _writer_of(location: str, storage_options: Mapping[str, str]) -> object:
    content = _native.read_file(location, storage_options=dict(storage_options))
    try:
        return json.loads(content).get("table-uuid")
    except (ValueError, AttributeError):
        return None
