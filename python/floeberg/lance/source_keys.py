"""Which rows of a source have the keys of rows of a Lance table?

In: the key columns of a source, and of batches of the table. Out: pairs of rows.

Invariant: keys are compared as values: NaN equals NaN, and -0.0 equals 0.0. What a null means is chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.stored_rows import one_batch
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

__all__ = ["SourceKeys"]

Array: TypeAlias = Any
_BITS_OF_DECIMALS = 128
"""Bits of decimals that are compared as numbers; wider ones are compared by their bytes."""


@dataclass(frozen=True)
class SourceKeys:
    """The keys of a source, in memory.

    Args:
        names: The key columns of the table.
        rows: The number of rows of the source.
    """

    names: Sequence[str]
    rows: int
    _index: _native.LanceKeys

    @classmethod
    def of(cls, keys: pa.RecordBatchReader, *, nulls: str, repeats: bool) -> SourceKeys:
        """Reads the keys.

        Args:
            keys: Them, by the names and in the types of the table.
            nulls: What a null means: `error`, `equal` or `unequal`.
            repeats: Whether several rows may have one key.

        Raises:
            InvalidInputError: A key is null or there twice.
            UnsupportedError: A column is nested.
            LimitExceededError: The keys take too much memory.
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        if nulls not in ("error", "equal", "unequal"):
            raise InvalidInputError(f'null_keys: expected "error" or "equal", found {nulls!r}')
        names = keys.schema.names
        schema = _hashed(pa.RecordBatch.from_pylist([], schema=keys.schema)).schema
        kept: list[pa.RecordBatch] = []
        rows = 0

        def batches() -> Iterator[pa.RecordBatch]:
            nonlocal rows
            for batch in keys:
                if nulls == "error":
                    _check_nulls(batch, rows)
                rows += batch.num_rows
                if not repeats:
                    kept.append(batch)
                yield _hashed(batch)

        reader = pa.RecordBatchReader.from_batches(schema, batches())
        index = _native.LanceKeys.of(reader, nulls_are_equal=nulls == "equal")
        if not repeats and index.repeated is not None:
            row, earlier = index.repeated
            key = pa.Table.from_batches(kept, keys.schema).slice(row, 1).to_pylist()[0]
            shown = ", ".join(f"{name} = {value!r}" for name, value in key.items())
            raise InvalidInputError(
                f"two rows of the source have one key: {shown}. Keep one of them",
                context={"row": str(earlier), "other_row": str(row)},
            )
        return cls(names, rows, index)

    def find(self, batch: pa.RecordBatch, *, lists_all: bool = False) -> tuple[Array, Array]:
        """The rows of a batch of the table with these keys, and for each the row of the source.

        A row is there once for each row of the source with its key. With `lists_all`, rows without one are there too.
        """
        import pyarrow as pa  # noqa: PLC0415

        keys = _hashed(batch.select(list(self.names)))
        rows, of_source = self._index.find(one_batch(keys), lists_all=lists_all)
        return pa.array(cast("Any", rows)), pa.array(cast("Any", of_source))

    def has_any(self, batch: pa.RecordBatch) -> bool:
        """Whether a row of a batch has one of these keys."""
        return len(self.find(batch)[0]) > 0


def _check_nulls(batch: pa.RecordBatch, first: int) -> None:
    import pyarrow.compute as pc  # noqa: PLC0415

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            row = pc.index(pc.is_null(column), True).as_py()
            raise InvalidInputError(
                'a key of the source is null: expected a value, or null_keys="equal"',
                context={"column": name, "row": str(first + row)},
            )


def _hashed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The columns in types that keys are compared in. Equal values, and no others, are equal in them."""
    import pyarrow as pa  # noqa: PLC0415

    columns = [_comparable(column) for column in batch.columns]
    fields = [pa.field(name, column.type) for name, column in zip(batch.schema.names, columns, strict=True)]
    return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))


def _comparable(column: Array) -> Array:
    import pyarrow as pa  # noqa: PLC0415

    kind = column.type
    while isinstance(kind, pa.BaseExtensionType):
        column = column.storage
        kind = column.type
    if pa.types.is_dictionary(kind) or isinstance(kind, pa.RunEndEncodedType):
        return _comparable(column.cast(kind.value_type))
    wider = _wider(kind)
    if wider is not None:
        return column.cast(wider)
    number = _number(kind)
    return column if number is None else column.view(number)


def _wider(kind: Any) -> pa.DataType | None:  # noqa: ANN401 - a type
    """A type with all values of a type; `None` for one that keys are compared in."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    is_small = types.is_int8(kind) or types.is_int16(kind) or types.is_uint8(kind) or types.is_uint16(kind)
    is_narrow = types.is_decimal(kind) and kind.bit_width < _BITS_OF_DECIMALS
    known: tuple[tuple[bool, pa.DataType], ...] = (
        (is_small, pa.int32()),
        (types.is_uint32(kind), pa.int64()),
        (types.is_float16(kind), pa.float32()),
        (types.is_large_string(kind) or str(kind) == "string_view", pa.string()),
        (types.is_large_binary(kind) or str(kind) == "binary_view", pa.binary()),
        (is_narrow, pa.decimal128(38, kind.scale if is_narrow else 0)),
    )
    return next((other for is_like, other in known if is_like), None)


def _number(kind: Any) -> pa.DataType | None:  # noqa: ANN401 - a type
    """A type of the same bits, which are equal where values are; `None` for one that keys are compared in."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import types  # noqa: PLC0415

    if types.is_decimal(kind) and kind.bit_width > _BITS_OF_DECIMALS:
        return pa.binary(kind.bit_width // 8)
    if types.is_time32(kind):
        return pa.int32()
    is_coarse = types.is_timestamp(kind) and kind.unit in ("s", "ms")
    is_other = types.is_uint64(kind) or types.is_date64(kind) or types.is_duration(kind)
    return pa.int64() if is_coarse or is_other or str(kind) == "time64[ns]" else None
