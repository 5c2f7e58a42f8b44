"""Names with odd characters: of folders, columns, tags, branches and settings."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import lance
import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidDataError, InvalidInputError

from .kit import check_same

FOLDERS = [
    "a b",
    "100%25",
    "x%20y",
    "été ☃ 表",
    "a#b",
    "q?x=1&y",
    "plus+and~tilde",
    "semi;colon,comma",
    "quote'\"s",
    "_h=1",
]
COLUMNS = [
    "a b",
    'q"uote',
    "it's",
    "back/tick",
    "Größe",
    "表",
    "😀",
    "select",
    "A",
    "a",
    "-",
    "%",
    "1st",
    " lead",
    "a,b",
    "{x}",
]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_table_may_be_in_any_folder(tmp_path: Path, name: str) -> None:
    place = tmp_path / name / f"t {name}"
    table = fb.lance.create_table(str(place), pa.table({"id": [1, 2, 3], "s": ["a", "b", "c"]}))
    assert (place / "_versions").is_dir()
    table.append(pa.table({"id": [4], "s": ["d"]}))
    table.delete("id = 1")
    table.update({"s": "x"}, "id = 2")
    table.add_columns({"n": fb.sql_expr("id + 1")})
    table.create_branch("b")
    branch = fb.open_table(place, branch="b")
    branch.append(pa.table({"id": [9]}))
    table.shallow_clone(str(tmp_path / f"clone {name}"))
    table.maintenance.compact()
    check_same(table)
    clone = fb.open_table(tmp_path / f"clone {name}")
    assert sorted(clone.scan().to_arrow()["id"].to_pylist()) == [2, 3, 4]
    # The files of others are found where they are.
    check_same(clone)
    table.maintenance.cleanup(older_than=timedelta(0))
    assert sorted(branch.refresh().scan().to_arrow()["id"].to_pylist()) == [2, 3, 4, 9]
    assert [fb.open_table(str(place) + "/").version] == table.version_numbers()[-1:]


def test_columns_may_have_any_names_but_dots(tmp_path: Path) -> None:
    # Backticks too, but pylance reads no table with them.
    data = pa.table({"id": [1, 2], **{name: [f"{name}1", f"{name}2"] for name in COLUMNS}})
    nested = pa.array([dict.fromkeys(COLUMNS, number) for number in (1, 2)])
    table = fb.lance.create_table(str(tmp_path / "t"), data.append_column("st uct", nested))
    table.append(data)
    table.delete("id = 2 AND `st uct` IS NULL")
    table.update(dict.fromkeys(COLUMNS, "new"), "id = 1 AND `st uct` IS NULL")
    table.upsert(data.slice(1), ["id"])
    table.add_columns({'more "x"': fb.col("a b")})
    table.rename_columns({"back/tick": "tick\\"})
    check_same(table)
    for name in [*COLUMNS, 'more "x"', "tick\\"]:
        if name == "back/tick":
            continue
        alone = table.scan().select(name).to_arrow()
        assert alone.column_names == [name]
        assert set(alone[name].to_pylist()) >= {"new"} or name.startswith("more"), name
    found = table.scan().select("st uct").to_arrow()["st uct"].to_pylist()
    assert {None if each is None else each["😀"] for each in found} == {1, 2, None}
    table.drop_columns(["tick\\", "it's", "😀"])
    table.maintenance.compact()
    check_same(table)


def test_names_of_tags_and_branches_are_those_of_pylance(tmp_path: Path) -> None:
    table = fb.lance.create_table(str(tmp_path / "t"), pa.table({"id": [1]}))
    for name in ("v1.0-rc_2", "0", "A", "Größe", "a.b"):
        table.create_tag(name)
    for name in ("x/y/z", "v1.0", "feature_1/é"):
        table.create_branch(name)
        assert fb.open_table(table.location, branch=name).scan().count() == 1
    dataset = check_same(table)
    # pylance makes tags of letters beyond ASCII and opens them, and fails to list them.
    dataset.tags.create("表", 1)
    dataset.create_branch("от/é")
    assert set(table.tags()) == {"v1.0-rc_2", "0", "A", "Größe", "a.b", "表"}
    for name in table.tags():
        assert fb.open_table(table.location, tag=name).version == 1
        assert lance.dataset(table.location, version=name).version == 1
    assert set(dataset.branches.list()) == set(table.branches()) == {"x/y/z", "v1.0", "feature_1/é", "от/é"}
    for name in table.branches():
        branch = fb.open_table(table.location, branch=name)
        branch.append(pa.table({"id": [2]}))
        assert dataset.checkout_version((name, None)).count_rows() == branch.scan().to_arrow().num_rows == 2
    table.append(pa.table({"id": [3]}))
    assert table.maintenance.cleanup(older_than=timedelta(0)).versions == []
    table.delete_tag("表")
    table.delete_branch("от/é")
    assert (set(table.tags()), len(table.branches())) == ({"v1.0-rc_2", "0", "A", "Größe", "a.b"}, 3)
    stray = Path(table.location, "_refs", "tags", "a b.json")
    stray.write_text("{}")
    with pytest.raises(InvalidInputError):
        table.tags()
    stray.rename(stray.with_name("a%zz.json"))
    with pytest.raises(InvalidDataError, match=r"a%zz\.json"):
        table.tags()
    stray.with_name("a%zz.json").unlink()
    for name in (
        "",
        ".",
        "..",
        "a..b",
        ".a",
        "a.",
        "a b",
        "a/b",
        "a\\b",
        "a%b",
        "x.lock",
        "a\n",
        "a\0",
        "main/",
    ):
        with pytest.raises(InvalidInputError):
            table.create_tag(name)
    for name in (
        "",
        "/",
        "a//b",
        "/a",
        "a/",
        "a/../b",
        "a b",
        "a\\b",
        "a%2Fb",
        "x.lock",
        "a/x.lock",
        "main",
        "a\0",
    ):
        with pytest.raises(InvalidInputError):
            table.create_branch(name)


def test_settings_may_be_any_text(tmp_path: Path) -> None:
    table = fb.lance.create_table(str(tmp_path / "t"), pa.table({"id": [1]}))
    with pytest.raises(InvalidInputError, match="not empty"):
        table.update_config({"": "x"})
    odd = {"a=b": "", "ключ": "значение", "new\nline": "\0", "😀": "x" * 100_000}
    table.update_config(odd)
    assert table.config == odd
    table.update_schema_metadata({'é"': "{}"})
    assert check_same(table).config() == odd
