"""Spark with Floeberg, and Spark with Iceberg's jar, change rows of the same tables in turn by the same statements.

Both read the same rows after each turn, and those of a model. In format version 3 rows keep their ids, whoever changes
them, and only rows that were changed say so.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest

import floeberg as fb
import floeberg.spark

pytestmark = pytest.mark.timeout(1800)

COLUMNS = "id, city, pieces, CAST(price AS STRING) AS price, CAST(at AS STRING) AS at"
LINEAGE = "_row_id, _last_updated_sequence_number"


@dataclass(frozen=True)
class Row:
    """What a row has besides its id."""

    city: str
    pieces: int | None
    price: Decimal
    day: int

    def written(self, id_: int) -> tuple[Any, ...]:
        """It as both read it."""
        at = datetime.datetime(2026, 1, 1) + datetime.timedelta(days=self.day)  # noqa: DTZ001 - as a text
        return id_, self.city, self.pieces, str(self.price), str(at)


def new(id_: int, city: str = "c") -> Row:
    """A row that is inserted."""
    return Row(f"{city}{id_ % 5}", None if id_ % 7 == 0 else id_, Decimal(id_) / 4 + Decimal("0.00"), id_ % 4)


def inserted(first: int, end: int, table: str = "lake.ns.t") -> str:
    """A statement that inserts rows of `new`."""
    return (
        f"INSERT INTO {table} SELECT CAST(id AS INT), concat('c', id % 5), "
        "IF(id % 7 = 0, NULL, CAST(id AS INT)), CAST(id / 4.0 AS DECIMAL(9, 2)), "
        f"TIMESTAMP '2026-01-01 00:00:00' + make_dt_interval(CAST(id % 4 AS INT)) FROM range({first}, {end})"
    )


def merged(turn: int, table: str = "lake.ns.t") -> str:
    """A statement that deletes, updates and inserts rows whose ids depend on the turn."""
    return (
        f"MERGE INTO {table} t USING (SELECT CAST(id AS INT) AS id FROM range({10 * turn}, {10 * turn + 90}, 3)) s "
        f"ON t.id = s.id WHEN MATCHED AND s.id % 4 = {turn % 4} THEN DELETE "
        f"WHEN MATCHED AND t.city <> 'c1' THEN UPDATE SET city = concat('m', {turn}), pieces = s.id + {turn} "
        "WHEN NOT MATCHED THEN INSERT (id, city, pieces, price, at) VALUES (s.id, concat('n', s.id % 5), "
        "IF(s.id % 7 = 0, NULL, s.id), CAST(s.id / 4.0 AS DECIMAL(9, 2)), "
        "TIMESTAMP '2026-01-01 00:00:00' + make_dt_interval(s.id % 4))"
    )


def merge(rows: dict[int, Row], turn: int) -> dict[int, Row]:
    """The same of a model."""
    left = dict(rows)
    for id_ in range(10 * turn, 10 * turn + 90, 3):
        old = left.get(id_)
        if old is None:
            left[id_] = new(id_, "n")
        elif id_ % 4 == turn % 4:
            del left[id_]
        elif old.city != "c1":
            left[id_] = replace(old, city=f"m{turn}", pieces=id_ + turn)
    return left


@dataclass
class Lake:
    """A table that both change.

    Args:
        engines: What runs a statement, by Floeberg and by Iceberg's jar.
        version: The format version.
        rows: The rows that it is to have.
        lineage: What the rows that there were after the last turn say of themselves, by their ids.
    """

    engines: dict[str, Callable[[str], list[tuple[Any, ...]]]]
    version: int
    rows: dict[int, Row] = field(default_factory=dict)
    lineage: dict[int, tuple[Any, ...]] = field(default_factory=dict)

    def turn(self, engine: str, number: int) -> None:
        """One of them changes rows by each statement, and both read them."""
        run, before = self.engines[engine], dict(self.rows)
        run(merged(number))
        self.rows = merge(self.rows, number)
        run(
            "UPDATE lake.ns.t SET price = price + 1, at = at + INTERVAL 1 DAY, "
            f"city = concat(city, 'u') WHERE pieces % 5 = {number}"
        )
        for id_, row in self.rows.items():
            if row.pieces is not None and row.pieces % 5 == number:
                self.rows[id_] = replace(row, price=row.price + 1, day=row.day + 1, city=f"{row.city}u")
        run(
            f"DELETE FROM lake.ns.t WHERE id % 10 = {number} OR pieces IN (SELECT max(pieces) FROM lake.ns.t)"
        )
        greatest = max(row.pieces for row in self.rows.values() if row.pieces is not None)
        self.rows = {
            id_: row for id_, row in self.rows.items() if id_ % 10 != number and row.pieces != greatest
        }
        run(inserted(300 + 20 * number, 320 + 20 * number))
        self.rows |= {id_: new(id_) for id_ in range(300 + 20 * number, 320 + 20 * number)}
        self.check(before)

    def check(self, before: dict[int, Row]) -> None:
        """Both read the rows that there are to be, and say the same of them."""
        has_lineage = self.version >= 3
        said = []
        for run in self.engines.values():
            found = run(f"SELECT {COLUMNS}{f', {LINEAGE}' if has_lineage else ''} FROM lake.ns.t")
            assert sorted(row[:5] for row in found) == sorted(
                row.written(id_) for id_, row in self.rows.items()
            )
            said.append({row[0]: row[5:] for row in found})
        assert said[0] == said[1]
        if has_lineage:
            self._check_lineage(before, said[0])
            self.lineage = said[0]

    def _check_lineage(self, before: dict[int, Row], now: dict[int, tuple[Any, ...]]) -> None:
        """Rows kept their ids, and those that were changed say so."""
        assert len({row_id for row_id, _ in now.values()}) == len(now)
        latest = max((sequence for _, sequence in self.lineage.values()), default=0)
        for id_, (row_id, sequence) in now.items():
            if id_ in self.lineage and id_ in before:
                assert row_id == self.lineage[id_][0], id_
                same = self.rows[id_] == before[id_]
                assert sequence == self.lineage[id_][1] if same else sequence > latest, id_


CASES = [
    (3, "copy-on-write", "truncate(2, city)"),
    (2, "merge-on-read", "bucket(4, id)"),
    (3, "merge-on-read", "days(at)"),
]


@pytest.fixture(params=CASES, ids=str)
def lake(request, tmp_path, spark, java_spark) -> Lake:
    """A table with 60 rows that Floeberg made."""
    version, mode, spec = request.param
    catalog = fb.load_catalog("lake", type="filesystem", warehouse=str(tmp_path))

    def ours(text: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in floeberg.spark.sql(spark, text, catalog=catalog).collect()]

    # A session of Spark keeps what a catalog was when it was first used.
    name = f"lake_{CASES.index(request.param)}"

    def theirs(text: str) -> list[tuple[Any, ...]]:
        text = text.replace("lake.ns.", f"{name}.ns.")
        return [tuple(row) for row in java_spark("sql", text=text, catalog=name, warehouse=str(tmp_path))]

    catalog.create_namespace("ns")
    modes = ", ".join(f"'write.{command}.mode' = '{mode}'" for command in ("delete", "update", "merge"))
    ours(
        "CREATE TABLE lake.ns.t (id INT NOT NULL, city STRING, pieces INT, price DECIMAL(9, 2), at TIMESTAMP) "
        f"USING iceberg PARTITIONED BY ({spec}) TBLPROPERTIES ('format-version' = '{version}', {modes})"
    )
    ours(inserted(0, 60))
    made = Lake({"ours": ours, "theirs": theirs}, version, {id_: new(id_) for id_ in range(60)})
    made.check({})
    return made


def test_both_change_the_rows_that_the_other_one_changed(lake):
    ours, theirs = lake.engines.values()
    lake.turn("ours", 0)
    lake.turn("theirs", 1)
    # The spec evolves, and a table of version 2 is upgraded.
    theirs("ALTER TABLE lake.ns.t ADD PARTITION FIELD truncate(100, id)")
    if lake.version < 3:
        theirs("ALTER TABLE lake.ns.t SET TBLPROPERTIES ('format-version' = '3')")
        lake.version = 3
    lake.turn("ours", 2)
    before = dict(lake.rows)
    ours("ALTER TABLE lake.ns.t CREATE BRANCH audit")
    theirs(merged(3, "lake.ns.t.branch_audit"))
    ours(merged(4, "lake.ns.t.branch_audit"))
    on_branch = merge(merge(lake.rows, 3), 4)
    for run in (ours, theirs):
        found = run(f"SELECT {COLUMNS} FROM lake.ns.t.branch_audit")
        assert sorted(found) == sorted(row.written(id_) for id_, row in on_branch.items())
    lake.check(before)
