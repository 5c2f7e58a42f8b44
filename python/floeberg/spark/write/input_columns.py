"""How do the columns of a DataFrame become those of a table?

In: batches with Spark's columns. Out: the same rows, under the table's names and with the types that Spark lacks. Spark
has strings for a uuid, and binary for a fixed.

Invariant: a column that does not fit is left as it is. The check of the whole schema lists it with all others.
"""

from __future__ import annotations

import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.types import PrimitiveType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from floeberg.types import NestedField

__all__ = ["InputColumns"]

_HEX = 32
_FIXED = re.compile(r"fixed\[(\d+)\]")


@dataclass(frozen=True)
class InputColumns:
    """How the columns of a DataFrame become those of a table.

    Args:
        names: The table's names of the columns, in the DataFrame's order. A column that the table lacks keeps its name.
        kinds: The types of these columns in the table, where Spark lacks them.
    """

    names: tuple[str, ...]
    kinds: tuple[str | None, ...]

    @classmethod
    def of(cls, fields: Iterable[NestedField], schema: StructType, *, case_sensitive: bool) -> InputColumns:
        """Finds the table's columns for those of a DataFrame.

        Raises:
            InvalidInputError: The DataFrame has no columns.
        """
        return cls.of_names(
            {each.name: _kind(each) for each in fields}, schema, case_sensitive=case_sensitive
        )

    @classmethod
    def of_names(
        cls, known: Mapping[str, str | None], schema: StructType, *, case_sensitive: bool
    ) -> InputColumns:
        """Finds the table's columns for those of a DataFrame.

        Args:
            known: The types of the table's columns, where Spark lacks them, by their names.
            schema: The columns of the DataFrame.
            case_sensitive: Whether the case of names counts.

        Raises:
            InvalidInputError: The DataFrame has no columns. Spark sends no rows then, however many there are.
        """
        if not schema.fields:
            raise InvalidInputError("the DataFrame has no columns: select one that the table has")
        # Where two names differ in case alone, only exact ones are found.
        folded: dict[str, list[str]] = {}
        for name in known:
            folded.setdefault(name.lower(), []).append(name)

        def found(name: str) -> str:
            alike = [] if case_sensitive else folded.get(name.lower(), [])
            return alike[0] if name not in known and len(alike) == 1 else name

        names = tuple(map(found, schema.names))
        return cls(names, tuple(map(known.get, names)))

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The Arrow schema of the rows that go to the table."""
        import pyarrow as pa  # noqa: PLC0415 - where Spark plans, none may be needed

        return pa.schema(
            [
                pa.field(
                    name, own.type if kind is None else pa.binary(_length(kind)), own.nullable, own.metadata
                )
                for name, kind, own in zip(self.names, self.kinds, schema, strict=True)
            ]
        )

    def reader(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
        """The rows of batches, as they go to the table. Columns of the batches after these are left out."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        becomes = self.schema(schema)
        if becomes.equals(schema) and not any(self.kinds):
            # Most rows are as Spark sends them.
            count = len(becomes)
            same = (batch if batch.num_columns == count else batch.select(range(count)) for batch in batches)
            return pa.RecordBatchReader.from_batches(becomes, same)
        numbers = range(len(self.names))
        arrived = (
            pa.RecordBatch.from_arrays(
                [self._column(number, batch.column(number)) for number in numbers], schema=becomes
            )
            for batch in batches
        )
        return pa.RecordBatchReader.from_batches(becomes, arrived)

    def _column(self, number: int, column: pa.Array) -> pa.Array:
        import pyarrow as pa  # noqa: PLC0415

        kind = self.kinds[number]
        if kind is None:
            return column
        try:
            return _uuids(column) if kind == "uuid" else column.cast(pa.binary(_length(kind)))
        except (pa.ArrowInvalid, ValueError) as error:
            raise InvalidInputError(
                f"column {self.names[number]!r}: expected values of type {kind}: {error}"
            ) from error


def _kind(field: NestedField) -> str | None:
    kind = str(field.field_type) if isinstance(field.field_type, PrimitiveType) else ""
    return kind if kind == "uuid" or _FIXED.fullmatch(kind) else None


def _length(kind: str) -> int:
    found = _FIXED.fullmatch(kind)
    return int(found.group(1)) if found else _HEX // 2


def _uuids(column: pa.Array) -> pa.Array:
    """UUIDs of their strings, with or without dashes."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    digits = pc.replace_substring(pc.fill_null(column, "0" * _HEX), "-", "")
    wrong = column.filter(pc.not_equal(pc.binary_length(digits), _HEX))
    if len(wrong):
        raise ValueError(f"expected 32 hexadecimal digits, found {wrong[0].as_py()!r}")
    values = pa.py_buffer(binascii.unhexlify("".join(digits.to_pylist())))
    (present,) = column.is_valid().buffers()[1:]
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(_HEX // 2), len(column), [present, values])
