"""How do the columns of a DataFrame become those of a Lance table?

In: batches with Spark's columns. Out: the same rows under the table's names. The recipe converts their values, where
none changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

__all__ = ["LanceColumns"]


@dataclass(frozen=True)
class LanceColumns:
    """The table's names of the columns of a DataFrame. A column that the table lacks keeps its name.

    Args:
        names: The names, in the DataFrame's order.
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, known: Sequence[str], given: Sequence[str], *, case_sensitive: bool) -> LanceColumns:
        """Finds the table's columns for those of a DataFrame.

        Args:
            known: The names of the table's columns.
            given: The names of the DataFrame's.
            case_sensitive: Whether the case of names counts.
        """
        exact = {name: name for name in known}
        # Where two names differ in case alone, only exact ones are found.
        folded: dict[str, list[str]] = {}
        for name in known:
            folded.setdefault(name.lower(), []).append(name)

        def found(name: str) -> str:
            alike = [] if case_sensitive else folded.get(name.lower(), [])
            return exact.get(name, alike[0] if len(alike) == 1 else name)

        return cls(tuple(map(found, given)))

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """The Arrow schema of the rows that go to the table."""
        import pyarrow as pa  # noqa: PLC0415 - where Spark plans, none may be needed

        return pa.schema([field.with_name(name) for name, field in zip(self.names, schema, strict=True)])

    def reader(self, schema: pa.Schema, batches: Iterator[pa.RecordBatch]) -> pa.RecordBatchReader:
        """The rows of batches, as they go to the table."""
        import pyarrow as pa  # noqa: PLC0415 - the same

        becomes = self.schema(schema)
        renamed = (pa.RecordBatch.from_arrays(batch.columns, schema=becomes) for batch in batches)
        return pa.RecordBatchReader.from_batches(becomes, renamed)
