"""Which rows does a view have, by an engine that is installed?"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from floeberg._arguments import checked_text
from floeberg._engines import of_spark
from floeberg._exact_casts import mapped
from floeberg._keywords import says_keywords_of_methods
from floeberg.errors import InvalidInputError, NotInstalledError
from floeberg.scan.rows import StreamedRows, connected
from floeberg.view.arrow_columns import view_schema
from floeberg.view.engines import duckdb_relation, engine_errors, polars_frame
from floeberg.view.nesting import naming
from floeberg.view.resolving import Catalogs, ViewQuery, resolved

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import duckdb
    import pyarrow as pa

    from floeberg.scan.batch_stream import BatchStream
    from floeberg.types import Schema
    from floeberg.view.read_view import ReadView, ViewCatalog

__all__ = ["ViewEngine", "ViewScan"]

ViewEngine: TypeAlias = Literal["duckdb", "polars", "spark"]
"""An engine that runs the statement of a view."""

_DIALECTS: dict[str, str] = {"duckdb": "duckdb", "polars": "postgres"}
"""The dialect of sqlglot that an engine takes. What polars reads is modelled on PostgreSQL's."""
_ENGINES = (*_DIALECTS, "spark")
_NAMES = {"duckdb": "DuckDB", "polars": "polars", "spark": "Spark"}


@says_keywords_of_methods
@dataclass(frozen=True, repr=False)
class ViewScan(StreamedRows):
    """The rows of a view, which an engine computes when they are asked for.

    Columns have the names, types and docs of the view's schema. Use `View.scan`.

    Examples:
        >>> schema = pa.schema({"n": pa.int64()})
        >>> scan = shop.create_view("db.seven", schema, sql={"spark": "SELECT 7"}).scan("duckdb")
        >>> scan, scan.to_arrow().to_pylist()
        (ViewScan('db.seven', engine='duckdb'), [{'n': 7}])
        >>> scan.to_duckdb("seven").sql("SELECT n + 1 FROM seven").fetchall()
        [(8,)]
    """

    _view: ReadView
    _engine: ViewEngine
    _query: ViewQuery | None
    _catalogs: dict[str, ViewCatalog]

    @classmethod
    def of(
        cls, view: ReadView, engine: ViewEngine | None, catalogs: Mapping[str, ViewCatalog] | None
    ) -> ViewScan:
        """The rows of a view. Use `View.scan`."""
        chosen = _chosen(engine)
        given = dict(catalogs or {})
        for name in given:
            checked_text("catalogs", name)
        # What Arrow has no type for is said now.
        view_schema(view)
        if chosen == "spark":
            return cls(view, chosen, None, given)
        known = Catalogs(given)
        if view.catalog is not None:
            known.add(view.catalog)
        query = resolved(view, known, _DIALECTS[chosen], _NAMES[chosen])
        return cls(view, chosen, query, given)

    @property
    def engine(self) -> str:
        """The engine that runs the statement: `"duckdb"`, `"polars"` or `"spark"`."""
        return self._engine

    def schema(self) -> Schema:
        """The columns: those of the view."""
        return self._view.schema()

    def to_duckdb(
        self, table_name: str, connection: duckdb.DuckDBPyConnection | None = None
    ) -> duckdb.DuckDBPyConnection:
        """Makes a view in DuckDB. If the engine is DuckDB, queries of it read only what they need.

        Args:
            table_name: The name of the view.
            connection: The connection to make it in. By default, a new in-memory database. The tables that the view
                reads become temporary views there, whose names begin with `floeberg_`.

        Returns:
            The connection.

        Raises:
            NotInstalledError: duckdb is not installed: `pip install 'floeberg[duckdb]'`.
            FloebergError: As for `to_arrow`.
        """
        if self._query is None or self._engine != "duckdb":
            return super().to_duckdb(table_name, connection)
        name, target = checked_text("table_name", table_name), connected(connection)
        target.register(name, duckdb_relation(self._query, target))
        return target

    def _open(self) -> BatchStream:
        return _Stream(self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        schema = view_schema(self._view)
        if self._query is None:
            frame = of_spark("view_frame")(self._view, self._catalogs)
            yield from mapped(frame.toArrow().to_batches(), schema)
            return
        with naming(self._query.full):
            if self._engine == "duckdb":
                connection = connected(None)
                relation: Any = duckdb_relation(self._query, connection, for_arrow=True)
                with engine_errors("DuckDB", running=True):
                    yield from mapped(relation.to_arrow_reader(), schema)
                return
            frame = polars_frame(self._query)
            with engine_errors("polars", running=True):
                yield from mapped(frame.collect().to_arrow().to_batches(), schema)

    def __arrow_c_schema__(self) -> object:
        return cast("Any", view_schema(self._view)).__arrow_c_schema__()

    def __repr__(self) -> str:
        name = ".".join(self._view.name()) or "an opened view"
        return f"ViewScan({name!r}, engine={self._engine!r})"


class _Stream:
    """Batches of an iterator."""

    def __init__(self, batches: Iterator[pa.RecordBatch]) -> None:
        self._batches = batches

    def next_batch(self) -> pa.RecordBatch | None:
        """The next batch; `None` after the last one."""
        return next(self._batches, None)


def _chosen(engine: str | None) -> ViewEngine:
    """The engine: the given one, or the first that is installed.

    Raises:
        InvalidInputError: There is no such engine.
        NotInstalledError: It, or each of them, is not installed.
    """
    if engine is None:
        for each in _DIALECTS:
            if find_spec(each) is not None:
                return cast("ViewEngine", each)
        if find_spec("pyspark") is not None:
            return "spark"
        raise NotInstalledError(
            "no engine is installed that runs a view: pip install 'floeberg[duckdb,views]'"
        )
    if engine not in _ENGINES:
        raise InvalidInputError(f"engine: expected one of {', '.join(map(repr, _ENGINES))}, found {engine!r}")
    module = "pyspark" if engine == "spark" else engine
    if find_spec(module) is None:
        raise NotInstalledError(f"{module} is not installed: pip install 'floeberg[{engine}]'")
    return cast("ViewEngine", engine)
