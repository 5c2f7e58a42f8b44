"""Arrow data on its way to Python, through the Arrow PyCapsule interface. Buffers are shared, not copied.

Rust: `rust/floeberg-python/src/arrow.rs`.
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
