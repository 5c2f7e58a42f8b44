"""Processes are killed while they commit. Nothing that was acknowledged is lost, and nothing is half there."""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from audit import check
from children import Appender
from faulted import FAST, Place, left_over, metadata_files

KILLS = int(os.environ.get("FLOEBERG_KILLS", "30"))
APPENDS = 3
PHASES = ("nothing written", "data written", "manifest written", "manifest list written", "metadata written")
ACKNOWLEDGED = "acknowledged"


@pytest.mark.parametrize("kind", ["filesystem", "sql"])
@pytest.mark.timeout(1800)
def test_a_killed_process_loses_nothing_and_leaves_nothing_half_visible(tmp_path, kind, report) -> None:
    place = Place(kind, tmp_path / kind)
    place.create(**FAST)
    chance = random.Random(KILLS)
    phases: Counter[str] = Counter()
    acknowledged: set[tuple[int, int]] = set()
    tried: set[tuple[int, int]] = set()
    lasting = how_long(place, acknowledged, tried)
    for writer in range(1, KILLS + 1):
        before = metadata_files(place)
        known = files(place)
        child = Appender(place, writer, 0, APPENDS)
        child.go()
        number = chance.randrange(APPENDS)
        child.until_begun(number)
        if writer % 2:
            wait_for_files(place, known)
        time.sleep(chance.uniform(0, lasting))
        child.kill()
        acknowledged |= {(writer, each) for each in child.done}
        tried |= {(writer, each) for each in child.begun}
        reached = phase(files(place) - known, child)
        phases[reached] += 1
        # What others do on the machine changes how long an append takes.
        lasting *= 0.85 if reached == ACKNOWLEDGED else 1.1
        check(place, before, acknowledged, tried)
    table = place.table()
    report(f"{kind}: {KILLS} processes killed, {len(acknowledged)} appends acknowledged of {len(tried)}")
    for name in (*PHASES, ACKNOWLEDGED):
        report(f"    {name:24} {phases[name]:4} {'#' * phases[name]}")
    report(f"    files that nothing names: {len(left_over(table))}")
    between = sum(phases[name] for name in PHASES[1:])
    # Of a few kills, chance may put none there.
    assert between * 3 >= KILLS or KILLS < 30, phases


def how_long(place: Place, acknowledged: set[tuple[int, int]], tried: set[tuple[int, int]]) -> float:
    """How many seconds an append takes here, roughly."""
    child = Appender(place, 0, 0, APPENDS)
    child.go()
    child.until_begun(1)
    started = time.monotonic()
    child.until_done(APPENDS - 1)
    child.wait()
    acknowledged |= {(0, each) for each in child.done}
    tried |= {(0, each) for each in child.begun}
    return (time.monotonic() - started) / (APPENDS - 1)


def wait_for_files(place: Place, known: set[Path]) -> None:
    """Wait until something new is there: half of the processes are killed after their first write."""
    deadline = time.monotonic() + 10
    while not files(place) - known and time.monotonic() < deadline:
        time.sleep(0.001)


def files(place: Place) -> set[Path]:
    """All files of the table."""
    return {path for path in (place.folder / "warehouse").rglob("*") if path.is_file()}


def phase(new: set[Path], child: Appender) -> str:
    """How far the append had come that was killed, by the files that it left."""
    if child.done == child.begun:
        return ACKNOWLEDGED
    ends = [
        sum(path.name.endswith(".parquet") for path in new),
        sum("-m" in path.name and path.name.endswith(".avro") for path in new),
        sum(path.name.startswith("snap-") for path in new),
        sum(path.name.endswith(".metadata.json") for path in new),
    ]
    written = [count > len(child.done) for count in ends]
    return PHASES[max((number for number, there in enumerate(written, 1) if there), default=0)]
