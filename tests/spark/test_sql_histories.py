"""Random DELETE, UPDATE, MERGE INTO and INSERT: the rows are those of a model in plain Python."""

from __future__ import annotations

import random

import pytest
from pyspark.sql.types import StructType

import floeberg as fb
import floeberg.spark
from floeberg.errors import InvalidInputError
from floeberg.spark.read.types import spark_struct
from row_model import (
    Shape,
    Twice,
    clauses,
    compared,
    condition,
    constant,
    merge_locally,
    merged,
    quoted,
    shown,
)
from tiers import seeds

SHAPES = range(30)
STEPS = 3
TWICE = "more than one row of the source matches a row of the table"


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path_factory.mktemp("lake")))
    catalog.create_namespace("db")
    return catalog


class History:
    """A table, and the rows that it must have."""

    def __init__(self, spark, lake, seed):
        self.spark, self.lake, self.draw = spark, lake, random.Random(seed)
        self.shape, self.name = Shape.drawn(self.draw), f"db.t{seed}"
        modes = {f"write.{each}.mode": self.shape.mode for each in ("delete", "update", "merge")}
        self.table = lake.create_table(
            self.name,
            self.shape.schema,
            partition_spec=self.shape.spec,
            format_version=self.shape.version,
            properties=modes,
        )
        self.next, self.locally = 0, None
        self.rows, self.told = [], [repr(self.shape)]
        for _ in range(2):
            new = self.drawn_rows(self.draw.randint(0, 6))
            self.rows += new
            if new:
                self.table.append(self.shape.table(new))

    def drawn_rows(self, count):
        self.next += count
        return [self.shape.row(self.draw, self.next - count + at) for at in range(count)]

    def sql(self, text):
        return floeberg.spark.sql(self.spark, text, catalog=self.lake)

    def view(self, rows):
        kinds: StructType = spark_struct(self.table.schema().fields, truncate_nanoseconds=False)
        self.spark.createDataFrame(self.shape.table(rows), kinds).createOrReplaceTempView("feed")

    def step(self):
        """Runs a random statement, and returns its text and the rows that it must leave."""
        draw, shape, self.locally = self.draw, self.shape, None
        kind = draw.choice(("DELETE", "UPDATE", "MERGE", "MERGE", "INSERT", "OVERWRITE"))
        if kind == "MERGE":
            return self.merge()
        if kind in {"INSERT", "OVERWRITE"}:
            new = self.drawn_rows(3)
            self.view(new)
            word = "INTO" if kind == "INSERT" else "OVERWRITE"
            text = f"INSERT {word} {self.name} SELECT * FROM feed"
            return text, new if kind == "OVERWRITE" else [*self.rows, *new]
        which = condition(draw, shape.kinds)
        text = which.text + draw.choice(("", f" AND abs({quoted('id')}) >= 0"))
        if kind == "DELETE":
            return (
                f"DELETE FROM {self.name} WHERE {text}",
                [row for row in self.rows if which.holds(row, {}) is not True],
            )
        name = draw.choice([each for each in shape.kinds if each != "id"])
        new_text, value = constant(draw, shape, name)
        return (
            f"UPDATE {self.name} AS t SET t.{quoted(name)} = {new_text} WHERE {text}",
            [row | {name: value(row, {})} if which.holds(row, {}) is True else row for row in self.rows],
        )

    def merge_locally(self):
        """The rows that the same merge by the method of a table leaves, or its error."""
        key, source, listed = self.locally
        twin = self.lake.create_table(f"{self.name}_{self.next}_{len(self.told)}", self.shape.schema)
        if self.rows:
            twin.append(self.shape.table(self.rows))
        try:
            merge_locally(twin, key, self.shape.table(source), listed, self.shape.kinds)
        except InvalidInputError as error:
            return error.message.partition(":")[0]
        return twin.scan().to_arrow().to_pylist()

    def merge(self):
        draw, shape = self.draw, self.shape
        own = [dict(each) for each in draw.sample(self.rows, min(len(self.rows), draw.randint(0, 3)))]
        source = [*own, *self.drawn_rows(draw.randint(0, 3))]
        self.view(source)
        key = draw.choice(("id", "id", shape.key))
        extra = condition(draw, shape.kinds, "t.", 1) if draw.random() < 0.4 else None
        sign = draw.choice(("=", "<=>"))
        text = f"t.{quoted(key)} {sign} s.{quoted(key)}" + ("" if extra is None else f" AND {extra.text}")

        def on(row, other):
            equal = compared(row[key], "=", other[key])
            if sign == "<=>":
                equal = row[key] is other[key] is None if equal is None else equal
            return bool(equal) and (extra is None or extra.holds(row, other) is True)

        listed = clauses(draw, shape)
        self.locally = (key, source, listed) if sign == "=" and extra is None else None
        statement = f"MERGE INTO {self.name} t USING feed s -- the changes\nON {text}\n" + "\n".join(
            each.text() for each in listed
        )
        try:
            return statement, merged(self.rows, source, on, listed)
        except Twice:
            return statement, None


@pytest.mark.parametrize("seed", seeds(SHAPES, 10))
def test_statements_leave_the_rows_of_the_model(spark, lake, seed):
    history = History(spark, lake, seed)
    told = history.told
    for _ in range(STEPS):
        text, left = history.step()
        told.append(text)
        if history.locally is not None:
            by_methods = history.merge_locally()
            expected = TWICE if left is None else shown(left)
            assert (by_methods if isinstance(by_methods, str) else shown(by_methods)) == expected, "\n".join(
                told
            )
        if left is None:
            with pytest.raises(InvalidInputError, match=TWICE):
                history.sql(text)
        else:
            history.sql(text)
            history.rows = left
        found = history.table.refresh().scan().to_arrow().to_pylist()
        assert shown(found) == shown(history.rows), "\n".join(told)
        if history.shape.version == 3:
            ids = history.table.scan(selected_fields=("_row_id",)).to_arrow()["_row_id"].to_pylist()
            assert len(set(ids)) == len(ids)
