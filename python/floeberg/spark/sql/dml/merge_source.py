"""Which rows does the source of a merge have?

The source is evaluated once, and kept: what is asked of it later is asked of the same rows. Its keys say which files of
the table are read, and its size whether every task can have all of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError
from floeberg.spark.session.names import folding, named
from floeberg.spark.sql.text.dialect import dialect

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from floeberg.spark.sql.query.queries import Queries

__all__ = ["ROW", "Keys", "MergeSource"]

ROW = "floeberg_row"
"""The column that numbers the rows of the source."""
_LISTED = 1000
"""The most different keys that are listed; of more keys, the least and the greatest are known."""
_MOST_SENT_BYTES = 32 << 20
"""The most bytes of a source that is sent to every task."""
_WIDTH, _NESTED_WIDTH = 16, 256
_NESTED = frozenset({"struct", "array", "map", "variant"})


@dataclass(frozen=True)
class Keys:
    """The values of a column of the source.

    Args:
        has_null: Whether null is among them.
        least: The least one, as Arrow has it.
        greatest: The greatest one.
        listed: All of them, if they are few.
    """

    has_null: bool
    least: pa.Scalar
    greatest: pa.Scalar
    listed: pa.Array | None


class MergeSource:
    """The kept rows of a source, with a number each.

    Args:
        frame: The rows.
    """

    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame

    @classmethod
    def of(cls, queries: Queries, text: str) -> MergeSource:
        """Computes the rows of what follows USING.

        Raises:
            InvalidInputError: Two columns have one name, or one has the name that numbers the rows.
        """
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - importing floeberg.spark imports nothing large

        frame = queries.frame(f"SELECT * FROM {text}\n")  # noqa: S608 - the user's own text
        folded = [*map(folding(case_sensitive=dialect().case_sensitive), frame.columns)]
        if len(set(folded)) < len(folded):
            twice = next(name for name in folded if folded.count(name) > 1)
            raise InvalidInputError(f"MERGE: the source has two columns {twice!r}: give one another name")
        if ROW in map(str.lower, frame.columns):
            raise InvalidInputError(f"MERGE: the source has a column {ROW!r}: give it another name")
        return cls(frame.withColumn(ROW, F.monotonically_increasing_id()).localCheckpoint(eager=True))

    @cached_property
    def columns(self) -> list[str]:
        """The names of its columns."""
        return [name for name in self.frame.columns if name != ROW]

    def kind(self, column: str) -> str:
        """The type of a column, as Spark writes it."""
        return self.frame.schema[column].dataType.simpleString()

    @cached_property
    def is_small(self) -> bool:
        """Whether every task can have all rows."""
        return self._measured["rows"] * self._row_width() + self._measured["bytes"] <= _MOST_SENT_BYTES

    def _row_width(self) -> int:
        nested = [
            each for each in self.frame.schema if each.dataType.simpleString().partition("<")[0] in _NESTED
        ]
        return _WIDTH * len(self.frame.columns) + _NESTED_WIDTH * len(nested)

    @cached_property
    def _measured(self) -> dict[str, int]:
        """The number of rows, and the bytes of texts and of binary values."""
        from pyspark.sql import functions as F  # noqa: N812, PLC0415 - the same

        long = [
            each.name for each in self.frame.schema if each.dataType.simpleString() in {"string", "binary"}
        ]
        lengths = [F.sum(F.octet_length(named(name)).cast("bigint")) for name in long]
        row = self.frame.agg(F.count(F.lit(1)), *lengths).collect()[0]
        return {"rows": row[0], "bytes": sum(each or 0 for each in row[1:])}

    def keys(self, columns: Sequence[str]) -> dict[str, Keys | None]:
        """The values of columns; `None` where there are none, not even null."""
        import pyarrow.compute as pc  # noqa: PLC0415 - the same
        from pyspark.sql import functions as F  # noqa: N812, PLC0415

        found: dict[str, Keys | None] = {}
        if self.is_small:
            # One job without a shuffle, and few bytes.
            rows = self.frame.select(*map(named, columns)).toArrow()
            for at, name in enumerate(columns):
                values = rows.column(at).unique()
                known = values.drop_null()
                ends: Any = pc.min_max(known)
                found[name] = (
                    None
                    if not len(values)
                    else Keys(
                        len(known) < len(values),
                        ends["min"],
                        ends["max"],
                        known if len(known) <= _LISTED else None,
                    )
                )
            return found
        asked = [
            each
            for name in columns
            for each in (F.min(named(name)), F.max(named(name)), F.count(named(name)))
        ]
        told = self.frame.agg(*(each.alias(f"c{at}") for at, each in enumerate(asked))).toArrow()
        for at, name in enumerate(columns):
            least, greatest, count = (told.column(3 * at + each)[0] for each in range(3))
            few = self.frame.select(named(name).alias("c")).distinct().limit(_LISTED + 2).toArrow().column(0)
            listed = few.combine_chunks().drop_null() if len(few) <= _LISTED else None
            found[name] = Keys(count.as_py() < self._measured["rows"], least, greatest, listed)
        return found
