"""Changes to columns are data: what users call becomes JSON, which is handed over once and whole."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import uuid

import pyarrow as pa
import pytest

from floeberg.commit.update_schema import UpdateSchema, default_json
from floeberg.errors import InvalidInputError
from floeberg.types import ListType, PrimitiveType


def changes_of(update: UpdateSchema) -> list[dict[str, object]]:
    return json.loads(update.changes_json())["changes"]


def update(**options) -> UpdateSchema:
    return UpdateSchema(lambda _: None, format_version=3, **options)


class Model:
    """Writes itself, as PyIceberg's types do."""

    def model_dump_json(self) -> str:
        return '"string"'


def test_every_call_is_a_change():
    made = (
        update()
        .add_column(("place", "z"), "int", "why", required=True, default_value=7)
        .delete_column("a.b")
        .rename_column(("a", "c"), "d")
        .update_column("n", "long", required=True, doc="")
        .make_column_optional("o")
        .require_column("r")
        .set_default_value("d", None)
        .move_first("f")
        .move_before("x", "y")
        .move_after("x", ("p", "z"))
        .set_identifier_fields("id", ("p", "k"))
    )
    assert changes_of(made) == [
        {
            "change": "add-column",
            "name": "z",
            "type": "int",
            "parent": "place",
            "required": True,
            "doc": "why",
            "default": 7,
        },
        {"change": "delete-column", "name": "a.b"},
        {"change": "rename-column", "name": "a.c", "new-name": "d"},
        {"change": "update-type", "name": "n", "type": "long"},
        {"change": "require", "name": "n"},
        {"change": "update-doc", "name": "n"},
        {"change": "make-optional", "name": "o"},
        {"change": "require", "name": "r"},
        {"change": "update-default", "name": "d"},
        {"change": "move-first", "name": "f"},
        {"change": "move-before", "name": "x", "before": "y"},
        {"change": "move-after", "name": "x", "after": "p.z"},
        {"change": "set-identifier-fields", "names": ["id", "p.k"]},
    ]


def test_types_are_words_or_objects():
    types = [
        "decimal(9,2)",
        ListType(1, PrimitiveType("int"), element_required=True),
        pa.list_(pa.int8()),
        Model(),
    ]
    made = update()
    for number, each in enumerate(types):
        made.add_column(f"c{number}", each)
    listed = {"type": "list", "element-id": 1, "element": "int", "element-required": True}
    arrow = {"type": "list", "element-id": 2, "element": "int", "element-required": False}
    assert [each["type"] for each in changes_of(made)] == ["decimal(9,2)", listed, arrow, "string"]
    with pytest.raises(InvalidInputError, match="field_type: expected a type"):
        update().add_column("x", 7)
    with pytest.raises(InvalidInputError, match="uint64"):
        update().add_column("x", pa.uint64())


def test_a_union_takes_any_schema():
    (change,) = changes_of(update().union_by_name(pa.schema([("a", pa.int8())])))
    assert change["schema"]["fields"] == [{"id": 1, "name": "a", "required": False, "type": "int"}]


def test_a_name_with_a_dot_is_told_from_a_path():
    with pytest.raises(InvalidInputError, match=r"write \('a', 'b'\) or \('a.b',\)"):
        update().add_column("a.b", "int")
    (change,) = changes_of(update().add_column(("a.b",), "int"))
    assert change["name"] == "a.b"
    assert "parent" not in change
    for wrong in (7, (), ("a", 7)):
        with pytest.raises(InvalidInputError, match="path: expected a str"):
            update().delete_column(wrong)


def test_changes_are_handed_over_at_the_end_of_a_block_and_only_then():
    handed: list[str] = []
    with UpdateSchema(handed.append, format_version=2) as changes:
        changes.add_column("a", "int")
        assert handed == []
    assert len(handed) == 1
    with UpdateSchema(handed.append, format_version=2):
        pass
    changes = UpdateSchema(handed.append, format_version=2).add_column("b", "int")
    with pytest.raises(KeyError), changes:
        raise KeyError
    assert len(handed) == 1
    changes.commit()
    changes.commit()
    assert [json.loads(each)["changes"][0]["name"] for each in handed] == ["a", "b"]


def test_options_are_kept():
    document = json.loads(update(allow_incompatible_changes=True, case_sensitive=False).changes_json())
    assert document == {"changes": [], "allow-incompatible": True, "case-sensitive": False}
    with pytest.raises(InvalidInputError, match="case_sensitive: expected a bool"):
        update(case_sensitive="no")


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (float("-inf"), "-Infinity"),
        (float("nan"), "NaN"),
        (decimal.Decimal("1E+2"), "100"),
        (dt.date(2020, 2, 29), "2020-02-29"),
        (dt.time(1, 2, 3, 4), "01:02:03.000004"),
        (dt.datetime(2020, 1, 1), "2020-01-01T00:00:00.000000"),  # noqa: DTZ001
        (
            dt.datetime(2020, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            "2019-12-31T23:00:00.000000+00:00",
        ),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (b"\x00\xff", "00ff"),
        ({}, {}),
    ],
)
def test_defaults_are_written_as_the_specification_has_them(value, written):
    assert default_json(value) == written


def test_what_is_no_default_is_told():
    with pytest.raises(InvalidInputError, match="default_value: expected a value"):
        default_json(object())
