"""How are rows read by their ids or addresses?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.lance.pages import pages_of
from floeberg.lance.rows import FragmentStream

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from floeberg import _native

__all__ = ["taken_rows"]


def taken_rows(
    table: _native.LanceTable,
    *,
    row_ids: list[int] | None,
    addresses: list[int] | None,
    selected_fields: Sequence[str],
    case_sensitive: bool,
) -> pa.Table:
    """The rows, in the order of their ids or addresses."""
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    taken = table.take(
        row_ids=row_ids,
        addresses=addresses,
        selected_fields=list(selected_fields),
        case_sensitive=case_sensitive,
    )
    stream, batches = FragmentStream(taken, pages_of(table.storage_options)), []
    while (batch := stream.next_batch()) is not None:
        batches.append(pa.record_batch(cast("Any", batch)))
    rows = pa.Table.from_batches(batches, pa.schema(cast("Any", taken)))
    return cast("pa.Table", rows.take(pa.array(cast("Any", taken.order()))))
