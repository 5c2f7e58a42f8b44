"""How does Spark run the query of a view for `View.scan`?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.environment import check_pyspark, check_session
from floeberg.spark.sql.query.queries import Queries
from floeberg.spark.sql.text.known_tables import FoundView, KnownTables
from floeberg.spark.sql.text.statement import check_sqlglot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from floeberg.catalog import Catalog
    from floeberg.view import View

__all__ = ["view_frame"]


def view_frame(view: View, catalogs: Mapping[str, Catalog]) -> DataFrame:
    """The frame of a view, in the active session.

    Args:
        view: The view.
        catalogs: Catalogs by the names that its statement has for them.

    Raises:
        InvalidInputError: No session is active.
        UnsupportedError: The view was opened without a catalog.
        FloebergError: As for `floeberg.spark.sql`.
    """
    from pyspark.sql import SparkSession  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    check_pyspark()
    check_sqlglot()
    spark = SparkSession.getActiveSession()
    if spark is None:
        raise InvalidInputError("engine: 'spark' is the active session, and none is active: make one first")
    check_session(spark)
    catalog = view.catalog
    if catalog is None:
        raise UnsupportedError(
            "engine: 'spark' needs the catalog of the view: load it by catalog.load_view(identifier)"
        )
    known = KnownTables(spark, catalog, catalogs)  # type: ignore[arg-type] # a catalog of a view is a whole one
    found = FoundView(view, catalog, (catalog.name, *view.name()))  # type: ignore[arg-type] # the same
    return Queries(spark, known).frame_of_view(found)
