"""How is a table taken over, beside its source or in place?

In: the folder of files, of a Delta table or of a Lance table. Out: a new table of Iceberg, made in one commit.

Invariant: nothing of the source is written or removed, its own log neither. With any error there is no new table.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from floeberg import _native
from floeberg._arguments import checked_bool, checked_options, checked_path, checked_properties, checked_text
from floeberg._keywords import says_keywords
from floeberg.catalog.new_table_arguments import FORMAT_VERSION, new_table_of
from floeberg.commit.create_table import CreateTableTransaction
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.takeover.delta import DeltaSource, identity_spec
from floeberg.takeover.delta_log import read_delta_log
from floeberg.takeover.files import FilesSource
from floeberg.takeover.kinds import checked_kind
from floeberg.takeover.lance import LanceSource
from floeberg.takeover.result import TakeoverResult
from floeberg.takeover.targets import NewPlace, check_beside, new_folder, new_in_catalog

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from floeberg._new_table import AnySchema
    from floeberg._timestamps import Moment
    from floeberg.catalog import Catalog
    from floeberg.commit.new_table import NewTable
    from floeberg.commit.operations import OpenedTable
    from floeberg.progress.report import ProgressCallback
    from floeberg.table import Table
    from floeberg.takeover.delta_log import DeltaState
    from floeberg.takeover.result import SourceFormat

__all__ = ["migrate_table", "snapshot_table"]

_GC: Final = "gc.enabled"
_VERSION_TAG: Final = "delta-version-"
_TIME_TAG: Final = "delta-ts-"


@says_keywords
def snapshot_table(  # noqa: PLR0913 - all but the first two are keywords
    source: str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    catalog: Catalog | str | None = None,
    location: str | os.PathLike[str] | None = None,
    version: int | None = None,
    as_of: Moment | None = None,
    keep_history: bool = False,
    schema: AnySchema | None = None,
    properties: Mapping[str, str | float] | None = None,
    format_version: int | None = None,
    dry_run: bool = False,
    storage_options: Mapping[str, str] | None = None,
    progress: ProgressCallback | bool | None = None,
) -> TakeoverResult:
    """Makes a table beside a source, which refers to the files of the source.

    The source stays a table of its own. Both may be written: new files of the new table are in its own folder. The new
    table has the property `gc.enabled` set to `false`, so that it removes no file of the source. When the source
    removes a file, the new table cannot read it any more. Rows of a Lance table are copied, since its files cannot be
    shared.

    Args:
        source: A folder of Parquet, ORC and Avro files, also in folders such as `day=2026-11-28`; a Delta table, which
            the package deltalake reads; or a Lance table.
        to: A new folder, outside of the source; or, with a catalog, the name of the new table.
        catalog: The catalog of the new table, or its name in the configuration.
        location: The folder of a new table in a catalog.
        version: The version of a Delta or Lance table. By default, the newest.
        as_of: The same by a time: a datetime with a zone, milliseconds, or an ISO 8601 string with a zone.
        keep_history: Whether the versions of a Delta table before it become snapshots too, from the oldest on whose log
            and files are all there. Their columns are those of the version.
        schema: The columns of files. By default, those of all files; whole numbers and dates in names of folders are
            found, and other values there are strings.
        properties: Properties of the new table.
        format_version: Its format version. By default, 3 where deletion vectors of a Delta table need it, and 2
            otherwise.
        dry_run: Whether to say only what would be done. Footers are read.
        storage_options: Options of the storage of the source, and of a new folder.
        progress: As with `append`.

    Returns:
        The new table, and what it was made of.

    Raises:
        NoSuchTableError: The source does not exist, or has no files.
        TableAlreadyExistsError: The source is a table of Iceberg, or the catalog has a table of that name.
        AlreadyExistsError: The new folder has files.
        InvalidInputError: The source is two tables, files have other columns or are in folders of other names, or the
            new folder and the source are in each other.
        UnsupportedError: A column, a file or a feature of the source cannot be taken over without loss. The error names
            it.
        InvalidDataError: A file or a log is damaged.
        NotFoundError: A file that a log names is gone; or there is no such version.
        NotInstalledError: deltalake or pylance is not installed.

    Examples:
        >>> import pathlib, pyarrow as pa, pyarrow.parquet as pq
        >>> old = pathlib.Path(folder, "old", "day=2026-11-28")
        >>> old.mkdir(parents=True)
        >>> pq.write_table(pa.table({"id": [1, 2]}), old / "part-0.parquet")
        >>> made = fb.snapshot_table(f"{folder}/old", f"{folder}/new")
        >>> made.action, made.data_files, made.rows
        ('referred', 1, 2)
        >>> made.table.scan("day = '2026-11-28'").count(), made.table.properties["gc.enabled"]
        (2, 'false')
    """
    asked = _Asked(
        source,
        version,
        as_of,
        keep_history,
        schema,
        properties,
        format_version,
        dry_run,
        storage_options,
        progress,
    )
    kind = checked_kind(asked.source, asked.options)
    if asked.properties.get(_GC, "false").strip().lower() != "false":
        raise InvalidInputError(
            "properties: expected no 'gc.enabled', or 'false': files of the source would be removed with snapshots of "
            "the new table"
        )
    wanted = checked_path("to", to)
    place = None if location is None else checked_path("location", location)
    if catalog is not None:
        target = new_in_catalog(catalog, "to", wanted, place)
    elif place is None:
        target = new_folder(wanted, asked.options, is_empty=True)
    else:
        raise InvalidInputError(
            "location: expected it with a catalog; without one, `to` is the folder of the table"
        )
    check_beside(asked.source, target.location)
    extra = {} if kind == "lance" else {_GC: "false", "snapshot": "true"}
    return _made(asked, kind, target, extra)


@says_keywords
def migrate_table(  # noqa: PLR0913 - keywords
    source: str | os.PathLike[str],
    *,
    catalog: Catalog | str | None = None,
    identifier: str | None = None,
    version: int | None = None,
    as_of: Moment | None = None,
    keep_history: bool = False,
    schema: AnySchema | None = None,
    properties: Mapping[str, str | float] | None = None,
    format_version: int | None = None,
    dry_run: bool = False,
    storage_options: Mapping[str, str] | None = None,
    progress: ProgressCallback | bool | None = None,
) -> TakeoverResult:
    """Makes a table in the folder of a source, of the files that are there.

    Metadata goes to the folder `metadata` of the source. From then on write to the new table alone: neither format sees
    what is written to the other. The log of a Delta table is left as it is, and its files are in both tables: the new
    one has `gc.enabled` set to `false` until you set it to `true`, and `VACUUM` of the Delta table would remove the
    metadata and the files of the new one. Files that are no table of another format belong to the new one, and its
    maintenance may remove them.

    Args:
        source: A folder of Parquet, ORC and Avro files, or a Delta table.
        catalog: The catalog of the new table, or its name in the configuration. Without one, the folder is a table by
            itself, which `open_table` opens.
        identifier: The name of the new table in the catalog.
        version: As with `snapshot_table`, and so are the others.
        as_of: The time of a version.
        keep_history: Whether versions before it become snapshots.
        schema: The columns of files.
        properties: Properties of the new table.
        format_version: Its format version.
        dry_run: Whether to say only what would be done.
        storage_options: Options of the storage.
        progress: As with `append`.

    Returns:
        The new table, and what it was made of.

    Raises:
        UnsupportedError: The source is a Lance table, whose files cannot be shared.
        FloebergError: The others of `snapshot_table`.

    Examples:
        >>> import pathlib, pyarrow as pa, pyarrow.parquet as pq
        >>> pathlib.Path(folder, "visits").mkdir()
        >>> pq.write_table(pa.table({"id": [1, 2]}), f"{folder}/visits/part-0.parquet")
        >>> made = fb.migrate_table(f"{folder}/visits")
        >>> _ = made.table.append(pa.table({"id": [3]}))
        >>> fb.open_table(f"{folder}/visits").scan().count()
        3
    """
    asked = _Asked(
        source,
        version,
        as_of,
        keep_history,
        schema,
        properties,
        format_version,
        dry_run,
        storage_options,
        progress,
    )
    kind = checked_kind(asked.source, asked.options)
    if kind == "lance":
        raise UnsupportedError(
            "the files of a Lance table cannot be files of a table of Iceberg: make a table beside it, with copied "
            "rows, by snapshot_table",
            context={"path": asked.source},
        )
    if (catalog is None) != (identifier is None):
        raise InvalidInputError("catalog and identifier: expected both or neither")
    if catalog is None:
        target = new_folder(asked.source, asked.options, is_empty=False)
    else:
        target = new_in_catalog(catalog, "identifier", checked_text("identifier", identifier), asked.source)
    # A Delta table still needs its files.
    extra = {
        "migrated": "true",
        **({_GC: "false"} if kind == "delta" and _GC not in asked.properties else {}),
    }
    return _made(asked, kind, target, extra)


class _Asked:
    """What was asked for, checked."""

    def __init__(  # noqa: PLR0913, PLR0917 - as `snapshot_table`
        self,
        source: object,
        version: int | None,
        as_of: Moment | None,
        keep_history: object,
        schema: AnySchema | None,
        properties: Mapping[str, str | float] | None,
        format_version: int | None,
        dry_run: object,
        storage_options: Mapping[str, str] | None,
        progress: ProgressCallback | bool | None,  # noqa: FBT001 - as users pass it
    ) -> None:
        place = _native.location_from_user(checked_path("source", source))
        self.source = place.rstrip("/") or place
        self.version = version
        self.as_of = as_of
        self.keeps_history = checked_bool("keep_history", keep_history)
        self.schema = schema
        self.properties = checked_properties("properties", properties)
        self.format_version = format_version
        self.dry_run = checked_bool("dry_run", dry_run)
        self.options = checked_options("storage_options", storage_options)
        self.progress = progress

    def refuse(self, kind: str, **given: object) -> None:
        """Refuses arguments that a kind of source does not have."""
        for name, value in given.items():
            if value is not None:
                raise InvalidInputError(f"{name}: expected none, since the source is {kind}")


def _made(
    asked: _Asked,
    kind: SourceFormat,
    target: NewPlace,
    extra: dict[str, str],
) -> TakeoverResult:
    if asked.keeps_history and kind != "delta":
        raise InvalidInputError("keep_history: expected it of a Delta table alone")
    if kind == "files":
        asked.refuse("files, which have no versions", version=asked.version, as_of=asked.as_of)
        return _of_files(asked, target, extra)
    asked.refuse(f"a {kind.capitalize()} table, which has its own", schema=asked.schema)
    if kind == "delta":
        return _of_delta(asked, target, extra)
    source = LanceSource.of(asked.source, asked.options, asked.version, asked.as_of)
    new = _new(asked, source.schema, target, (), {**asked.properties, **extra}, source.format_version)
    if asked.dry_run:
        return TakeoverResult(None, kind, source.version, "copied", 0, source.count(), dry_run=True)
    transaction, made = _begun(asked, target, new)
    with transaction:
        rows = source.stage(transaction)
    result = transaction.result
    files = 0 if result is None else result.added_files
    return TakeoverResult(target.opened(made[-1]), kind, source.version, "copied", files, rows())


def _of_files(
    asked: _Asked,
    target: NewPlace,
    extra: dict[str, str],
) -> TakeoverResult:
    source = FilesSource.of(asked.source, asked.options, asked.schema)
    new = _new(asked, source.schema, target, source.partition_spec, {**asked.properties, **extra}, None)
    transaction, made = _begun(asked, target, new)
    if asked.dry_run:
        source.stage(transaction)
        files, rows = transaction.added_counts
        transaction.rollback()
        return TakeoverResult(None, "files", None, "referred", files, rows, dry_run=True)
    with transaction:
        source.stage(transaction)
    files, rows = transaction.added_counts
    return TakeoverResult(target.opened(made[-1]), "files", None, "referred", files, rows)


def _of_delta(
    asked: _Asked,
    target: NewPlace,
    extra: dict[str, str],
) -> TakeoverResult:
    state = read_delta_log(asked.source, asked.options, version=asked.version, as_of=asked.as_of)
    source = DeltaSource.of(state, asked.options, keeps_history=asked.keeps_history)
    properties = {**source.properties(), **asked.properties, **extra}
    version = _format_version(asked, 3 if source.needs_version_3 else None)
    if version == 1 and source.has_vectors:
        raise UnsupportedError(
            "the Delta table has deletion vectors, and tables of format version 1 have no deletes: leave out "
            "format_version, or set it to 3"
        )
    new = target.operations.stage(source.new_table(target.location, properties, version))
    transaction, made = _begun(asked, target, new, {"delta-version": str(state.version)})
    if asked.dry_run:
        source.stage(transaction, new)
        files, rows = transaction.added_counts
        transaction.rollback()
        table = None
    else:
        with transaction:
            snapshots = source.stage(transaction, new)
        files, rows = transaction.added_counts
        table = target.opened(made[-1])
        _tag(table, source.states, snapshots)
    return TakeoverResult(
        table,
        "delta",
        state.version,
        "referred",
        files,
        rows,
        source.deleted_rows,
        source.not_enforced,
        len(source.states),
        dry_run=asked.dry_run,
    )


def _tag(table: Table, states: Sequence[DeltaState], snapshots: Sequence[int]) -> None:
    """Tags snapshots as Iceberg Java does, by the versions and the times of the Delta table.

    Args:
        table: The new table.
        states: The versions.
        snapshots: How many snapshots each of them is.
    """
    made = [each.snapshot_id for each in table.snapshots()]
    tags: dict[str, int] = {}
    last = 0
    for state, count in zip(states, snapshots, strict=True):
        last += count
        if last:
            tags[f"{_VERSION_TAG}{state.version}"] = made[last - 1]
            # Of versions of one millisecond, the last one is that of the time.
            if state.timestamp_ms is not None:
                tags[f"{_TIME_TAG}{state.timestamp_ms}"] = made[last - 1]
    with table.manage_snapshots() as manage:
        for name, snapshot_id in tags.items():
            manage.create_tag(snapshot_id, name)


def _format_version(asked: _Asked, default: int | None) -> int:
    """The format version that was asked for."""
    if asked.format_version is None and FORMAT_VERSION not in asked.properties and default is not None:
        return default
    checked = new_table_of(_no_columns(), "", None, None, dict(asked.properties), asked.format_version)
    return checked["format_version"]


def _no_columns() -> Any:  # noqa: ANN401 - a schema
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return pa.schema([])


def _new(  # noqa: PLR0913, PLR0917 - the parts of a table
    asked: _Asked,
    schema: AnySchema,
    target: NewPlace,
    spec: tuple[str, ...],
    properties: dict[str, str],
    default_version: int | None,
) -> NewTable:
    version = asked.format_version
    if version is None and FORMAT_VERSION not in properties:
        version = default_version
    new = new_table_of(schema, target.location, None, None, properties, version)
    ids = {each["name"]: each["id"] for each in json.loads(new["schema_json"])["fields"]}
    new["spec_json"] = identity_spec(ids, spec)
    return target.operations.stage(new)


def _begun(
    asked: _Asked,
    target: NewPlace,
    new: NewTable,
    snapshot_properties: Mapping[str, str] | None = None,
) -> tuple[CreateTableTransaction, list[OpenedTable]]:
    """A transaction that makes the table, and what it is then."""
    made: list[OpenedTable] = []
    return (
        CreateTableTransaction(
            target.operations,
            new,
            become=made.append,
            snapshot_properties=snapshot_properties,
            progress=asked.progress,
        ),
        made,
    )
