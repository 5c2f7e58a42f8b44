"""Processes are killed while they change a Lance table. What was acknowledged is there, and nothing is half there."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import lance
import pytest
from lance_actions import begun, opened, rows

import floeberg as fb

KILLS = int(os.environ.get("FLOEBERG_KILLS", "20"))
APPENDS = 3


class Child:
    """A process of `lance_appender.py`."""

    def __init__(self, location: str, writer: int) -> None:
        program = Path(__file__).with_name("lance_appender.py")
        command = [sys.executable, program, location, str(writer), str(APPENDS)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.begun: set[int] = set()
        self.done: set[int] = set()
        assert self._next() == "ready"

    def go(self) -> None:
        self._process.stdin.write("\n")
        self._process.stdin.flush()

    def until_begun(self, number: int) -> None:
        while number not in self.begun and self._next():
            pass

    def kill(self) -> None:
        self._process.kill()
        while self._next():
            pass
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def _next(self) -> str:
        line = self._process.stdout.readline().strip()
        word, _, number = line.partition(" ")
        # The last line of a killed process may be cut.
        if word in ("begin", "done") and number:
            (self.begun if word == "begin" else self.done).add(int(number))
        return line


def held(table: fb.LanceTable, writer: int, number: int) -> str:
    """How far a change came: nothing, appended, updated, or all."""
    keys = rows(writer, number)["id"].to_pylist()
    found = {
        each["id"]: each["name"]
        for each in table.scan(row_filter=f"id >= {keys[0]} AND id <= {keys[2]}").to_arrow().to_pylist()
    }
    whole = dict(zip(keys, (f"n{key}" for key in keys), strict=True))
    steps = {
        "nothing": {},
        "appended": whole,
        "updated": whole | {keys[0]: "u"},
        "all": {keys[0]: "u", keys[2]: whole[keys[2]]},
    }
    return next(name for name, expected in steps.items() if expected == found)


@pytest.mark.timeout(1800)
def test_a_killed_process_leaves_a_lance_table_whole(tmp_path, report) -> None:
    location = begun(tmp_path)
    chance = random.Random(KILLS)
    ends: Counter[str] = Counter()
    for writer in range(1, KILLS + 1):
        child = Child(location, writer)
        child.go()
        number = chance.randrange(APPENDS)
        child.until_begun(number)
        time.sleep(chance.uniform(0, 0.06))
        child.kill()
        table = opened(location, {})
        for each in range(APPENDS):
            found = held(table, writer, each)
            expected = {"all"} if each in child.done else {"nothing", "appended", "updated", "all"}
            expected = expected if each in child.begun else {"nothing"}
            assert found in expected, (writer, each, found)
            ends[found] += each in child.begun
        read = table.scan().select("_rowid", "id").to_arrow()
        assert len(set(read["_rowid"].to_pylist())) == read.num_rows
        # The next one is not hindered.
        table.append(rows(writer + 5000, 0))
        dataset = lance.dataset(location)
        dataset.validate()
        assert sorted(dataset.to_table()["id"].to_pylist()) == sorted(
            opened(location, {}).scan().to_arrow()["id"].to_pylist()
        )
    report(f"lance: {KILLS} processes killed: {dict(ends)}")
    assert ends["all"] > 0
    assert sum(ends.values()) - ends["all"] > 0, ends
