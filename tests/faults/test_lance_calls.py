"""Every storage call of every action on a Lance table fails, and every call of the pages of its data files.

An action that succeeds has its whole effect; one that raises has none, or says that it does not know.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from lance_actions import ACTIONS, WRITING, Action, begun, copy, opened, sound, state

import floeberg as fb
from floeberg.errors import CommitStateUnknownError, NotFoundError
from floeberg.lance import pages

FAULTS = ("fail", "lose-request", "lose-answer", "cut-short")
PARTLY = {"branch", "remove_branch", "clean_up"}
"""Actions of several steps: after an error some of them may be done, and doing it again does the others."""


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> tuple[str, Path]:
    """A table, and a copy to go back to. Base paths are absolute, so the table stays where it is."""
    folder = tmp_path_factory.mktemp("lance")
    location = begun(folder)
    kept = folder / "kept"
    Path(location).rename(kept)
    return location, kept


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
@pytest.mark.timeout(1200)
def test_every_call_of_an_action_on_a_lance_table_may_fail(place, action, report, tmp_path) -> None:
    location, kept = place
    copy(location, kept)
    before = facts(location)
    done = calls(action, location, tmp_path / "calls", "")
    after = facts(location)
    told = []
    for fault in FAULTS:
        ends: Counter[str] = Counter()
        for number in range(len(done)):
            copy(location, kept)
            log = tmp_path / f"calls-{number}-{fault}"
            end, error = ended(partial(calls, action, location, log, f"{number}={fault}"))
            check(
                location, action, (before, after), end, f"{number}={fault}: {end}: {error}\n{log.read_text()}"
            )
            if action.__name__ in PARTLY and end != "succeeded":
                again(location, action, after)
            ends[end] += 1
        told.append(f"{fault}: {dict(ends)}")
    report(f"lance {action.__name__}: n = {len(done)}; {'; '.join(told)}")
    assert len(done) > 2


class BrokenError(Exception):
    """What a decoder or encoder raises that is no error of ours."""


class Broken:
    """Fails at the n-th call of the pages of data files, before it or after it."""

    def __init__(self, number: int, *, is_after: bool) -> None:
        self.left, self.is_after, self.calls = number, is_after, 0

    def strike(self, call: Any) -> Any:
        self.calls += 1
        self.left -= 1
        if self.left != -1:
            return call()
        if self.is_after:
            call()
        raise BrokenError("the pages broke")


class BrokenWriter:
    """A writer of a data file that fails."""

    def __init__(self, broken: Broken, make: Any) -> None:
        self._broken = broken
        self._inner = broken.strike(make)

    def write_batch(self, batch: Any) -> None:
        self._broken.strike(lambda: self._inner.write_batch(batch))

    def finish(self) -> int:
        return self._broken.strike(self._inner.finish)

    def abandon(self) -> None:
        self._inner.abandon()


class BrokenBatches:
    """Batches of a data file that fail."""

    def __init__(self, broken: Broken, inner: Any) -> None:
        self._broken, self._inner, self.schema = broken, inner, inner.schema

    def read_next_batch(self) -> Any:
        return self._broken.strike(self._inner.read_next_batch)


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("action", WRITING, ids=lambda action: action.__name__)
@pytest.mark.timeout(1200)
def test_every_call_of_the_pages_may_fail(place, action, is_after, monkeypatch, report) -> None:
    location, kept = place
    copy(location, kept)
    before = facts(location)
    action(location, {})
    after = facts(location)
    for number in range(100):
        copy(location, kept)
        broken = Broken(number, is_after=is_after)
        with monkeypatch.context() as patched:
            broken_pages(patched, broken)
            end, error = ended(partial(action, location, {}))
        if broken.left >= 0:
            break
        message = f"{number}: {end}: {error}"
        assert end == "failed", message
        # What was written goes: nobody will name it.
        assert files(location) == {path.relative_to(kept) for path in kept.rglob("*") if path.is_file()}
        check(location, action, (before, after), end, message)
    report(f"lance {action.__name__}: n = {number} calls of pages")
    assert 2 < number < 100


def broken_pages(patched: pytest.MonkeyPatch, broken: Broken) -> None:
    """Have pages fail."""
    make, read, single = pages._Pylance.write, pages._Pylance.read, pages._Pylance.take
    patched.setattr(pages._Pylance, "write", lambda *given: BrokenWriter(broken, lambda: make(*given)))
    for name, inner in (("read", read), ("take", single)):

        def reading(self: Any, *given: Any, inner: Any = inner) -> Any:
            return BrokenBatches(broken, broken.strike(lambda: inner(self, *given)))

        patched.setattr(pages._Pylance, name, reading)


def files(location: str) -> set[Path]:
    """The files of the table, but the hint."""
    found = (path.relative_to(location) for path in Path(location).rglob("*") if path.is_file())
    return set(found)


def facts(location: str) -> dict[str, Any]:
    return state(location)


def check(location: str, action: Action, states: tuple[Any, Any], end: str, message: str) -> None:
    """The table agrees with how an action ended, and is sound."""
    before, after = states
    now = state(location)
    may_be = {"succeeded": [after], "failed": [before], "unknown": [before, after]}[end]
    if action.__name__ in PARTLY and end != "succeeded":
        may_be = [before, after]
    assert now in may_be, message
    sound(location, message)


def again(location: str, action: Action, after: dict[str, Any]) -> None:
    """What was done in part can be done again, and then is whole."""
    if action.__name__ == "clean_up":
        action(location, {})
        return
    name = {"branch": "other", "remove_branch": "side"}[action.__name__]
    # What is left of it goes first.
    with suppress(NotFoundError):
        opened(location, {}).delete_branch(name)
    if action.__name__ == "branch":
        action(location, {})
    branches = {place for place in state(location) if "@" in place}
    assert branches == {place for place in after if "@" in place}


def ended(act: Any) -> tuple[str, BaseException | None]:
    """What an action says of itself."""
    try:
        act()
    except CommitStateUnknownError as error:
        return "unknown", error
    except (fb.FloebergError, BrokenError) as error:
        return "failed", error
    return "succeeded", None


def calls(action: Action, location: str, log: Path, faults: str) -> list[str]:
    """Do an action on storage that keeps an account of its calls."""
    action(location, {"testing.calls": str(log), "testing.faults": faults})
    return log.read_text().splitlines()
