"""How does the process that plans a query get what tasks read for the driver?

Spark plans a query in a process of its own, which cannot run jobs. It makes the plan again, of the answers that tasks
gave the driver: they are kept in a file of the driver's local directory, which Spark removes when it ends.

```text
has deletes   number of answers   length    answer      length    answer   ..
u8            u64 LE              u64 LE    of deletes  u64 LE    of data files
```

Invariant: no secret is stored here, and nothing is unpickled.
"""

from __future__ import annotations

import re
import struct
import uuid
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan.plan import Plan
from floeberg.spark.session.local_dir import local_dir

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from floeberg.scan import Scan

__all__ = ["SavedPlan", "saved_plan"]

_NAME = re.compile(r"plan-[0-9a-f]{32}")
_HEAD, _LENGTH = struct.Struct("<?Q"), struct.Struct("<Q")


class SavedPlan:
    """The answers of tasks that read manifests.

    Args:
        folder: The first local directory of the driver.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._name = f"plan-{uuid.uuid4().hex}"
        self._is_begun = False

    @property
    def name(self) -> str | None:
        """What an option names it by; `None` where tasks read no data manifests."""
        return self._name if self._is_begun else None

    def begin(self, deletes: list[bytes] | None) -> None:
        """Keeps the answers of tasks that read delete manifests; `None` where the driver reads them."""
        path = self._path()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(_HEAD.pack(deletes is not None, len(deletes or ())))
            for answer in deletes or ():
                _write(file, answer)
        self._is_begun = True

    def add(self, answer: bytes) -> None:
        """Keeps the next answer of a task that read data manifests."""
        with self._path().open("ab") as file:
            _write(file, answer)

    def discard(self) -> None:
        """Removes what is kept: the process that plans the query reads no file of this plan."""
        if self._is_begun:
            self._path().unlink(missing_ok=True)
            self._is_begun = False

    def _path(self) -> Path:
        return _path(self._name, self._folder)


def saved_plan(scan: Scan, name: str) -> Plan:
    """The plan of a scan whose manifests were read.

    Raises:
        InvalidInputError: It is not there: another session made the DataFrame.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInputError("the option 'plan-token' is set by Floeberg only")
    try:
        file = _path(name).open("rb")
    except FileNotFoundError as error:
        raise InvalidInputError(
            "the plan of the DataFrame is gone with the session that made it: make the DataFrame again"
        ) from error
    parts = _native.plan_parts(scan._inner)  # noqa: SLF001 - the package's own
    with file:
        has_deletes, count = _HEAD.unpack(file.read(_HEAD.size))
        answers = _answers(file)
        deletes = [next(answers) for _ in range(count)]
        parts.index(deletes if has_deletes else None)
        for answer in answers:
            parts.add(answer)
    return Plan(parts.finish())


def _path(name: str, folder: str | None = None) -> Path:
    found = local_dir(folder)
    if found is None:
        raise InvalidInputError(
            "Spark has no local directory for the plan of the DataFrame: use planning='local'"
        )
    return found / name


def _write(file: BinaryIO, answer: bytes) -> None:
    file.write(_LENGTH.pack(len(answer)))
    file.write(answer)


def _answers(file: BinaryIO) -> Iterator[bytes]:
    while head := file.read(_LENGTH.size):
        yield file.read(_LENGTH.unpack(head)[0])
