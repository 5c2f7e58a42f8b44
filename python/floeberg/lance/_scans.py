"""How are the rows of a Lance table read?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from floeberg._arguments import checked_bool, checked_names, checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.lance._base import LanceTableBase
from floeberg.lance.blobs import LanceBlob, blobs_of
from floeberg.lance.scan import LanceScan
from floeberg.lance.take import taken_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["LanceTableScans"]


class LanceTableScans(LanceTableBase):
    """The methods of `floeberg.lance.LanceTable` that read rows."""

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
