"""Maintenance, costs, checks and repairs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pytest

import floeberg as fb


@pytest.fixture
def many(lake):
    """A table of six small files and an old snapshot."""
    table = lake.create_table("sales.many", pa.schema({"id": pa.int64()}))
    for number in range(6):
        table.append(pa.table({"id": [number]}))
    return table


def test_a_plan_is_shown_confirmed_and_done(run, many):
    shown = run("maintain", "lake.sales.many", "--dry-run").lines()
    assert shown[0] == ["call", "files", "bytes", "arguments"]
    assert shown[1][:2] == ["rewrite_data_files", "6"]
    run("maintain", "lake.sales.many", code=11)
    assert len(many.refresh().inspect.files()) == 6
    done = run("maintain", "lake.sales.many", "--yes", "--max-seconds", 60, "--json").json
    assert [each["call"] for each in done["results"]] == ["RewriteDataFiles"]
    assert done["left"] == []
    assert len(many.refresh().inspect.files()) == 1
    assert run("maintain", "lake.sales.many", "--yes").out == "nothing is due\n"


def test_a_plan_that_was_written_is_done_later(run, many):
    plan = run("maintain", "lake.sales.many", "--dry-run", "--json").out
    Path("plan.json").write_text(plan)
    assert json.loads(plan)["calls"][0]["procedure"] == "rewrite_data_files"
    run("maintain", "lake.sales.many", "--plan", "plan.json", "--older-than", "7d", code=2)
    run("maintain", "lake.sales.many", "--plan", "plan.json", "--yes")
    assert len(many.refresh().inspect.files()) == 1
    assert "the plan does not exist" in run("maintain", "lake.sales.many", "--plan", "no.json", code=3).err


def test_old_snapshots_and_orphans_go(run, many):
    orphan = Path(many.location()) / "data" / "orphan.parquet"
    orphan.write_bytes(b"orphan")
    os.utime(orphan, (1, 1))
    costs = {each["what"]: each for each in run("cost", "lake.sales.many", "--orphans", "--json").json}
    assert costs["orphan files"] == {
        "what": "orphan files",
        "files": 1,
        "bytes": 6,
        "freed_by": "remove_orphan_files",
    }
    run("maintain", "lake.sales.many", "--older-than", "0s", "--retain-last", 1, "--orphans", "--yes")
    assert not orphan.exists()
    assert len(many.refresh().snapshots()) == 1


def test_costs_are_those_of_the_files(run, many):
    many.delete("id = 1")
    costs = {
        each["what"]: each for each in run("cost", "lake.sales.many", "--older-than", "0s", "--json").json
    }
    sizes = [path.stat().st_size for path in Path(many.location()).rglob("*.parquet")]
    live = costs["live data files"]["bytes"]
    assert live + costs["files of old snapshots"]["bytes"] == sum(sizes)
    assert costs["of these, files of snapshots that expire"]["files"] == 1
    assert run("cost", "lake.sales.many").lines()[0] == ["what", "files", "bytes", "freed_by"]


@pytest.mark.usefixtures("many")
def test_a_policy_is_read(run):
    Path("nightly.toml").write_text('[rewrite_data_files]\noptions = { min-input-files = "99" }\n')
    assert (
        run("maintain", "lake.sales.many", "--policy", "nightly.toml", "--dry-run").out == "nothing is due\n"
    )
    Path("nightly.toml").write_text("[rewrite_dta_files]\n")
    assert "rewrite_dta_files" in run("health", "lake.sales.many", "--policy", "nightly.toml", code=2).err


@pytest.mark.usefixtures("many")
def test_health_exits_with_1_where_something_is_due(run):
    found = run("health", "lake.sales.many", "--json", code=1).json
    assert [each["finding"] for each in found if each["due"]] == [
        "data files to write again",
        "small or overlapping manifests",
    ]
    run("maintain", "lake.sales.many", "--yes")
    run("health", "lake.sales.many")


@pytest.mark.usefixtures("tables")
def test_a_lance_table_is_kept_small(run):
    would = run("maintain", "orders.lance", "--dry-run", "--json").json
    assert would["compaction"]["fragments_before"] == 2
    assert "CompactionResult" in run("maintain", "orders.lance", code=11).err
    run("maintain", "orders.lance", "--older-than", "0s", "--yes")
    assert fb.open_table("orders.lance").version_numbers() == [3]
    assert run("cost", "orders.lance", "--json").json[0]["files"] == 1
    for words in (("maintain", "--orphans"), ("health",), ("cost", "--orphans")):
        run(words[0], "orders.lance", *words[1:], code=10)


@pytest.mark.parametrize("age", ["7", "d7", "7 days", "-1d", "7x"])
@pytest.mark.usefixtures("many")
def test_an_age_that_is_none_is_named(run, age):
    assert f"found {age!r}" in run("cost", "lake.sales.many", f"--older-than={age}", code=2).err


def test_a_sound_table(run, table_name):
    assert run("check", table_name, "--level", "rows").out == "sound\n"
    assert run("check", table_name, "--json").json == {"sound": True, "failed": False, "findings": []}
    if table_name.endswith(".lance"):
        assert "have no repair" in run("repair", table_name, code=10).err
    else:
        assert run("repair", table_name, "--json").json == {"findings": 0}


@pytest.mark.unchecked_tables("a file is lost on purpose")
def test_a_broken_table_is_found_and_mended(run, many):
    lost = next(Path(many.location()).rglob("*.parquet"))
    lost.unlink()
    found = run("check", "lake.sales.many", "--level", "files", "--json", code=1).json
    assert found["failed"]
    assert str(lost) in found["findings"][0]["location"]
    assert str(lost) in run("check", many.metadata_location, "--level", "files", code=1).out
    words = ("repair", "lake.sales.many", "--level", "files")
    assert run(*words, "--yes", "--json", code=1).json["skipped"][0]["reason"]
    words = (*words, "--drop-missing-data-files")
    assert run(*words, "--dry-run", "--json", code=1).json["lost"][0]["lost_rows"] == 1
    refused = run(*words, code=11)
    assert "1 rows are lost" in refused.err
    assert "repaired" in refused.out
    run(*words, "--yes")
    assert run("count", "lake.sales.many").out == "5\n"
    run("check", "lake.sales.many", "--level", "rows")


def test_a_place_without_a_table_is_not_found(run):
    run("check", "no/table", code=3)


def test_a_damaged_metadata_file_is_given_up(run):
    Path("one.csv").write_text("id\n1\n")
    run("append", "w/s/t", "one.csv", "--create")
    run("append", "w/s/t", "one.csv")
    newest = Path("w/s/t/metadata/v2.metadata.json")
    newest.write_bytes(newest.read_bytes()[:50])
    run("count", "w/s/t", code=9)
    words = ("repair", "w/s/t", "--drop-damaged-versions")
    assert run(*words, "--dry-run", "--json").json["damaged"][0]["version"] == 2
    run(*words, code=11)
    run(*words, "--yes")
    assert run("count", "w/s/t").out == "1\n"


@pytest.mark.unchecked_tables("the old table stays beside the new one")
def test_a_lost_table_is_made_anew(run):
    Path("one.csv").write_text("id\n1\n")
    run("append", "w/s/t", "one.csv", "--create")
    words = ("rebuild", "w/s/t", "--to", "w/s/made")
    assert run(*words, "--dry-run", "--json").json["rows"] == 1
    asked = run(*words, code=11)
    assert "source: metadata" in asked.err.splitlines() and "RebuildResult(" not in asked.err
    run(*words, "--yes")
    assert run("count", "w/s/made").out == "1\n"
