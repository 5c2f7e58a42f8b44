"""Every storage call of a changelog fails: it has all changes, or is an error."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faulted import FAST, SCHEMA, Place, batch
from test_calls import ended, lines

FAULTS = ("fail", "lose-answer", "cut-short")


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("net", [False, True])
@pytest.mark.timeout(1200)
def test_every_call_of_a_changelog_may_fail(tmp_path: Path, version, net, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    place.folder.mkdir()
    catalog = place.catalog()
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, format_version=version, properties=FAST)
    for number in range(2):
        table.append(batch(0, number))
    table.delete("row = 0 AND number = 0", mode="merge-on-read")
    table.update({"part": "b"}, "row = 1", mode="copy-on-write")
    recipe = table.row_delta_recipe(key_columns=["row"])
    keys = recipe.delete_keys(batch(0, 0).select(["row"]).slice(2), task="0")
    table.commit_row_delta([keys], read_snapshot_id=table.current_snapshot().snapshot_id)
    found: list[list[str]] = []

    def read(catalog: Any) -> None:
        changes = catalog.load_table("ns.t").changelog_scan(net=net).to_arrow()
        found.append(sorted(map(repr, changes.to_pylist())))

    calls = lines(place, read, tmp_path / "calls", "")
    expected = found.pop()
    assert len(expected) > (1 if net else 8)
    for fault in FAULTS:
        ends: Counter[str] = Counter()
        for number, call in enumerate(calls):
            end, _ = ended(place, read, tmp_path / f"calls-{number}-{fault}", f"{number}={fault}")
            ends[end] += 1
            assert found == ([expected] if end == "succeeded" else []), f"{fault} of {call}"
            found.clear()
        report(f"v{version} changelog, net={net}: n = {len(calls)}; {fault}: {dict(ends)}")
        assert ends["failed"], "a call that fails is noticed"
