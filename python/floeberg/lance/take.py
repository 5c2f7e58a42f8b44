"""How are rows read by their ids or addresses?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.lance.pages import pages_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg import _native

__all__ = ["taken_rows"]


def taken_rows(
    table: _native.LanceTable,
    *,
    row_ids: pa.UInt64Array | None,
    addresses: pa.UInt64Array | None,
    selected_fields: Sequence[str],
    case_sensitive: bool,
) -> pa.Table:
    """The rows, in the order of their ids or addresses."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    taken = table.take(
        pages_of(table.storage_options),
        row_ids=None if row_ids is None else _bytes_of(row_ids),
        addresses=None if addresses is None else _bytes_of(addresses),
        selected_fields=list(selected_fields),
        case_sensitive=case_sensitive,
    )
    return cast("pa.Table", pa.table(cast("Any", taken)))


def _bytes_of(numbers: pa.UInt64Array) -> bytes:
    """The numbers of an array without nulls, eight bytes for each."""
    if not len(numbers):
        return b""
    buffer = numbers.buffers()[1]
    return bytes(memoryview(cast("Any", buffer))[numbers.offset * 8 : (numbers.offset + len(numbers)) * 8])
