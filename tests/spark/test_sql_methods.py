"""Random tables: statements and writes in Spark leave the rows that the methods of a table leave on an equal one."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from pyspark.sql.types import StructType

import floeberg as fb
import floeberg.spark
from floeberg.expressions import AlwaysTrue, In
from floeberg.spark.read.types import spark_struct
from row_model import VALUES, Shape, compared, condition, constant, quoted, shown
from tiers import seeds

SHAPES = range(30)


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path_factory.mktemp("lake")))
    catalog.create_namespace("db")
    return catalog


class Twins:
    """Two equal tables: Spark changes one of them, and methods the other."""

    def __init__(self, spark, lake, seed):
        self.spark, self.lake, self.draw = spark, lake, random.Random(seed)
        self.shape, self.name, self.next = Shape.drawn(self.draw), f"db.t{seed}", 0
        modes = {f"write.{each}.mode": self.shape.mode for each in ("delete", "update", "merge")}
        self.table, self.twin = (
            lake.create_table(
                name,
                self.shape.schema,
                partition_spec=self.shape.spec,
                format_version=self.shape.version,
                properties=modes,
            )
            for name in (self.name, f"{self.name}_twin")
        )
        self.told = [repr(self.shape)]
        for _ in range(2):
            new = self.shape.table(self.drawn_rows(self.draw.randint(1, 6)))
            self.table.append(new)
            self.twin.append(new)

    def drawn_rows(self, count):
        self.next += count
        return [self.shape.row(self.draw, self.next - count + at) for at in range(count)]

    def rows(self):
        return self.twin.refresh().scan().to_arrow().to_pylist()

    def sql(self, text):
        self.told.append(text)
        floeberg.spark.sql(self.spark, text, catalog=self.lake)

    def frame(self, rows):
        kinds: StructType = spark_struct(self.table.schema().fields, truncate_nanoseconds=False)
        return self.spark.createDataFrame(self.shape.table(rows), kinds).repartition(2)

    def chosen(self):
        """A condition, and a filter of the rows for which it holds."""
        which = condition(self.draw, self.shape.kinds)
        more = self.draw.choice(("", f" AND abs({quoted('id')}) >= 0"))
        return which.text + more, In(
            "id", [each["id"] for each in self.rows() if which.holds(each, {}) is True]
        )

    def delete(self):
        text, chosen = self.chosen()
        self.twin.delete(chosen)
        self.sql(f"DELETE FROM {self.name} WHERE {text}")

    def update(self):
        text, chosen = self.chosen()
        name = self.draw.choice([each for each in self.shape.kinds if each != "id"])
        new, value = constant(self.draw, self.shape, name)
        kind = VALUES[self.shape.kinds[name]][0]
        self.twin.update({name: lambda batch: pa.array([value({}, {})] * batch.num_rows, kind)}, chosen)
        self.sql(f"UPDATE {self.name} SET {quoted(name)} = {new} WHERE {text}")

    def insert(self):
        new = self.drawn_rows(4)
        self.frame(new).createOrReplaceTempView("fed")
        names = ["id", *self.draw.sample(list(self.shape.kinds)[1:], 1)]
        self.twin.append(self.shape.table(new).select(names))
        listed = ", ".join(map(quoted, names))
        self.sql(f"INSERT INTO {self.name} ({listed}) SELECT {listed} FROM fed")

    def write(self):
        new = self.drawn_rows(4)
        mode = self.draw.choice(
            ("append", "overwrite", "overwrite", "dynamic" if self.shape.spec else "append")
        )
        how = {}
        if mode == "append":
            self.twin.append(self.shape.table(new))
        elif mode == "dynamic":
            self.twin.dynamic_partition_overwrite(self.shape.table(new))
        else:
            _, chosen = self.chosen()
            how = {"overwrite_filter": self.draw.choice((AlwaysTrue(), chosen))}
            self.twin.overwrite(self.shape.table(new), **how)
        self.told.append(f"write {mode} {how}")
        floeberg.spark.write(self.frame(new), self.table.refresh(), mode=mode, **how)

    def upsert(self):
        """Upserts rows with keys of the table, and others. Each key is there once in the table and in the rows."""
        rows, key = self.rows(), self.draw.choice(("id", self.shape.key))
        own = [row[key] for row in rows]
        if len(distinct(own)) < len(own):
            key, own = "id", [row["id"] for row in rows]
        new = [row | {key: value} for row, value in zip(self.drawn_rows(len(own)), own, strict=True)]
        new = self.draw.sample(new, min(len(new), 3)) + self.drawn_rows(2)
        keys = distinct([row[key] for row in new])
        new = [new[at] for at in keys]
        self.twin.upsert(self.shape.table(new), [key])
        self.told.append(f"upsert {new} by {key}")
        place = self.table.location()
        floeberg.spark.upsert_batches(place, [key], query_id="q")(self.frame(new), self.next)


def distinct(values):
    """The places of values that are not null, and equal none before them."""
    found = []
    for at, value in enumerate(values):
        if value is not None and not any(compared(value, "=", values[other]) for other in found):
            found.append(at)
    return found


STEPS = [Twins.delete, Twins.update, Twins.insert, Twins.write, Twins.upsert]


@pytest.mark.parametrize("seed", seeds(SHAPES, 10))
def test_spark_and_the_methods_of_a_table_leave_equal_rows(spark, lake, seed):
    twins = Twins(spark, lake, seed)
    # Every kind of step comes first and second, and after each of the others.
    first = seed % len(STEPS)
    for step in (STEPS[first], STEPS[(first + seed // len(STEPS)) % len(STEPS)]):
        step(twins)
        found = twins.table.refresh().scan().to_arrow().to_pylist()
        assert shown(found) == shown(twins.rows()), "\n".join(twins.told)
        if twins.shape.version == 3:
            ids = twins.table.scan(selected_fields=("_row_id",)).to_arrow()["_row_id"].to_pylist()
            assert len(set(ids)) == len(ids)
