"""How is the data source `floeberg` registered with a session?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from floeberg.spark.session.environment import check_pyspark, check_session, check_workers, cores, is_connect
from floeberg.spark.session.worker_pickle import importer

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource

__all__ = ["register", "register_once"]

_REGISTERED: WeakSet[Any] = WeakSet()


def register(spark: SparkSession) -> None:
    """Registers the format `floeberg` with a session.

    PySpark finds the format by itself if its workers have Floeberg. Registering also passes on the number of cores, and
    checks that the workers can read.

    Args:
        spark: The session, classic or Spark Connect.

    Raises:
        NotInstalledError: PySpark is not installed, or the Python of its workers lacks Floeberg.
        UnsupportedError: PySpark is older than 4.0, or the Python of its workers is of another version.
        InvalidInputError: The argument is not a session.
    """
    check_pyspark()
    check_session(spark)
    if not is_connect(spark):
        check_workers(spark.sparkContext.pythonExec)
    from pyspark.errors import AnalysisException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    try:
        spark.dataSource.register(_source(cores(spark)))
    except AnalysisException as error:
        # Spark 4.0 keeps the source that it found by itself. Both read the same.
        if error.getCondition() != "DATA_SOURCE_ALREADY_EXISTS":
            raise
    _REGISTERED.add(spark)


def register_once(spark: SparkSession) -> None:
    """Registers the format, unless it was registered with this session."""
    check_pyspark()
    check_session(spark)
    if spark not in _REGISTERED:
        register(spark)


def _source(parallelism: int | None) -> type[DataSource]:
    """The class that Spark keeps. It is made here, so that its code is pickled and can say that Floeberg is missing."""
    from pyspark.sql.datasource import DataSource  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    load = importer()

    class Floeberg(DataSource):
        @classmethod
        def name(cls) -> str:
            return "floeberg"

        def __new__(cls, options: MutableMapping[str, str]) -> Any:  # noqa: ANN401
            return load("floeberg.spark.datasource", "FloebergDataSource")(options, parallelism)

    return cast("type[DataSource]", Floeberg)
