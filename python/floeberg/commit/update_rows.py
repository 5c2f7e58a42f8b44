"""How are columns of rows that match a filter set?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.commit.changed_rows import ChangedRows, RowChanges
from floeberg.commit.new_values import Rows, settings_of
from floeberg.scan.rows import Batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from floeberg.commit.changed_rows import ChangeRequest, FoundChanges
    from floeberg.commit.new_values import NewValue
    from floeberg.expressions import Expression

__all__ = ["UpdateRows"]


class UpdateRows(RowChanges):
    """Sets columns of the rows that match a filter."""

    command = "update"

    def __init__(
        self,
        updates: Mapping[str, NewValue],
        row_filter: Expression,
        *,
        case_sensitive: bool,
        isolation: str | None,
        mode: str | None,
    ) -> None:
        """The arguments of `Table.update`."""
        self._updates = updates
        self._tree = row_filter.as_tree()
        self._case_sensitive = case_sensitive
        self._isolation = isolation
        self._mode = mode

    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the rows, and writes them with their new values."""
        scan = request.scan(self._tree, case_sensitive=self._case_sensitive)
        changed = ChangedRows.of(request)
        receipt = changed.write(self._rows(scan, changed))
        return changed.found(
            receipt,
            command=self.command,
            isolation=self._isolation,
            mode=self._mode,
            read_snapshot_id=scan.snapshot_id,
            row_filter=self._tree,
            case_sensitive=self._case_sensitive,
        )

    def _rows(self, scan: _native.Scan, changed: ChangedRows) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        schema = changed.schema
        # Mistakes are found where no row matches, too.
        settings = settings_of(self._updates, schema, case_sensitive=self._case_sensitive)
        aliases = {f"target.{name}": name for name in schema.names}
        used = set(schema.names) - {each.name for each in settings}
        none = Rows(pa.RecordBatch.from_pylist([], schema=schema), aliases, self._case_sensitive, used)
        for each in settings:
            each.of(none, schema.field(each.name))
        read = [name for name in schema.names if name in used]

        def batches() -> Iterator[pa.RecordBatch]:
            for batch in Batches(lambda: _native.rows_with_places(scan, columns=read)):
                columns: list[Any] = batch.columns[: changed.width]
                # Other columns are null: whoever asks for one of them gets an error.
                rows = Rows(batch.select(read), aliases, self._case_sensitive)
                new = {each.name: each.of(rows, schema.field(each.name)) for each in settings}
                made = [
                    new.get(name, old_column) for name, old_column in zip(schema.names, columns, strict=True)
                ]
                yield changed.changed(batch, made)

        return batches()
