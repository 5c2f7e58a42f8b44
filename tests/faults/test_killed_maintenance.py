"""Processes are killed while they look after a table: rows stay, and what they left is found later.

`FLOEBERG_KILLS=200` kills so many.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from children import Maintainer
from faulted import FAST, Place, batch, left_over, metadata_files, referenced

KILLS = int(os.environ.get("FLOEBERG_KILLS", "5"))
EVER = "2100-01-01T00:00Z"


@pytest.mark.unchecked_tables("metadata files of before name files that went")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.timeout(1800)
def test_a_killed_maintenance_loses_no_row(tmp_path: Path, version, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    place.create(**FAST, **{"format-version": str(version)})
    for number in range(4):
        place.table().append(batch(0, number))
    rows = Counter(map(repr, place.table().scan("writer = 0").to_arrow().to_pylist()))
    chance = random.Random(f"{KILLS} {version}")
    done = begun = 0
    for _ in range(KILLS):
        kept = metadata_files(place)
        child = Maintainer(place, 5)
        child.go()
        child.until_begun(chance.randrange(3))
        time.sleep(chance.uniform(0, 0.4))
        child.kill()
        assert child.failed == []
        now = metadata_files(place)
        assert all(now.get(path, content) == content for path, content in kept.items() if path in now)
        table = place.table()
        found = table.scan().to_arrow().to_pylist()
        assert Counter(repr(each) for each in found if each["writer"] == 0) == rows
        missing = [path for path in referenced(table) if not path.exists()]
        assert not missing, f"the table names files that are not there: {missing}"
        done, begun = done + len(child.done), begun + len(child.begun)
    table = place.table()
    table.maintenance.expire_snapshots(older_than=EVER)
    table.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    left = {path for path in left_over(place.table()) if not path.name.startswith(".")}
    assert not left
    report(f"v{version} maintenance: {KILLS} processes killed, {done} runs done of {begun}")
