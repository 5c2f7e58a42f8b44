"""How does a task of Spark run for each partition of a frame, and tell the driver what it did?

Invariant: the driver gets one answer of each partition, however often its task ran.
"""

from __future__ import annotations

import pickle
import re
import warnings
from typing import TYPE_CHECKING, Any

from floeberg.errors import InternalError, NotInstalledError
from floeberg.spark.session.batch_limits import batch_limits
from floeberg.spark.session.conf import changed_settings
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["mapped", "run_tasks"]

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def run_tasks(
    frame: DataFrame, work: Callable[[Iterator[pa.RecordBatch]], Any], *, short: Collection[str] = ()
) -> list[Any]:
    """Runs a task for each partition of a frame.

    Args:
        frame: The rows.
        work: What a task does with its batches. It can be pickled, and so can its result.
        short: Columns of texts that are short, whatever the rows.

    Returns:
        The results of the tasks, one each.

    Raises:
        FloebergError: A task raised it.
        NotInstalledError: PySpark has no pandas, which it asks for before it sends batches to functions; or a worker
            has no Floeberg.
    """

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pickle  # noqa: PLC0415 - nothing around this function travels with it

        import pyarrow  # noqa: ICN001, PLC0415
        from pyspark import TaskContext  # noqa: PLC0415

        done = pickle.dumps(work(batches))
        context = TaskContext.get()
        number = 0 if context is None else context.partitionId()
        yield pyarrow.RecordBatch.from_pydict(
            {
                "task": pyarrow.array([number], pyarrow.int32()),
                "done": pyarrow.array([done], pyarrow.binary()),
            }
        )

    spark = frame.sparkSession
    with own_errors(), changed_settings(spark, batch_limits(spark, frame.schema, short)):
        try:
            # `collect` of PySpark ends silently where the JVM fails to send: rows are missing, and nothing is raised.
            done = mapped(frame, run, "task int, done binary").toArrow()
        except Exception as error:
            # An error of Py4J, which a client of Spark Connect may lack.
            known = _known(getattr(error, "java_exception", None))
            if known is None:
                raise
            raise known from None
    numbers = done.column("task").to_pylist()
    if numbers != list(range(len(numbers))):
        raise InternalError(f"expected one answer of each task of Spark, found those of the tasks {numbers}")
    return [pickle.loads(each.as_py()) for each in done.column("done")]  # noqa: S301 - made by the tasks above


def _known(failure: Any) -> Exception | None:  # noqa: ANN401 - a throwable of Java
    """The error of PySpark for a failure, or for the first of its causes that has one."""
    if failure is None:
        return None
    from pyspark.errors.exceptions.captured import (  # noqa: PLC0415 - the same
        UnknownException,
        convert_exception,
    )

    while failure is not None:
        found: Exception = convert_exception(failure)
        if not isinstance(found, UnknownException):
            return found
        failure = failure.getCause()
    return None


def mapped(
    frame: DataFrame,
    work: Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: StructType | str,
    name: str = "run",
) -> DataFrame:
    """A frame whose rows tasks make, of batches of another one.

    Args:
        frame: The other one.
        work: What a task does with its batches. It can be pickled.
        schema: The columns of the rows.
        name: What `DataFrame.explain` calls it.

    Raises:
        NotInstalledError: PySpark has no pandas, which it asks for before it sends batches to functions.
    """
    try:
        import pandas  # noqa: F401, ICN001, PLC0415 - PySpark imports it
    except ImportError as error:
        raise NotInstalledError(
            "pandas is not installed, and PySpark needs it to run tasks on batches: pip install pandas"
        ) from error
    names = list(frame.columns)

    # PySpark takes a dot in a name for a field of a struct. Spark copies every row to change a name.
    is_plain = all(map(_PLAIN.fullmatch, names)) and len({name.lower() for name in names}) == len(names)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from work(batches if is_plain else (batch.rename_columns(names) for batch in batches))

    run.__name__ = name
    with warnings.catch_warnings():
        # PySpark warns of new versions of pandas, none of whose data frames are made here.
        warnings.filterwarnings(
            "ignore", message="PySpark does not yet fully support pandas", category=FutureWarning
        )
        if not is_plain:
            frame = frame.toDF(*(f"c{number}" for number in range(len(names))))
        return frame.mapInArrow(run, schema)
