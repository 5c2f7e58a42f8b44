"""How do rows that change become files and positions?

In: a table, and batches of new rows with the places of the rows that they replace. Out: a row delta for one commit.

Invariant: rows are read while others are written. A row keeps its row id. An error leaves no file.
"""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from floeberg import _native
from floeberg.commit.stored_rows import as_batch, one_batch
from floeberg.errors import NotFoundError
from floeberg.scan.rows import Batches
from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa

    from floeberg.commit.operations import OpenedTable
    from floeberg.commit.reporting import Reporter
    from floeberg.commit.stored_rows import StoredRows

__all__ = ["ChangeRequest", "ChangedRows", "FoundChanges", "RowChanges"]

Array: TypeAlias = Any
_PIECES = 64
"""The number of sets of positions that are joined at once."""


@dataclass(frozen=True)
class ChangeRequest:
    """On what rows are changed, and how.

    Args:
        table: The table, as the operations before left it.
        branch: The branch.
        options: Properties of the write.
        counts_only: Whether nothing is written.
        reporter: Reports how far the write is.
    """

    table: OpenedTable
    branch: str
    options: Mapping[str, str]
    counts_only: bool
    reporter: Reporter

    def scan(
        self,
        tree: Any,  # noqa: ANN401 - a tree of tuples
        *,
        case_sensitive: bool = True,
    ) -> _native.Scan:
        """The rows of the branch that match a filter; those of the current snapshot where the branch is new."""
        scan = self.table.scan(
            row_filter=tree,
            selected_fields=["*"],
            case_sensitive=case_sensitive,
            snapshot_id=None,
            limit=None,
        )
        try:
            return scan.use_ref(self.branch)
        except NotFoundError:
            return scan


@dataclass(frozen=True)
class FoundChanges:
    """What an operation changes on a table.

    Args:
        operation: The operation. Where nothing changes, it checks that there is still nothing to change.
        written: The files of new rows, and their recipe.
        updated_rows: The rows that are changed.
        inserted_rows: The rows that are added.
    """

    operation: _native.Operation
    written: tuple[WriteRecipe, Receipt]
    updated_rows: int
    inserted_rows: int


class RowChanges(ABC):
    """An operation that looks for its rows, and does so again on a newer table."""

    command: Literal["update", "upsert", "merge", "apply_changes"]

    @abstractmethod
    def find(self, request: ChangeRequest) -> FoundChanges:
        """Looks for the rows, and writes what takes their place."""


@dataclass
class ChangedRows:
    """Collects the rows of one operation while they are written."""

    request: ChangeRequest
    recipe: WriteRecipe
    width: int
    """The columns of the table. After them come `_file`, `_pos`, and in version 3 `_row_id`."""
    has_lineage: bool
    updated_rows: int = 0
    inserted_rows: int = 0
    _places: list[_native.RowDeltaReceipt] = field(default_factory=list)

    @classmethod
    def of(cls, request: ChangeRequest) -> ChangedRows:
        """With the recipe of the table."""
        native = _native.WriteRecipe.of(
            request.table, options=dict(request.options), write_id=str(uuid.uuid4())
        )
        width = len(WriteRecipe(native).arrow_schema())
        has_lineage = request.table.format_version >= 3  # noqa: PLR2004 - the version that has it
        return cls(request, WriteRecipe(native.with_lineage() if has_lineage else native), width, has_lineage)

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.schema(list(self.recipe.arrow_schema())[: self.width])

    @property
    def place(self) -> int:
        """The column of positions. A batch is of one file."""
        return self.width + 1

    def delete(self, rows: pa.RecordBatch) -> None:
        """The places of rows that go."""
        import pyarrow as pa  # noqa: PLC0415

        if rows.num_rows == 0:
            return
        places = pa.RecordBatch.from_arrays(
            rows.columns[self.width : self.width + 2], names=["_file", "_pos"]
        )
        reader = pa.RecordBatchReader.from_batches(places.schema, [places])
        self._places.append(_native.RowDeltaReceipt.of_rows(reader))
        if len(self._places) >= _PIECES:
            self._places = [_native.RowDeltaReceipt.concat(self._places)]

    def changed(self, rows: pa.RecordBatch, columns: list[Array]) -> pa.RecordBatch:
        """Rows with new columns in the place of old ones."""
        self.delete(rows)
        self.updated_rows += rows.num_rows
        return self._made(columns, rows.num_rows, rows.column(self.width + 2) if self.has_lineage else None)

    def replaced(
        self, found: _native.FoundRows, scan: _native.Scan, source: StoredRows
    ) -> Iterator[pa.RecordBatch]:
        """Rows that were found with the columns of their rows of a source, where these differ.

        A row goes if its row of the source is beyond the end.
        """
        names = source.schema.names
        changing = found.replaced(scan, source.reader(names), columns=names)
        self._places.append(changing.places())
        for rows in Batches(lambda: changing.stream(scan)):
            self.updated_rows += rows.num_rows
            columns = rows.columns[: self.width]
            yield self._made(columns, rows.num_rows, rows.column(self.width) if self.has_lineage else None)

    def added(self, columns: list[Array], rows: int) -> pa.RecordBatch:
        """Adds rows to insert."""
        self.inserted_rows += rows
        return self._made(columns, rows, None)

    def conformed(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Rows with all columns of the table; those that they lack are their default, or null."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        made = self.recipe.native().conform(one_batch(rows), columns=self.schema.names)
        return as_batch(pa.table(cast("Any", made)))

    def _made(self, columns: list[Array], rows: int, row_ids: Array | None) -> pa.RecordBatch:
        import pyarrow as pa  # noqa: PLC0415

        schema = self.recipe.arrow_schema()
        if self.has_lineage:
            nothing = pa.nulls(rows, pa.int64())
            columns = [*columns, nothing if row_ids is None else row_ids, nothing]
        return pa.RecordBatch.from_arrays(columns, schema=schema)

    def write(self, batches: Iterable[pa.RecordBatch]) -> Receipt:
        """Writes new rows, and collects the places of old ones meanwhile."""
        import pyarrow as pa  # noqa: PLC0415

        reader = pa.RecordBatchReader.from_batches(self.recipe.arrow_schema(), _not_empty(batches))
        reporter = self.request.reporter
        if self.request.counts_only:
            for _ in reporter.counted(reader):
                pass
            return Receipt.concat([])
        return self.recipe.write_reported(reader, reporter.writing)

    def found(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipt: Receipt,
        *,
        command: str,
        isolation: str | None,
        mode: str | None,
        read_snapshot_id: int | None,
        row_filter: Any = None,  # noqa: ANN401 - a tree of tuples
        case_sensitive: bool = True,
        keys: _native.SourceKeys | None = None,
        inserts_keys: bool = False,
        rows_read: _native.FoundRows | None = None,
    ) -> FoundChanges:
        """The operation that commits the rows."""
        try:
            delta = _native.RowDeltaReceipt.concat(
                [_native.RowDeltaReceipt.of_files(receipt.native()), *self._places]
            )
            operation = _native.Operation.row_delta(
                delta,
                row_filter,
                case_sensitive=case_sensitive,
                isolation=isolation,
                read_snapshot_id=read_snapshot_id,
                command=command,
                mode=mode,
                keys=keys,
                inserts_keys=inserts_keys,
                found=rows_read,
            )
        except BaseException:
            self.recipe.remove(receipt)
            raise
        written = (self.recipe, receipt)
        return FoundChanges(operation, written, self.updated_rows, self.inserted_rows)


def _not_empty(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return (batch for batch in batches if batch.num_rows)
