"""Views: what they say, what is refused, and that damage is told."""

from __future__ import annotations

import gzip
import json
import pickle
import random

import pytest

import floeberg as fb
from corpus import lent
from floeberg import errors


@pytest.fixture
def document():
    return json.loads(gzip.decompress(lent("view").metadata_file.read_bytes()))


def opened(tmp_path, document):
    file = tmp_path / "00001-a.metadata.json"
    file.write_text(json.dumps(document))
    return fb.open_view(file)


def test_a_view_is_found_as_a_table_is(tmp_path):
    view = lent("view")
    where = {view.expected["original_dir"]: str(view.folder / "table")}
    by_place = fb.open_view(view.expected["original_dir"], relocate=where)
    assert by_place.metadata_location == fb.open_view(view.folder / "table").metadata_location
    with pytest.raises(errors.NoSuchViewError, match="no Iceberg view is here"):
        fb.open_view(tmp_path)


def test_tables_and_views_are_told_apart(refs):
    with pytest.raises(errors.UnsupportedError, match="open it with open_table"):
        fb.open_view(refs.folder / "table")
    with pytest.raises(errors.UnsupportedError, match="open it with open_view"):
        fb.open_table(lent("view").folder / "table")


def test_a_view_crosses_processes():
    view = fb.open_view(lent("view").folder / "table", storage_options={})
    back = pickle.loads(pickle.dumps(view))
    assert (repr(back), back.versions, back.uuid()) == (repr(view), view.versions, view.uuid())


def test_the_statement_of_a_dialect_is_never_that_of_another():
    view = fb.open_view(lent("view").folder / "table")
    assert view.sql_for("Spark") == view.current_version().representations[0]
    assert view.sql_for("trino") is None


def test_a_version_that_is_not_kept_is_named():
    view = fb.open_view(lent("view").folder / "table")
    assert view.version(2).version_id == 2
    with pytest.raises(errors.NotFoundError, match="no version 9; it has 1, 2, 3"):
        view.version(9)


def test_no_catalog_is_the_views_own(tmp_path, document):
    document["versions"][2]["default-catalog"] = None
    assert opened(tmp_path, document).current_version().default_catalog is None
    del document["versions"][2]["default-catalog"]
    assert opened(tmp_path, document).current_version().default_catalog is None


def test_the_log_says_when_a_version_became_current(tmp_path, document):
    document["version-log"].append({"timestamp-ms": 1_900_000_000_000, "version-id": 1})
    document["current-version-id"] = 1
    view = opened(tmp_path, document)
    assert [entry.version_id for entry in view.history()] == [1, 2, 3, 1]
    assert view.history()[-1].timestamp_ms != view.current_version().timestamp_ms
    assert view.schema().column_names == ["k", "label"]


def test_representations_of_unknown_types_are_left_out(tmp_path, document):
    document["versions"][2]["representations"].insert(0, {"type": "plan", "bytes": "AA=="})
    view = opened(tmp_path, document)
    assert [each.type for each in view.current_version().representations] == ["sql"]


@pytest.mark.parametrize(
    ("change", "error", "reason"),
    [
        ({"format-version": 2}, errors.UnsupportedError, "expected 1, found 2"),
        ({"format-version": "1"}, errors.InvalidDataError, "format-version"),
        ({"view-uuid": None}, errors.InvalidDataError, '"view-uuid" is missing'),
        ({"versions": []}, errors.InvalidDataError, "expected one with the id 3"),
        ({"schemas": []}, errors.InvalidDataError, "has schema 2"),
        ({"version-log": None}, errors.InvalidDataError, '"version-log" is missing'),
        ({"properties": {"a": 1}}, errors.InvalidDataError, "properties.a: expected a string"),
    ],
)
def test_broken_metadata_is_told_with_its_file(tmp_path, document, change, error, reason):
    with pytest.raises(error, match=reason) as caught:
        opened(tmp_path, document | change)
    assert caught.value.context["path"].endswith("00001-a.metadata.json")


def test_two_statements_of_one_dialect_are_refused(tmp_path, document):
    again = {"type": "sql", "sql": "SELECT 1", "dialect": "SPARK"}
    document["versions"][0]["representations"].append(again)
    with pytest.raises(errors.InvalidDataError, match="one SQL text a dialect"):
        opened(tmp_path, document)


def test_damaged_bytes_are_an_error_or_a_view(tmp_path, document):
    draw = random.Random(4)
    text = json.dumps(document).encode()
    file = tmp_path / "00001-a.metadata.json"
    refused = read = 0
    for _ in range(400):
        damaged = bytearray(text)
        for _ in range(draw.randrange(1, 4)):
            damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        file.write_bytes(damaged[: draw.randrange(len(damaged))] if draw.random() < 0.2 else damaged)
        try:
            view = fb.open_view(file)
        except (errors.InvalidDataError, errors.UnsupportedError) as error:
            refused += error.context["path"].endswith("00001-a.metadata.json")
        else:
            assert view.schema().column_names
            read += 1
    assert refused + read == 400
    assert refused > 100
