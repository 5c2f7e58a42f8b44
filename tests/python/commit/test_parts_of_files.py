"""The row groups of one file are changed by several threads: the rows are those of one thread, in their order."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb

ROWS = 120_000
MODES = ("write.merge.mode", "write.update.mode")


@pytest.fixture(params=[2, 3])
def table(tmp_path, request):
    catalog = fb.load_catalog("parts", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    rows = pa.table({"id": range(ROWS), "n": [each % 7 for each in range(ROWS)]})
    made = catalog.create_table(
        "n.t",
        rows.schema,
        format_version=request.param,
        properties={"write.parquet.row-group-limit": "9000", **dict.fromkeys(MODES, "merge-on-read")},
    )
    made.append(rows)
    (task,) = made.scan().plan_files()
    assert pq.ParquetFile(task.file.file_path.removeprefix("file://")).num_row_groups > 10
    return made


def content(table):
    return table.scan().to_arrow().sort_by("id").to_pylist()


@pytest.mark.parametrize("threads", ["1", "4"])
@pytest.mark.parametrize("by_source", [False, True])
def test_a_merge_finds_each_row_of_the_source_in_its_part(table, threads, by_source, monkeypatch):
    monkeypatch.setenv("FLOEBERG_THREADS", threads)
    random.seed(3)
    # Rows of all parts, some parts without any, and new keys.
    ids = sorted(
        {*random.sample(range(40_000), 3000), *range(89_990, 90_010), ROWS - 1, *range(ROWS, ROWS + 50)}
    )
    random.shuffle(ids)
    source = pa.table({"id": ids, "n": [each * 10 for each in ids]})
    merge = table.merge(source, on="id")
    merge.when_matched_delete("source.id % 3 = 0").when_matched_update(
        {"n": fb.sql_expr("source.n + target.n")}
    )
    merge.when_not_matched_insert_all()
    if by_source:
        merge.when_not_matched_by_source_update({"n": fb.sql_expr("-n")}, "id % 1000 = 1")
    done = merge.execute()

    given, expected = set(ids), []
    for each in range(ROWS):
        if each not in given:
            expected.append({"id": each, "n": -(each % 7) if by_source and each % 1000 == 1 else each % 7})
        elif each % 3:
            expected.append({"id": each, "n": each * 10 + each % 7})
    expected += [{"id": each, "n": each * 10} for each in range(ROWS, ROWS + 50)]
    assert content(table) == expected
    assert done.inserted_rows == 50
    assert done.deleted_rows >= len([each for each in given if each < ROWS and each % 3 == 0])


@pytest.mark.parametrize("threads", ["1", "4"])
def test_new_rows_keep_the_order_of_their_file(table, threads, monkeypatch):
    monkeypatch.setenv("FLOEBERG_THREADS", threads)
    table.update({"n": fb.sql_expr("n + 1")}, "id % 5 = 0")
    (added,) = [task for task in table.scan().plan_files() if task.file.record_count < ROWS]
    ids = pq.read_table(added.file.file_path.removeprefix("file://"))["id"].to_pylist()
    assert ids == list(range(0, ROWS, 5))
