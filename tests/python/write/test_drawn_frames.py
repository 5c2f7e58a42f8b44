"""Rows of any library go through every write of both formats, and what is read are their plain values.

`FLOEBERG_FRAMES=2000` tries so many seeds of each library, others than without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from drawn_frames import FORMS, drawn_type, drawn_values, laid_out

SEEDS = int(os.environ.get("FLOEBERG_FRAMES", "0"))
NO_MAPS = ("polars", "pandas")
"""Libraries without maps."""


class Drawn:
    """A table of plain rows, and rows for it in a form of some library."""

    def __init__(self, form: str, seed: int) -> None:
        random = self.random = Random(f"{form} {seed}")
        self.form = FORMS[form]
        self.kind = drawn_type(random, 3, maps=form not in NO_MAPS)
        self.schema = pa.schema([pa.field("id", pa.int64()), pa.field("c", self.kind)])
        self.old = self.rows(0, random.randint(0, 4))
        self.new = self.rows(random.randint(0, 3), random.randint(0, 4))

    def rows(self, first: int, number: int) -> dict[int, Any]:
        values = drawn_values(self.random, self.kind, number)
        # As Arrow gives them back.
        return dict(enumerate(pa.array(values, self.kind).to_pylist(), first))

    def plain(self, rows: dict[int, Any]) -> pa.Table:
        columns = [pa.array(list(rows), pa.int64()), pa.array(list(rows.values()), self.kind)]
        return pa.Table.from_arrays(columns, schema=self.schema)

    def frame(self, **more: Any) -> Any:
        rows = self.plain(self.new)
        for name, values in more.items():
            rows = rows.append_column(name, values)
        return self.form(rows, self.random)

    def chosen(self, batch: pa.RecordBatch) -> pa.Array:
        values = pa.array([self.new.get(each) for each in batch["id"].to_pylist()], self.kind)
        return laid_out(values, self.random)


def append(table: Any, drawn: Drawn) -> dict[int, Any]:
    table.delete("id IS NOT NULL")
    table.append(drawn.frame())
    return drawn.new


def overwrite(table: Any, drawn: Drawn) -> dict[int, Any]:
    table.overwrite(drawn.frame())
    return drawn.new


def receipts(table: Any, drawn: Drawn) -> dict[int, Any]:
    is_lance = isinstance(table, fb.LanceTable)
    recipe = table.write_recipe()
    receipt = recipe.write(drawn.frame()) if is_lance else recipe.write(drawn.frame(), task="0")
    table.commit_receipts([receipt], mode="overwrite")
    return drawn.new


def upsert(table: Any, drawn: Drawn) -> dict[int, Any]:
    table.upsert(drawn.frame(), ["id"])
    return {**drawn.old, **drawn.new}


def merge(table: Any, drawn: Drawn) -> dict[int, Any]:
    merge = table.merge(drawn.frame(), on="id").when_matched_update_all()
    merge.when_not_matched_insert_all().execute()
    return {**drawn.old, **drawn.new}


def apply_changes(table: Any, drawn: Drawn) -> dict[int, Any]:
    number = len(drawn.new)
    changes = drawn.frame(op=pa.array(["update"] * number, pa.string()), at=pa.array(range(number)))
    if isinstance(changes, list) and not changes:
        # Without a dict nothing says which columns there are.
        return drawn.old
    table.apply_changes(changes, keys=["id"], operation="op", order_by="at")
    return {**drawn.old, **drawn.new}


def update(table: Any, drawn: Drawn) -> dict[int, Any]:
    table.update({"c": drawn.chosen}, "id IS NOT NULL")
    return {each: drawn.new.get(each) for each in drawn.old}


def create(table: Any, drawn: Drawn) -> dict[int, Any]:
    frame = drawn.frame()
    made = fb.lance.create_table(f"{table.location}-made", frame)
    # What it was made of goes into it again, in another layout; objects of pandas without a value have no type.
    has_types = "null" not in str(made.scan().to_arrow().schema.types)
    made.append(drawn.frame() if has_types else frame)
    found = made.scan().to_arrow()
    assert found["id"].to_pylist() == list(drawn.new) * 2
    assert found["c"].to_pylist() == list(drawn.new.values()) * 2
    return drawn.old


def add_columns(table: Any, drawn: Drawn) -> dict[int, Any]:
    rows = drawn.plain(drawn.new)
    made = fb.lance.create_table(f"{table.location}-added", rows.select(["id"]))
    made.add_columns(drawn.form(rows.select(["c"]), drawn.random))
    found = made.scan().to_arrow()
    assert dict(zip(found["id"].to_pylist(), found["c"].to_pylist(), strict=True)) == drawn.new
    return drawn.old


WRITES = [append, overwrite, receipts, upsert, merge, apply_changes, update]
OF_LANCE = [create, add_columns]


def tables(tmp_path: Any, drawn: Drawn) -> Iterator[tuple[Any, Callable[[Any, Drawn], dict[int, Any]]]]:
    catalog = fb.load_catalog(f"frames-{tmp_path.name}", type="memory")
    catalog.create_namespace("db")
    # Dicts have no columns of their own, and a list is one of fields where columns are added.
    of_lance = [] if drawn.form is FORMS["dicts"] else OF_LANCE
    for number, write in enumerate([*WRITES, *of_lance]):
        if write in WRITES:
            table = catalog.create_table(f"db.t{number}", drawn.schema)
            table.append(drawn.plain(drawn.old))
            yield table, write
        yield fb.lance.create_table(f"{tmp_path}/t{number}.lance", drawn.plain(drawn.old)), write


@pytest.mark.parametrize("seed", range(1000, 1000 + SEEDS) if SEEDS else range(6))
@pytest.mark.parametrize("form", FORMS)
def test_rows_of_any_library_are_written_as_they_are(tmp_path, form, seed):
    drawn = Drawn(form, seed)
    for table, write in tables(tmp_path, drawn):
        what = f"{write.__name__} of {type(table).__name__}, {drawn.kind}, {drawn.new}"
        try:
            expected = write(table, drawn)
        except fb.FloebergError as error:
            raise AssertionError(what) from error
        found = table.scan().to_arrow().select(["id", "c"]).to_pylist()
        assert {each["id"]: each["c"] for each in found} == expected, what
        assert len(found) == len(expected), what
