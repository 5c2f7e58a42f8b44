"""Every storage call of each way to delete or change rows fails, as those of other actions do; no file is left over."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from faulted import FAST, SCHEMA, Place, batch, left_over
from test_calls import ENDS, lines, state, strike

FAULTS = ("fail", "lose-answer", "cut-short")
WRITES = ("create", "write", "finish", "put", "put_if_absent", "remove")
"""Reads are the same whichever of these faults they have."""


def by_copies(catalog: Any) -> None:
    """The rows that stay are written again."""
    catalog.load_table("ns.t").delete("row = 1", mode="copy-on-write")


def merged_on_read(catalog: Any) -> None:
    """Vectors, which take the place of an older one, or position deletes; and a file that goes whole."""
    catalog.load_table("ns.t").delete("row = 1 OR number = 1", mode="merge-on-read")


def updated(catalog: Any) -> None:
    """Changed rows in new files, and copies of the others."""
    catalog.load_table("ns.t").update({"part": "b"}, "row = 1", mode="copy-on-write")


def upserted(catalog: Any) -> None:
    """Changed and new rows in new files, and vectors."""
    rows = batch(0, 1, "b").slice(0, 1)
    new = batch(1, 1)
    keys = ["writer", "number", "row"]
    catalog.load_table("ns.t").upsert(pa.concat_tables([rows, new]), keys, mode="merge-on-read")


@pytest.mark.parametrize(
    ("version", "action"),
    [(2, merged_on_read), (3, by_copies), (3, merged_on_read), (3, updated), (3, upserted)],
    ids=lambda value: getattr(value, "__name__", value),
)
@pytest.mark.timeout(1200)
def test_every_call_of_a_change_of_rows_may_fail(tmp_path: Path, version, action, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    place.folder.mkdir()
    catalog = place.catalog()
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, properties=FAST)
    for number in range(2):
        table.append(batch(0, number))
    table.delete("row = 0 AND number = 0", mode="merge-on-read")
    place.save()
    before = state(place)
    calls = lines(place, action, tmp_path / "calls", "")
    after = state(place)
    assert before != after
    for fault in FAULTS:
        ends: Counter[str] = Counter()
        for number, call in enumerate(calls):
            if fault != "fail" and call.split()[1] not in WRITES:
                continue
            end = strike(place, action, (before, after), f"{number}={fault}", tmp_path)
            ends[end] += 1
            if end != "unknown":
                # What is cut short is not whole under its name yet.
                left = {path for path in left_over(place.table()) if not path.name.startswith(".")}
                assert not left, f"{fault} of {call} leaves {left}"
        told = ", ".join(f"{ends[end]} {end}" for end in ENDS)
        report(f"v{version} {action.__name__}: n = {len(calls)}; {fault}: {told}")
