"""The module in which PySpark finds the data source `floeberg` by itself.

PySpark imports every module named `pyspark_*` and takes its `DefaultSource`. An error here would break all sources in
Python, so nothing is imported that may be missing or large, and nothing raises.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping

try:
    from pyspark.sql.datasource import DataSource
except ImportError:
    pass
else:

    class DefaultSource(DataSource):
        """A table that Floeberg reads."""

        @classmethod
        def name(cls) -> str:
            """The name of the format."""
            return "floeberg"

        def __new__(cls, options: MutableMapping[str, str]) -> Any:  # noqa: ANN401 - another class than this
            """Makes the source, when one is asked for."""
            from floeberg.spark.session.worker_pickle import importer  # noqa: PLC0415 - nothing large at import

            return importer()("floeberg.spark.datasource", "FloebergDataSource")(options)
