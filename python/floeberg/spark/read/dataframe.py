"""How does a scan become a DataFrame?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg.spark.read.options import FILES, PLAN, SCAN, scan_token
from floeberg.spark.read.scan_request import scan_bytes
from floeberg.spark.session.environment import check_pyspark, check_session, is_connect
from floeberg.spark.session.registration import register_once
from floeberg.spark.session.task_errors import own_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from floeberg.lance import LanceScan
    from floeberg.scan import Scan
    from floeberg.spark.read.saved_plan import SavedPlan

__all__ = ["lance_frame", "scan_to_dataframe", "token_to_dataframe"]


class _Unprinted(str):
    """A string whose repr hides its text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'...'"


def token_to_dataframe(
    token: str, spark: SparkSession, options: Mapping[str, int | bool | str | None]
) -> DataFrame:
    """The DataFrame of a scan that an option holds.

    Args:
        token: What `scan_token` made.
        spark: The session.
        options: How to read it.
    """
    register_once(spark)
    reader = spark.read.format("floeberg")
    for key, value in options.items():
        if value is not None:
            reader = reader.option(key, value)
    if is_connect(spark):
        # The client prints the options of its plans; `option` would make a plain string of it.
        cast("Any", reader)._options[SCAN] = _Unprinted(token)  # noqa: SLF001
    else:
        reader = reader.option(SCAN, token)
    return reader.load()


@own_errors()
def lance_frame(scan: LanceScan, spark: SparkSession, options: dict[str, int | bool | None]) -> DataFrame:
    """The DataFrame of a scan. See `LanceScan.to_spark`."""
    check_pyspark()
    check_session(spark)
    return scan_to_dataframe(scan, spark, options)


def scan_to_dataframe(
    scan: Scan | LanceScan,
    spark: SparkSession,
    options: dict[str, int | bool | None],
    *,
    only: str | None = None,
    saved: SavedPlan | None = None,
) -> DataFrame:
    """The DataFrame of a scan, whose files are read by Floeberg's tasks.

    Args:
        scan: The scan.
        spark: The session.
        options: How to read it.
        only: The files that are read, as `files_token` names them; `None` is all.
        saved: What tasks read of the manifests, where they did.
    """
    more = {FILES: only, PLAN: None if saved is None else saved.name}
    frame = token_to_dataframe(scan_token(scan_bytes(scan)), spark, {**options, **more})
    limit = scan._inner.limit  # noqa: SLF001 - the package's own
    return frame if limit is None else frame.limit(limit)
