"""What do the options of a stream say?

In: strings, with keys in lower case. Out: `StreamOptions`, or an error that says what was expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.options.values import column_names, flag, integer, timestamp_ms

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["STREAM_OPTIONS", "StreamOptions", "stream_options"]

STREAM_OPTIONS = (
    "changelog",
    "identifier-columns",
    "stream-from-timestamp",
    "streaming-max-files-per-micro-batch",
    "streaming-max-rows-per-micro-batch",
    "streaming-skip-delete-snapshots",
    "streaming-skip-overwrite-snapshots",
)


@dataclass(frozen=True)
class StreamOptions:
    """Which snapshots a stream reads, and how many of their files at a time.

    Args:
        given: The options that were given.
        from_timestamp_ms: Reads snapshots from this millisecond on; `None` is from the oldest snapshot on.
        max_files: Files of a micro-batch, at most.
        max_rows: Rows of a micro-batch: no file is added once they are reached.
        skip_deletes: Whether snapshots that delete are skipped; otherwise they are errors.
        skip_overwrites: Whether snapshots that overwrite are skipped.
        changelog: Whether all changes of rows are read, with what they are.
        identifier_columns: The columns that identify a row of a changelog; `None` is the identifier fields.
    """

    given: tuple[str, ...] = ()
    from_timestamp_ms: int | None = None
    max_files: int | None = None
    max_rows: int | None = None
    skip_deletes: bool = False
    skip_overwrites: bool = False
    changelog: bool = False
    identifier_columns: tuple[str, ...] | None = None


def stream_options(options: Mapping[str, str]) -> StreamOptions:
    """Parses what is for streams only.

    Raises:
        InvalidInputError: A value is wrong, or two options contradict each other.
    """
    found = StreamOptions(
        given=tuple(key for key in STREAM_OPTIONS if key in options),
        from_timestamp_ms=timestamp_ms(options, "stream-from-timestamp"),
        max_files=integer(options, "streaming-max-files-per-micro-batch", least=1),
        max_rows=integer(options, "streaming-max-rows-per-micro-batch", least=1),
        skip_deletes=flag(options, "streaming-skip-delete-snapshots"),
        skip_overwrites=flag(options, "streaming-skip-overwrite-snapshots"),
        changelog=flag(options, "changelog"),
        identifier_columns=column_names(options, "identifier-columns"),
    )
    if found.changelog and (found.skip_deletes or found.skip_overwrites):
        raise InvalidInputError(
            "the option 'changelog' reads deleted and overwritten rows too: leave out streaming-skip-delete-snapshots "
            "and streaming-skip-overwrite-snapshots"
        )
    if found.identifier_columns is not None and not found.changelog:
        raise InvalidInputError("the option 'identifier-columns' needs 'changelog'")
    return found
