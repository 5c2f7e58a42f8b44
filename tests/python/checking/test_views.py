"""Violations that are planted in the metadata of views are found, each by its own rule and no other."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import floeberg as fb
from checking.found import plant
from conformance_checking.test_metadata_rules import removing, setting
from corpus import lent

Json = dict[str, Any]


def in_version(change: Any) -> Any:
    """A change of the first version."""
    return lambda view: change(view["versions"][0])


def in_sql(change: Any) -> Any:
    """A change of its first representation."""
    return in_version(lambda version: change(version["representations"][0]))


VIEWS = [
    plant("required-field", "view-uuid", 1, removing("view-uuid")),
    plant("required-field", "default-namespace", 1, in_version(removing("default-namespace"))),
    plant("field-type", "summary", 1, in_version(setting("summary", {"a": 1}))),
    plant("format-version", "format-version", 1, setting("format-version", 2)),
    plant("table-uuid", "view-uuid", 1, setting("view-uuid", "me")),
    plant(
        "view-version-unique",
        "versions[",
        1,
        lambda view: view["versions"].append(copy.deepcopy(view["versions"][0])),
    ),
    plant("view-current-version", "current-version-id", 1, setting("current-version-id", 99)),
    plant("view-schema", "schema-id", 1, in_version(setting("schema-id", 99))),
    plant("view-representation", "representations[0]", 1, in_sql(removing("sql"))),
    plant("view-representation", "representations", 1, in_version(setting("representations", []))),
    plant(
        "view-dialect-once",
        "representations[",
        1,
        in_version(
            lambda version: version["representations"].append(copy.deepcopy(version["representations"][0]))
        ),
    ),
    plant("view-log-end", "version-log", 1, lambda view: view["version-log"].pop()),
    plant(
        "view-log-order",
        "version-log[",
        1,
        lambda view: view["version-log"][0].update(
            {"timestamp-ms": view["version-log"][-1]["timestamp-ms"] + 10_000_000}
        ),
    ),
    plant(
        "field-id-unique",
        "fields[1]",
        1,
        lambda view: view["schemas"][0]["fields"].append(
            copy.deepcopy(view["schemas"][0]["fields"][0]) | {"name": "other"}
        ),
    ),
    plant(
        "type-known",
        "fields[0].type",
        1,
        lambda view: view["schemas"][0]["fields"][0].update({"type": "text"}),
    ),
]


@pytest.fixture
def sound_view(tmp_path: Path) -> Path:
    """The metadata file of a view of two versions."""
    catalog = fb.load_catalog("views", type="sql", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("db")
    schema = fb.schema.Schema(fb.types.NestedField(1, "id", fb.types.LongType(), required=False))
    view = catalog.create_view("db.v", schema, sql={"spark": "SELECT 1 AS id"})
    view.replace_version(schema, sql={"spark": "SELECT 2 AS id"})
    return Path(catalog.load_view("db.v").metadata_location.removeprefix("file://"))


@pytest.mark.parametrize("planted", VIEWS)
def test_a_violation_in_a_view_is_found(sound_view, planted):
    view = json.loads(gzip.decompress(sound_view.read_bytes()))
    if planted.where == "fields[1]":
        view["schemas"] = view["schemas"][:1]
    planted.change(view)
    sound_view.write_text(json.dumps(view))
    found = list(fb.check(sound_view))
    assert {each.rule.id for each in found} == {planted.rule}, "\n".join(map(str, found))
    assert any(planted.where in each.part for each in found), "\n".join(map(str, found))


def test_a_sound_view_has_no_finding(sound_view):
    assert fb.check(sound_view).is_sound()
    view = fb.open_view(lent("view").folder / "table")
    assert list(view.check()) == []
