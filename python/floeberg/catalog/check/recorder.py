"""How is a step run, timed and recorded?

In: a step, and how long it may take. Out: what came of it.

Invariant: a step that gets no answer ends all the same. Its thread is left behind, and keeps no process alive.
"""

from __future__ import annotations

import contextvars
import threading
import time
from typing import TYPE_CHECKING

from floeberg._secrets import without_secrets
from floeberg.catalog.check.result import CatalogCheckStep
from floeberg.errors import FloebergError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Recorder", "SkipStepError"]

_NO_ANSWER = (
    "what answers there accepts requests and then says nothing: look at its log and at proxies between here and there, "
    "or give it more seconds by timeout=..."
)


class SkipStepError(Exception):
    """A step cannot be done. The message is the reason."""


class _TooLateError(StorageError):
    """A step had no answer in its time."""


class Recorder:
    """The steps so far.

    Args:
        seconds: How long a step may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._steps: list[CatalogCheckStep] = []

    @property
    def steps(self) -> tuple[CatalogCheckStep, ...]:
        """The steps, in order."""
        return tuple(self._steps)

    def has_passed(self, name: str) -> bool:
        """Whether a step succeeded."""
        return any(each.name == name and each.ok for each in self._steps)

    def skip(self, name: str, reason: str) -> None:
        """Records a step that cannot be done."""
        self._steps.append(CatalogCheckStep(name, None, detail=without_secrets(reason)))

    def run(
        self,
        name: str,
        do: Callable[[], str],
        *,
        fix: Callable[[FloebergError], str],
        after: Iterable[str] = (),
    ) -> bool:
        """Runs a step, and records how it ended.

        Args:
            name: Its name.
            do: The step. It returns what was found. It raises `SkipStepError` where it cannot be done.
            fix: What helps against an error.
            after: Steps without which this one means nothing. It is skipped where one of them failed.

        Returns:
            Whether it succeeded.
        """
        needed = set(after)
        failed = next((each.name for each in self._steps if each.name in needed and each.ok is False), None)
        if failed is not None:
            self.skip(name, f"the step {failed!r} failed")
            return False
        began = time.perf_counter()
        try:
            detail, error = _within(self._seconds, do), None
        except SkipStepError as reason:
            self.skip(name, str(reason))
            return False
        except FloebergError as failure:
            detail, error = "", failure
        except OSError as failure:
            detail, error = "", StorageError(failure.strerror or str(failure), retryable=True)
        seconds = time.perf_counter() - began
        text = "" if error is None else _NO_ANSWER if isinstance(error, _TooLateError) else fix(error)
        self._steps.append(
            CatalogCheckStep(
                name, error is None, seconds, without_secrets(detail), error, without_secrets(text)
            )
        )
        return error is None


def _within(seconds: float, do: Callable[[], str]) -> str:
    """What a step returns or raises.

    Raises:
        _TooLateError: It took longer.
    """
    details: list[str] = []
    failures: list[BaseException] = []

    def work() -> None:
        try:
            details.append(do())
        except BaseException as failure:  # noqa: BLE001 - it is raised where the step was asked for
            failures.append(failure)

    # Drivers of databases and stores may wait for minutes, and cannot be interrupted.
    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join(seconds)
    if failures:
        raise failures[0]
    if details:
        return details[0]
    raise _TooLateError(f"no answer within {seconds:g} s", retryable=True)
