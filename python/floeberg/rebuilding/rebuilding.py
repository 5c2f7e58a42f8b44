"""How is a table made of what is left of another one?

Rust finds which files are live, and plans the new table. It is committed to a folder or a catalog as every new table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_locations,
    checked_options,
    checked_path,
    checked_text,
)
from floeberg._keywords import says_keywords
from floeberg._new_table import schema_json
from floeberg.catalog import load_catalog
from floeberg.catalog.names import checked_identifier
from floeberg.commit.filesystem import FileSystemTableOperations
from floeberg.commit.loop import commit
from floeberg.errors import UnsupportedError
from floeberg.rebuilding.result import LeftFile, PassedOverFile, RebuildResult
from floeberg.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

    from floeberg._new_table import AnySchema
    from floeberg.catalog import Catalog
    from floeberg.commit.operations import TableOperations
    from floeberg.rebuilding.result import LeftContent, RebuildSource

__all__ = ["rebuild", "rebuild_candidates"]

_FORMAT_VERSION = 3


@says_keywords
def rebuild(  # noqa: PLR0913 - keywords
    location: str | os.PathLike[str],
    *,
    to: str | os.PathLike[str],
    catalog: Catalog | str | None = None,
    files: Iterable[str | os.PathLike[str]] | None = None,
    snapshot_id: int | None = None,
    schema: AnySchema | None = None,
    name_mapping: str | None = None,
    drop_missing_data_files: bool = False,
    drop_missing_delete_files: bool = False,
    dry_run: bool = False,
    storage_options: Mapping[str, str] | None = None,
) -> RebuildResult:
    """Makes a new table of the files of an Iceberg table that no longer opens: the last resort.

    The new table has metadata and manifests of its own, and names the data files and delete files where they are.
    Nothing of the old table is written or removed. The new one has the property `gc.enabled` set to `false`, so that
    snapshots cannot expire and orphan files are not removed: its files are in folders of the old table.

    A file is live only where something proves it, in this order. Nothing is guessed.

    1. The newest metadata file that can be read, and its current snapshot; or the newest snapshot before that one whose
       manifest list and manifests can all be read.
    2. Without a metadata file, the newest manifest list whose manifests can all be read. Columns and partition specs
       come from the headers of manifests. Where several lists may be the newest, `snapshot_id` chooses one.
    3. `files`: what the caller names. Files that a manifest lists keep their sequence numbers and row ids, as far as
       these are known; others are added, by their footers.

    Entries keep their sequence numbers, partitions and row ids; columns, partition specs, sort orders and properties
    stay too, but for properties that say where files go. What other manifests list is in `unproven` of the result, and
    so is what manifests say against the files that a caller names. Manifest lists that are later than all metadata that
    can be read are in `passed_over`. Local paths are compared by their real folders, whatever links lead to them.

    Args:
        location: The folder of the old table.
        to: A new folder, outside of the old one; or, with a catalog, the name of the new table.
        catalog: The catalog of the new table, or its name in the configuration.
        files: The live data files, all of them, in any spelling. Delete files of the snapshot stay live; where no
            snapshot can be read whole, live delete files are named here too.
        snapshot_id: The snapshot to stand on: one of the metadata, or of a manifest list. By default, the newest.
        schema: The columns of data files without field ids, where no metadata and no manifest is left. They are found
            by their names.
        name_mapping: The property `schema.name-mapping.default` of the old table, where its metadata is gone and data
            files have no field ids.
        drop_missing_data_files: Whether live data files that are gone are left out. Their rows are lost.
        drop_missing_delete_files: Whether live delete files that are gone are left out. The rows that they deleted come
            back.
        dry_run: Whether to say only what would be done.
        storage_options: Options of the store of the old table, and of a new folder.

    Returns:
        The new table, what it stands on, and every file that was passed over or left out.

    Raises:
        InvalidInputError: Nothing proves which files are live; or the folder is empty, of another format, or has
            several tables; or the new table would be in the folder of the old one.
        NotFoundError: The folder does not exist, or live files are gone.
        InvalidDataError: The chosen snapshot cannot be read whole.
        AlreadyExistsError: The new folder has files.
        TableAlreadyExistsError: The catalog has a table of that name.
        UnsupportedError: The table is encrypted, or the catalog does not write metadata files.

    Examples:
        >>> import pathlib
        >>> import pyarrow as pa
        >>> local = fb.load_catalog("local", type="filesystem", warehouse=f"{folder}")
        >>> local.create_namespace("db")
        >>> lost = local.create_table("db.lost", pa.table({"id": [1, 2]}))
        >>> for path in pathlib.Path(folder, "db", "lost", "metadata").glob("*.metadata.json"):
        ...     path.unlink()
        >>> done = fb.rebuild(lost.location(), to=f"{folder}/rebuilt")
        >>> done.source, done.rows, done.table.scan().count()
        ('manifest-list', 2, 2)
    """
    old = checked_path("location", location)
    named = None if files is None else checked_locations("files", files)
    chosen = None if snapshot_id is None else checked_int("snapshot_id", snapshot_id)
    only_said = checked_bool("dry_run", dry_run)
    options = checked_options("storage_options", storage_options)
    known = load_catalog(catalog) if isinstance(catalog, str) else catalog
    target, place = _target(to, known, options)
    operation, (source, source_files, found), passed_over, counts, unproven, missing, advice = (
        _native.plan_rebuild(
            old,
            place,
            files=named,
            snapshot_id=chosen,
            name_mapping=None if name_mapping is None else checked_text("name_mapping", name_mapping),
            schema_json=None if schema is None else schema_json(schema, format_version=_FORMAT_VERSION),
            drop_missing_data_files=checked_bool("drop_missing_data_files", drop_missing_data_files),
            drop_missing_delete_files=checked_bool("drop_missing_delete_files", drop_missing_delete_files),
            storage_options={**(known.storage_options if known is not None else {}), **options},
        )
    )
    table = None
    if not only_said:
        made = commit(target, operations=[operation], starting=None, files_are_new=True)
        table = (
            known.load_table(checked_identifier("to", str(to)))
            if known
            else Table(made.table, operations=target)
        )
    data_files, delete_files, rows = counts
    return RebuildResult(
        table=table,
        metadata_location=None if table is None else table.metadata_location,
        source=cast("RebuildSource", source),
        source_files=tuple(source_files),
        snapshot_id=found,
        passed_over=tuple(PassedOverFile(*each) for each in passed_over),
        data_files=data_files,
        delete_files=delete_files,
        rows=rows,
        unproven=_left(unproven),
        missing=_left(missing),
        advice=advice,
        dry_run=only_said,
    )


def rebuild_candidates(
    location: str | os.PathLike[str], *, storage_options: Mapping[str, str] | None = None
) -> pa.Table:
    """Describes the data files in the folder of a table, to choose those that are live.

    A folder has files that are not live any more: those before a compaction, of rows that were replaced, and of commits
    that failed. Nothing in a file says which. Files that may hold the same rows name each other.

    Args:
        location: The folder of the table.
        storage_options: Options of the store.

    Returns:
        A row for each file: `file_path`, `file_size_in_bytes`, `file_format`, `content` (`data`, `position deletes`,
        `equality deletes`, `deletion vectors`, or `unknown` for a file that cannot be read), as manifests that are left
        say, or else footers: equality deletes of writers that do not say it there look like data,
        `record_count`, `columns`, `partition` (its folder below that of the table), `first_row_id` and `last_row_id` of
        files that have row ids themselves, `lower_bounds` and `upper_bounds` of the first three columns, `modified`,
        `overlaps` (the numbers of at most ten other rows whose files may hold the same rows), and `error`.

    Raises:
        InvalidInputError: The folder is empty, of another format, or has several tables.
        NotFoundError: The folder does not exist.

    Examples:
        >>> import pyarrow as pa
        >>> local = fb.load_catalog("local", type="filesystem", warehouse=f"{folder}")
        >>> local.create_namespace("lost")
        >>> visits = local.create_table("lost.visits", pa.table({"id": [1, 2]}))
        >>> found = fb.rebuild_candidates(visits.location())
        >>> found["content"].to_pylist(), found["record_count"].to_pylist()
        (['data'], [2])
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    place = checked_path("location", location)
    options = checked_options("storage_options", storage_options)
    return pa.table(_native.rebuild_candidates(place, storage_options=options))


def _target(
    to: str | os.PathLike[str], catalog: Catalog | None, options: dict[str, str]
) -> tuple[TableOperations, str]:
    """The operations of the new table, and its location."""
    if catalog is None:
        place = _native.location_from_user(checked_path("to", to))
        place = place.rstrip("/") or place
        return FileSystemTableOperations(place, options), place
    target, place = catalog.new_table("to", checked_path("to", to))
    if not target.writes_metadata:
        raise UnsupportedError(
            "the catalog does not write metadata files, and a rebuilt table keeps the ids and counters of the old one: "
            "rebuild it to a folder, and register its metadata file by catalog.register_table"
        )
    return target, place


def _left(files: list[tuple[str, str, int, str]]) -> tuple[LeftFile, ...]:
    return tuple(
        LeftFile(path, cast("LeftContent", content), rows, reason) for path, content, rows, reason in files
    )
