"""Counts and extremes: what metadata answers, what must be read for it, and that both are right."""

from __future__ import annotations

import math
import shutil

import pyarrow.compute as pc
import pytest

from corpus import Case, cases, known_failures, lent
from floeberg import errors
from floeberg import expressions as fx
from floeberg.types import PrimitiveType

READABLE = [
    case
    for case in cases()
    if not case.is_view and not {(case.name, "open"), (case.name, "rows")} & known_failures().keys()
]
WITHOUT_ORDER = ("variant", "geometry", "geography")
each_case = pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)


def answer(scan, **asked):
    (found,) = scan.explain(**asked).aggregates
    assert found.files == found.by_metadata + found.not_needed + sum(count for _, count in found.read)
    return found


@each_case
def test_extremes_enclose_all_rows_and_are_among_them(case: Case) -> None:
    """By filters, which know every type."""
    table = case.open()
    for column in table.schema().fields:
        kind = str(column.field_type)
        if not isinstance(column.field_type, PrimitiveType) or kind.startswith(WITHOUT_ORDER):
            continue
        name = fx.Reference(column.name) if hasattr(fx, "Reference") else column.name
        numbers = fx.NotNull(name) & fx.NotNaN(name) if kind in ("float", "double") else fx.NotNull(name)
        scan = table.scan()
        least, most = scan.min(column.name), scan.max(column.name)
        if kind == "unknown" or table.scan(row_filter=numbers).count() == 0:
            assert (least, most) == (None, None), column
            continue
        assert table.scan(row_filter=numbers & fx.LessThan(name, least)).count() == 0, (column, least)
        assert table.scan(row_filter=numbers & fx.GreaterThan(name, most)).count() == 0, (column, most)
        assert table.scan(row_filter=fx.EqualTo(name, least)).count() > 0, (column, least)
        assert table.scan(row_filter=fx.EqualTo(name, most)).count() > 0, (column, most)


@each_case
def test_extremes_are_those_of_the_rows(case: Case) -> None:
    """By pyarrow, of the types that it orders as tables do."""
    table = case.open()
    rows = table.scan().to_arrow()
    for column in table.schema().fields:
        if str(column.field_type) in ("int", "long", "string", "date", "boolean"):
            extremes = pc.min_max(rows[column.name]).as_py()
            scan = table.scan()
            assert (scan.min(column.name), scan.max(column.name)) == (extremes["min"], extremes["max"]), (
                column
            )


def test_a_count_without_filter_and_deletes_opens_no_data_file(refs, tmp_path):
    moved = tmp_path / "table"
    shutil.copytree(refs.folder / "table", moved)
    shutil.rmtree(moved / "data")
    table = Case(refs.name, tmp_path, refs.expected).open()
    assert table.scan().count() == 9
    counted = answer(table.scan(), count=True)
    assert (counted.value, counted.by_metadata, counted.read) == (9, 3, ())


def test_deletion_vectors_are_read_to_be_counted(vectors):
    """Their cardinality says too much: a position may lie past the rows of the file."""
    scan = vectors.open().scan()
    with_vector = sum(bool(task.delete_files) for task in scan.plan_files())
    counted = answer(scan, count=True)
    assert (counted.value, counted.files, counted.by_metadata) == (17, 3, 3 - with_vector)
    assert dict(counted.read) == {"deletion vectors": with_vector}


def test_position_deletes_are_read_to_be_counted():
    """Their own counts say too much: positions are repeated, and files name several data files."""
    case = lent("overlapping")
    scan = case.open().scan()
    deleted = sum(each.record_count for each in scan.plan_files().delete_files())
    live = sum(task.file.record_count for task in scan.plan_files())
    counted = answer(scan, count=True)
    assert counted.value == case.expected["row_count"] != live - deleted
    assert dict(counted.read) == {"position deletes": 2}


def test_equality_deletes_and_filters_are_read_to_be_counted(refs):
    counted = answer(lent("equalities").open().scan(), count=True)
    assert (counted.value, list(dict(counted.read))) == (13, ["equality deletes"])
    counted = answer(refs.open().scan(row_filter="v > 30"), count=True)
    assert counted.value == len(refs.open().scan(row_filter="v > 30").to_arrow())
    assert list(dict(counted.read)) == ["filter"]


def test_a_count_stops_at_the_limit(refs, deletes):
    assert refs.open().scan(limit=4).count() == 4
    assert refs.open().scan(limit=400).count() == 9
    assert refs.open().scan(limit=0).count() == 0
    assert deletes.open().scan(limit=5).count() == 5


def test_an_extreme_reads_the_one_file_whose_bound_is_furthest_out(many):
    table = many.open()
    found = answer(table.scan(), max="id")
    assert found.value == max(row[0] for row in many.expected["rows"])
    assert (found.files, sum(dict(found.read).values())) == (40, 0), (
        "one row a file: equal bounds are its value"
    )


def test_an_extreme_reads_no_more_files_than_can_win(deletes):
    table = deletes.open()
    for which, best in (("min", min), ("max", max)):
        found = answer(table.scan(), **{which: "id"})
        assert found.value == best(row[0] for row in deletes.expected["rows"])
        assert sum(dict(found.read).values()) < found.files
        assert set(dict(found.read)) <= {"bounds", "position deletes"}


def test_deleted_rows_are_no_extremes(deletes):
    """Every id that is the least is filtered away in turn: what comes is the next that is live."""
    table, left = deletes.open(), sorted(row[0] for row in deletes.expected["rows"])
    for least in left[:6]:
        assert table.scan(row_filter=f"id >= {least}").min("id") == least
        assert table.scan(row_filter=f"id > {least}").min("id") == next(each for each in left if each > least)


def test_nan_and_nulls_take_no_part_and_zeros_have_no_sign():
    case = lent("floats")
    table = case.open()
    for column, position in (("f", 1), ("d", 2)):
        assert table.scan().min(column) == -math.inf
        assert table.scan().max(column) == math.inf
        values = [row[position] for row in case.expected["rows"]]
        assert "NaN" in values and None in values
        assert table.scan(row_filter=f"{column} IS NAN").min(column) is None
        assert table.scan(row_filter=f"{column} IS NULL").max(column) is None
        for zero in (
            table.scan(row_filter=f"{column} = 0").min(column),
            table.scan(row_filter=f"{column} = 0").max(column),
        ):
            assert zero == 0
            assert math.copysign(1, zero) == 1


def test_bounds_that_were_cut_short_are_not_taken_for_values():
    case = lent("truncated")
    table = case.open()
    position = {name: number for number, name in enumerate(case.expected["columns"])}
    for column in ("no", "co", "tr", "fl"):
        values = [row[position[column]] for row in case.expected["rows"] if row[position[column]] is not None]
        assert table.scan().min(column) == min(values, key=str.encode)
        assert table.scan().max(column) == max(values, key=str.encode)


def test_the_extremes_of_no_rows_are_none(refs):
    table = lent("empty").open()
    assert (table.scan().min("id"), table.scan().max("id"), table.scan().count()) == (None, None, 0)
    assert refs.open().scan(row_filter="id < 0").max("cat") is None


def test_fields_of_structs_have_extremes_and_elements_of_lists_have_none():
    table = lent("types").open()
    rows = table.scan().to_arrow()
    struct = next(field for field in table.schema().fields if str(field.field_type).startswith("struct"))
    leaves = [field for field in struct.field_type.fields if isinstance(field.field_type, PrimitiveType)]
    assert leaves
    for child in leaves:
        values = pc.struct_field(rows[struct.name].combine_chunks(), child.name)
        assert table.scan().min(f"{struct.name}.{child.name}") == pc.min_max(values)["min"].as_py()
    lists = next(field for field in table.schema().fields if str(field.field_type).startswith("list"))
    with pytest.raises(errors.InvalidInputError, match="several values a row"):
        table.scan().min(f"{lists.name}.element")
    with pytest.raises(errors.InvalidInputError, match="have no order"):
        table.scan().max(struct.name)


def test_what_makes_no_sense_is_refused(refs):
    scan = refs.open().scan()
    with pytest.raises(errors.InvalidInputError, match="nmae"):
        scan.min("nmae")
    with pytest.raises(errors.InvalidInputError, match="column: expected a str"):
        scan.max(3)
    with pytest.raises(errors.InvalidInputError, match="limit"):
        refs.open().scan(limit=3).min("id")
    with pytest.raises(errors.InvalidInputError, match="count: expected a bool"):
        scan.explain(count=1)


def test_the_selected_fields_do_not_bear_on_extremes(refs):
    assert refs.open().scan(selected_fields=("cat",)).max("id") == refs.open().scan().max("id")


def test_explain_answers_as_text_and_as_dicts(refs):
    explain = refs.open().scan().explain(count=True, min=("id", "v"), max="cat")
    assert [each.of for each in explain.aggregates] == ["count", "min(id)", "min(v)", "max(cat)"]
    assert (
        str(explain).splitlines()[-4] == "count = 9: of 3 data files 3 by metadata, 0 not needed, read none"
    )
    assert explain.to_dict()["aggregates"][0]["value"] == 9
    assert refs.open().scan().explain().aggregates == ()
