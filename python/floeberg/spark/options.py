"""What do the options of a read say?

In: strings, their keys in lower case, as Spark gives them. Out: `Wanted` and `Handling`, or an error that says what
was expected.

Invariant: no option is passed over, and no repr or error shows the value of one that may be secret.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from floeberg._moments import milliseconds
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SCAN", "Handling", "Wanted", "read_options", "scan_token"]

SCAN = "scan-token"
"""The option that `Scan.to_spark` sets. Spark redacts values of keys that end like this wherever it prints options."""

_SNAPSHOTS = ("snapshot-id", "branch", "tag", "as-of-timestamp")
_RANGE = ("start-snapshot-id", "end-snapshot-id")
_OF_TABLES = (*_SNAPSHOTS, *_RANGE, "columns", "filter", "path", "relocate")
_OWN = (*_OF_TABLES, "case-sensitive", "partitions", "split-size", "threads", "truncate-nanoseconds")

_STORE = (
    *("adls.account-key", "adls.account-name", "adls.anonymous", "adls.client-id", "adls.client-secret"),
    *("adls.connection-string", "adls.endpoint", "adls.sas-token", "adls.tenant-id", "adls.token"),
    *("client.access-key-id", "client.region", "client.secret-access-key", "client.session-token"),
    *("gcs.anonymous", "gcs.endpoint", "gcs.no-auth", "gcs.oauth2.token", "gcs.oauth2.token-expires-at"),
    *("gcs.project-id", "gcs.service-account-key", "gcs.service-account-path", "gcs.service.host"),
    *("io.connect-timeout", "io.request-timeout", "io.retries"),
    *("s3.access-key-id", "s3.anonymous", "s3.connect-timeout", "s3.endpoint", "s3.force-virtual-addressing"),
    *("s3.path-style-access", "s3.proxy-uri", "s3.region", "s3.remote-signing-enabled", "s3.request-timeout"),
    *("s3.role-arn", "s3.role-session-name", "s3.secret-access-key", "s3.session-token", "s3.signer"),
)

_STORE_PREFIXES = ("aws_", "azure_", "google_")
"""How the store library's own names start; their rest is for it to know."""

_NO_TABLES = (
    "a table of Spark's own catalog does not keep its options, so that a query would not know what to read: make "
    "a view, CREATE TEMPORARY VIEW .. USING floeberg OPTIONS (path '..')"
)

_ELSEWHERE = {
    "paths": "one table is read at a time: give one path",
    "versionasof": "use snapshot-id, branch or tag",
    "timestampasof": "use as-of-timestamp",
    "start-snapshot-timestamp": "use start-snapshot-id",
    "end-snapshot-timestamp": "use end-snapshot-id",
    "stream-from-timestamp": "streaming reads are not supported yet",
    "table": "tables are not looked up in catalogs yet: use path",
    "catalog": "tables are not looked up in catalogs yet: use path",
}


@dataclass(frozen=True)
class Handling:
    """How rows are read, whichever they are.

    Args:
        split_size: Bytes that a partition has at most; `None` is the table's `read.split.target-size`, or 128 MiB.
        partitions: Partitions, at most; `None` is two a core.
        threads: Threads of a task; `None` leaves it to the environment, and else is one.
        truncate_nanoseconds: Whether nanoseconds may be cut to microseconds.
        case_sensitive: Whether the case of names counts.
    """

    split_size: int | None = None
    partitions: int | None = None
    threads: int | None = None
    truncate_nanoseconds: bool = False
    case_sensitive: bool = False


@dataclass(frozen=True)
class Wanted:
    """Which rows and columns of which table are read.

    Args:
        path: A table directory or a metadata file.
        columns: Names of columns; `None` is all.
        filter: A filter as SQL text; `None` is every row.
        snapshot_id: Reads this snapshot.
        branch: Reads this branch.
        tag: Reads this tag.
        as_of_ms: Reads what was current at this millisecond.
        start_snapshot_id: Reads only what appends added after this snapshot.
        end_snapshot_id: Reads it up to this snapshot.
        relocate: Where the files are, by the prefixes that were written.
        storage: Options of the store.
    """

    path: str
    columns: tuple[str, ...] | None = None
    filter: str | None = None
    snapshot_id: int | None = None
    branch: str | None = None
    tag: str | None = None
    as_of_ms: int | None = None
    start_snapshot_id: int | None = None
    end_snapshot_id: int | None = None
    relocate: Mapping[str, str] = field(default_factory=dict[str, str])
    storage: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


def read_options(given: Mapping[str, str]) -> tuple[Wanted | bytes, Handling]:
    """Reads options.

    Args:
        given: The options, with keys in any case.

    Returns:
        What is wanted, or the scan that `Scan.to_spark` made; and how to read it.

    Raises:
        InvalidInputError: A key is unknown, a value is wrong, or the options contradict each other.
        UnsupportedError: A key is known and cannot be served.
    """
    options = {key.lower(): value for key, value in given.items()}
    if {"owner", "provider"} <= options.keys():
        raise UnsupportedError(f"CREATE TABLE .. USING floeberg is not supported: {_NO_TABLES}")
    for key in options:
        if key not in (*_OWN, SCAN) and not _is_of_store(key):
            _refuse(key)
    handling = Handling(
        split_size=_integer(options, "split-size", least=1),
        partitions=_integer(options, "partitions", least=1),
        threads=_integer(options, "threads", least=1),
        truncate_nanoseconds=_flag(options, "truncate-nanoseconds"),
        case_sensitive=_flag(options, "case-sensitive"),
    )
    return _scan(options) if SCAN in options else _wanted(options), handling


def _wanted(options: Mapping[str, str]) -> Wanted:
    if not options.get("path"):
        raise InvalidInputError(
            f"no table was named: give load() a table directory or a metadata file; {_NO_TABLES}"
        )
    chosen = [key for key in _SNAPSHOTS if key in options]
    if len(chosen) > 1:
        raise InvalidInputError(f"choose one snapshot only: the options {' and '.join(chosen)} were given")
    _check_range(options, chosen)
    return Wanted(
        path=options["path"],
        columns=_columns(options["columns"]) if "columns" in options else None,
        filter=options.get("filter"),
        snapshot_id=_integer(options, "snapshot-id", least=None),
        branch=options.get("branch"),
        tag=options.get("tag"),
        as_of_ms=_moment(options["as-of-timestamp"]) if "as-of-timestamp" in options else None,
        start_snapshot_id=_integer(options, "start-snapshot-id", least=None),
        end_snapshot_id=_integer(options, "end-snapshot-id", least=None),
        relocate=_relocate(options["relocate"]) if "relocate" in options else {},
        storage={key: value for key, value in options.items() if _is_of_store(key)},
    )


def _check_range(options: Mapping[str, str], chosen: list[str]) -> None:
    """A range of snapshots starts somewhere, and ends at a snapshot, at a branch, or at the current snapshot."""
    if "end-snapshot-id" in options and "start-snapshot-id" not in options:
        raise InvalidInputError("the option 'end-snapshot-id' needs 'start-snapshot-id'")
    ends = [*(key for key in chosen if key != "branch" or "end-snapshot-id" in options)]
    if "start-snapshot-id" in options and ends:
        raise InvalidInputError(f"the option {ends[0]!r} cannot be given beside a range of snapshots")


def scan_token(scan: bytes) -> str:
    """The bytes of a scan as the value of an option."""
    return base64.b64encode(zlib.compress(scan)).decode()


def _scan(options: Mapping[str, str]) -> bytes:
    others = [key for key in options if key in _OF_TABLES or _is_of_store(key)]
    if others:
        raise InvalidInputError(
            f"a scan says itself what it reads: {' and '.join(others)} cannot be given beside it"
        )
    try:
        return zlib.decompress(base64.b64decode(options[SCAN], validate=True))
    except (ValueError, zlib.error) as error:
        raise InvalidInputError(f"the option {SCAN!r} is set by Scan.to_spark only") from error


def _is_of_store(key: str) -> bool:
    return key in _STORE or key.startswith(_STORE_PREFIXES)


def _refuse(key: str) -> NoReturn:
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    if key in _ELSEWHERE:
        raise UnsupportedError(f"the option {key!r} cannot be used: {_ELSEWHERE[key]}")
    if key.startswith(("fs.", "spark.hadoop.")):
        raise InvalidInputError(
            f"the option {key!r} is one of Hadoop, which is not asked: use s3.*, gcs.* or adls.*"
        )
    near = get_close_matches(key, (*_OWN, *_STORE))
    hint = (
        f"near matches: {', '.join(map(repr, near))}"
        if near
        else f"there are {', '.join(_OWN)} and those of stores"
    )
    raise InvalidInputError(f"there is no option {key!r}; {hint}")


def _integer(options: Mapping[str, str], key: str, *, least: int | None) -> int | None:
    if key not in options:
        return None
    text = options[key].strip()
    expected = "an integer" if least is None else f"an integer of at least {least}"
    if not re.fullmatch(r"[+-]?[0-9]{1,19}", text):
        raise InvalidInputError(f"the option {key!r}: expected {expected}, found {options[key]!r}")
    number = int(text)
    if (least is not None and number < least) or not -(2**63) <= number < 2**63:
        raise InvalidInputError(f"the option {key!r}: expected {expected} of 64 bits, found {number}")
    return number


def _flag(options: Mapping[str, str], key: str) -> bool:
    text = options.get(key, "false").strip().lower()
    if text not in {"true", "false"}:
        raise InvalidInputError(f"the option {key!r}: expected true or false, found {options[key]!r}")
    return text == "true"


def _moment(text: str) -> int:
    try:
        return milliseconds(int(text) if re.fullmatch(r"\s*[+-]?[0-9]+\s*", text) else text)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"the option 'as-of-timestamp': expected milliseconds, or an ISO 8601 time with a zone: {error}"
        ) from error


_NAME = re.compile(r"""\s*(?:`((?:[^`]|``)*)`|"((?:[^"]|"")*)"|([^,`"]*?))\s*(,|$)""")


def _columns(text: str) -> tuple[str, ...]:
    """Names out of a list of JSON, or out of names between commas, which backticks or double quotes may enclose."""
    names = _json_names(text) if text.lstrip().startswith("[") else _comma_names(text)
    if not names or not all(names):
        raise InvalidInputError(f"the option 'columns': expected names of columns, found {text!r}")
    return tuple(names)


def _json_names(text: str) -> list[str]:
    try:
        names = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option 'columns': expected a list of JSON, found {text!r}: {error}"
        ) from error
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InvalidInputError(f"the option 'columns': expected strings in the list, found {text!r}")
    return names


def _comma_names(text: str) -> list[str]:
    names: list[str] = []
    place, more = 0, True
    while more:
        match = _NAME.match(text, place)
        if match is None:
            raise InvalidInputError(
                f"the option 'columns': expected names between commas, found {text!r}; names with commas or quotes "
                f"stand in `backticks`, or in a list of JSON"
            )
        ticked, quoted, bare, comma = match.groups()
        if ticked is not None:
            names.append(ticked.replace("``", "`"))
        else:
            names.append(bare if quoted is None else quoted.replace('""', '"'))
        place, more = match.end(), bool(comma)
    return names


def _relocate(text: str) -> dict[str, str]:
    try:
        places = json.loads(text)
    except ValueError as error:
        raise InvalidInputError(
            f"the option 'relocate': expected an object of JSON, found {text!r}: {error}"
        ) from error
    if not isinstance(places, dict) or not all(isinstance(place, str) for place in places.values()):
        raise InvalidInputError(
            f"""the option 'relocate': expected an object of JSON, as {{"/written": "/now"}}, found {text!r}"""
        )
    return places
