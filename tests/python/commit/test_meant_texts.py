"""A text that reads as an expression of columns is not written as words: the error says how to write either."""

from __future__ import annotations

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError

SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "name": pa.string(),
        "other": pa.string(),
        "n": pa.int64(),
        "s": pa.struct({"z": pa.string()}),
    }
)
ROWS = pa.table(
    {"id": [1, 2], "name": ["a", "b"], "other": ["c", "d"], "n": [1, 2], "s": [{"z": "x"}, {"z": "y"}]},
    SCHEMA,
)
SOURCE = pa.table({"id": [2, 3], "name": ["new", "newer"], "fresh": ["f", "g"]})
MEANT = [
    "source.name",
    "target.name",
    "source.nope",
    "name",
    "upper(name)",
    "name || other",
    "n / 100",
    "CASE WHEN id > 1 THEN name END",
]
WORDS = [
    "source of truth",
    "x",
    "two words",
    "it's",
    "42",
    "2026-01-01",
    "now()",
    "name!",
    "name other",
    "name, other",
    "a - b",
    "",
]
CHANGES = {
    "update": lambda table, text: table.update({"name": text}, "id = 2"),
    "matched": lambda table, text: table.merge(SOURCE, on="id").when_matched_update({"name": text}).execute(),
    "by source": lambda table, text: (
        table.merge(SOURCE.slice(1), on="id")
        .when_not_matched_by_source_update({"name": text}, "target.id = 2")
        .execute()
    ),
}


def made(kind: str, tmp_path):
    if kind == "lance":
        return fb.lance.create_table(str(tmp_path / "t.lance"), ROWS)
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA)
    table.append(ROWS)
    return table


def name_of_two(table) -> str:
    return dict(zip(*table.scan().to_arrow().select(["id", "name"]).to_pydict().values(), strict=True))[2]


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_a_text_that_may_be_meant_as_an_expression_is_refused(tmp_path, kind):
    table = made(kind, tmp_path)
    for text in MEANT:
        for change in CHANGES.values():
            with pytest.raises(InvalidInputError, match=r"fb\.sql_expr.*fb\.lit"):
                change(table, text)
    with pytest.raises(InvalidInputError, match=r"fb\.col\('source\.name'\)"):
        CHANGES["matched"](table, "source.name")
    # A column of the source alone, in merges.
    with pytest.raises(InvalidInputError, match=r"fb\.col\('fresh'\)"):
        CHANGES["matched"](table, "fresh")
    insert = table.merge(SOURCE, on="id").when_not_matched_insert(
        {"id": fb.col("source.id"), "name": "source.name"}
    )
    with pytest.raises(InvalidInputError, match="fb.lit"):
        insert.execute()
    with pytest.raises(InvalidInputError, match="fb.lit"):
        table.update({"s": {"z": "source.name"}})
    assert table.refresh().scan().to_arrow().sort_by("id") == ROWS


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_words_are_written_and_lit_writes_any_text(tmp_path, kind):
    table = made(kind, tmp_path)
    for text in WORDS:
        table.update({"name": text}, "id = 2")
        assert name_of_two(table) == text
    for text in MEANT:
        CHANGES["matched"](table, fb.lit(text))
        assert name_of_two(table) == text
    CHANGES["matched"](table, fb.col("source.name"))
    assert name_of_two(table) == "new"


@pytest.mark.parametrize("kind", ["iceberg", "lance"])
def test_a_text_for_a_number_offers_an_expression(tmp_path, kind):
    table = made(kind, tmp_path)
    for text in ("n + 1", "n", "source.id", "seven"):
        with pytest.raises(InvalidInputError, match=r"fb\.sql_expr"):
            table.update({"n": text})
        with pytest.raises(InvalidInputError, match=r"fb\.sql_expr"):
            table.merge(SOURCE, on="id").when_matched_update({"n": text}).execute()


def test_new_columns_of_lance_tables_take_no_expressions_as_texts(tmp_path):
    table = made("lance", tmp_path)
    with pytest.raises(InvalidInputError, match="fb.lit"):
        table.add_columns({"more": "n + 1"})
    table.add_columns({"more": fb.col("n") + 1, "text": fb.lit("n + 1"), "words": "plain words"})
    found = table.scan().to_arrow().sort_by("id").to_pydict()
    assert (found["more"], found["text"], found["words"]) == ([2, 3], ["n + 1"] * 2, ["plain words"] * 2)
