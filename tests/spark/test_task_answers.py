"""What tasks tell the driver: all of it comes, and it is small however many rows a task changes."""

from __future__ import annotations

import pickle
import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
import floeberg.spark
from floeberg.errors import InternalError
from floeberg.spark.session.tasks import run_tasks
from floeberg.spark.write import row_changes


def ids(batches):
    return [row for batch in batches for row in batch.column(0).to_pylist()]


def test_an_answer_that_is_lost_is_an_error(spark, monkeypatch):
    """`DataFrame.collect` of PySpark ends silently where the JVM fails to send rows, which are files of a commit."""
    frame = spark.range(0, 8, 1, 4)
    assert run_tasks(frame, ids) == [[0, 1], [2, 3], [4, 5], [6, 7]]
    whole = type(frame).toArrow

    def cut(frame):
        done = whole(frame)
        return done.filter(pc.not_equal(done["task"], 1))

    monkeypatch.setattr(type(frame), "toArrow", cut)
    monkeypatch.setattr(type(frame), "collect", None)
    with pytest.raises(InternalError, match=re.escape("found those of the tasks [0, 2, 3]")):
        run_tasks(frame, ids)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("mode", ["copy-on-write", "merge-on-read"])
def test_answers_are_small(spark, tmp_path, monkeypatch, version, mode):
    lake = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))
    lake.create_namespace("db")
    modes = {f"write.{command}.mode": mode for command in ("delete", "update")}
    number = 200_000
    rows = pa.table({"id": range(number), "v": pa.array([1] * number, pa.int64())})
    table = lake.create_table("db.t", as_select=rows, format_version=version, properties=modes)
    sent = []

    def kept(frame, work, **options):
        done = run_tasks(frame, work, **options)
        sent.extend(len(pickle.dumps(each)) for each in done)
        return done

    monkeypatch.setattr(row_changes, "run_tasks", kept)
    for text in ("UPDATE db.t SET v = v + id % 2", "DELETE FROM db.t WHERE pmod(id, 10) < 5"):
        floeberg.spark.sql(spark, text, catalog=lake)
    # As paths and positions they took 100 bytes a row.
    assert max(sent) < 200_000, sent
    found = table.refresh().scan().to_arrow()
    assert (found.num_rows, pc.sum(found["v"]).as_py()) == (number // 2, number // 2 + number // 2 * 3 // 5)
