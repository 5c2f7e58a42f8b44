"""What does the log of a Delta table say?

In: the folder of a Delta table, and a version or a time. Out: its columns, its files with their partition values, and
the rows that deletion vectors delete. The package `deltalake` reads the log; files are not opened.

Invariant: what the log demands of readers and is not understood here is an error, and so is a file outside of the
folder.
"""

from __future__ import annotations

import json
import posixpath
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from floeberg import _native
from floeberg._arguments import checked_version
from floeberg._timestamps import Moment, microseconds
from floeberg.errors import (
    FloebergError,
    InvalidDataError,
    InvalidInputError,
    NotFoundError,
    NotInstalledError,
    StorageError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

__all__ = ["DeltaFile", "DeltaState", "read_delta_log", "versions_of"]

Json = Any
_FEATURES: Final = frozenset(
    {
        *(
            "columnMapping",
            "deletionVectors",
            "timestampNtz",
            "v2Checkpoint",
            "vacuumProtocolCheck",
            "typeWidening",
        ),
        # A table may have these without a column or a file that needs them. Such columns are refused by name.
        *("variantType", "variantType-preview", "variantShredding-preview", "typeWidening-preview"),
    }
)
_NAMES: Final = {
    "s3.access-key-id": "AWS_ACCESS_KEY_ID",
    "s3.secret-access-key": "AWS_SECRET_ACCESS_KEY",
    "s3.session-token": "AWS_SESSION_TOKEN",
    "s3.region": "AWS_REGION",
    "client.region": "AWS_REGION",
    "s3.endpoint": "AWS_ENDPOINT_URL",
}
_MAPPED_SINCE: Final = 2
_FEATURES_SINCE: Final = 3


@dataclass(frozen=True)
class DeltaFile:
    """A data file of a Delta table.

    Args:
        path: Its path below the folder.
        partition: Its partition values, by the names of the columns.
    """

    path: str
    partition: Mapping[str, object]


@dataclass(frozen=True)
class DeltaState:
    """A version of a Delta table.

    Args:
        location: The folder.
        version: The version.
        timestamp_ms: When it was committed; `None` where the log does not say it.
        schema: The columns, as Delta writes them as JSON.
        partition_columns: The names of columns that it is partitioned by.
        configuration: Its properties.
        description: What its owner says of it.
        mapping: `name` or `id` where columns have other names in files, else `None`.
        widens: Whether files may have narrower types.
        files: Its data files.
        deleted: The positions of deleted rows by the path of their file, as `pyarrow` arrays.
    """

    location: str
    version: int
    timestamp_ms: int | None
    schema: Json
    partition_columns: tuple[str, ...]
    configuration: Mapping[str, str]
    description: str | None
    mapping: str | None
    widens: bool
    files: tuple[DeltaFile, ...]
    deleted: Mapping[str, pa.Array] = field(default_factory=dict)

    def place(self, path: str) -> str:
        """The location of a file."""
        return f"{self.location}/{path}"


def read_delta_log(
    location: str, options: Mapping[str, str], *, version: int | None = None, as_of: Moment | None = None
) -> DeltaState:
    """Reads the log of a Delta table.

    Raises:
        NotInstalledError: The package deltalake is not installed.
        NotFoundError: There is no such version, or no table.
        UnsupportedError: The table demands what is not understood here.
        InvalidDataError: The log is damaged.
    """
    deltalake = _deltalake()
    with _explained(deltalake, location):
        return _read(deltalake, location, options, version, as_of)


def versions_of(location: str, options: Mapping[str, str]) -> list[int]:
    """The versions that the log still has commits of, in order."""
    deltalake = _deltalake()
    with _explained(deltalake, location):
        history = deltalake.DeltaTable(location, storage_options=_options(options)).history()
        return sorted(int(each["version"]) for each in history)


@contextmanager
def _explained(deltalake: Any, location: str) -> Iterator[None]:  # noqa: ANN401 - the module
    """Errors of deltalake as those of Floeberg."""
    where = {"path": location}
    try:
        yield
    except FloebergError:
        raise
    except deltalake.exceptions.TableNotFoundError as error:
        text = _native.without_passwords(str(error))
        raise NotFoundError(
            f"the Delta table does not exist, or not at that version: {text}", context=where
        ) from error
    except OSError as error:
        text = _native.without_passwords(str(error))
        raise StorageError(f"the log of the Delta table cannot be read: {text}", context=where) from error
    except (deltalake.exceptions.DeltaError, ValueError, KeyError, TypeError) as error:
        text = _native.without_passwords(str(error))
        if "not supported" in text or "Unsupported" in text:
            raise UnsupportedError(
                f"the Delta table has what the package deltalake does not read: {text}", context=where
            ) from error
        raise InvalidDataError(f"the log of the Delta table cannot be read: {text}", context=where) from error


def _deltalake() -> Any:  # noqa: ANN401 - the module
    try:
        import deltalake  # noqa: PLC0415 - an extra
        import deltalake.exceptions  # noqa: PLC0415
    except ImportError as error:
        raise NotInstalledError(
            "the log of a Delta table is read by deltalake: install it by pip install 'floeberg[delta]'"
        ) from error
    return deltalake


def _read(
    deltalake: Any,  # noqa: ANN401 - the module
    location: str,
    options: Mapping[str, str],
    version: int | None,
    as_of: Moment | None,
) -> DeltaState:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if version is not None and as_of is not None:
        raise InvalidInputError("version and as_of exclude each other")
    wanted = None if version is None else checked_version("version", version)
    table = deltalake.DeltaTable(location, version=wanted, storage_options=_options(options))
    if as_of is not None:
        table.load_as_version(_version_at(table, microseconds(as_of, "as_of") // 1000, location))
    protocol, metadata = table.protocol(), table.metadata()
    features = frozenset(protocol.reader_features or ())
    unknown = sorted(features - _FEATURES)
    if unknown:
        raise UnsupportedError(
            f"the Delta table demands of readers {', '.join(map(repr, unknown))}, which is not understood here: copy "
            "its rows by deltalake's `scan`",
            context={"path": location},
        )
    configuration = {str(key): str(value) for key, value in metadata.configuration.items()}
    actions = pa.table(table.get_add_actions())
    partitions = (
        actions["partition"].to_pylist() if "partition" in actions.column_names else [{}] * len(actions)
    )
    raw = actions["path"].to_pylist()
    files = tuple(
        DeltaFile(_inside(path, location), values or {}) for path, values in zip(raw, partitions, strict=True)
    )
    return DeltaState(
        location=location,
        version=table.version(),
        timestamp_ms=_committed(table),
        schema=json.loads(table.schema().to_json()),
        partition_columns=tuple(metadata.partition_columns),
        configuration=configuration,
        description=metadata.description,
        mapping=_mapping(protocol, features, configuration),
        widens=any(each.startswith("typeWidening") for each in features),
        files=files,
        deleted=_deleted(table, raw),
    )


def _options(options: Mapping[str, str]) -> dict[str, str] | None:
    """The options of a store, by the names that deltalake has for them too."""
    known = {_NAMES[key]: value for key, value in options.items() if key in _NAMES}
    if options.get("s3.endpoint", "").startswith("http:"):
        known["AWS_ALLOW_HTTP"] = "true"
    return {**options, **known} or None


def _version_at(table: Any, moment: int, location: str) -> int:  # noqa: ANN401 - a DeltaTable
    """The newest version that was committed at a time, as commits say: files of a log may have been copied later.

    Raises:
        NotFoundError: There was none, or the log does not have it any more.
    """
    known = (each for each in table.history() if isinstance(each.get("timestamp"), int))
    found = max((each["version"] for each in known if each["timestamp"] <= moment), default=None)
    if found is None:
        raise NotFoundError(
            "the Delta table had no version at that time, as far as its log says", context={"path": location}
        )
    return int(found)


def _committed(table: Any) -> int | None:  # noqa: ANN401 - a DeltaTable
    """When the version was committed, as its commit says."""
    version = table.version()
    found: dict[str, Any] = next(
        (each for each in table.history(limit=1) if each.get("version") == version), {}
    )
    moment = found.get("timestamp")
    return moment if isinstance(moment, int) else None


def _mapping(protocol: Any, features: frozenset[str], configuration: Mapping[str, str]) -> str | None:  # noqa: ANN401
    """Whether columns have other names in files. The property alone does not say it."""
    since = protocol.min_reader_version
    is_on = since == _MAPPED_SINCE or (since >= _FEATURES_SINCE and "columnMapping" in features)
    mode = configuration.get("delta.columnMapping.mode", "none")
    if mode not in ("none", "name", "id"):
        raise UnsupportedError(f"the Delta table has the column mapping {mode!r}: expected none, name or id")
    return mode if is_on and mode != "none" else None


def _inside(path: str, location: str) -> str:
    """The path of a file below the folder, decoded.

    Raises:
        UnsupportedError: It is outside of the folder.
    """
    found = unquote(path)
    if (
        ":" in found.split("/", 1)[0]
        or posixpath.normpath(f"/_/{found}").split("/")[1] != "_"
        or found.startswith("/")
    ):
        raise UnsupportedError(
            "the Delta table refers to a file outside of its folder, as shallow clones do: take over the table that "
            "it was "
            "cloned from, or copy its rows by deltalake's `scan`",
            context={"path": found, "folder": location},
        )
    return posixpath.normpath(found)


def _deleted(table: Any, raw: list[str]) -> dict[str, pa.Array]:  # noqa: ANN401
    """The positions of deleted rows, by file."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    root = table.table_uri.rstrip("/") + "/"
    known = set(raw)
    found: dict[str, Any] = {}
    for batch in pa.RecordBatchReader.from_stream(table.deletion_vectors()):
        for place, kept in zip(
            batch.column("filepath").to_pylist(), batch.column("selection_vector"), strict=True
        ):
            path = place.removeprefix(root)
            if path not in known:
                raise UnsupportedError(
                    "a deletion vector of the Delta table is of a file that its log does not have, so its rows cannot "
                    "be deleted here",
                    context={"path": place},
                )
            positions = pc.indices_nonzero(pc.invert(kept.values))
            if len(positions):
                found[posixpath.normpath(unquote(path))] = positions.cast(pa.int64())
    return found
