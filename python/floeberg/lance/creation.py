"""How does a Lance table begin?"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_options,
    checked_path,
    checked_properties,
    checked_size,
    checked_text,
)
from floeberg._keywords import says_keywords
from floeberg.commit.column_casts import plain_schema
from floeberg.errors import (
    AlreadyExistsError,
    CommitStateUnknownError,
    FloebergError,
    InvalidInputError,
    TableAlreadyExistsError,
)
from floeberg.lance.manifest_store import Manifests, checked_store, refuse_dynamodb
from floeberg.lance.new_files import ROWS_PER_FILE, Folder, written_rows
from floeberg.lance.table import LanceTable
from floeberg.write.input_rows import reader_of, schema_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from floeberg.lance.manifest_store import ManifestStore

__all__ = ["create_table"]


@says_keywords
def create_table(  # noqa: C901, PLR0913 - all but the first two are keywords
    location: str,
    data: object,
    *,
    stable_row_ids: bool = True,
    data_storage_version: str = "2.2",
    config: Mapping[str, str] | None = None,
    transaction_properties: Mapping[str, str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    idempotency_key: str | None = None,
    max_rows_per_file: int = ROWS_PER_FILE,
    manifest_store: ManifestStore | None = None,
) -> LanceTable:
    """Creates a Lance table.

    Args:
        location: The folder of the table.
        data: The first rows, from any library; or an Arrow schema for a table without rows.
        stable_row_ids: Whether rows keep their ids when they are updated or compacted.
        data_storage_version: The version of data files: `2.0`, `2.1` or `2.2`.
        config: The settings of the table.
        transaction_properties: Entries of the transaction's properties.
        storage_options: The options of the storage.
        idempotency_key: The key of the commit, which is kept with the transaction.
        max_rows_per_file: The most rows of a fragment.
        manifest_store: Who decides about versions, where the storage cannot: each writer of the table needs the same.

    Returns:
        The table.

    Raises:
        TableAlreadyExistsError: There is a Lance table.
        InvalidInputError: Two columns have one name, or a name is reserved.
        UnsupportedError: A column has a type that cannot be written.
        NotInstalledError: There are rows, and pylance is not installed.

    Examples:
        >>> import pyarrow as pa
        >>> made = fb.lance.create_table(f"{folder}/made", pa.table({"id": [1, 2]}))
        >>> made.version, made.scan().count()
        (1, 2)
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    refuse_dynamodb(checked_path("location", location))
    deciding = checked_store(manifest_store)
    location = _native.location_from_user(checked_path("location", location)).rstrip("/")
    options = checked_options("storage_options", storage_options)
    version = checked_text("data_storage_version", data_storage_version)
    most = checked_size("max_rows_per_file", max_rows_per_file, 1)
    settings = list(checked_properties("config", config or {}).items())
    said = list(checked_properties("transaction_properties", transaction_properties or {}).items())
    has_rows = not isinstance(data, pa.Schema) and not (
        hasattr(data, "__arrow_c_schema__") and not hasattr(data, "__arrow_c_stream__")
    )
    reader = reader_of(data, lambda: pa.schema([])) if has_rows else None
    with _closed_if_it_fails(None if reader is data else reader):
        given = schema_of(data) if reader is None else reader.schema
        schema = _columns(given)

        def create(files: list[tuple[str, int, int]]) -> _native.LanceTable:
            parts: dict[str, Any] = {
                "storage_options": options,
                "data_storage_version": version,
                "stable_row_ids": checked_bool("stable_row_ids", stable_row_ids),
                "config": settings,
                "properties": said,
                "key": idempotency_key,
            }
            if deciding is None:
                return _native.create_lance_table(location, schema, files, **parts)
            staged = _native.stage_lance_table(location, schema, files, **parts)
            return _decided(Manifests(deciding, location, options), staged)

        if deciding is not None:
            Manifests(deciding, location, options).catch_up()
        if _native.LanceTable.exists(location, storage_options=options):
            raise TableAlreadyExistsError("a Lance table is here already", context={"path": location})
        new = None
        if reader is not None:
            folder = Folder(location, options, version)
            with _left_as_it_was(location):
                new = written_rows(data, reader, schema, folder, rows_per_file=most, of_table=False)

        def remove() -> None:
            if new is not None:
                new.remove()

        try:
            return LanceTable(create([] if new is None else new.parts()), manifest_store=deciding)
        except CommitStateUnknownError:
            raise
        except AlreadyExistsError as error:
            remove()
            raise TableAlreadyExistsError(error.message, context=error.context) from error
        # After Ctrl-C the table may come to be: its files stay.
        except FloebergError as error:
            if _may_be_there(location, options):
                raise CommitStateUnknownError(
                    f"the table may have been created, or not: {error.message}", context=error.context
                ) from error
            remove()
            raise


@contextmanager
def _left_as_it_was(location: str) -> Iterator[None]:
    """Removes the local folders that were made for files which could not be written."""
    path = _native.local_path(location)
    made: list[Path] = []
    if path is not None:
        folder = Path(path)
        made = [each for each in (folder / "data", folder, *folder.parents) if not _is_there(each)]
    try:
        yield
    except BaseException:
        with suppress(OSError):
            # One that has entries is somebody's, and so are those around it.
            for each in made:
                each.rmdir()
        raise


def _is_there(path: Path) -> bool:
    """Whether a path exists. One that cannot be looked at is nothing that is made here."""
    try:
        return path.exists()
    except OSError:
        return True


@contextmanager
def _closed_if_it_fails(reader: pa.RecordBatchReader | None) -> Iterator[None]:
    """Closes rows that were not read to their end: some libraries answer nothing else before."""
    try:
        yield
    except BaseException:
        if reader is not None:
            reader.close()
        raise


def _columns(given: pa.Schema) -> pa.Schema:
    """The columns of a new table.

    Raises:
        InvalidInputError: Two columns have one name, or a type is not supported.
    """
    schema = plain_schema(given, keeps_dictionaries=True)
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise InvalidInputError(f"two columns are named {twice!r}")
    return schema


def _may_be_there(location: str, options: dict[str, str]) -> bool:
    """Whether a table is there, or nobody knows."""
    try:
        return _native.LanceTable.exists(location, storage_options=options)
    except FloebergError:
        return True


def _decided(manifests: Manifests, staged: list[str]) -> _native.LanceTable:
    """The table, if the manifest store takes its first version.

    Raises:
        AlreadyExistsError: Another process was faster.
    """
    options = dict(manifests.storage_options)
    try:
        is_taken = manifests.take(1, staged[0])
    except CommitStateUnknownError:
        raise
    except FloebergError:
        _native.remove_lance_files(staged, storage_options=options)
        raise
    if not is_taken:
        _native.remove_lance_files(staged, storage_options=options)
        raise AlreadyExistsError("a Lance table is here already", context={"path": manifests.folder})
    try:
        manifests.catch_up()
        return _native.LanceTable.open(
            manifests.folder,
            relocate=[],
            storage_options=options,
            version=None,
            tag=None,
            branch=None,
            as_of_us=None,
        )
    except FloebergError as error:
        raise CommitStateUnknownError(
            f"the table was created, and cannot be opened: {error.message}", context=error.context
        ) from error
