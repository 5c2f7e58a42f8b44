"""Batches in the form that PySpark checks: its types, its nullability, and the same rows."""

from __future__ import annotations

import pickle

import pyarrow as pa
import pytest

from floeberg.errors import InvalidInputError


def rows_of(group, form, **options):
    stream = group._inner.stream(form, **options)
    schema = pa.schema(group._inner.arrow_schema(form))
    batches = []
    while (batch := stream.next_batch()) is not None:
        batches.append(pa.record_batch(batch))
    for batch in batches:
        assert batch.schema.equals(schema, check_metadata=True)
    return pa.Table.from_batches(batches, schema)


def test_rows_stay_and_metadata_goes(deletes):
    [group] = deletes.open().scan().plan_files().split()
    spark = rows_of(pickle.loads(pickle.dumps(group)), "spark")
    assert spark.equals(group.to_arrow())
    assert all(field.metadata is None for field in spark.schema)
    assert any(field.metadata for field in group.to_arrow().schema)


def test_without_a_form_batches_are_the_tables(deletes):
    [group] = deletes.open().scan().plan_files().split()
    assert rows_of(group, None).equals(group.to_arrow(), check_metadata=True)


@pytest.mark.parametrize("threads", [1, 3])
def test_any_number_of_threads_reads_the_same_rows(deletes, threads):
    [group] = deletes.open().scan().plan_files().split()
    assert rows_of(group, "spark", threads=threads).equals(group.to_arrow())


def test_an_unknown_form_is_told_with_those_that_there_are(deletes):
    scan = deletes.open().scan()
    [group] = scan.plan_files().split()
    for ask in (
        scan._inner.check_engine,
        scan._inner.arrow_schema,
        group._inner.arrow_schema,
        group._inner.stream,
    ):
        with pytest.raises(InvalidInputError, match=r"spark or spark-truncate-ns .*'?\"?flink"):
            ask("flink")
    assert scan._inner.check_engine("spark") is None
