"""Every storage call of each way to delete or change rows fails, as those of other actions do; no file is left over.

With `FLOEBERG_KILLS`, as `make faults` sets it, feeds are tried in both versions.
"""

from __future__ import annotations

import os
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
KEYS = ["writer", "number", "row"]


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
    catalog.load_table("ns.t").upsert(pa.concat_tables([rows, new]), KEYS, mode="merge-on-read")


def merged(catalog: Any) -> None:
    """Rows that are changed, deleted and inserted, and copies of the others."""
    source = pa.concat_tables([batch(0, 1, "b").slice(0, 2), batch(1, 1)])
    merge = catalog.load_table("ns.t").merge(source, on=KEYS, mode="copy-on-write")
    merge.when_matched_delete(
        "source.row = 0"
    ).when_matched_update_all().when_not_matched_insert_all().execute()


def feed() -> pa.Table:
    """Changes of a row that is there, of one that goes, and of new ones."""
    rows = pa.concat_tables([batch(0, 1, "b").slice(1, 2), batch(1, 1)])
    words = ["update", "delete", *["insert"] * (rows.num_rows - 2)]
    return rows.append_column("op", [words]).append_column("at", [list(range(rows.num_rows))])


def fed(catalog: Any) -> None:
    """A feed of changes, by looking rows up."""
    catalog.load_table("ns.t").apply_changes(
        feed(), keys=KEYS, operation="op", order_by="at", mode="merge-on-read"
    )


def fed_by_keys(catalog: Any) -> None:
    """The same by equality deletes."""
    catalog.load_table("ns.t").apply_changes(
        feed(), keys=KEYS, operation="op", order_by="at", mode="equality"
    )


def followed(catalog: Any) -> None:
    """Rows that were found before their file was written again."""
    table = catalog.load_table("ns.t")
    before = table.current_snapshot().parent_snapshot_id
    places = table.scan("row = 2", selected_fields=("_file", "_pos"), snapshot_id=before)
    recipe = table.row_delta_recipe()
    receipts = [recipe.delete_rows(places.to_arrow()), recipe.write(batch(1, 1), task="0")]
    table.commit_row_delta(receipts, read_snapshot_id=before)


def strike_all(place: Place, action: Any, states: Any, calls: list[str], folder: Path) -> list[str]:
    """Do an action while each of its calls fails in each way: what came of it, and no file is left over."""
    told = []
    for fault in FAULTS:
        ends: Counter[str] = Counter()
        for number, call in enumerate(calls):
            if fault != "fail" and call.split()[1] not in WRITES:
                continue
            end = strike(place, action, states, f"{number}={fault}", folder)
            ends[end] += 1
            if end != "unknown":
                # What is cut short is not whole under its name yet.
                left = {path for path in left_over(place.table()) if not path.name.startswith(".")}
                assert not left, f"{fault} of {call} leaves {left}"
        each = ", ".join(f"{ends[end]} {end}" for end in ENDS)
        told.append(f"{action.__name__}: n = {len(calls)}; {fault}: {each}")
    return told


@pytest.mark.parametrize(
    ("version", "action"),
    [
        (2, merged_on_read),
        (3, by_copies),
        (3, merged_on_read),
        (3, updated),
        (3, upserted),
        (2, merged),
        (3, fed),
        (2, fed_by_keys),
        (3, followed),
        *([(2, fed), (3, fed_by_keys)] if "FLOEBERG_KILLS" in os.environ else []),
    ],
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
    mode = "copy-on-write" if action is followed else "merge-on-read"
    table.delete("row = 0 AND number = 0", mode=mode)
    place.save()
    before = state(place)
    calls = lines(place, action, tmp_path / "calls", "")
    after = state(place)
    assert before != after
    for line in strike_all(place, action, (before, after), calls, tmp_path):
        report(f"v{version} {line}")
