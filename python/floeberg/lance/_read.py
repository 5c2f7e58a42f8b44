"""Which version of a Lance table is open, and how are its rows read?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_bool, checked_names, checked_size, checked_text
from floeberg._timestamps import moment_of
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.lance._base import LanceTableBase
from floeberg.lance.blobs import LanceBlob, blobs_of
from floeberg.lance.manifest_store import Manifests
from floeberg.lance.scan import LanceScan
from floeberg.lance.take import taken_rows
from floeberg.lance.versions import LanceBranch, LanceTag, LanceVersion, LanceVersions, version_of
from floeberg.scan.whole_table import WholeTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from typing_extensions import Self

__all__ = ["LanceTableReads"]


class LanceTableReads(LanceTableBase, WholeTable):
    """The methods of `floeberg.lance.LanceTable` that describe a version, and read its rows."""

    def scan(
        self,
        row_filter: AnyFilter = ALWAYS_TRUE,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - as for Iceberg
        *,
        limit: int | None = None,
    ) -> LanceScan:
        """Describes rows to read. Nothing is read yet.

        Args:
            row_filter: SQL text, a comparison of `fb.col`, or another filter.
            selected_fields: Names of columns; nested ones are dotted, `*` is all. Metadata columns (`_rowid`,
                `_rowaddr`, `_row_created_at_version`, `_row_last_updated_at_version`) are read only by name.
            case_sensitive: Whether the case of column names counts.
            limit: The most rows to read.

        Returns:
            The scan.

        Raises:
            InvalidInputError: A column is unknown, a literal has a wrong type, or the limit is negative.

        Examples:
            >>> lance_table.scan(row_filter="label = 'l3'", selected_fields=("id",), limit=1).to_arrow().to_pylist()
            [{'id': 3}]
        """
        return LanceScan(
            self._inner.scan(
                row_filter=as_expression(row_filter).as_tree(),
                selected_fields=checked_names("selected_fields", selected_fields),
                case_sensitive=checked_bool("case_sensitive", case_sensitive),
                limit=None if limit is None else checked_size("limit", limit),
            )
        )

    def take(
        self,
        *,
        row_ids: Iterable[int] | None = None,
        addresses: Iterable[int] | None = None,
        selected_fields: Sequence[str] = ("*",),
        case_sensitive: bool = True,
    ) -> pa.Table:
        """Reads rows by their ids or addresses, in the order that is asked for.

        Args:
            row_ids: Values of `_rowid`. With stable row ids, they stay the same when rows move.
            addresses: Values of `_rowaddr`: the id of the fragment in the upper 32 bits, the row in the lower.
            selected_fields: Names of columns, as for `scan`.
            case_sensitive: Whether the case of column names counts.

        Returns:
            A `pyarrow.Table` with one row for each id or address.

        Raises:
            InvalidInputError: Neither or both of `row_ids` and `addresses` were given, or a column is unknown.
            NotFoundError: A row does not exist or is deleted.
            NotInstalledError: pylance is not installed.

        Examples:
            >>> lance_table.take(row_ids=[4294967296, 0], selected_fields=("id",)).to_pylist()
            [{'id': 15}, {'id': 0}]
        """
        if (row_ids is None) == (addresses is None):
            raise InvalidInputError("expected either row_ids or addresses")
        return taken_rows(
            self._inner,
            row_ids=None if row_ids is None else _numbers("row_ids", row_ids),
            addresses=None if addresses is None else _numbers("addresses", addresses),
            selected_fields=checked_names("selected_fields", selected_fields),
            case_sensitive=checked_bool("case_sensitive", case_sensitive),
        )

    def blobs(
        self,
        column: str,
        *,
        row_ids: Iterable[int] | None = None,
        addresses: Iterable[int] | None = None,
    ) -> list[LanceBlob | None]:
        """Opens blobs as file-like objects. Nothing of them is read before it is asked for.

        Args:
            column: A column of blobs.
            row_ids: Values of `_rowid`.
            addresses: Values of `_rowaddr`.

        Returns:
            A `LanceBlob` for each id or address, in their order; `None` is null.

        Raises:
            InvalidInputError: Neither or both of `row_ids` and `addresses` were given, or the column has no blobs.
            NotFoundError: A row does not exist or is deleted.
            NotInstalledError: pylance is not installed.
            UnsupportedError: The table has base paths, as branches and clones do.
        """
        if (row_ids is None) == (addresses is None):
            raise InvalidInputError("expected either row_ids or addresses")
        return blobs_of(
            self._inner,
            checked_text("column", column),
            row_ids=None if row_ids is None else _numbers("row_ids", row_ids),
            addresses=None if addresses is None else _numbers("addresses", addresses),
        )

    def __arrow_c_schema__(self) -> object:
        return self.scan().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

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

    _is_pinned: bool

    def versions(self) -> list[LanceVersion]:
        """The versions of the branch, oldest first. Each manifest is opened.

        Returns:
            The versions, with the times when they were made.

        Raises:
            InvalidDataError: A manifest is damaged.

        Examples:
            >>> [each.version for each in lance_table.versions()]
            [1, 2, 3, 4, 5, 6, 7]
        """
        return LanceVersions(version_of(parts) for parts in self._inner.versions())

    def version_numbers(self) -> list[int]:
        """The numbers of the versions of the branch, ascending. No manifest is opened.

        Returns:
            The numbers.

        Examples:
            >>> lance_table.version_numbers()[-1]
            7
        """
        return self._inner.version_numbers()

    def tags(self) -> dict[str, LanceTag]:
        """The tags, by name.

        Returns:
            The tags of all branches.

        Raises:
            InvalidDataError: The file of a tag is damaged.
        """
        return {name: LanceTag(name, version, branch) for name, version, branch in self._inner.tags()}

    def branches(self) -> dict[str, LanceBranch]:
        """The branches, by name. The main branch is not in it.

        Returns:
            The branches.

        Raises:
            InvalidDataError: The file of a branch is damaged.
        """
        return {
            name: LanceBranch(name, parent, version, moment_of(created * 1_000_000))
            for name, parent, version, created in self._inner.branches()
        }

    def refs(self) -> dict[str, LanceTag | LanceBranch]:
        """Branches and tags by name. The main branch is not in it.

        Returns:
            What `tags` and `branches` return.

        Raises:
            InvalidInputError: A branch and a tag have the same name.
        """
        tags, branches = self.tags(), self.branches()
        both = sorted(set(tags).intersection(branches))
        if both:
            raise InvalidInputError(
                f"{both[0]!r} is a branch and a tag: ask tags() and branches(), or inspect.refs()"
            )
        return {**branches, **tags}

    def refresh(self) -> Self:
        """Opens the newest version of the branch.

        Returns:
            The table itself.

        Raises:
            NoSuchTableError: The table was removed, or made anew at its place.
            UnsupportedError: The table was opened at a version, a tag or a time.
        """
        if self._is_pinned:
            raise UnsupportedError(
                "the table was opened at a fixed version: open it without version, tag and as_of to follow it"
            )
        if self._manifest_store is not None:
            Manifests.of(self._manifest_store, self._inner).catch_up()
        self._become(self._inner.newest())
        return self


def _numbers(name: str, values: Iterable[int]) -> pa.UInt64Array:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    if (
        isinstance(values, (pa.Array, pa.ChunkedArray))
        and values.type == pa.uint64()
        and not values.null_count
    ):
        whole = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return cast("pa.UInt64Array", whole)
    # pyarrow's scalars are no integers.
    listed = values.to_pylist() if hasattr(values, "to_pylist") else values
    if not isinstance(listed, Iterable) or isinstance(listed, (str, bytes)):
        raise InvalidInputError(f"{name}: expected several integers, such as [{values!r}], found {values!r}")
    numbers = []
    for value in listed:
        # Ids have all of 64 bits.
        if isinstance(value, bool) or not hasattr(value, "__index__") or not 0 <= value.__index__() < 1 << 64:
            raise InvalidInputError(f"{name}: expected integers from 0 to 2^64 - 1, found {value!r}")
        numbers.append(value.__index__())
    return cast("pa.UInt64Array", pa.array(numbers, pa.uint64()))
