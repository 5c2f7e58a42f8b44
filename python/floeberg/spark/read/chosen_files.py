"""Which files of a plan are read here, where Spark's own reader has the others?

A scan is planned once where a DataFrame is made and once where Spark plans. The files are named by their numbers, with
a digest of all paths: the same numbers must mean the same files.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.scan.plan import Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["chosen_files", "files_token"]


def files_token(plan: Plan, numbers: Sequence[int]) -> str:
    """The value of the option that names files by their numbers."""
    # The distances between near numbers need little space.
    steps = [one - other for one, other in zip(numbers, (0, *numbers), strict=False)]
    text = json.dumps([_digest(plan), steps], separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode())).decode()


def chosen_files(plan: Plan, token: str) -> Plan:
    """The files of a plan that a token names.

    Raises:
        InvalidInputError: It was made for another plan.
    """
    try:
        digest, steps = json.loads(zlib.decompress(base64.b64decode(token, validate=True)))
    except (ValueError, zlib.error) as error:
        raise InvalidInputError("the option 'files-token' is set by Floeberg only") from error
    if digest != _digest(plan):
        raise InvalidInputError(
            "the files have changed since the DataFrame was made: make the DataFrame again"
        )
    numbers, number = [], 0
    for step in steps:
        number += step
        numbers.append(number)
    return Plan(plan._inner.only(numbers))  # noqa: SLF001 - the package's own


def _digest(plan: Plan) -> list[int]:
    paths = plan.to_arrow()["file_path"].to_pylist()
    return [len(paths), zlib.crc32("\n".join(paths).encode())]
