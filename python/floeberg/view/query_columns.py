"""Which column of its query is which column of a view?

In: the columns that a view has, and those that its query gives now. Out: a column of the query for each of the view.

A view names its columns, and its query may name them otherwise: `CREATE VIEW v (a, b) AS SELECT id, city ..`. So the
order says which is which, as in Spark and Iceberg. A query with a star may give other columns later. Then names decide:
those that the query had when the view was made, where these are known, or those of the view.

Invariant: a column that may be one of several is an error. No column takes the name of another one in silence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from floeberg.view.read_view import ReadView

__all__ = ["QUERY_COLUMN_NAMES", "columns_of_query", "recorded_names"]

QUERY_COLUMN_NAMES = "spark.query-column-names"
"""A property that Iceberg's integration with Spark writes, and a key of the summary of versions that are made by
`floeberg.spark.sql`: the names that the query gave its columns, with commas between."""


def recorded_names(names: Sequence[str]) -> dict[str, str]:
    """What is written of the names of a query; nothing where a comma in one would make others of them."""
    return {} if any("," in name for name in names) else {QUERY_COLUMN_NAMES: ",".join(names)}


def columns_of_query(
    view: ReadView, names: Sequence[str], fold: Callable[[str], str] = str.lower
) -> Sequence[int]:
    """For each column of a view, which column of its query it is.

    Args:
        view: The view.
        names: The names of the columns that its query gives.
        fold: What makes names equal that mean the same column.

    Raises:
        InvalidDataError: The query gives other columns than those that the view was made with.
    """
    own = [field.name for field in view.schema().fields]
    if len(names) < len(own):
        raise _other_columns(own, names, f"the query gives {len(names)} columns, and the view has {len(own)}")
    version = view.current_version()
    of_version = _split(version.summary.get(QUERY_COLUMN_NAMES), len(own))
    if of_version is not None:
        found = _by_names(of_version, names, fold)
        if found is None:
            known = set(map(fold, names))
            gone = next((each for each in of_version if fold(each) not in known), None)
            why = "two columns of the query have one name" if gone is None else f"{gone!r} is missing"
            raise _other_columns(own, names, why)
        return found
    # A property outlives the version that it was written for, so that it only helps.
    of_view = _split(view.properties.get(QUERY_COLUMN_NAMES), len(own))
    found = None if of_view is None else _by_names(of_view, names, fold)
    if found is not None:
        return found
    if len(names) == len(own):
        return range(len(own))
    found = _by_names(own, names, fold)
    if found is None:
        raise _other_columns(own, names, f"the query gives {len(names)} columns, and the view has {len(own)}")
    return found


def _split(written: str | None, count: int) -> list[str] | None:
    names = [] if written is None else written.split(",")
    return names if len(names) == count else None


def _by_names(wanted: Sequence[str], names: Sequence[str], fold: Callable[[str], str]) -> list[int] | None:
    """Where each name stands; `None` where one is missing or stands there twice."""
    if list(map(fold, wanted)) == list(map(fold, names)):
        return list(range(len(names)))
    places: dict[str, list[int]] = {}
    for at, name in enumerate(names):
        places.setdefault(fold(name), []).append(at)
    found = [places.get(fold(name), []) for name in wanted]
    return [each[0] for each in found] if all(len(each) == 1 for each in found) else None


def _other_columns(own: Sequence[str], names: Sequence[str], why: str) -> InvalidDataError:
    return InvalidDataError(
        f"the query of the view gives other columns than the view was made with: {why}. The query gives "
        f"{_shown(names)}; the view has {_shown(own)}: replace the view, or restore the columns of its tables"
    )


def _shown(names: Sequence[str], most: int = 12) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(repr, names[:most])) + more
