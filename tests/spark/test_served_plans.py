"""Scans that the server of a catalog plans, read by Spark's tasks."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg import _native
from floeberg.errors import UnsupportedError


@pytest.fixture
def table(tmp_path):
    catalog = fb.load_catalog(str(tmp_path), type="memory", warehouse=str(tmp_path / "lake"))
    catalog.create_namespace("ns")
    made = catalog.create_table("ns.t", pa.schema({"id": pa.int64()}), format_version=3)
    for first in range(0, 40, 10):
        made.append(pa.table({"id": list(range(first, first + 10))}))
    return made


@pytest.fixture
def served(table):
    """A scan of the table, as of a server whose tasks say that the ids are to be above 4."""

    def answer(_request):
        tasks = [
            {
                "data-file": {
                    "content": "data",
                    "file-path": each.file.file_path,
                    "file-format": "parquet",
                    "spec-id": 0,
                    "partition": [],
                    "file-size-in-bytes": each.file.file_size_in_bytes,
                    "record-count": each.file.record_count,
                },
                "residual-filter": {"type": "gt", "term": "id", "value": 4},
            }
            for each in table.scan().plan_files()
        ]
        return [json.dumps({"file-scan-tasks": tasks})], None

    inner = _native.Table.from_metadata(
        table._inner.metadata_json(),
        table.metadata_location,
        storage_options={},
        earlier=None,
        planner=answer,
    )

    def scan(limit=None):
        chosen = {"selected_fields": ["*"], "case_sensitive": True, "snapshot_id": None, "limit": limit}
        return fb.Scan(inner.scan(row_filter=("true",), **chosen))

    return scan


def test_tasks_read_the_groups_of_the_servers_plan(spark, served):
    assert sorted(row.id for row in served().to_spark(spark).collect()) == list(range(5, 40))
    assert sorted(row.id for row in served().to_spark(spark, reader="arrow").collect()) == list(range(5, 40))
    assert served(limit=7).to_spark(spark).count() == 7
    assert served().to_spark(spark, partitions=2).rdd.getNumPartitions() == 2


def test_what_would_pass_the_server_by_is_refused(spark, served):
    with pytest.raises(UnsupportedError, match="the server of the catalog plans"):
        served().to_spark(spark, reader="native")
    with pytest.raises(UnsupportedError, match="demands to plan"):
        served().to_spark(spark, planning="distributed").collect()
