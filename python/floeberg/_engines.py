"""Which functions of an engine does a scan call?

Scans of tables and views are below `floeberg.spark`, which is imported when a frame is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["of_spark"]

_MODULES = {
    "frame_of": "floeberg.spark.native.frame",
    "lanes_told": "floeberg.spark.native.frame",
    "changelog_frame": "floeberg.spark.read.changelog_reader",
    "view_frame": "floeberg.spark.sql.view_frames",
    "lance_frame": "floeberg.spark.read.dataframe",
}


def of_spark(name: str) -> Callable[..., Any]:
    """A function of `floeberg.spark` that makes a frame, or describes one."""
    function: Callable[..., Any] = getattr(import_module(_MODULES[name]), name)
    return function
