"""Rows of random tables of all types are updated and upserted, in both modes; peers read the result, and lineage."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from building import Made, append, make, plain_columns
from peers.process import Refused
from tables import arrow_file, refused_by_duckdb, same_rows
from test_row_deletes import lineage, upgrade

from corpus import encode

pytestmark = pytest.mark.timeout(900)

SEEDS = range(300, 308)


@pytest.fixture(scope="module", params=SEEDS)
def changed(request, tmp_path_factory) -> Made:
    """A table of which rows were changed in both modes, in version 3 too at the end."""
    made = make(request.param, tmp_path_factory.mktemp("changed"))
    append(made)
    for number in range(4):
        if number == 2 and made.drawn.version < 3:
            made.drawn.version = 3
            upgrade(made.table)
        is_merged = made.drawn.version > 1 and bool((number + request.param) % 2)
        mode = "merge-on-read" if is_merged else "copy-on-write"
        (update_rows if number % 2 else upsert_rows)(made, mode)
    same_rows(made, encode(made.table.scan().to_arrow()))
    return made


def keys(made: Made) -> list[str]:
    """Columns that rows are chosen by."""
    plain = (each.name for each in plain_columns(made))
    types = {name: made.rows[name].type for name in plain}
    return [
        name
        for name, kind in types.items()
        if not isinstance(kind, pa.BaseExtensionType) and not pa.types.is_floating(kind)
    ]


def update_rows(made: Made, mode: str) -> None:
    """A column becomes null in the rows that have one value in another."""
    optional = [each.name for each in made.table.schema().fields if not each.required]
    names = keys(made)
    if not names or not optional or not made.rows.num_rows:
        return
    column = made.drawn.random.choice(optional)
    made.done.append(f"{mode} of {column}")
    merge = made.table.merge(made.rows.select(names[:1]).slice(0, 1), on=names[:1], mode=mode)
    merge.when_matched_update({column: None}).execute()
    values = made.rows[names[0]]
    first = values.slice(0, 1).combine_chunks()
    wanted = pc.and_(pc.is_valid(values), pc.is_in(values, value_set=first))
    old = made.rows.combine_chunks()
    number = old.column_names.index(column)
    places = pc.indices_nonzero(pc.invert(wanted))
    nothing = pa.nulls(old.num_rows, old.schema.field(number).type)
    emptied = old.set_column(number, old.schema.field(number), nothing)
    made.rows = pa.concat_tables([old.take(places), emptied.take(pc.indices_nonzero(wanted))])


def upsert_rows(made: Made, mode: str) -> None:
    """The first row of each of three keys takes the place of all rows with the key."""
    names = keys(made)
    if not names or not made.rows.num_rows:
        return
    name = made.drawn.random.choice(names)
    made.done.append(f"{mode} upsert by {name}")
    old = made.rows.combine_chunks()
    values = old[name].combine_chunks()
    some = values.unique().slice(0, 3)
    source = old.take(pc.index_in(some, value_set=values))
    done = made.table.upsert(source, [name], null_keys="equal", mode=mode)
    assert done.rows_inserted == 0
    found = pc.index_in(values, value_set=source[name].combine_chunks())
    left = old.take(pc.indices_nonzero(pc.is_null(found)))
    made.rows = pa.concat_tables([left, source.take(found.drop_null())])


def test_java_reads_what_there_is(changed, java):
    same_rows(changed, java("read", metadata_location=changed.table.metadata_location))


def test_java_reads_the_lineage(changed, java):
    found = java("lineage", metadata_location=changed.table.metadata_location)
    assert {tuple(each) for each in found} == lineage(changed.table)


def test_pyiceberg_reads_what_there_is(changed, pyiceberg, tmp_path):
    into = tmp_path / "rows.arrow"
    pyiceberg("read", metadata_location=changed.table.metadata_location, into=str(into))
    same_rows(changed, encode(arrow_file(into)))


def test_duckdb_reads_what_there_is(changed, duckdb, tmp_path):
    into = tmp_path / "rows.arrow"
    asked = {"metadata_location": changed.table.metadata_location, "columns": changed.rows.column_names}
    refusal = refused_by_duckdb(changed)
    if refusal is not None:
        with pytest.raises(Refused, match=refusal):
            duckdb("read", **asked, into=str(into))
        return
    duckdb("read", **asked, into=str(into))
    same_rows(changed, encode(arrow_file(into)))
