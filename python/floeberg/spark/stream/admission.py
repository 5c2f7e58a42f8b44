"""How much may a micro-batch read, and how does Spark say so?

PySpark 4.2 and later ask a source for its limits, and hand one to `latestOffset`. Earlier ones ask for nothing: there
the source keeps its limits by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floeberg.spark.read.stream_options import StreamOptions

__all__ = ["Admitted", "AvailableNow", "admitted", "default_limit"]


def _of_pyspark(name: str) -> Any:  # noqa: ANN401 - a class, or nothing
    try:
        return getattr(import_module("pyspark.sql.streaming.datasource"), name)
    except ImportError:
        return None


AvailableNow: Any = _of_pyspark("SupportsTriggerAvailableNow") or object
"""What a source derives from that tells `Trigger.AvailableNow` where to stop."""


@dataclass
class Admitted:
    """What a micro-batch may still take.

    Args:
        files: Files; `None` is any number.
        rows: Rows: no file is taken once they are reached. `None` is any number.
    """

    files: int | None
    rows: int | None

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.files is not None or self.rows is not None

    @property
    def is_full(self) -> bool:
        """Whether no file may be taken any more."""
        return (self.files is not None and self.files <= 0) or (self.rows is not None and self.rows <= 0)

    def surely_takes(self, files: int | None, rows: int | None) -> bool:
        """Whether these numbers of files and rows may be taken; `None` is an unknown number."""
        enough = self.files is None or (files is not None and files <= self.files)
        # A limit of rows may end before the last file.
        return enough and (self.rows is None or (rows is not None and rows < self.rows))

    def take(self, files: int, rows: int) -> None:
        """Takes files."""
        self.files = None if self.files is None else self.files - files
        self.rows = None if self.rows is None else self.rows - rows


def default_limit(options: StreamOptions) -> Any:  # noqa: ANN401 - a `ReadLimit`
    """The limit that Spark shall hand to `latestOffset`."""
    if options.max_files is not None:
        return _of_pyspark("ReadMaxFiles")(options.max_files)
    if options.max_rows is not None:
        return _of_pyspark("ReadMaxRows")(options.max_rows)
    return _of_pyspark("ReadAllAvailable")()


def admitted(options: StreamOptions, limit: object) -> Admitted:
    """What a micro-batch may take.

    Args:
        options: The limits of the user.
        limit: What Spark handed over; `None` before PySpark 4.2.
    """
    if type(limit).__name__ == "ReadAllAvailable":
        return Admitted(None, None)
    # Spark has no limit of both files and rows.
    return Admitted(
        _least(options.max_files, getattr(limit, "max_files", None)),
        _least(options.max_rows, getattr(limit, "max_rows", None)),
    )


def _least(*numbers: int | None) -> int | None:
    return min((number for number in numbers if number is not None), default=None)
