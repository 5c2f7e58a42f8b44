"""What joins a source to a table: names with and without case, and equalities that are conditions."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError


@pytest.fixture
def table(tmp_path):
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    kind = pa.struct([("k", pa.int64())])
    schema = pa.schema([("id", pa.int64()), ("v", pa.int64()), ("st", kind)])
    table = catalog.create_table("ns.t", schema)
    table.append(pa.table({"id": [1, 2], "v": [1, 2], "st": [{"k": 1}, {"k": 2}]}, schema))
    return table


def values(table):
    return table.scan().to_arrow().sort_by("id")["v"].to_pylist()


@pytest.mark.parametrize(
    "how",
    [
        {"on": "id"},
        {"on": ["ID"]},
        {"on": "Id"},
        {"predicate": "target.ID = source.id"},
        {"predicate": "TARGET.id = Source.Id AND source.v > 0"},
    ],
    ids=str,
)
def test_keys_may_be_found_without_case(table, how):
    source = pa.table({"ID": [2, 3], "V": [20, 30]})
    merge = table.merge(source, **how, case_sensitive=False).when_matched_update_all()
    assert merge.when_not_matched_insert_all().execute().updated_rows == 1
    assert values(table) == [1, 20, 30]


def test_the_case_of_keys_counts(table):
    with pytest.raises(InvalidInputError, match="the source has no column 'id' to join by"):
        table.merge(pa.table({"ID": [2]}), on="id").when_matched_delete().execute()


def test_a_second_equality_of_a_key_is_a_condition(table):
    source = pa.table({"a": [1, 2], "b": [1, 3]})
    merge = table.merge(source, predicate="target.id = source.a AND target.id = source.b")
    merge.when_matched_delete().execute()
    assert values(table) == [2]


def test_a_key_is_there_once(table):
    with pytest.raises(InvalidInputError, match="'id' of the table is given twice"):
        table.merge(pa.table({"id": [1]}), on=["id", "id"]).when_matched_delete().execute()


def test_a_field_of_a_struct_is_no_key(table):
    source = pa.table({"id": [1], "st": [{"k": 1}]})
    with pytest.raises(InvalidInputError, match="not by fields of structs"):
        table.merge(source, on="st.k").when_matched_delete().execute()
    with pytest.raises(InvalidInputError, match="not by fields of structs"):
        table.upsert(source, ["st.k"])


def test_a_later_term_of_a_predicate_is_computed_where_the_earlier_ones_hold(table):
    source = pa.table({"id": [1, 2], "n": [0, 2]})
    predicate = "source.n <> 0 AND 10 / source.n > 4 AND target.id = source.id"
    merge = table.merge(source, predicate=predicate).when_matched_update({"v": 9})
    assert merge.execute().updated_rows == 1
    assert values(table) == [1, 9]
    with pytest.raises(InvalidInputError, match="divide by zero"):
        table.merge(
            source, predicate="10 / source.n > 4 AND source.n <> 0 AND target.id = source.id"
        ).when_matched_delete().execute()


NAN_ROWS = pa.table({"id": [1, 2], "k": [math.nan, 1.0], "v": [0, 0]})


@pytest.mark.parametrize("lance", [False, True])
def test_nan_equals_nothing_in_a_condition_and_itself_as_a_key(tmp_path, lance):
    if lance:
        table = fb.lance.create_table(str(tmp_path / "t"), NAN_ROWS)
    else:
        catalog = fb.load_catalog("nan", type="filesystem", warehouse=str(tmp_path))
        catalog.create_namespace("n")
        table = catalog.create_table("n.t", NAN_ROWS)
    counts = []
    for how in (
        {"predicate": "target.id = source.id AND target.k = source.k"},
        {"predicate": "target.id = source.id AND (target.k = source.k OR FALSE)"},
        {
            "predicate": (fb.col("target.k") == fb.col("source.k"))
            & (fb.col("target.id") == fb.col("source.id"))
        },
        {"on": ["id", "k"]},
    ):
        merge = table.merge(NAN_ROWS, **how, dry_run=True)
        done = merge.when_matched_update({"v": 9}).when_not_matched_insert_all().execute()
        counts.append((done.updated_rows, done.inserted_rows))
    assert counts == [(1, 1), (1, 1), (1, 1), (2, 0)]
