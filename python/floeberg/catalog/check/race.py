"""Does a store give a name to one writer alone?

Folders without a catalog are committed to that way. Each writer creates a file with bytes of its own, and all of them
choose the same name.
"""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import AlreadyExistsError, FloebergError, StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["WRITERS", "raced", "raced_file"]

WRITERS = 16


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
    start = threading.Barrier(WRITERS)

    outcomes: dict[str, FloebergError | None] = {}

    def write(writer: str) -> None:
        start.wait()
        try:
            _native.put_file_if_absent(location, writer.encode(), storage_options=dict(storage_options))
            outcomes[writer] = None
        except FloebergError as failure:
            outcomes[writer] = failure

    # A store that never answers must not keep the process alive, as the threads of a pool would.
    threads = [threading.Thread(target=write, args=(writer,), daemon=True) for writer in writers]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    if len(outcomes) < WRITERS:
        raise StorageError(f"{WRITERS - len(outcomes)} of {WRITERS} writers broke off")
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


def _check_winner(outcomes: Mapping[str, FloebergError | None], found: str) -> None:
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


def _writer_of(location: str, storage_options: Mapping[str, str]) -> str:
    return _native.read_file(location, storage_options=dict(storage_options)).decode(errors="replace")
