"""Every storage call of every action fails: before its effect, after it, or half-way.

An action that succeeds has its whole effect; one that raises has none, or says that it does not know.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from actions import ACTIONS, Action
from faulted import FAST, SCHEMA, Place, batch, metadata_files, referenced

import floeberg as fb
from floeberg.errors import CommitStateUnknownError

ENDS = ("succeeded", "failed", "unknown")
FAULTS = ("fail", "lose-request", "lose-answer", "cut-short")
State = dict[str, Any]


@pytest.fixture(scope="module", params=["filesystem", "sql"])
def place(request, tmp_path_factory) -> Place:
    """Tables with rows in them, kept as they are to go back to."""
    made = Place(request.param, tmp_path_factory.mktemp("calls") / request.param)
    made.folder.mkdir()
    catalog = made.catalog()
    catalog.create_namespace("ns")
    merging = {"commit.manifest.min-count-to-merge": "2"}
    for name, properties in (("ns.t", FAST), ("ns.merging", FAST | merging)):
        table = catalog.create_table(name, SCHEMA, partition_spec=["part"], properties=properties)
        for number, part in enumerate("abb"):
            table.append(batch(0, number, part))
    made.save()
    return made


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.__name__)
@pytest.mark.timeout(1200)
def test_every_call_of_an_action_may_fail(place, action, report, tmp_path) -> None:
    place.restore()
    before = state(place)
    calls = lines(place, action, tmp_path / "calls", "")
    after = state(place)
    assert before != after
    told = {}
    for fault in FAULTS:
        ends = Counter(
            strike(place, action, (before, after), f"{number}={fault}", tmp_path)
            for number in range(len(calls))
        )
        told[fault] = ", ".join(f"{ends[end]} {end}" for end in ENDS)
    each = "; ".join(f"{fault}: {ends}" for fault, ends in told.items())
    report(f"{place.kind} {action.__name__}: n = {len(calls)}; {each}")


def strike(place: Place, action: Action, states: tuple[State, State], faults: str, folder: Path) -> str:
    """Do an action while one call fails. Does it succeed, fail, or not know? The table agrees with it."""
    before, after = states
    place.restore()
    kept = metadata_files(place)
    calls = folder / f"calls-{faults}"
    end, error = ended(place, action, calls, faults)
    message = f"{faults}: {end}: {error}: {calls.read_text() if calls.exists() else ''}"
    assert state(place) in {"succeeded": [after], "failed": [before], "unknown": [before, after]}[end], (
        message
    )
    sound(place, kept, message)
    return end


def ended(place: Place, action: Action, calls: Path, faults: str) -> tuple[str, fb.FloebergError | None]:
    """What the action says of itself."""
    try:
        lines(place, action, calls, faults)
    except CommitStateUnknownError as error:
        return "unknown", error
    except fb.FloebergError as error:
        return "failed", error
    return "succeeded", None


def lines(place: Place, action: Action, calls: Path, faults: str) -> list[str]:
    """Do an action on storage that keeps an account of its calls."""
    options = {"testing.calls": str(calls), "testing.faults": faults}
    action(place.catalog(**options))
    return calls.read_text().splitlines()


def state(place: Place) -> State:
    """What there is in a catalog, to whoever reads it."""
    catalog = place.catalog()
    found = {}
    for name in catalog.list_tables("ns"):
        table = catalog.load_table(name)
        rows = table.scan().to_arrow()
        found[name] = {
            "rows": sorted(map(repr, rows.to_pylist())),
            "schema": str(table.schema()),
            "properties": table.properties,
            "version": table.format_version,
            "snapshots": len(table.snapshots()),
        }
    return found


def sound(place: Place, kept: dict[Path, str], message: str) -> None:
    """No metadata file was overwritten, every file that is named is there, and the table can be written to."""
    now = metadata_files(place)
    assert all(now.get(path) == content for path, content in kept.items()), message
    table = place.table()
    missing = [path for path in referenced(table) if not path.exists()]
    assert not missing, f"{message}: {missing}"
    rows = table.scan().count()
    table.append(batch(9, 9))
    assert place.table().scan().count() == rows + batch(9, 9).num_rows, message
