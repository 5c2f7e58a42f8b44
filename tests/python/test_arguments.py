"""A wrong argument is an error of ours that names the argument."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import floeberg as fb
from floeberg import errors
from floeberg.expressions import EqualTo, In, Transformed, from_json, parse
from stable_ids import stable

WRONG = [None, 5, 1.5, "zzz", "\udcff", b"x", [], {}, object(), float("nan"), 2**70, -(2**70), True, ("a", 1)]


def calls(refs, value):
    """Every argument that takes a value, with one; what may be left out is there only for other values."""
    table = refs.open()
    scan = table.scan()
    yield partial(fb.open_table, value)
    yield partial(refs.open, storage_options={"region": value})
    yield partial(table.scan, row_filter=value)
    yield partial(table.scan, selected_fields=value)
    yield partial(table.scan, selected_fields=(value,))
    yield partial(table.scan, case_sensitive=value)
    yield partial(scan.select, value)
    yield partial(scan.use_ref, value)
    yield partial(scan.as_of, value)
    yield partial(scan.plan_files().split, value)
    yield partial(parse, value)
    yield partial(from_json, value)
    yield partial(In, "id", value)
    yield lambda: table.scan(row_filter=EqualTo("id", value))
    yield lambda: table.scan(row_filter=EqualTo(value, 1))
    yield partial(Transformed, value, "id")
    yield partial(Transformed, "day", value)
    if value is not None:
        yield partial(refs.open, snapshot_id=value)
        yield partial(refs.open, ref=value)
        yield partial(refs.open, as_of=value)
        yield partial(refs.open, version=value)
        yield partial(refs.open, format=value)
        yield partial(refs.open, storage_options=value)
        yield partial(fb.open_table, refs.metadata_file, relocate=value)
        yield partial(table.scan, snapshot_id=value)
        yield partial(table.scan, limit=value)


@pytest.mark.parametrize("value", WRONG, ids=stable)
def test_no_wrong_argument_ends_in_a_foreign_exception(refs, value):
    refusals: list[str] = []
    for call in calls(refs, value):
        try:
            call()
        except errors.FloebergError as error:
            refusals.append(str(error))
    assert len(refusals) >= 9
    assert not [text for text in refusals if "\n" in text]


def test_a_wrong_argument_is_named():
    with pytest.raises(
        errors.InvalidInputError, match="relocate: expected a mapping, found an object of type list"
    ):
        fb.open_table("nowhere", relocate=["a"])
    with pytest.raises(
        errors.InvalidInputError, match="snapshot_id: expected an integer, found the str 'first'"
    ):
        fb.open_table("nowhere", snapshot_id="first")


def test_an_option_of_a_wrong_type_is_not_printed():
    with pytest.raises(errors.InvalidInputError) as refused:
        fb.open_table("nowhere", storage_options={"secret": 123456})
    assert "123456" not in str(refused.value)


def test_integers_of_other_libraries_are_integers(refs):
    numpy = pytest.importorskip("numpy")
    snapshot_id = numpy.int64(refs.expected["refs"]["first"]["snapshot_id"])
    assert refs.open(snapshot_id=snapshot_id).scan(limit=numpy.int32(2)).count() == 2


def test_prefixes_may_be_paths(refs):
    relocate = {Path(prefix): Path(target) for prefix, target in refs.relocate.items()}
    assert fb.open_table(refs.metadata_file, relocate=relocate).scan().count() == refs.open().scan().count()


def test_a_repr_does_not_show_thousands_of_literals(refs):
    scan = refs.open().scan(row_filter=In("id", range(100_000)))
    assert len(repr(scan)) < 2_000
    assert "IN (0, 1, 2" in repr(scan)
