"""Does Floeberg read every table of the corpus as its writer says it must be read?

One test for each part of each case; KNOWN_FAILURES.toml alone says which of them fail today.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from corpus import Case, cases, checksum, encode, known_failures
from corpus.facts import expected_facts, expected_view_facts, facts, view_facts
from corpus.filters import Filter
from corpus.known import hold
from floeberg.expressions import from_json

Check = tuple[str, Callable[[], None]]

OPENED = [case for case in cases() if not case.is_view and (case.name, "open") not in known_failures()]
each_case = pytest.mark.parametrize("case", OPENED, ids=lambda case: case.name)


@pytest.mark.parametrize("case", [case for case in cases() if not case.is_view], ids=lambda case: case.name)
def test_metadata(case: Case) -> None:
    """What the table's metadata says is what the oracle says it does."""

    def check() -> None:
        table = case.open()
        found, wanted = facts(table), expected_facts(case.expected)
        different = {name: (found[name], wanted[name]) for name in wanted if found[name] != wanted[name]}
        assert not different, f"found, expected: {different}"
        assert table.metadata_location.endswith(case.expected["metadata_file"])

    hold(case, "open", [("open", check)])


@pytest.mark.parametrize("case", [case for case in cases() if case.is_view], ids=lambda case: case.name)
def test_view(case: Case) -> None:
    """What a view's metadata says is what the oracle says it does, by its file and by its directory."""

    def check(view: fb.View) -> None:
        found, wanted = view_facts(view), expected_view_facts(case.expected)
        different = {name: (found[name], wanted[name]) for name in wanted if found[name] != wanted[name]}
        assert not different, f"found, expected: {different}"
        assert view.metadata_location.endswith(case.expected["metadata_file"])

    by_file = ("file", lambda: check(fb.open_view(case.metadata_file)))
    by_folder = ("folder", lambda: check(fb.open_view(case.folder / "table")))
    hold(case, "open", [by_file, by_folder])


@each_case
def test_directory_opens_at_the_current_metadata(case: Case) -> None:
    """Where a directory says by itself which metadata file is current, it opens at that."""
    table = fb.open_table(case.folder / "table", relocate=case.relocate)
    assert table.metadata_location.endswith(case.expected["metadata_file"])


@each_case
def test_rows(case: Case) -> None:
    """All rows, by reading whole and by counting."""

    def check_rows() -> None:
        table = read(case.open().scan())
        assert table.column_names == case.expected["columns"]
        assert encode(table) == case.rows()
        assert checksum(encode(table)) == case.expected["checksum"]

    def check_count() -> None:
        assert case.open().scan().count() == case.expected["row_count"]

    def check_columns_alone() -> None:
        whole = case.open().scan().to_arrow()
        for name in case.expected["columns"]:
            alone = case.open().scan(selected_fields=(name,)).to_arrow()
            assert encode(alone) == encode(whole.select([name])), name

    hold(case, "rows", [("rows", check_rows), ("count", check_count), ("columns alone", check_columns_alone)])


@each_case
def test_filters(case: Case) -> None:
    """Every filter, as JSON and as SQL text."""
    table = case.open()

    def check(words: fb.expressions.Expression | str, wanted: Filter) -> None:
        scan = table.scan(row_filter=words)
        rows = encode(read(scan))
        assert len(rows) == wanted.row_count, f"{len(rows)} rows, expected {wanted.row_count}: {rows[:8]}"
        assert checksum(rows) == wanted.checksum, f"other rows: {rows[:8]}"
        assert scan.count() == wanted.row_count

    checks: list[Check] = []
    for each in map(Filter, case.expected["filters"]):
        if each.expression is not None:
            checks.append((f"JSON of {each.sql}", lambda each=each: check(from_json(each.expression), each)))
            checks.append((each.sql, lambda each=each: check(each.sql, each)))
    hold(case, "filters", checks)


@each_case
def test_plan(case: Case) -> None:
    """Every filter's plan: no file that has a match is left out, and it is as sharp as the oracle's."""
    table, everything = case.open(), case.expected["live_files"]["data"]

    def check_all() -> None:
        plan = table.scan().plan_files()
        assert len(plan) == everything
        live = case.expected["live_files"]
        account = plan.explain()
        assert account.data_files == everything
        # Deletes that reach no live file are live entries all the same.
        assert account.deletion_vectors <= live["deletion_vectors"]
        assert account.position_deletes <= live["position_deletes"]
        assert account.equality_deletes <= live["equality_deletes"]

    def check(words: fb.expressions.Expression | str, wanted: Filter) -> None:
        plan = table.scan(row_filter=words).plan_files()
        assert wanted.least_files <= len(plan) <= everything, (
            f"{len(plan)} files, not from {wanted.least_files}"
        )
        if wanted.files_bind:
            assert len(plan) == wanted.facts["planned_files"], f"{len(plan)} files planned: {wanted.facts}"
            deletes = {path for task in plan for path in (each.file_path for each in task.delete_files)}
            planned = wanted.facts["planned_delete_files"]
            assert len(deletes) == planned, f"{len(deletes)} delete files, the oracle plans {planned}"
        for stage in plan.explain().stages:
            assert stage.entered == stage.kept + sum(each.count for each in stage.dropped), stage

    filters = [each for each in map(Filter, case.expected["filters"]) if each.expression is not None]
    planned = [(each.sql, lambda each=each: check(from_json(each.expression), each)) for each in filters]
    hold(case, "plan", [("no filter", check_all), *planned])


@each_case
def test_time_travel(case: Case) -> None:
    """Every snapshot, with its own schema, by id on opening and on scanning."""
    table = case.open()
    checks: list[Check] = []
    for wanted in case.expected["time_travel"]:
        snapshot = wanted["snapshot_id"]
        checks.append(
            (f"scan of {snapshot}", lambda s=snapshot, w=wanted: same(table.scan(snapshot_id=s), w))
        )
        checks.append(
            (f"table at {snapshot}", lambda s=snapshot, w=wanted: same(case.open(snapshot_id=s).scan(), w))
        )
    hold(case, "time_travel", checks)


@each_case
def test_refs(case: Case) -> None:
    """Every ref: a branch with the table's current schema, a tag with its snapshot's."""
    table = case.open()
    checks: list[Check] = []
    for name, wanted in case.expected["ref_reads"].items():
        checks.append((f"scan of {name}", lambda n=name, w=wanted: same(table.scan().use_ref(n), w)))
        checks.append((f"table at {name}", lambda n=name, w=wanted: same(case.open(ref=n).scan(), w)))
    hold(case, "refs", checks)


@each_case
def test_as_of_every_entry_of_the_log(case: Case) -> None:
    """At the moment of a log entry, and until the next, its snapshot is read."""
    table, log = case.open(), case.expected["snapshot_log"]
    live = {snapshot["snapshot_id"] for snapshot in case.expected["snapshots"]}
    # A later entry of the same moment wins.
    current = {moment: snapshot for moment, snapshot in log}  # noqa: C416
    for moment, snapshot in current.items():
        if snapshot in live:
            assert table.scan().as_of(moment).snapshot_id == snapshot
    if log:
        with pytest.raises(fb.errors.NotFoundError):
            table.scan().as_of(log[0][0] - 1)


def read(scan: fb.Scan) -> pa.Table:
    """All rows of a scan, checked for what Arrow requires of them."""
    table = scan.to_arrow()
    table.validate(full=True)
    return table


def same(scan: fb.Scan, wanted: dict[str, Any]) -> None:
    """The rows of a scan are those of an entry of `expected.json`."""
    table = read(scan)
    rows = encode(table)
    assert table.column_names == wanted["columns"]
    assert len(rows) == wanted["row_count"], f"{len(rows)} rows, expected {wanted['row_count']}"
    assert checksum(rows) == wanted["checksum"], rows[:8]
