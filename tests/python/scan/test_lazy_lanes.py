"""What DuckDB and polars read themselves of a table is what Floeberg reads, whatever became of the table.

Tables are drawn by a seed: rows of all types, files of older schemas and specs, and deletes. `FLOEBERG_PROPERTIES=500`
tries so many tables; without it there are a few.
"""

from __future__ import annotations

import datetime as dt
import math
import os
from collections import Counter
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID, uuid4

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import floeberg as fb
from floeberg import errors
from floeberg.scan import duckdb_views, polars_lanes
from floeberg.scan.engine_files import EngineFile, engine_files

SEEDS = range(int(os.environ.get("FLOEBERG_PROPERTIES", "0")) or 15)
NAN = math.nan
MOMENT = dt.datetime(2020, 2, 29, 12)  # noqa: DTZ001 - a column without a zone
ENGINES = ("in-memory", "streaming")

COLUMNS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "i": (pa.int32(), [-(2**31), -1, 0, 1, 2**31 - 1]),
    "l": (pa.int64(), [-(2**63), -1, 0, 1, 2**53 + 1, 2**63 - 1]),
    "f": (pa.float32(), [-math.inf, -1.5, -0.0, 0.0, 1.5, math.inf, NAN]),
    "d": (pa.float64(), [-math.inf, -1.1, -0.0, 0.0, 1.1, math.inf, NAN]),
    "m": (pa.decimal128(9, 2), [Decimal("-1.10"), Decimal("0.00"), Decimal("9999999.99")]),
    "h": (pa.decimal128(30, 3), [Decimal("-1.100"), Decimal("0.000"), Decimal(10**20)]),
    "s": (pa.string(), ["", "a", "a'b", "ä", "\U0001f600", "\uffff"]),
    "b": (pa.binary(), [b"", b"\x00", b"a\xff"]),
    "o": (pa.bool_(), [False, True]),
    "y": (
        pa.date32(),
        [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(2020, 2, 29), dt.date(9999, 12, 31)],
    ),
    "t": (pa.timestamp("us"), [MOMENT, dt.datetime(1969, 12, 31, 23, 59, 59, 999999)]),  # noqa: DTZ001
    "z": (pa.timestamp("us", "UTC"), [MOMENT.replace(tzinfo=dt.timezone.utc)]),
    "c": (pa.time64("us"), [dt.time(0), dt.time(23, 59, 59, 999999)]),
    "u": (pa.uuid(), [UUID(int=0), UUID(int=2**128 - 1)]),
    "x": (pa.binary(3), [b"abc", b"\x00\x00\x00"]),
    "g": (pa.list_(pa.field("element", pa.int64())), [[], [1, None], [2]]),
    "p": (pa.struct([("q", pa.int64()), ("r", pa.float64())]), [{"q": 1, "r": NAN}, {"q": None, "r": -0.0}]),
    "k": (pa.map_(pa.string(), pa.int64()), [[], [("a", 1), ("b", None)]]),
}
PLAIN = ["i", "l", "f", "d", "m", "h", "s", "o", "y", "t", "z"]
BY_TYPE = {
    "int": "i",
    "long": "l",
    "float": "f",
    "double": "d",
    "decimal(9, 2)": "m",
    "decimal(20, 2)": "m",
    "decimal(30, 3)": "h",
    "string": "s",
    "boolean": "o",
    "date": "y",
    "timestamp": "t",
    "timestamptz": "z",
}
TYPES = {"i": pl.Int32, "f": pl.Float32}
WIDER = {"i": "long", "f": "double", "m": "decimal(20, 2)"}


class Drawn:
    """A table that changes at random. Columns keep their letters as the first letter of their names."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.random = Random(seed)
        names = self.random.sample(list(COLUMNS), self.random.randint(3, 9))
        if not set(names) & set(PLAIN):
            names.append("l")
        self.names = {name: name for name in names}
        self.kinds = {name: COLUMNS[name][0] for name in names}
        self.next = 0
        catalog = fb.load_catalog(f"lanes {uuid4()}", type="memory", warehouse=str(folder))
        catalog.create_namespace("n")
        schema = pa.schema({"no": pa.int64(), **{name: COLUMNS[name][0] for name in names}})
        version = self.random.choice([2, 3])
        self.table = catalog.create_table(
            "n.t", schema, format_version=version, properties={"write.delete.mode": "merge-on-read"}
        )

    def append(self) -> None:
        count = self.random.randint(1, 6)
        few = self.random.random() < 0.4
        columns: dict[str, Any] = {"no": pa.array(range(self.next, self.next + count), pa.int64())}
        for letter, name in self.names.items():
            values = [*COLUMNS[letter][1], None]
            values = self.random.sample(values, min(2, len(values))) if few else values
            drawn = [self.random.choice(values) for _ in range(count)]
            if letter == "u":
                stored = pa.array([each and each.bytes for each in drawn], pa.binary(16))
                columns[name] = pa.ExtensionArray.from_storage(pa.uuid(), stored)
            else:
                columns[name] = pa.array(drawn, COLUMNS[letter][0])
        self.next += count
        self.table.append(pa.table(columns))

    def change(self) -> None:
        """One change of the schema, of the spec, or of the rows."""
        step = self.random.choice(["rename", "swap", "add", "drop", "widen", "delete", "delete", "partition"])
        letters = list(self.names)
        if step == "delete":
            self.table.delete(f"no % 5 = {self.random.randint(0, 4)}")
        elif step == "partition":
            self.change_spec([self.names[each] for each in letters if each in "ilsoy"])
        else:
            self.change_schema(step, letters)

    def change_spec(self, plain: list[str]) -> None:
        if plain:
            with self.table.update_spec() as spec:
                for field in self.table.spec().fields:
                    spec.remove_field(field.name)
                spec.add_field(self.random.choice(plain), self.random.choice(["identity", "bucket[2]"]))

    def change_schema(self, step: str, letters: list[str]) -> None:
        letter = self.random.choice(letters)
        name = self.names[letter]
        with self.table.update_schema() as update:
            if step == "rename":
                self.names[letter] = f"{letter}{self.next}"
                update.rename_column(name, self.names[letter])
            elif step == "swap" and len(letters) > 1:
                # A later column has the name that an earlier one had.
                other = self.random.choice([each for each in letters if each != letter])
                update.rename_column(name, "free").rename_column(self.names[other], name)
                update.rename_column("free", self.names[other])
                self.names[letter], self.names[other] = self.names[other], name
            elif step == "add":
                missing = [each for each in PLAIN if each not in self.names]
                if missing:
                    added = self.random.choice(missing)
                    self.names[added] = f"{added}_added"
                    update.add_column(self.names[added], COLUMNS[added][0])
            elif step == "drop" and len(set(letters) & set(PLAIN)) > 1:
                update.delete_column(name)
                del self.names[letter]
            elif step == "widen" and letter in WIDER:
                update.update_column(name, WIDER[letter])


def drawn(seed: int, folder: Path) -> fb.Table:
    table = Drawn(seed, folder)
    for _ in range(table.random.randint(1, 3)):
        table.append()
    for _ in range(table.random.randint(0, 5)):
        before = dict(table.names)
        try:
            table.change()
        except (errors.InvalidInputError, errors.UnsupportedError):
            # Partitions keep columns from being dropped or widened, and a type may have no such change.
            table.names = before
        names = {each.name for each in table.table.schema().fields}
        table.names = {letter: name for letter, name in table.names.items() if name in names}
        table.append()
    return table.table


def conditions(random: Random, table: fb.Table) -> list[tuple[str, pl.Expr]]:
    """Conditions of DuckDB and of polars, of the same columns."""
    found: list[tuple[str, pl.Expr]] = []
    for field in table.schema().fields:
        name, letter = field.name, BY_TYPE.get(str(field.field_type), "")
        column, quoted = pl.col(name), f'"{name}"'
        found.append((f"{quoted} IS NULL", column.is_null()))
        if not letter:
            continue
        value = random.choice(COLUMNS[letter][1])
        sql, word = random.choice(
            [
                ("=", "__eq__"),
                ("<>", "__ne__"),
                ("<", "__lt__"),
                ("<=", "__le__"),
                (">", "__gt__"),
                (">=", "__ge__"),
            ]
        )
        text = {
            "s": lambda value=value: "'" + value.replace("'", "''") + "'",
            "y": lambda value=value: f"'{value}'::DATE",
            "t": lambda value=value: f"'{value}'::TIMESTAMP",
            "z": lambda value=value: f"'{value}'::TIMESTAMPTZ",
            "f": lambda value=value: f"'{value}'::FLOAT",
            "d": lambda value=value: f"'{value}'::DOUBLE",
        }.get(letter, lambda value=value: str(value))()
        found.append((f"{quoted} {sql} {text}", getattr(column, word)(pl.lit(value, TYPES.get(letter)))))
    one, other = random.choice(found), random.choice(found)
    found.append((f"({one[0]}) AND ({other[0]})", one[1] & other[1]))
    found.append((f"({one[0]}) OR NOT ({other[0]})", one[1] | ~other[1]))
    return found


@pytest.fixture
def own_readers(monkeypatch):
    """Engines read small files too, and counts how files were read."""
    counts: Counter[str] = Counter()

    def counted(scan, plan, **how):
        found = engine_files(scan, plan, **how)
        counts.update("own" if isinstance(each, EngineFile) else each for each in found)
        return found

    for module in (duckdb_views, polars_lanes):
        monkeypatch.setattr(module, "LEAST_BYTES", 0)
        monkeypatch.setattr(module, "engine_files", counted)
    monkeypatch.setattr(polars_lanes, "MOST_PARTS", 1000)
    monkeypatch.setattr(polars_lanes, "finds_few_rows", lambda *_: False)
    return counts


def rows_of(relation: duckdb.DuckDBPyRelation) -> list[str]:
    """Rows as text, in which NaN equals NaN and the zeros differ."""
    return sorted(map(str, pa.table(relation).to_pylist()))


@pytest.mark.parametrize("seed", SEEDS)
def test_duckdb_finds_what_it_finds_in_its_own_table(seed, tmp_path, own_readers):
    table = drawn(seed, tmp_path)
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'America/New_York'")
        connection.register("given", table.scan().to_arrow())
        connection.execute("CREATE TABLE own AS SELECT * FROM given")
        table.scan().to_duckdb("scanned", connection)
        assert sum(own_readers.values()) == len(table.scan().plan_files())
        described = [connection.sql(f"DESCRIBE {name}").fetchall() for name in ("own", "scanned")]
        assert described[0] == described[1]
        queries = [f"SELECT * FROM {{}} WHERE {sql}" for sql, _ in conditions(Random(seed), table)]
        for query in ["SELECT * FROM {}", "SELECT no FROM {}", "SELECT count(*) FROM {}", *queries]:
            expected = rows_of(connection.sql(query.format("own")))
            assert rows_of(connection.sql(query.format("scanned"))) == expected, query


@pytest.mark.parametrize("seed", SEEDS)
def test_polars_finds_what_it_finds_in_a_frame_of_all_rows(seed, tmp_path, own_readers):
    table = drawn(seed, tmp_path)
    random = Random(seed)
    lazy, rows = table.scan().to_polars_lazy(), table.scan().to_polars()
    names = [each.name for each in table.schema().fields]
    assert dict(lazy.collect_schema()) == dict(rows.schema)
    for engine in ENGINES:
        assert_frame_equal(lazy.collect(engine=engine), rows, check_exact=True)
        for _, predicate in conditions(random, table):
            expected = rows.filter(predicate)
            assert_frame_equal(lazy.filter(predicate).collect(engine=engine), expected, check_exact=True)
            some = random.sample(names, random.randint(1, len(names)))
            found = lazy.filter(predicate).select(some).collect(engine=engine)
            assert_frame_equal(found, expected.select(some), check_exact=True)
            number = random.randint(0, 12)
            found = lazy.head(number).filter(predicate).collect(engine=engine)
            assert_frame_equal(found, rows.head(number).filter(predicate), check_exact=True)
        for name in names:
            # One column alone may be missing in some files.
            assert_frame_equal(lazy.select(name).collect(engine=engine), rows.select(name), check_exact=True)
        assert lazy.select(pl.len()).collect(engine=engine).item() == rows.height
    assert own_readers


def test_both_readers_are_tried_by_these_tables(tmp_path, own_readers):
    for seed in range(12):
        drawn(seed, tmp_path / str(seed)).scan().to_duckdb("v")
    assert own_readers["own"] > 20
    assert own_readers["rows of the file may be deleted"] > 5
