"""How are settings of a session changed for a while?

Invariant: after the last of those who changed a setting, it is what it was before the first of them, whichever thread
ends when.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

__all__ = [
    "changed_settings",
    "is_case_sensitive",
    "is_set",
    "own_setting",
    "texts_are_certain",
    "timestamps_are_certain",
]


@dataclass
class _Changed:
    """A setting that is changed.

    Args:
        before: Its value before; `None` where it had none.
        users: How many blocks changed it.
    """

    before: str | None
    users: int = 0


_CHANGED: WeakKeyDictionary[Any, dict[str, _Changed]] = WeakKeyDictionary()
_LOCK = Lock()


@contextmanager
def changed_settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Changes settings of a session in the block."""
    changed = list[str]()
    try:
        with _LOCK:
            known = _CHANGED.setdefault(spark, {})
            for name, value in settings.items():
                known.setdefault(name, _Changed(spark.conf.get(name, None))).users += 1
                changed.append(name)
                # Spark may refuse a value: those that it took are taken back.
                spark.conf.set(name, value)
        yield
    finally:
        with _LOCK:
            for name in changed:
                known[name].users -= 1
                if known[name].users:
                    continue
                before = known.pop(name).before
                if before is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, before)


def own_setting(spark: SparkSession, name: str) -> str | None:
    """The value that the user gave a setting of a session; `None` where it has none."""
    with _LOCK:
        changed = _CHANGED.get(spark, {}).get(name)
        return spark.conf.get(name, None) if changed is None else changed.before


def is_set(spark: SparkSession, name: str, *, default: bool = False) -> bool:
    """Whether a setting of a session is `true`.

    Args:
        spark: The session.
        name: The setting.
        default: The answer for a release of Spark that does not know the setting.
    """
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    try:
        value = spark.conf.get(name)
    except PySparkException:
        return default
    return str(value).lower() == "true"


def is_case_sensitive(spark: SparkSession) -> bool:
    """Whether the case of names of columns counts in the session."""
    return is_set(spark, "spark.sql.caseSensitive")


def texts_are_certain(spark: SparkSession) -> bool:
    """Whether Spark compares dates and timestamps with texts as dates and timestamps."""
    return not is_set(spark, "spark.sql.legacy.typeCoercion.datetimeToString.enabled")


def timestamps_are_certain(spark: SparkSession) -> bool:
    """Whether what is written TIMESTAMP has a zone. Otherwise it has none, whatever its text says."""
    return str(spark.conf.get("spark.sql.timestampType", "TIMESTAMP_LTZ")).upper() == "TIMESTAMP_LTZ"
