"""How often is something tried again, where loops nest?"""

from __future__ import annotations

import pytest

from floeberg.commit import retries
from floeberg.commit.retries import Retries, RetryBudget
from floeberg.errors import CommitConflictError, InvalidInputError

CONFLICT = CommitConflictError("another writer was faster")


def limits(number=4, total=60.0):
    return lambda: Retries(number, 0.001, 0.001, total)


def tried(budget):
    """How often something that always fails is tried."""
    attempts = 1
    while budget.allows_retry(CONFLICT):
        budget.wait()
        attempts += 1
    return attempts


@pytest.mark.parametrize("number", [0, 1, 4])
def test_there_is_one_attempt_more_than_retries(number):
    waits = []
    assert tried(RetryBudget(limits(number), waits.append)) == number + 1
    assert len(waits) == number


def test_time_ends_it_too(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(retries.time, "monotonic", lambda: now[0])
    budget = RetryBudget(limits(number=1000, total=10.0), lambda _: now.__setitem__(0, now[0] + 3.0))
    assert tried(budget) == 5


def test_loops_that_nest_share_one_budget():
    outer = RetryBudget(limits(4), lambda _: None)
    attempts = 0
    while True:
        with outer.shared():
            attempts += tried(RetryBudget.of(limits(4), lambda _: None))
        if not outer.allows_retry(CONFLICT):
            break
    assert attempts == 5
    # Without one around it a loop has its own, also after an error in the other.
    with pytest.raises(KeyError), outer.shared():
        raise KeyError
    assert tried(RetryBudget.of(limits(4), lambda _: None)) == 5


def test_a_wrong_property_is_noted_at_the_failure():
    failure = CommitConflictError("another writer was faster")

    def wrong():
        raise InvalidInputError("expected a whole number")

    assert not RetryBudget(wrong).allows_retry(failure)
    assert "not retried: expected a whole number" in failure.__notes__[0]
