"""Do the rows that a query looks for lie in few pages of files?

In: filters that hold for the rows, and local Parquet files. Out: yes where statistics of row groups make it likely that
one row in thousands matches an equality. Floeberg skips pages then, which other readers do not.

It is a guess: a wrong one costs time, and changes no row.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from floeberg.expressions._logic import And
from floeberg.expressions._predicates import EqualTo, In

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.expressions._logic import Expression
    from floeberg.scan.engine_files import EngineFile

__all__ = ["finds_few_rows"]

SHARE = 1 / 5_000
"""The share of the rows of a file that is few. A page has some thousands of rows."""
BYTES = 4
"""Texts that take so many bytes each are rarely equal: repeated ones are stored as small numbers."""
FILES = 4
"""So many files are looked at."""


def finds_few_rows(filters: Sequence[Expression], files: Sequence[EngineFile]) -> bool:
    """Whether it is likely that few rows of the files match.

    Args:
        filters: Filters that hold for all rows that are looked for.
        files: Files that the filters leave.
    """
    tests = [(column, count) for each in filters for column, count in _equalities(each)]
    if not tests or not files:
        return False
    return all(any(_is_few(each, column, count) for column, count in tests) for each in files[:FILES])


def _equalities(test: Expression) -> Iterator[tuple[str, int]]:
    """The columns that equal one of some values, and the number of these."""
    if isinstance(test, And):
        for child in test.children:
            yield from _equalities(child)
    elif isinstance(test, EqualTo):
        yield test.term.name, 1
    elif isinstance(test, In):
        yield test.term.name, len(test.literals)


def _is_few(file: EngineFile, column: str, count: int) -> bool:
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large
    import pyarrow.parquet as pq  # noqa: PLC0415

    name = next((each.stored_name for each in file.columns if each.name == column), None)
    if name is None:
        return False
    try:
        metadata = pq.read_metadata(file.path)
        place = [metadata.schema.column(number).path for number in range(metadata.num_columns)].index(name)
        groups = [metadata.row_group(number).column(place) for number in range(metadata.num_row_groups)]
    except (OSError, ValueError, pa.ArrowException):
        return False
    return bool(groups) and all(_share(each) * count <= SHARE for each in groups)


def _share(chunk: Any) -> float:  # noqa: ANN401 - metadata of a column of a row group
    """About which share of the rows has one value."""
    statistics = chunk.statistics
    if statistics is None or not statistics.has_min_max:
        return 1.0
    low, high = _number(statistics.min), _number(statistics.max)
    if low is not None and high is not None:
        return 1 / (high - low + 1)
    is_text = isinstance(statistics.min, (str, bytes)) and statistics.min != statistics.max
    if is_text and chunk.num_values and chunk.total_compressed_size >= BYTES * chunk.num_values:
        return 1 / chunk.num_values
    return 1.0


def _number(value: object) -> int | None:
    """Values that lie close to one another, as numbers."""
    if type(value) is int:
        return value
    if isinstance(value, dt.datetime):
        return int(value.timestamp())
    return value.toordinal() if isinstance(value, dt.date) else None
