"""Which session reads for a session of the user?

In: a classic session. Out: another one of the same application. It has the user's settings, and those that would
change rows are fixed in it.

Invariant: a setting of the user's session changes no row, and none is changed.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["own_session"]

_SETTINGS = {
    "spark.sql.caseSensitive": "true",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
    "spark.sql.parquet.binaryAsString": "false",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.parquet.int96AsTimestamp": "true",
    "spark.sql.parquet.mergeSchema": "false",
    "spark.sql.sources.useV1SourceList": "avro,csv,json,kafka,orc,parquet,text",
    # Where Spark cannot be told which files there are: a task a path, as it has it, takes a minute for ten thousand
    # files, and four tasks take a second or two. A few hundred paths are looked at before a job would have begun.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "4",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "500",
}
_OF_FILE_SYSTEMS = ("fs.", "dfs.", "google.cloud.")
"""Settings that Spark hands to Hadoop's file systems, where a session has them."""
_FOLLOWED = ("spark.sql.", *_OF_FILE_SYSTEMS)

_SESSIONS: WeakKeyDictionary[Any, tuple[Any, dict[str, str]]] = WeakKeyDictionary()


def own_session(spark: Any) -> Any:  # noqa: ANN401 - what is used of it is not public
    """The session that reads for a session of the user, with the settings that the user has now."""
    if spark not in _SESSIONS:
        _SESSIONS[spark] = (spark.newSession(), {})
    own, known = _SESSIONS[spark]
    wanted = {key: value for key, value in _settings(spark).items() if key.startswith(_FOLLOWED)}
    for key, value in (wanted | _SETTINGS).items():
        is_taken = key in _SETTINGS or key.startswith(_OF_FILE_SYSTEMS) or own.conf.isModifiable(key)
        if known.get(key) != value and is_taken:
            own.conf.set(key, value)
            known[key] = value
    for key in [key for key in known if key not in wanted and key not in _SETTINGS]:
        own.conf.unset(key)
        del known[key]
    return own


def _settings(spark: Any) -> dict[str, str]:  # noqa: ANN401 - the same
    """The settings of a session, in one call: `getAll` of PySpark takes several a setting."""
    text = spark._jsparkSession.conf().getAll().mkString("\0")  # noqa: SLF001
    entries = (each.partition(" -> ") for each in text.split("\0") if each)
    return {key: value for key, _, value in entries}
