"""What a foreign reader learns about files: their columns, and their deleted rows."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from corpus import cases, known_failures
from floeberg import _native
from floeberg.errors import InvalidInputError
from floeberg.scan.plan import Plan

DELETED = [
    case
    for case in cases()
    if not case.is_view
    and not {(case.name, part) for part in ("rows", "open")} & known_failures().keys()
    and any(each.content != "equality" for each in case.open().scan().plan_files().delete_files())
]


@pytest.mark.parametrize("case", DELETED, ids=lambda case: case.name)
def test_words_are_the_rows_that_deletes_name(case):
    table = case.open()
    plan = table.scan().plan_files()
    found = pa.array(_native.deleted_rows(plan._inner, list(range(len(plan))))).to_pylist()
    for task, words in zip(plan, found, strict=True):
        if any(each.content == "equality" for each in task.delete_files):
            continue
        positions = {
            64 * place + bit for place, word in enumerate(words) for bit in range(64) if word & (1 << bit)
        }
        marked = (
            table.scan(row_filter="true", selected_fields=("_file", "_pos", "_deleted"))
            .to_arrow()
            .to_pylist()
        )
        own = [each for each in marked if each["_file"] == task.file.file_path]
        assert positions == {each["_pos"] for each in own if each["_deleted"]}


def test_footers_are_told_by_one_text_for_files_of_the_same_columns(many):
    scan = many.open().scan()
    locations = [task.file.location for task in scan.plan_files()]
    files, texts = _native.parquet_shapes(scan._inner, [*locations, "/nowhere/f.parquet"])
    assert len(locations) > 1
    assert [number for number, _ in files] == [0] * len(locations) + [1]
    assert all(
        size == task.file.file_size_in_bytes
        for (_, size), task in zip(files, scan.plan_files(), strict=False)
    )
    assert {"name", "id", "repetition", "means", "stored", "unusual"} == json.loads(texts[0])["columns"][
        0
    ].keys()
    assert "nowhere" in json.loads(texts[1])["error"]


def test_a_plan_of_some_files(many):
    plan = many.open().scan().plan_files()
    some = Plan(plan._inner.only([3, 1]))
    assert [task.file for task in some] == [plan[1].file, plan[3].file]
    assert (
        sum(group.records for group in some.split()) == plan[1].file.record_count + plan[3].file.record_count
    )
    with pytest.raises(InvalidInputError, match="out of range"):
        plan._inner.only([len(plan)])
