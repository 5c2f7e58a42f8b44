"""How does Spark know which files there are, and which number each has?

In: files, and their sizes. Out: an index of them, as Spark itself makes one of folders.

Spark's index looks at every file when a DataFrame is made, and again at `REFRESH`, where it passes over files that are
gone. What its cache has, it does not look for. This cache has all files and forgets none: nothing is looked at before
it is read, and a file that is gone is an error.

A file may also be a partition, with its number as the value: a column of the rows that takes no work to read.

The cache is Java, and is compiled in the session by the compiler that Spark has for its own queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from floeberg.spark.native.own_session import own_session
from floeberg.spark.session.environment import is_connect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

__all__ = ["can_be_planned", "planned_files"]

_CLASS = "PlannedFiles"
_SOURCE = """
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.execution.datasources.FileStatusCache;
import org.apache.spark.sql.execution.datasources.PartitionPath;
import scala.Option;

public class PlannedFiles extends FileStatusCache {
    private final HashMap files = new HashMap();
    private final List paths = new ArrayList();
    private final List partitions = new ArrayList();

    public void add(String locations, String sizes) {
        String[] places = locations.split("\\n");
        String[] bytes = sizes.split(" ");
        for (int number = 0; number < places.length; number++) {
            long size = Long.parseLong(bytes[number]);
            Path path = new Place(places[number], number);
            Object[] value = new Object[] { Integer.valueOf(number) };
            paths.add(path);
            files.put(path, new FileStatus[] { new FileStatus(size, false, 1, size, 0L, path) });
            partitions.add(new PartitionPath(new GenericInternalRow(value), path.getParent()));
        }
    }

    public List paths() { return paths; }
    public List partitions() { return partitions; }

    public Option getLeafFiles(Path path) { return Option.apply(files.get(path)); }
    public void putLeafFiles(Path path, FileStatus[] found) { }
    public void invalidateAll() { }

    // Spark finds the partition of a file by its folder.
    public static class Place extends Path {
        private final Path folder;

        public Place(String location, int number) {
            super(location);
            folder = new Path("/" + number);
        }

        public Path getParent() { return folder; }
    }
}
"""

_COMPILED: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()


def can_be_planned(spark: SparkSession) -> bool:
    """Whether a session can be told which files there are."""
    return not is_connect(spark) and _compiled(spark) is not None


def planned_files(
    spark: Any,  # noqa: ANN401 - what is used of it is not public
    own: Any,  # noqa: ANN401 - the same
    paths: Sequence[str],
    sizes: Sequence[int],
    number: str | None,
) -> Any:  # noqa: ANN401 - the same
    """An index of files.

    Args:
        spark: The user's session, for which `can_be_planned`.
        own: The session that reads.
        paths: The files. None is there twice.
        sizes: Their bytes.
        number: The name of the column that has the number of the file, if there is to be one.
    """
    return _index(_compiled(spark), spark, own, paths, sizes, number)


def _index(  # noqa: PLR0913, PLR0917 - the parts of an index
    cache: Any,  # noqa: ANN401 - the same
    spark: Any,  # noqa: ANN401 - the same
    own: Any,  # noqa: ANN401 - the same
    paths: Sequence[str],
    sizes: Sequence[int],
    number: str | None,
) -> Any:  # noqa: ANN401 - the same
    from pyspark.sql.types import IntegerType, StructType  # noqa: PLC0415 - importing floeberg imports no PySpark

    jvm, package = spark._jvm, "org.apache.spark.sql.execution.datasources"  # noqa: SLF001
    option, python = jvm.scala.Option, getattr(jvm, "org.apache.spark.api.python.PythonUtils")
    files = cache.newInstance()
    if paths:
        files.add("\n".join(paths), " ".join(map(str, sizes)))
    parameters, spec = {"recursiveFileLookup": "true"}, None
    if number is not None:
        parameters = {}
        columns = spark._jsparkSession.parseDataType(  # noqa: SLF001
            StructType().add(number, IntegerType(), nullable=False).json()
        )
        spec = getattr(jvm, f"{package}.PartitionSpec")(columns, python.toSeq(files.partitions()))
    return getattr(jvm, f"{package}.InMemoryFileIndex")(
        own._jsparkSession,  # noqa: SLF001
        python.toSeq(files.paths()),
        python.toScalaMap(parameters),
        option.empty(),
        files,
        option.apply(spec),
        option.empty(),
    )


def _compiled(spark: Any) -> Any:  # noqa: ANN401 - the same
    """The class of caches; `None` where this Spark has no such index."""
    from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # noqa: PLC0415 - the same
    from pyspark.errors import PySparkException  # noqa: PLC0415 - the same

    if spark not in _COMPILED:
        jvm = spark._jvm  # noqa: SLF001
        try:
            compiler = getattr(jvm, "org.codehaus.janino.SimpleCompiler")()
            compiler.setParentClassLoader(jvm.java.lang.Thread.currentThread().getContextClassLoader())
            compiler.cook(_SOURCE)
            cache = compiler.getClassLoader().loadClass(_CLASS)
            # What an index without files takes, one with files takes too.
            _index(cache, spark, own_session(spark), (), (), "number").allFiles()
        except (Py4JError, PySparkException, TypeError):
            cache = None
        _COMPILED[spark] = cache
    return _COMPILED[spark]
