"""How do DuckDB and polars run the query of a view?

In: a query with its scans. Out: a relation of DuckDB, or a lazy frame of polars, with the names and types of the view.
Both read tables by the lazy frames of scans, so that columns and filters of the query reach the files.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from floeberg.errors import FloebergError, InvalidDataError, UnsupportedError
from floeberg.view.arrow_columns import check_types, view_schema
from floeberg.view.nesting import naming
from floeberg.view.query_columns import columns_of_query
from floeberg.view.resolving import ViewQuery

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb
    import polars as pl

__all__ = ["duckdb_relation", "engine_errors", "polars_frame"]

_UUID = "UUID"


def duckdb_relation(
    query: ViewQuery, connection: duckdb.DuckDBPyConnection, *, for_arrow: bool = False
) -> duckdb.DuckDBPyRelation:
    """A relation of DuckDB with the rows of a view. What it reads are temporary views of the connection.

    Args:
        query: The query.
        connection: The connection.
        for_arrow: Whether UUIDs are their bytes, of which Arrow makes UUIDs. DuckDB itself gives it texts.

    Raises:
        InvalidDataError: The query gives other columns than the view has.
        UnsupportedError: DuckDB does not take the query.
    """
    with naming(query.full):
        for name, each in query.relations.items():
            if isinstance(each, ViewQuery):
                connection.register(name, duckdb_relation(each, connection))
            elif hasattr(each, "to_duckdb"):
                each.to_duckdb(name, connection)
            else:
                connection.register(name, each)
        with engine_errors("DuckDB"):
            found = connection.sql(query.sql)
            names = list(found.columns)
            empty = cast("Any", found.limit(0)).to_arrow_table().schema
        places, schema = columns_of_query(query.view, names), view_schema(query.view)
        kinds = [str(each) for each in found.types]
        check_types(
            [
                field.type if kinds[at] == _UUID and _is_uuid(field) else empty.field(at).type
                for at, field in zip(places, schema, strict=True)
            ],
            schema,
            "DuckDB",
        )
        with engine_errors("DuckDB"):
            # Columns of a query may share a name.
            inner = ", ".join(f"c{at}" for at in range(len(names)))
            wanted = [str(each) for each in cast("Any", connection.from_arrow(schema.empty_table())).types]
            listed = ", ".join(
                f"{_value(at, kinds[at], kind, for_arrow=for_arrow)} AS {_quoted(field.name)}"
                for at, kind, field in zip(places, wanted, schema, strict=True)
            )
            return connection.sql(f"SELECT {listed} FROM ({query.sql}) AS q({inner})")  # noqa: S608 - a query and quoted names


def _value(at: int, given: str, wanted: str, *, for_arrow: bool) -> str:
    """A column of a query in the type that is wanted, as SQL of DuckDB."""
    if given == wanted == _UUID and for_arrow:
        return f"unhex(replace(CAST(c{at} AS VARCHAR), '-', ''))"
    return f"c{at}" if given == wanted else f"CAST(c{at} AS {wanted})"


def _is_uuid(field: Any) -> bool:  # noqa: ANN401 - a field
    return getattr(field.type, "extension_name", "") == "arrow.uuid"


def polars_frame(query: ViewQuery) -> pl.LazyFrame:
    """A lazy frame of polars with the rows of a view.

    Raises:
        InvalidDataError: The query gives other columns than the view has.
        UnsupportedError: polars does not take the query.
    """
    import polars as pl  # noqa: PLC0415 - importing floeberg imports nothing large

    with naming(query.full):
        frames: dict[str, Any] = {}
        for name, each in query.relations.items():
            if isinstance(each, ViewQuery):
                frames[name] = polars_frame(each)
            elif hasattr(each, "to_polars_lazy"):
                frames[name] = each.to_polars_lazy()
            else:
                frames[name] = cast("pl.DataFrame", pl.from_arrow(each)).lazy()
        with engine_errors("polars"):
            found = pl.SQLContext(frames, eager=False).execute(query.sql)
            given = found.collect_schema()
            empty = pl.DataFrame(schema=given).to_arrow().schema
        places, schema = columns_of_query(query.view, given.names(), str), view_schema(query.view)
        check_types([empty.field(at).type for at in places], schema, "polars")
        wanted = cast("pl.DataFrame", pl.from_arrow(schema.empty_table())).schema
        return found.select(
            pl.nth(at).cast(kind, strict=True).alias(name)
            for at, (name, kind) in zip(places, wanted.items(), strict=True)
        )


@contextmanager
def engine_errors(engine: str, *, running: bool = False) -> Iterator[None]:
    """Makes errors of an engine those of Floeberg.

    Raises:
        UnsupportedError: The engine does not take the query.
        InvalidDataError: It fails while it runs the query.
    """
    kinds = _errors_of(engine)
    try:
        yield
    except FloebergError:
        raise
    except kinds as error:
        said = str(error).strip().partition("\n")[0]
        if running:
            raise InvalidDataError(f"{engine} fails in the statement of the view: {said}") from error
        raise UnsupportedError(
            f"{engine} does not take the statement of the view: {said}: take another engine"
        ) from error


def _errors_of(engine: str) -> tuple[type[Exception], ...]:
    if engine == "DuckDB":
        import duckdb  # noqa: PLC0415 - the same

        return (duckdb.Error,)
    import polars.exceptions as polars_errors  # noqa: PLC0415 - the same

    return (polars_errors.PolarsError,)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
