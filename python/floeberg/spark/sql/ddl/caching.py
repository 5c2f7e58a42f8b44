"""How are CACHE TABLE, UNCACHE TABLE, REFRESH TABLE and CLEAR CACHE run?

Kept rows are those of one snapshot, and only used where that is read anyway, so that nothing has to be refreshed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.conf import is_case_sensitive
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.ddl.ddl_clauses import properties
from floeberg.spark.sql.query.cached_tables import forget_all, forget_table, keep_table, kept_level
from floeberg.spark.sql.query.table_frames import scan_of
from floeberg.spark.sql.query.temp_views import make_view, reads_catalog

if TYPE_CHECKING:
    from pyspark import StorageLevel

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.spark.sql.text.known_tables import Found
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.token_reader import TokenReader

__all__ = ["keep"]

_LEVEL = "storagelevel"
_LEVELS = {
    # Whether disks, memory, memory outside of the heap, and objects of Java are used; and how many copies there are.
    "NONE": (False, False, False, False, 1),
    "DISK_ONLY": (True, False, False, False, 1),
    "DISK_ONLY_2": (True, False, False, False, 2),
    "DISK_ONLY_3": (True, False, False, False, 3),
    "MEMORY_ONLY": (False, True, False, True, 1),
    "MEMORY_ONLY_2": (False, True, False, True, 2),
    "MEMORY_ONLY_SER": (False, True, False, False, 1),
    "MEMORY_ONLY_SER_2": (False, True, False, False, 2),
    "MEMORY_AND_DISK": (True, True, False, True, 1),
    "MEMORY_AND_DISK_2": (True, True, False, True, 2),
    "MEMORY_AND_DISK_SER": (True, True, False, False, 1),
    "MEMORY_AND_DISK_SER_2": (True, True, False, False, 2),
    "OFF_HEAP": (True, True, True, False, 1),
}


def keep(queries: Queries, words: TokenReader, statement: Statement) -> bool:
    """Runs a statement about what is kept; `False` where Spark is to."""
    if words.take("CACHE"):
        return _cache(queries, words, statement)
    if words.take("UNCACHE"):
        return _uncache(queries, words)
    if words.take("REFRESH", "TABLE"):
        return _refresh(queries, words)
    if words.follows("CLEAR", "CACHE"):
        # Spark forgets all of it then.
        forget_all(queries.spark)
    return False


def _cache(queries: Queries, words: TokenReader, statement: Statement) -> bool:
    """Runs what follows `CACHE`; `False` where Spark is to."""
    is_lazy = words.take("LAZY")
    words.expect("TABLE")
    if not words.is_name:
        return False
    parts = words.name()
    options_at = words.place
    options = properties(words) if words.take("OPTIONS") else {}
    options_text = statement.source[options_at : words.place].strip() if options else ""
    words.take("AS")
    if not words.is_at_end:
        query = words.rest()
        if not reads_catalog(queries, query):
            return False
        _cache_query(queries, parts, query, options_text, is_lazy=is_lazy)
        return True
    found = queries.known.find(parts)
    if found is None:
        return False
    _check(found, parts)
    scan = scan_of(found, ".".join(parts), case_sensitive=is_case_sensitive(queries.spark))
    frame = keep_table(queries.spark, found.full, found.table, scan, queries.reading, _level(options))
    if not is_lazy:
        frame.count()
    return True


def _cache_query(
    queries: Queries, parts: tuple[str, ...], query: Statement, options: str, *, is_lazy: bool
) -> None:
    """Makes a view of a query, and has Spark keep its rows."""
    if len(parts) > 1:
        raise InvalidInputError(
            f"CACHE TABLE {'.'.join(parts)} AS makes a temporary view: expected a name of one part"
        )
    name = quoted(*parts)
    make_view(queries, "CREATE TEMPORARY VIEW", parts[0], f"{name} AS", query, options=options)
    try:
        queries.spark.sql(f"CACHE {'LAZY ' if is_lazy else ''}TABLE {name} {options}")
    except BaseException:
        queries.spark.catalog.dropTempView(parts[0])
        raise


def _uncache(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `UNCACHE`; `False` where Spark is to."""
    words.expect("TABLE")
    lenient = words.take("IF", "EXISTS")
    if not words.is_name:
        return False
    parts = words.name()
    words.end()
    found = queries.known.look_up(parts) if lenient else queries.known.find(parts)
    if found is None:
        return lenient and queries.known.place(parts) is not None
    forget_table(queries.spark, found.full)
    return True


def _refresh(queries: Queries, words: TokenReader) -> bool:
    """Runs what follows `REFRESH TABLE`; `False` where Spark is to."""
    if not words.is_name:
        return False
    parts = words.name()
    found = queries.known.find(parts)
    if found is None:
        return False
    words.end()
    level = kept_level(queries.spark, found.full)
    if level is not None:
        scan = scan_of(found, ".".join(parts), case_sensitive=is_case_sensitive(queries.spark))
        keep_table(queries.spark, found.full, found.table, scan, queries.reading, level)
    return True


def _check(found: Found, parts: tuple[str, ...]) -> None:
    if found.metadata is not None:
        raise UnsupportedError(
            f"CACHE TABLE: {'.'.join(parts)!r} is a metadata table, whose rows change with each commit: write "
            "CACHE TABLE name AS SELECT .., which makes a view of it"
        )


def _level(options: dict[str, str]) -> StorageLevel:
    """Where rows are kept, as Spark names it.

    Raises:
        InvalidInputError: There is no such level, or another option.
    """
    from pyspark import StorageLevel  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    given = {key.lower(): value for key, value in options.items()}
    other = next((key for key in given if key != _LEVEL), None)
    if other is not None:
        raise InvalidInputError(f"CACHE TABLE: the option {other!r}: expected storageLevel")
    name = given.get(_LEVEL, "MEMORY_AND_DISK").upper()
    if name not in _LEVELS:
        raise InvalidInputError(f"CACHE TABLE: storageLevel {name}: expected one of {', '.join(_LEVELS)}")
    return StorageLevel(*_LEVELS[name])
