"""What a job or a typing error must not do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb

ORDERS = "lake.sales.orders"


@pytest.fixture
def more(own_home):
    """A file of two more rows."""
    path = own_home / "more.csv"
    path.write_text("id,country,price\n8,de,1.5\n9,fr,2.5\n")
    return path


def count():
    return fb.load_catalog("lake").load_table("sales.orders").scan().count()


@pytest.mark.usefixtures("lake")
def test_what_was_done_is_no_failure_where_it_cannot_be_shown(command, more):
    """A job that does it again would do it twice."""
    before = count()
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*command, "append", ORDERS, str(more)], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 0
    assert b"it was done, and the result cannot be shown" in done.stderr
    assert count() == before + 2


@pytest.mark.usefixtures("lake")
@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        (["count", ORDERS], ">&-", 0),
        (["delete", ORDERS, "--all"], "<&-", 11),
        (["append", ORDERS, "-", "--format", "csv"], "<&-", 2),
        (["scan", "nothing"], "2>&-", 2),
    ],
)
def test_closed_descriptors_are_no_fault(command, words, closed, code):
    before = count()
    line = " ".join([*command, *words, closed])
    done = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert count() == before


@pytest.mark.usefixtures("lake")
def test_a_branch_that_is_not_there_is_not_begun(run, more):
    run("branch", "create", ORDERS, "prod")
    for words in (
        ["delete", ORDERS, "--where", "id = 1", "--branch", "prdo", "--yes"],
        ["delete", ORDERS, "--where", "id = 1", "--branch", "prdo", "--dry-run"],
        ["append", ORDERS, more, "--branch", "prdo"],
        ["upsert", ORDERS, more, "--key", "id", "--branch", "prdo"],
    ):
        ran = run(*words, code=3)
        assert "did you mean 'prod'?" in ran.err
    assert sorted(fb.load_catalog("lake").load_table("sales.orders").refs()) == ["main", "prod"]
    run("append", ORDERS, more, "--branch", "prod")
    run("append", ORDERS, more, "--branch", "main")


@pytest.mark.usefixtures("lake")
@pytest.mark.parametrize(
    "words",
    [
        ["branch", "remove", ORDERS, "main"],
        ["drop", "namespace", "lake.sales"],
        ["rollback", ORDERS, "--ref", "other"],
    ],
)
def test_a_dry_run_refuses_what_would_be_refused(run, more, words):
    run("branch", "create", ORDERS, "other")
    run("append", ORDERS, more, "--branch", "other")
    dry, done = run(*words, "--dry-run", code=2), run(*words, "--yes", code=2)
    assert dry.err == done.err


@pytest.mark.usefixtures("lake")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_text_is_not_taken_for_bytes(run, own_home, form):
    pq.write_table(pa.table({"b": [b"\x00\xff", b"hi"]}), own_home / "b.parquet")
    run("append", "lake.sales.bytes", own_home / "b.parquet", "--create")
    run("scan", "lake.sales.bytes", "--to", own_home / f"b.{form}", "--output", form)
    ran = run("append", "lake.sales.bytes", own_home / f"b.{form}", code=2)
    assert "the column 'b' has bytes" in ran.err
    table = fb.load_catalog("lake").load_table("sales.bytes")
    assert table.scan().to_arrow()["b"].to_pylist() == [b"\x00\xff", b"hi"]


@pytest.mark.usefixtures("lake")
def test_errors_have_the_words_of_the_command_line(run, own_home):
    path = own_home / "extra.csv"
    path.write_text("id,country,price,extra\n8,de,1.5,x\n")
    assert "--merge-schema" in run("append", ORDERS, path, code=None).err
    assert "floeberg ls lake" in run("show", "lake", code=2).err


@pytest.mark.parametrize("words", [["--help"], ["scan", "--help"]])
def test_help_that_cannot_be_shown_is_an_error_in_a_line(command, words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*command, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert "Traceback" not in done.stderr and "No space left on device" in done.stderr
    assert done.returncode not in (0, 1), done.stderr
