"""How are the files of a folder taken over?

In: a folder of Parquet, ORC and Avro files, maybe in folders as Hive writes them. Out: the parts of the new table, and
the files that are added to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError
from floeberg.schema import Schema
from floeberg.takeover.file_columns import columns_of
from floeberg.takeover.hive_folders import hive_columns
from floeberg.takeover.listing import files_below

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from floeberg._new_table import AnySchema
    from floeberg.commit.transaction import Transaction

__all__ = ["FilesSource"]


@dataclass(frozen=True)
class FilesSource:
    """The files of a folder.

    Args:
        location: The folder.
        files: Its files.
        schema: The columns of the table.
        partition_spec: The columns of its folders.
    """

    location: str
    files: list[str]
    schema: AnySchema
    partition_spec: tuple[str, ...]

    @staticmethod
    def of(location: str, options: Mapping[str, str], schema: AnySchema | None) -> FilesSource:
        """Looks at a folder.

        Raises:
            InvalidInputError: The files have no common columns, or the folders no common names.
        """
        files = files_below(location, options)
        folders = hive_columns(location, files)
        columns = _with_folders(columns_of(files, options), folders) if schema is None else schema
        missing = [name for name in folders if name not in _names_of(columns)]
        if missing:
            raise InvalidInputError(
                f"schema: expected the column {missing[0]!r} too, whose values the folders of the files have"
            )
        return FilesSource(location, files, columns, tuple(folders))

    def stage(self, transaction: Transaction) -> None:
        """Adds the files to a new table."""
        # A file with field ids must have those of this table, and its names.
        transaction.add_files(self.files, trust_field_ids=True)


def _with_folders(schema: pa.Schema, folders: Mapping[str, pa.DataType]) -> pa.Schema:
    """The columns of files, and of folders where files lack them."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    for name, kind in folders.items():
        if name not in schema.names:
            schema = schema.append(pa.field(name, kind))
    return schema


def _names_of(schema: Any) -> list[str]:  # noqa: ANN401 - of several libraries
    names = schema.column_names if isinstance(schema, Schema) else getattr(schema, "names", None)
    return list(names) if names is not None else [each.name for each in getattr(schema, "fields", ())]
