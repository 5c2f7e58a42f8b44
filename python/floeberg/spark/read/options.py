"""What do the options of a read say?

In: strings, with keys in lower case. Out: `ScanOptions` and `ReadSettings`, or an error that says what was expected.

Invariant: no option is ignored, and no repr or error shows a value that may be secret.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.options.storage_options import STORE_OPTIONS
from floeberg.spark.options.table_locator import TABLE_OPTIONS, TableLocator, is_table_option, table_locator
from floeberg.spark.options.values import column_names, flag, integer, timestamp_ms
from floeberg.spark.read.stream_options import STREAM_OPTIONS, StreamOptions, stream_options

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES", "PLAN", "SCAN", "ReadSettings", "ScanOptions", "read_options", "scan_token"]

SCAN = "scan-token"
"""The option that `Scan.to_spark` sets. Spark redacts values of keys that end like this wherever it prints options."""

FILES = "files-token"
"""The option that names some files of the scan, where Spark itself reads the others."""

PLAN = "plan-token"
"""The option that names what tasks read of the manifests of the scan."""

_SNAPSHOTS = ("snapshot-id", "version", "branch", "tag", "as-of-timestamp")
_RANGE = ("start-snapshot-id", "end-snapshot-id")
_OF_TABLES = (*_SNAPSHOTS, *_RANGE, *TABLE_OPTIONS, *STREAM_OPTIONS, "columns", "filter")
_OWN = (*_OF_TABLES, "case-sensitive", "partitions", "split-size", "threads", "truncate-nanoseconds")

_NO_TABLES = (
    "Spark's own catalog does not store the options of a table: make a view instead, "
    "CREATE TEMPORARY VIEW .. USING floeberg OPTIONS (path '..')"
)

_BY_NAME = "the options 'table', 'catalog' and 'catalog.<property>'"

_ELSEWHERE = {
    "paths": "one table is read at a time: give one path",
    "versionasof": "use snapshot-id, branch or tag",
    "timestampasof": "use as-of-timestamp",
    "start-snapshot-timestamp": "use start-snapshot-id",
    "end-snapshot-timestamp": "use end-snapshot-id",
    "async-micro-batch-planning-enabled": "a micro-batch is planned when Spark asks for it",
}


@dataclass(frozen=True)
class ReadSettings:
    """How rows are read.

    Args:
        split_size: Bytes of a partition, at most; `None` is the table's `read.split.target-size`, or 128 MiB.
        partitions: Partitions, at most; `None` is two per core.
        threads: Threads of a task; `None` takes `FLOEBERG_THREADS`, or one.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
        case_sensitive: Whether the case of column names counts.
        files: The files of the plan that are read, as `files_token` says them; `None` is all.
        plan: What `SavedPlan` calls the answers of tasks; `None` where no task read manifests.
    """

    split_size: int | None = None
    partitions: int | None = None
    threads: int | None = None
    truncate_nanoseconds: bool = False
    case_sensitive: bool = False
    files: str | None = None
    plan: str | None = None


@dataclass(frozen=True)
class ScanOptions:
    """The table, rows and columns to read.

    Args:
        locator: The table.
        columns: Names of columns; `None` is all.
        filter: A filter as SQL text; `None` is every row.
        snapshot_id: Reads this snapshot.
        branch: Reads this branch.
        tag: Reads this tag.
        version: Reads this version of a Lance table.
        as_of_ms: Reads what was current at this millisecond.
        start_snapshot_id: Reads only what appends added after this snapshot.
        end_snapshot_id: Reads it up to this snapshot.
        stream: What is for streams only.
    """

    locator: TableLocator
    columns: tuple[str, ...] | None = None
    filter: str | None = None
    snapshot_id: int | None = None
    branch: str | None = None
    tag: str | None = None
    version: int | None = None
    as_of_ms: int | None = None
    start_snapshot_id: int | None = None
    end_snapshot_id: int | None = None
    stream: StreamOptions = field(default_factory=StreamOptions)

    @property
    def follows_newest(self) -> bool:
        """Whether later commits are read: no snapshot was chosen."""
        chosen = (self.snapshot_id, self.tag, self.as_of_ms, self.end_snapshot_id)
        return all(each is None for each in chosen)


def read_options(given: Mapping[str, str]) -> tuple[ScanOptions | bytes, ReadSettings]:
    """Parses the options of a read.

    Args:
        given: The options, with keys in any case.

    Returns:
        The options of the scan, or the scan that `Scan.to_spark` made; and how to read it.

    Raises:
        InvalidInputError: A key is unknown, a value is wrong, or the options contradict each other.
        UnsupportedError: A key is known and not supported.
    """
    options = {key.lower(): value for key, value in given.items()}
    if {"owner", "provider"} <= options.keys():
        raise UnsupportedError(f"CREATE TABLE .. USING floeberg is not supported: {_NO_TABLES}")
    for key in options:
        if key not in (*_OWN, SCAN, FILES, PLAN) and not is_table_option(key):
            _refuse(key)
    settings = ReadSettings(
        split_size=integer(options, "split-size", least=1),
        partitions=integer(options, "partitions", least=1),
        threads=integer(options, "threads", least=1),
        truncate_nanoseconds=flag(options, "truncate-nanoseconds"),
        case_sensitive=flag(options, "case-sensitive"),
        files=options.get(FILES),
        plan=options.get(PLAN),
    )
    return _scan(options) if SCAN in options else _scan_options(options), settings


def _scan_options(options: Mapping[str, str]) -> ScanOptions:
    locator = table_locator(
        options,
        f"give load() a table directory or a metadata file, or name a table of a catalog: {_BY_NAME}; {_NO_TABLES}",
    )
    chosen = [key for key in _SNAPSHOTS if key in options]
    if len(chosen) > 1:
        raise InvalidInputError(f"choose one snapshot: the options {' and '.join(chosen)} exclude each other")
    _check_range(options, chosen)
    stream = stream_options(options)
    fixed = [key for key in (*chosen, *_RANGE) if key in options and key != "branch"]
    if stream.given and fixed:
        raise InvalidInputError(
            f"the option {stream.given[0]!r} is for streams, which read what comes: leave out {fixed[0]!r}"
        )
    return ScanOptions(
        locator=locator,
        columns=column_names(options, "columns"),
        filter=options.get("filter"),
        snapshot_id=integer(options, "snapshot-id", least=None),
        branch=options.get("branch"),
        tag=options.get("tag"),
        version=integer(options, "version", least=0),
        as_of_ms=timestamp_ms(options, "as-of-timestamp"),
        start_snapshot_id=integer(options, "start-snapshot-id", least=None),
        end_snapshot_id=integer(options, "end-snapshot-id", least=None),
        stream=stream,
    )


def _check_range(options: Mapping[str, str], chosen: list[str]) -> None:
    """A range of snapshots starts somewhere, and ends at a snapshot, at a branch, or at the current snapshot."""
    if "end-snapshot-id" in options and "start-snapshot-id" not in options:
        raise InvalidInputError("the option 'end-snapshot-id' needs 'start-snapshot-id'")
    ends = [*(key for key in chosen if key != "branch" or "end-snapshot-id" in options)]
    if "start-snapshot-id" in options and ends:
        raise InvalidInputError(f"the option {ends[0]!r} cannot be combined with a range of snapshots")


def scan_token(scan: bytes) -> str:
    """The bytes of a scan as the value of an option."""
    return base64.b64encode(zlib.compress(scan)).decode()


def _scan(options: Mapping[str, str]) -> bytes:
    others = [key for key in options if key in _OF_TABLES or is_table_option(key)]
    if others:
        raise InvalidInputError(
            f"{' and '.join(others)} cannot be combined with a scan: set them on the scan itself"
        )
    try:
        return zlib.decompress(base64.b64decode(options[SCAN], validate=True))
    except (ValueError, zlib.error) as error:
        raise InvalidInputError(f"the option {SCAN!r} is set by Scan.to_spark only") from error


def _refuse(key: str) -> NoReturn:
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    if key in _ELSEWHERE:
        raise UnsupportedError(f"the option {key!r} is not supported: {_ELSEWHERE[key]}")
    if key.startswith(("fs.", "spark.hadoop.")):
        raise InvalidInputError(
            f"the option {key!r} is a Hadoop option, and Hadoop is not used: use s3.*, gcs.* or adls.*"
        )
    near = get_close_matches(key, (*_OWN, *STORE_OPTIONS))
    hint = (
        f"near matches: {', '.join(map(repr, near))}"
        if near
        else f"known options: {', '.join(_OWN)} and storage options"
    )
    raise InvalidInputError(f"unknown option {key!r}; {hint}")
