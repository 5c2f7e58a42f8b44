"""Every storage call of maintenance fails: rows stay, no file that is named is lost, and none is left over.

With `FLOEBERG_KILLS`, as `make faults` sets it, all calls are tried in both versions.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulted import FAST, SCHEMA, Place, batch, left_over, metadata_files, referenced
from test_calls import ENDS, lines, state
from test_delete_calls import FAULTS, strike_all

import floeberg as fb
from floeberg.errors import CommitStateUnknownError

EVER = "2100-01-01T00:00Z"
ALL = {"rewrite-all": "true"}
KEYS = ["writer", "number", "row"]


def manifests(catalog: Any) -> None:
    """Manifests become one."""
    catalog.load_table("ns.t").maintenance.rewrite_manifests()


def positions(catalog: Any) -> None:
    """Position deletes become fewer, or vectors."""
    catalog.load_table("ns.t").maintenance.rewrite_position_delete_files(options=ALL)


def converted(catalog: Any) -> None:
    """Equality deletes become positions, or vectors."""
    catalog.load_table("ns.t").maintenance.convert_equality_deletes()


def dangling(catalog: Any) -> None:
    """Deletes of a partition that was compacted go."""
    catalog.load_table("ns.t").maintenance.remove_dangling_deletes()


def compacted(catalog: Any) -> None:
    """Files become one, sorted."""
    catalog.load_table("ns.t").maintenance.rewrite_data_files(sort_order="row desc", options=ALL)


def neglected(place: Place, version: int, *, is_compacted: bool) -> None:
    """A table with deletes of every kind in many manifests; with `is_compacted`, with deletes that apply to no file."""
    place.folder.mkdir()
    catalog = place.catalog()
    catalog.create_namespace("ns")
    properties = FAST | {"commit.manifest-merge.enabled": "false"}
    table = catalog.create_table(
        "ns.t", SCHEMA, partition_spec=["part"], format_version=2, properties=properties
    )
    for number, part in enumerate("aab"):
        table.append(batch(0, number, part))
    for number in range(2):
        table.delete(f"row = 0 AND number = {number}", mode="merge-on-read")
    gone = batch(0, 1, "a").slice(1, 1)
    changes = gone.append_column("op", [["delete"]]).append_column("at", [[0]])
    table.apply_changes(changes, keys=[*KEYS, "part"], operation="op", order_by="at", mode="equality")
    if version == 3:
        with table.transaction() as transaction:
            transaction.upgrade_table_version(3)
    if is_compacted:
        table.maintenance.rewrite_data_files(where="part = 'a'", options=ALL)
    place.save()


MANY = "FLOEBERG_KILLS" in os.environ
CASES = [
    (3, manifests),
    (2, positions),
    (3, converted),
    (2, dangling),
    (3, compacted),
    *([(2, manifests), (3, positions), (2, converted), (3, dangling), (2, compacted)] if MANY else []),
]


@pytest.mark.parametrize(("version", "action"), CASES, ids=lambda value: getattr(value, "__name__", value))
@pytest.mark.timeout(1200)
def test_every_call_of_a_rewrite_may_fail(tmp_path: Path, version, action, report) -> None:
    place = Place("filesystem", tmp_path / "place")
    neglected(place, version, is_compacted=action is dangling)
    before = state(place)
    calls = lines(place, action, tmp_path / "calls", "")
    after = state(place)
    assert before != after
    assert [each["rows"] for each in before.values()] == [each["rows"] for each in after.values()]
    for line in strike_all(place, action, (before, after), calls, tmp_path):
        report(f"v{version} {line}")


def expired(catalog: Any) -> None:
    """Old snapshots go, and the files that only they need."""
    done = catalog.load_table("ns.t").maintenance.expire_snapshots(older_than=EVER)
    raise_failures(done.failed_files)


def orphans(catalog: Any) -> None:
    """Files that nothing names go."""
    done = catalog.load_table("ns.t").maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
    raise_failures(done.failed_files)


def raise_failures(failed: dict[str, str]) -> None:
    if failed:
        raise fb.FloebergError(f"{len(failed)} files were not removed")


@pytest.mark.unchecked_tables("metadata files of before name files that went")
@pytest.mark.parametrize("action", [expired, orphans], ids=lambda value: value.__name__)
@pytest.mark.timeout(1200)
def test_every_call_of_a_removal_may_fail(tmp_path: Path, action: Callable[[Any], None], report) -> None:
    """Whatever happens, rows stay and files that are named are there; doing it again ends it."""
    place = Place("filesystem", tmp_path / "place")
    neglected(place, 2, is_compacted=False)
    table = place.table()
    table.maintenance.rewrite_data_files(options=ALL)
    folder = Path(table.location().removeprefix("file://"))
    (folder / "data" / "lost.parquet").write_bytes(b"of a write that failed")
    rows = sorted(map(repr, table.scan().to_arrow().to_pylist()))
    place.folder.with_name(f"{place.folder.name}-copy").rename(tmp_path / "before")
    place.save()
    calls = lines(place, action, tmp_path / "calls", "")
    ends: Counter[str] = Counter()
    for fault in FAULTS:
        for number in range(len(calls)):
            place.restore()
            kept = metadata_files(place)
            try:
                lines(place, action, tmp_path / f"calls-{number}-{fault}", f"{number}={fault}")
            except CommitStateUnknownError:
                ends["unknown"] += 1
            except fb.FloebergError:
                ends["failed"] += 1
            else:
                ends["succeeded"] += 1
            message = f"{fault} of {calls[number]}"
            found = place.table()
            assert sorted(map(repr, found.scan().to_arrow().to_pylist())) == rows, message
            missing = [path for path in referenced(found) if not path.exists()]
            assert not missing, f"{message}: {missing}"
            now = metadata_files(place)
            assert all(now.get(path, content) == content for path, content in kept.items()), message
            # What it left is found later.
            found.maintenance.expire_snapshots(older_than=EVER)
            found.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True)
            left = {path for path in left_over(place.table()) if not path.name.startswith(".")}
            assert not left, f"{message} leaves {left}"
            assert sorted(map(repr, place.table().scan().to_arrow().to_pylist())) == rows, message
    report(f"{action.__name__}: n = {len(calls)}; " + ", ".join(f"{ends[end]} {end}" for end in ENDS))
