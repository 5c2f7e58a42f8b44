"""Does what the guide says happen where one of two writers changes what is not of rows, cell by cell?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from cargo_workspace import ROOT

import floeberg as fb
from floeberg.errors import AlreadyExistsError, CommitConflictError
from floeberg.table.statistics import StatisticsFile

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = (ROOT / "docs" / "guide" / "promises.md").read_text(encoding="utf-8")
SCHEMA = pa.schema({"id": pa.int64(), "note": pa.string()})
FAST = {
    "commit.retry.min-wait-ms": "1",
    "commit.retry.max-wait-ms": "2",
    "write.wap.enabled": "true",
}


def cells():
    """Slower and faster operations, and what the guide says of them."""
    lines = PAGE.split("test_structure_pairs.py tries every cell -->")[1].strip().splitlines()
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines[: lines.index("")]
    ]
    return [
        (slower, faster, said)
        for row in rows
        for slower in row[0].replace("`", "").split(" / ")
        for faster, said in zip([each.replace("`", "") for each in head[1:]], row[1:], strict=True)
    ]


def rows(*ids):
    return pa.table({"id": ids, "note": ["x"] * len(ids)}, SCHEMA)


def ids(table, **more):
    return sorted(table.scan(**more).to_arrow()["id"].to_pylist())


def fields(table):
    return [str(field.transform) for field in table.spec().fields]


@dataclass(frozen=True)
class Change:
    """A change, and how its effect is seen.

    Attributes:
        make: Makes it, by a table or a transaction.
        is_there: Whether a table has its effect.
    """

    make: Callable[[Any], Any]
    is_there: Callable[[Any], bool]


def first(table):
    return table.snapshots()[0].snapshot_id


def statistics_of(table):
    location = f"{table.location()}/metadata/s.puffin"
    return StatisticsFile(first(table), location, 413, 42, [])


def builders(table):
    """All changes that are made by one writer or the other. `table` is for what does not change."""
    start = first(table)
    return {
        "append": Change(lambda to: to.append(rows(50)), lambda now: 50 in ids(now, branch="main")),
        "staged append": Change(
            lambda to: to.append(rows(60)),
            lambda now: any("wap.id" in each.summary for each in now.snapshots()[4:]),
        ),
        "append to dev": Change(lambda to: to.append(rows(70)), lambda now: 70 in ids(now, branch="dev")),
        "add a column": Change(
            lambda to: to.update_schema().add_column("more", "int").commit(),
            lambda now: "more" in now.schema().column_names,
        ),
        "add another column": Change(
            lambda to: to.update_schema().add_column("other", "int").commit(),
            lambda now: "other" in now.schema().column_names,
        ),
        "drop note": Change(
            lambda to: to.update_schema().delete_column("note").commit(),
            lambda now: "note" not in now.schema().column_names,
        ),
        "partition by id": Change(
            lambda to: to.update_spec().add_field("id", "bucket[4]").commit(),
            lambda now: "bucket[4]" in fields(now),
        ),
        "partition by note": Change(
            lambda to: to.update_spec().add_field("note", "truncate[2]").commit(),
            lambda now: "truncate[2]" in fields(now),
        ),
        "sort by note": Change(
            lambda to: to.update_sort_order().asc("note").commit(),
            lambda now: [field.source_id for field in now.sort_order().fields] == [2],
        ),
        "sort by id": Change(
            lambda to: to.update_sort_order().asc("id").commit(),
            lambda now: bool(now.sort_order().fields),
        ),
        "set a property": Change(
            lambda to: to.set_properties(owner="jo"), lambda now: now.properties.get("owner") == "jo"
        ),
        "upgrade": Change(lambda to: to.upgrade_table_version(3), lambda now: now.format_version == 3),
        "set statistics": Change(
            lambda to: to.update_statistics().set_statistics(statistics_of(table)).commit(),
            lambda now: [each.snapshot_id for each in now.metadata.statistics] == [start],
        ),
        "create_tag": Change(
            lambda to: to.manage_snapshots().create_tag(start, "t").commit(),
            lambda now: now.refs()["t"].snapshot_id == start,
        ),
        "replace_branch dev": Change(
            lambda to: to.manage_snapshots().replace_branch("dev", start).commit(),
            lambda now: now.refs()["dev"].snapshot_id == start,
        ),
        "remove_branch dev": Change(
            lambda to: to.manage_snapshots().remove_branch("dev").commit(),
            lambda now: "dev" not in now.refs(),
        ),
        "rollback": Change(
            lambda to: to.manage_snapshots().rollback_to_snapshot(start).commit(),
            lambda now: ids(now, branch="main")[:1] == [1] and 2 not in ids(now, branch="main"),
        ),
        "fast_forward": Change(
            lambda to: to.manage_snapshots().fast_forward("main", "dev").commit(),
            lambda now: 3 in ids(now, branch="main"),
        ),
        "publish_changes": Change(
            lambda to: to.manage_snapshots().publish_changes("w1").commit(),
            lambda now: ids(now, branch="main").count(4) == 1,
        ),
    }


BEGUN = {"staged append": {"snapshot_properties": {"wap.id": "w2"}}, "append to dev": {"branch": "dev"}}


@pytest.fixture
def catalog(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    return catalog


def made(catalog):
    """Row 1, then 2 on `main`, row 3 more on `dev`, and row 4 staged as `w1`."""
    table = catalog.create_table("ns.t", SCHEMA, format_version=2, properties=FAST)
    table.append(rows(1))
    table.append(rows(2))
    table.manage_snapshots().create_branch(None, "dev").commit()
    table.append(rows(3), branch="dev")
    table.append(rows(4), snapshot_properties={"wap.id": "w1"})
    return table


def late(table, name):
    """Begins an operation. Returns what commits it."""
    change = builders(table)[name].make
    if name in BEGUN or name == "append":
        transaction = table.transaction(**BEGUN.get(name, {}))
        change(transaction)
        return transaction.commit_transaction
    return lambda: change(table)


@pytest.mark.parametrize(("slow", "fast", "said"), cells())
def test_the_guide_says_what_happens(catalog, slow, fast, said):
    table = made(catalog)
    commit = late(table, slow)
    late(catalog.load_table("ns.t"), fast)()
    between = catalog.load_table("ns.t")
    assert builders(between)[fast].is_there(between)
    if said == "conflict":
        with pytest.raises(CommitConflictError):
            commit()
        assert table.refresh().metadata_location == between.metadata_location, "nothing changed"
        return
    if said == "once":
        with pytest.raises(AlreadyExistsError):
            commit()
        assert table.refresh().metadata_location == between.metadata_location
        return
    commit()
    now = catalog.load_table("ns.t")
    effects = builders(now)
    assert effects[slow].is_there(now)
    if said == "both":
        assert effects[fast].is_there(now)
    else:
        assert said == "slower"
        assert not effects[fast].is_there(now)
