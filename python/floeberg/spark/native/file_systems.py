"""Does this Spark open the files of a table, and under which names?

In: locations as Floeberg opens them. Out: the same as Spark takes them, or why Spark would not open exactly this file.

Every Spark opens local files. For other schemes, Hadoop in this Spark must have a file system, and must find a file of
the same size there. Its credentials are Spark's own: Spark is given none. So files that Floeberg was given options to
reach are not for Spark, unless the user says so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakKeyDictionary

from floeberg import _native
from floeberg.spark.native.own_session import own_session
from floeberg.spark.native.proof import Unproven

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyspark.sql import SparkSession

__all__ = ["FileSystems", "Hadoop", "hadoop_of"]

_SAME = {
    "s3": ("s3", "s3a"),
    "s3a": ("s3a", "s3"),
    "s3n": ("s3n", "s3a", "s3"),
    "gcs": ("gcs", "gs"),
}
"""Schemes of the same objects, the first that Spark has is taken."""
_AZURE = frozenset({"abfs", "abfss", "wasb", "wasbs"})
"""Schemes whose authority is `container@account`."""
_URLS = frozenset({"http", "https"})
"""Schemes whose locations may have a query, with secrets."""
_WITHOUT_ACCESS = re.compile(
    r"io\..*|.*-timeout|(s3|client)\.region|aws_(default_)?region|s3\.path-style-access|s3\.force-virtual-addressing"
)
"""Options that say nothing of who reads, or of which store."""


class Hadoop(Protocol):
    """The file systems that Hadoop has in a session."""

    def has(self, scheme: str) -> bool:
        """Whether there is a file system for a scheme."""

    def size_of(self, path: str) -> int:
        """The bytes of a file.

        Raises:
            Unproven: The file system does not open it. The reason says nothing that may be a secret.
        """


class FileSystems:
    """What Spark opens, for one scan."""

    def __init__(
        self, hadoop: Hadoop | None, options: Collection[str] = (), *, insisted: bool = False
    ) -> None:
        """Takes what is known before locations are.

        Args:
            hadoop: The file systems of the session; `None` where it does not tell.
            options: The names of the storage options that the table was opened with.
            insisted: Whether the user says that Spark reads the files.
        """
        self._hadoop = hadoop
        self._is_given = not insisted and not all(map(_WITHOUT_ACCESS.fullmatch, map(str.lower, options)))
        self._schemes: dict[str, tuple[str, str]] = {}
        self._places: dict[str, str | None] = {}

    def path(self, location: str) -> str:
        """A location as Spark takes it.

        Raises:
            Unproven: Spark, or Hadoop below it, would not open exactly this file.
        """
        path = _native.local_path(location)
        if path is not None:
            _check_path(path)
            return f"file://{path}"
        scheme, _, rest = location.partition(":")
        authority, slash, key = rest.removeprefix("//").partition("/")
        spelled = self._spelled(scheme.lower())
        user, at, _ = authority.rpartition("@")
        if not (rest.startswith("//") and authority and key) or (at and scheme.lower() not in _AZURE):
            raise Unproven(f"Hadoop does not take such a location of {scheme!r}")
        if ":" in user:
            raise Unproven("the location has a password")
        _check_path(f"/{key}")
        if "//" in f"{slash}{key}/":
            raise Unproven("Hadoop takes empty names out of a path")
        return f"{spelled}://{authority}/{key}"

    def fault(self, path: str, size: int) -> str | None:
        """Why Spark does not find a file where Floeberg found it. One file of each bucket is asked for.

        Args:
            path: The file, as Spark takes it.
            size: Its bytes.
        """
        if path.startswith("file:") or self._hadoop is None:
            return None
        place = "/".join(path.split("/", 3)[:3])
        if place not in self._places:
            self._places[place] = _asked(self._hadoop, path, size)
        return self._places[place]

    def _spelled(self, scheme: str) -> str:
        """The scheme by which Spark opens the files of a scheme."""
        if scheme not in self._schemes:
            self._schemes[scheme] = self._chosen(scheme)
        found, why = self._schemes[scheme]
        if why:
            raise Unproven(why)
        return found

    def _chosen(self, scheme: str) -> tuple[str, str]:
        """The scheme for Spark, or why there is none."""
        if scheme in _URLS:
            return "", f"Floeberg reads {scheme!r} itself"
        if self._hadoop is None:
            return "", f"Spark Connect does not say whether it opens {scheme!r}"
        if self._is_given:
            return "", "the table was opened with storage options, and Spark is given none"
        found = next(filter(self._hadoop.has, _SAME.get(scheme, (scheme,))), "")
        return found, "" if found else f"Spark has no file system for {scheme!r}"


def _asked(hadoop: Hadoop, path: str, size: int) -> str | None:
    try:
        found = hadoop.size_of(path)
    except Unproven as why:
        return str(why)
    scheme = path.partition(":")[0]
    return None if found == size else f"Spark's file system for {scheme!r} has another file in its place"


def _check_path(path: str) -> None:
    name = path.rpartition("/")[2]
    if name.startswith(("_", ".")) or name.endswith("._COPYING_"):
        raise Unproven("Spark skips files of such a name")
    if ":" in name or "\\" in path or not path.isascii() or not path.isprintable():
        raise Unproven("Hadoop does not take such a path")
    if any(each in {".", ".."} for each in path.split("/")):
        raise Unproven("the path leads upwards")


_FAULTS: WeakKeyDictionary[Any, dict[tuple[str, int], str]] = WeakKeyDictionary()
"""Why places were not opened, by the settings of file systems then: a file system tries for a while before it fails."""


class _SessionHadoop:
    """The file systems of a classic session."""

    def __init__(self, spark: Any) -> None:  # noqa: ANN401 - what is used of it is not public
        self._spark = spark
        self._jvm = spark._jvm  # noqa: SLF001
        self._made: Any = None

    def has(self, scheme: str) -> bool:
        try:
            getattr(self._jvm, "org.apache.hadoop.fs.FileSystem").getFileSystemClass(scheme, self._settings())
        except _failures():
            return False
        return True

    def size_of(self, path: str) -> int:
        settings = self._settings()
        faults = _FAULTS.setdefault(self._spark, {})
        place = ("/".join(path.split("/", 3)[:3]), settings.getPropsWithPrefix("fs.").hashCode())
        if place in faults:
            raise Unproven(faults[place])
        try:
            file = getattr(self._jvm, "org.apache.hadoop.fs.Path")(path)
            return int(file.getFileSystem(settings).getFileStatus(file).getLen())
        except _failures() as error:
            # PySpark gives some exceptions of the JVM as its own.
            java = getattr(error, "java_exception", None)
            kind = type(error).__name__ if java is None else java.getClass().getSimpleName()
            why = f"Spark's file system for {path.partition(':')[0]!r} does not open the file: {kind}"
            if kind != "FileNotFoundException":
                faults[place] = why
            raise Unproven(why) from None

    def _settings(self) -> Any:  # noqa: ANN401 - the same
        if self._made is None:
            own = own_session(self._spark)._jsparkSession  # noqa: SLF001
            self._made = own.sessionState().newHadoopConf()
        return self._made


def _failures() -> tuple[type[Exception], ...]:
    """What a failed call of the JVM raises."""
    from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]  # noqa: PLC0415 - importing floeberg imports no PySpark
    from pyspark.errors import PySparkException  # noqa: PLC0415 - the same

    return (Py4JJavaError, PySparkException)


def hadoop_of(spark: SparkSession) -> Hadoop:
    """The file systems of a classic session. Nothing is asked of it yet."""
    return _SessionHadoop(spark)
