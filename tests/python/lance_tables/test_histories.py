"""Random histories of Lance tables: every version of every branch is what a model says, to us and to pylance.

Rows are appended (by old handles too), deleted, updated and upserted, columns come and go, tables are overwritten,
compacted and restored, versions get tags and branches, and pylance works on the same table in between.

`FLOEBERG_LANCE_HISTORIES=2000` tries so many, others each time; without it they are the same every time. A failure
prints the shortest history that was found.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from .histories import KINDS, History, Step

EXAMPLES = int(os.environ.get("FLOEBERG_LANCE_HISTORIES", "0"))
STEPS = st.tuples(st.sampled_from(KINDS), st.integers(0, 9), st.integers(0, 9), st.integers(0, 2))


# A failure takes a while to be made short.
@pytest.mark.timeout(0 if EXAMPLES else 1200)
@settings(
    max_examples=EXAMPLES or 25,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(stable=st.booleans(), program=st.lists(STEPS, min_size=4, max_size=16))
def test_every_version_is_what_its_history_makes_of_it(
    *, stable: bool, program: list[Step], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "histories"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as place:
        history = History(Path(place), stable=stable)
        for step in program:
            history.do(step)
        history.compare_all()
