"""Peers read tables that Floeberg wrote: random schemas, specs and commits, their rows and their metadata."""

from __future__ import annotations

import json
from collections import Counter

import pyarrow.parquet as pq
import pytest
from building import Made
from kinds import KINDS
from peers.process import Refused
from tables import SEEDS, Tables, arrow_file, differences, metadata_json, refused_by_duckdb, same_rows

import floeberg as fb
from corpus import encode
from floeberg.expressions import EqualTo, GreaterThan, IsNull, NotEqualTo

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="session")
def tables(tmp_path_factory) -> Tables:
    """The tables, by seed."""
    return Tables(tmp_path_factory.mktemp("tables"))


@pytest.fixture(params=SEEDS)
def made(request, tables) -> Made:
    """Each table in turn."""
    return tables[request.param]


def test_floeberg_reads_what_it_wrote(made):
    same_rows(made, encode(fb.open_table(made.table.metadata_location).scan().to_arrow()))


def test_java_reads_the_rows(made, java):
    same_rows(made, java("read", metadata_location=made.table.metadata_location))


def test_pyiceberg_reads_the_rows(made, pyiceberg, tmp_path):
    into = tmp_path / "rows.arrow"
    pyiceberg("read", metadata_location=made.table.metadata_location, into=str(into))
    same_rows(made, encode(arrow_file(into)))


def test_duckdb_reads_the_rows(made, duckdb, tmp_path):
    into = tmp_path / "rows.arrow"
    arguments = {"columns": made.rows.column_names, "into": str(into)}
    refusal = refused_by_duckdb(made)
    if refusal is None:
        duckdb("read", metadata_location=made.table.metadata_location, **arguments)
        same_rows(made, encode(arrow_file(into)))
        return
    with pytest.raises(Refused, match=refusal):
        duckdb("read", metadata_location=made.table.metadata_location, **arguments)


def test_java_writes_the_same_metadata_again(made, java):
    theirs = java("metadata", metadata_location=made.table.metadata_location)
    assert list(differences(metadata_json(made), theirs)) == []


def test_pyiceberg_writes_the_same_metadata_again(made, pyiceberg):
    asked = {"metadata_location": made.table.metadata_location}
    if made.drawn.version == 3:
        with pytest.raises(Refused, match="Writing V3 is not yet supported"):
            pyiceberg("metadata", **asked)
        return
    assert list(differences(metadata_json(made), pyiceberg("metadata", **asked))) == []


def test_java_finds_in_footers_what_manifests_say(made, java):
    schemas = made.table.schemas().values()
    fields = [schema.find_field(name) for schema in schemas for name in schema.column_names]
    floats = {str(each.field_id) for each in fields if str(each.field_type) in ("float", "double")}
    for file in java("files", metadata_location=made.table.metadata_location):
        assert file["size"] == file["length"]
        groups = pq.ParquetFile(file["path"]).metadata
        starts = [groups.row_group(number).column(0) for number in range(groups.num_row_groups)]
        assert file["split_offsets"] == [
            each.dictionary_page_offset or each.data_page_offset for each in starts
        ]
        said, footer = file["said"], file["footer"]
        del said["nanValueCounts"], footer["nanValueCounts"]
        # Floats stand in footers in the order of IEEE 754, of which Java knows not all.
        for bounds in ("lowerBounds", "upperBounds"):
            for number in floats - footer[bounds].keys():
                said[bounds].pop(number, None)
        assert list(differences(said, footer)) == [], (file["path"], made.done)


def test_java_and_floeberg_find_the_same_rows_by_filters(made, java):
    for column in made.drawn.columns:
        values = made.rows[column.name].drop_null() if column.shape == "plain" else []
        if not len(values) or column.kind.name in ("uuid", "timestamp_ns", "timestamptz_ns"):
            continue
        middle = values[len(values) // 2].as_py()
        # Java's JSON of expressions has no infinities.
        if middle not in column.kind.finite or column.kind.name.startswith(("fixed", "binary", "time")):
            continue
        for wanted in (EqualTo, NotEqualTo, GreaterThan):
            agree(made, java, wanted(column.name, middle))
        agree(made, java, IsNull(column.name))


def agree(made: Made, java, wanted) -> None:
    """Do both find the same rows? NaN and -0.0, which Java orders otherwise, are left out."""
    ours = Counter(encode(made.table.scan(row_filter=wanted).to_arrow()))
    theirs = Counter(
        java("read", metadata_location=made.table.metadata_location, expression=json.dumps(wanted.to_json()))
    )
    differing = (ours - theirs) + (theirs - ours)
    odd = [line for line in differing if '"NaN"' in line or "-0.0" in line]
    assert set(differing) == set(odd), (str(wanted), list(differing)[:3])


def test_every_type_and_transform_is_among_the_tables(tables):
    kinds, transforms = set(), set()
    for seed in SEEDS:
        drawn = tables[seed].drawn
        kinds |= {each.kind.name for each in drawn.columns}
        transforms |= {transform for transform, _ in drawn.partition}
    assert kinds == set(KINDS)
    assert transforms >= {"identity", "bucket[4]", "year", "month", "day", "hour", "void"}
    assert {"truncate[2]", "truncate[10]", "truncate[50]", "truncate[1000]"} <= transforms
