"""Which tables do tests of the package borrow from the corpus?

`FIXTURES.toml` says so by role, so that no test names a case.
"""

from __future__ import annotations

import sys

from corpus.cases import ROOT, Case, cases
from corpus.lance import LanceCase, lance_cases

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def lent(role: str) -> Case:
    """The case that plays a role."""
    name = tomllib.loads((ROOT / "FIXTURES.toml").read_text())[role]["case"]
    return next(case for case in cases() if case.name == name)


def lance_lent(role: str) -> LanceCase:
    """The case of a Lance table that plays a role."""
    name = tomllib.loads((ROOT / "FIXTURES.toml").read_text())[role]["case"].removeprefix("lance/")
    return next(case for case in lance_cases() if case.name == name)
