"""What does an open Lance table say of itself?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.lance._base import LanceTableBase

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["LanceTableDescription"]


class LanceTableDescription(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that describe its version. None of them opens a file."""

    def schema(self) -> pa.Schema:
        """The columns.

        Returns:
            A `pyarrow.Schema`, with the types that are stored.

        Raises:
            UnsupportedError: A column has a type that this version of Floeberg does not know.

        Examples:
            >>> lance_table.schema().names
            ['id', 'name', 'twice', 'tag', 'label', 'empty']
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return cast("pa.Schema", pa.schema(cast("Any", self._inner)))

    @property
    def location(self) -> str:
        """The folder of the table."""
        return self._inner.location

    @property
    def version(self) -> int:
        """The version that is open.

        Examples:
            >>> lance_table.version
            7
        """
        return self._inner.version

    @property
    def branch(self) -> str | None:
        """The branch of the version; `None` is the main one."""
        return self._inner.branch

    @property
    def config(self) -> dict[str, str]:
        """The settings of the table."""
        return cast("dict[str, str]", self._facts()["config"])

    @property
    def table_metadata(self) -> dict[str, str]:
        """The metadata of the table that users set."""
        return cast("dict[str, str]", self._facts()["table_metadata"])

    @property
    def data_storage_version(self) -> str | None:
        """The version of new data files, such as `"2.1"`; `None` if the manifest does not say it."""
        return cast("str | None", self._facts()["data_storage_version"])

    @property
    def has_stable_row_ids(self) -> bool:
        """Whether rows keep their ids when they are updated or compacted."""
        return cast("bool", self._facts()["has_stable_row_ids"])
