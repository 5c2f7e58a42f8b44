"""Sources in a temporary file, with keys of every type: the rows are those of a model in Python."""

from __future__ import annotations

import math
import random
import tempfile
import uuid
from decimal import Context, Decimal

import pyarrow as pa
import pytest

import floeberg as fb

EXACT = Context(prec=40)


def number(rng):
    return rng.randint(-90, 90)


def text(rng):
    return rng.choice(["", "ß" * rng.randint(0, 90), f"k{number(rng)}"])


def decimal(precision, scale):
    large = 10**precision - 1

    def value(rng):
        return Decimal(rng.choice([number(rng), large, -large])).scaleb(-scale, EXACT)

    return pa.decimal128(precision, scale), value


def real(rng):
    return rng.choice([float("nan"), 0.0, -0.0, float("inf"), number(rng) / 4])


KINDS = {
    "int": (pa.int32(), number),
    "long": (pa.int64(), lambda rng: rng.choice([number(rng), 2**63 - 1, -(2**63)])),
    "bool": (pa.bool_(), lambda rng: rng.random() < 0.5),
    "string": (pa.string(), text),
    "binary": (pa.binary(), lambda rng: text(rng).encode() + bytes(rng.randint(0, 2))),
    "fixed": (pa.binary(3), lambda rng: bytes([0, rng.randint(0, 9), rng.randint(0, 9)])),
    "fixed of 16": (pa.binary(16), lambda rng: bytes(15) + bytes([rng.randint(0, 90)])),
    "uuid": (pa.uuid(), lambda rng: uuid.UUID(int=rng.randint(0, 90)).bytes),
    "decimal of 4 bytes": decimal(9, 2),
    "decimal of 8 bytes": decimal(18, 5),
    "decimal of 16 bytes": decimal(38, 10),
    "date": (pa.date32(), number),
    "time": (pa.time64("us"), lambda rng: rng.randint(0, 90)),
    "timestamp": (pa.timestamp("us"), number),
    "timestamptz": (pa.timestamp("us", "UTC"), number),
    "timestamp_ns": (pa.timestamp("ns"), number),
    "timestamptz_ns": (pa.timestamp("ns", "UTC"), number),
    "float": (pa.float32(), real),
    "double": (pa.float64(), real),
}
NESTED = pa.struct([("a", pa.int32()), ("b", pa.list_(pa.struct([("c", pa.string())])))])
VALUES = pa.schema([("v", pa.int64()), ("note", pa.string()), ("nested", NESTED)])


@pytest.fixture(autouse=True)
def made_files(monkeypatch):
    """The temporary files that were made, while little fits into memory."""
    made, make = [], tempfile.TemporaryFile
    monkeypatch.setattr(tempfile, "TemporaryFile", lambda **more: made.append(more) or make(**more))
    monkeypatch.setenv("FLOEBERG_MEMORY", "32K")
    return made


def values(rng):
    nested = {
        "a": rng.choice([None, 1, 2]),
        "b": rng.choice([None, [], [None, {"c": rng.choice([None, "x", "y"])}]]),
    }
    note = rng.choice([None, "", "n" * 2000])
    return {"v": rng.choice([None, 0, 1, 2]), "note": note, "nested": rng.choice([None, nested])}


def stored(found, kind):
    """An array of values of the storage of a type."""
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(found, kind.storage_type))
    return pa.array(found, kind)


def table_of(rows, schema):
    arrays = [stored([row[field.name] for row in rows], field.type) for field in schema]
    return pa.table(arrays, schema=schema)


def stream(rows, schema):
    batches = table_of(rows, schema).to_batches(max_chunksize=37)
    return pa.RecordBatchReader.from_batches(schema, batches)


def same(value):
    """What a key is compared by: NaN is NaN, and -0.0 is 0.0."""
    return (
        "nan"
        if isinstance(value, float) and math.isnan(value)
        else value + 0.0
        if isinstance(value, float)
        else value
    )


def written(rows, schema):
    """The rows as text, sorted: NaN is itself, and -0.0 is not 0.0."""
    found = table_of(rows, schema) if isinstance(rows, list) else rows
    columns = [
        column.combine_chunks().storage if isinstance(column.type, pa.BaseExtensionType) else column
        for column in found.select(schema.names).columns
    ]
    return sorted(map(repr, zip(*(column.to_pylist() for column in columns), strict=True)))


class Model:
    """A table, and its rows by the model."""

    def __init__(self, folder, kinds, rng, *, has_nulls):
        self.kinds, self.rng, self.has_nulls = kinds, rng, has_nulls
        self.keys = [f"key{number}" for number in range(len(kinds))]
        keys = [pa.field(name, KINDS[kind][0]) for name, kind in zip(self.keys, kinds, strict=True)]
        self.schema = pa.schema([*keys, *VALUES])
        catalog = fb.load_catalog("c", type="filesystem", warehouse=str(folder))
        catalog.create_namespace("ns")
        self.table = catalog.create_table("ns.t", self.schema, format_version=3)
        self.rows = self.distinct(120)
        self.table.append(table_of(self.rows, self.schema))

    def key(self, row):
        return tuple(same(row[name]) for name in self.keys)

    def row(self):
        is_null = self.has_nulls and self.rng.random() < 0.1
        keys = [None if is_null else KINDS[kind][1](self.rng) for kind in self.kinds]
        return dict(zip(self.keys, keys, strict=True)) | values(self.rng)

    def distinct(self, many):
        return list({self.key(row): row for row in (self.row() for _ in range(many))}.values())

    def source(self):
        """Rows with distinct keys, of which some are those of the table."""
        known = self.rng.sample(self.rows, len(self.rows) // 3)
        return list({self.key(row): row for row in [*self.distinct(150), *known]}.values())

    def check(self, expected):
        assert written(self.table.scan().to_arrow(), self.schema) == written(expected, self.schema)
        self.rows = expected

    def upsert(self):
        source = self.source()
        by_key = {self.key(row): row for row in self.rows}
        new = {self.key(row): row for row in source}
        nulls = "equal" if self.has_nulls else "error"
        done = self.table.upsert(stream(source, self.schema), self.keys, null_keys=nulls)
        assert done.rows_inserted == len(new.keys() - by_key.keys())
        assert done.rows_updated == sum(
            self.differs(by_key[key], new[key]) for key in by_key.keys() & new.keys()
        )
        self.check(list((by_key | new).values()))

    def differs(self, one, other):
        return written([one], self.schema) != written([other], self.schema)

    def merge(self):
        source = self.source()
        merge = self.table.merge(stream(source, self.schema), on=self.keys)
        merge = merge.when_matched_delete("source.v = 1").when_matched_update_all()
        merge.when_not_matched_insert_all("source.v > 0").when_not_matched_by_source_update(
            {"v": 7}
        ).execute()
        # In SQL null equals nothing.
        new = {self.key(row): row for row in source if None not in self.key(row)}
        known = {self.key(row) for row in self.rows} & new.keys()
        expected = [row for row in source if self.key(row) not in known and (row["v"] or 0) > 0]
        for row in self.rows:
            found = new.get(self.key(row))
            if found is None:
                expected.append(row | {"v": 7})
            elif found["v"] != 1:
                expected.append(found)
        self.check(expected)
        # Null keys are there several times now.
        self.table.delete(f"{self.keys[0]} IS NULL")
        self.check([row for row in expected if row[self.keys[0]] is not None])

    def feed(self, mode):
        schema = self.schema.append(pa.field("op", pa.string())).append(pa.field("at", pa.int64()))
        known = [self.row() for _ in range(60)] + self.rng.sample(self.rows, len(self.rows) // 4)
        words = ["insert", "update", "delete"]
        changes = [
            self.rng.choice(known) | values(self.rng) | {"op": self.rng.choice(words), "at": at}
            for at in range(200)
        ]
        last = {self.key(change): change for change in changes}
        self.rng.shuffle(changes)
        self.table.apply_changes(
            stream(changes, schema),
            keys=self.keys,
            operation="op",
            order_by="at",
            null_keys="equal" if self.has_nulls else "error",
            mode=mode,
        )
        rows = [row for row in self.rows if self.key(row) not in last]
        self.check(rows + [row for row in last.values() if row["op"] != "delete"])


@pytest.mark.parametrize("has_nulls", [False, True])
@pytest.mark.parametrize(
    "kinds", [(name,) for name in KINDS] + [("string", "decimal of 16 bytes"), ("double", "bool", "uuid")]
)
def test_the_rows_are_those_of_a_model(tmp_path, made_files, kinds, has_nulls):
    rng = random.Random(f"{kinds}{has_nulls}")
    model = Model(tmp_path, kinds, rng, has_nulls=has_nulls)
    model.upsert()
    model.feed("merge-on-read")
    model.merge()
    if not {"float", "double"} & set(kinds):
        # Floats are no keys of equality deletes.
        model.feed("equality")
    assert made_files
