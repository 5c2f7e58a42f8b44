"""Random histories of tables: after each step there is in every snapshot what a model says, and at the end the table is
what the specification says.

Several handles append, overwrite, delete, update and upsert, on old bases too, and one while another is on its way;
columns are added, renamed, dropped and required; files that another process wrote are committed late and again; keys
are used again, for the same and for other things.

`FLOEBERG_HISTORIES=2000` tries so many histories, others each time; without it they are the same every time. A failure
prints the shortest history that was found.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from conformance_checker import check
from histories.comparing import compare
from histories.elsewhere import Elsewhere
from histories.running import NAME, History
from histories.steps import Step, steps

EXAMPLES = int(os.environ.get("FLOEBERG_HISTORIES", "0"))


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    process = Elsewhere()
    yield process
    process.close()


# A failure takes a while to be made short.
@pytest.mark.timeout(0 if EXAMPLES else 1800)
@settings(
    max_examples=EXAMPLES or 60,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)
@given(
    version=st.sampled_from([1, 2, 3, 3]),
    file_format=st.sampled_from(["parquet", "orc"]),
    program=st.lists(steps, min_size=4, max_size=20),
)
def test_a_table_is_what_its_history_makes_of_it(
    elsewhere: Elsewhere, version: int, file_format: str, program: list[Step]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        history = History.begin(Path(folder), version, file_format, elsewhere)
        for step in program:
            history.do(step)
            compare(history)
        checked = check(history.catalog.load_table(NAME).metadata_location, read)
        assert checked.faults == []


def read(location: str) -> bytes:
    return Path(location.removeprefix("file://")).read_bytes()
