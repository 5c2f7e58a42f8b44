"""Arrow data on its way to Python, through the Arrow PyCapsule interface. Buffers are shared, not copied.

Rust: `rust/floeberg-python/src/arrow.rs`, and `incoming.rs` for what comes from users.
"""

from typing import Any, final

from typing_extensions import CapsuleType

@final
class ArrowSchema:
    """A schema: `pyarrow.schema(schema)` takes it. Its fields carry Iceberg's field ids, as `PARQUET:field_id`."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the table, the scan or the recipe."""

@final
class Column:
    """A column: `pyarrow.array(column)` takes it."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the `pyarrow.Array`."""

@final
class Batch:
    """A batch of rows: `pyarrow.record_batch(batch)` takes it."""

    def __len__(self) -> int:
        """The number of rows."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[CapsuleType, CapsuleType]: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the `pyarrow.RecordBatch`."""

@final
class Batches:
    """Batches that are all in memory: `pyarrow.table(batches)` takes them."""

    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> CapsuleType: ...
    def __reduce__(self) -> tuple[Any, ...]:
        """Raises `TypeError`: send the `pyarrow.Table`."""

def with_buffers(batch: object) -> Any:  # noqa: ANN401 - a batch of pyarrow
    """A batch with all of its buffers, for those who work on it with pyarrow, which reads absent ones too.

    Arrays without values may come without buffers: they are made anew, at every depth. Others are not copied.

    Args:
        batch: A `pyarrow.RecordBatch`.

    Returns:
        A `pyarrow.RecordBatch` of the same schema.

    Raises:
        InvalidInputError: The batch is damaged, or nests too deep.
    """
