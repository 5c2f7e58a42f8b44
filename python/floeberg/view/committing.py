"""How does an operation become part of a view atomically?

As with tables, commits are optimistic: an attempt is made on the current view, and made current by its catalog. If
another writer was faster, the operation is tried on the newer view. Properties and the location are set there again. A
version replaces only the version that it was meant to replace.

Views keep no log of metadata files. So whether an attempt of unknown outcome took effect is known only while no other
writer changed the view.
"""

from __future__ import annotations

import itertools
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    NoSuchViewError,
)
from floeberg.view.versions import properties_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg import _native
    from floeberg.view.operations import OpenedView, ViewOperations

__all__ = ["commit_view"]


def commit_view(
    view_operations: ViewOperations,
    operation: _native.ViewOperation,
    *,
    starting: OpenedView | None,
    sleep: Callable[[float], None] = time.sleep,
) -> OpenedView:
    """Commits an operation to a view, atomically.

    Args:
        view_operations: The operations of the view's catalog.
        operation: What to do.
        starting: The view that the operation was made for; `None` where it is to be created.
        sleep: Waits for some seconds.

    Returns:
        The view after it.

    Raises:
        CommitConflictError: Another writer replaced the version, dropped the view, or was faster at every attempt.
            Nothing was changed.
        CommitStateUnknownError: The outcome is unknown.
        FloebergError: With any other error nothing was changed.
    """
    tries = _Tries(view_operations, operation, starting)
    budget = RetryBudget.of(lambda: Retries.of({} if starting is None else properties_of(starting)), sleep)
    for done in itertools.count(1):
        try:
            return tries.once()
        except FloebergError as failure:
            is_open = starting is not None and (failure.retryable or tries.may_settle(failure))
            if not is_open or not budget.allows_retry(failure):
                final = tries.given_up(failure, done)
                if final is failure:
                    raise
                raise final from failure
        budget.wait()
    raise AssertionError


class _Tries:
    """The attempts of one commit."""

    def __init__(
        self,
        view_operations: ViewOperations,
        operation: _native.ViewOperation,
        starting: OpenedView | None,
    ) -> None:
        self._view_operations = view_operations
        self._operation = operation
        self._starting = starting
        self._base = starting
        self._unknown: dict[str, CommitStateUnknownError] = {}
        """What is not known of attempts on the base, by their metadata files."""
        self._is_overtaken = False

    def once(self) -> OpenedView:
        """One attempt. Returns the current view if an earlier attempt took effect after all."""
        if self._starting is not None:
            current = self._current(self._starting)
            if current.metadata_location in self._unknown:
                return current
            self._check_unknown(current)
            self._base = current
        attempt = self._operation.attempt(
            self._base, storage_options=dict(self._view_operations.storage_options)
        )
        if self._base is not None and not attempt.changes:
            return self._base
        try:
            return self._view_operations.commit(self._base, attempt)
        except CommitStateUnknownError as failure:
            location = failure.context.get("metadata", "")
            self._unknown[location] = failure
            with suppress(FloebergError):
                current = self._view_operations.load(None)
                if current.metadata_location == location:
                    return current
            raise

    def may_settle(self, failure: FloebergError) -> bool:
        """Whether another attempt may tell the outcome: both replace the same base, and at most one of them wins."""
        return failure in self._unknown.values() and not self._is_overtaken

    def given_up(self, failure: FloebergError, done: int) -> FloebergError:
        """The error after the last attempt."""
        for unknown in self._unknown.values():
            return unknown
        if isinstance(failure, CommitConflictError) and done > 1:
            return CommitConflictError(
                f"{failure.message}; gave up after {done} attempts",
                context=failure.context,
                retryable=failure.retryable,
            )
        return failure

    def _current(self, starting: OpenedView) -> OpenedView:
        try:
            current = self._view_operations.load(self._base)
            starting.check_same_view(current)
        except NoSuchViewError as error:
            raise CommitConflictError(f"{error.message}: load it again", context=error.context) from error
        return current

    def _check_unknown(self, current: OpenedView) -> None:
        """Raises where an earlier attempt may have taken effect, and another writer changed the view since."""
        base = self._base
        if not self._unknown or base is None or current.metadata_location == base.metadata_location:
            return
        self._is_overtaken = True
        raise next(iter(self._unknown.values()))
