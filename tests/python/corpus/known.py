"""What of the corpus fails today, and how is a part of a case held against that?

A part that is listed must fail, with an error of the listed kind and never with wrong rows; a part that is not listed
must pass.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import pytest

from corpus.cases import ROOT, Case
from floeberg.errors import FloebergError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Failure:
    """An entry of the list."""

    case: str
    parts: tuple[str, ...]
    reason: str
    issue: int
    kind: str = "Unsupported"

    @property
    def error_kind(self) -> str:
        """The kind as errors in Python spell it."""
        return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in self.kind).lstrip(
            "_"
        )


@cache
def known_failures() -> dict[tuple[str, str], Failure]:
    """The entries by case and part."""
    entries = tomllib.loads((ROOT / "KNOWN_FAILURES.toml").read_text()).get("failure", [])
    failures = [Failure(**{**entry, "parts": tuple(entry["parts"])}) for entry in entries]
    return {(failure.case, part): failure for failure in failures for part in failure.parts}


def hold(case: Case, part: str, checks: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Run the checks of a part (a label and what asserts) and hold the outcome against the list."""
    failure = known_failures().get((case.name, part))
    wrong: list[str] = []
    expected = 0
    for label, check in checks:
        try:
            check()
        except AssertionError as error:
            wrong.append(f"{label}: {error}")
        except FloebergError as error:
            if failure is not None and error.kind == failure.error_kind:
                expected += 1
            else:
                wrong.append(f"{label}: {type(error).__name__}: {error}")
    if wrong:
        pytest.fail(f"{case.name}, {part}, {len(wrong)} wrong:\n" + "\n".join(wrong), pytrace=False)
    if failure is not None and not expected:
        pytest.fail(f"{case.name} passes {part} now: strike it from KNOWN_FAILURES.toml", pytrace=False)
