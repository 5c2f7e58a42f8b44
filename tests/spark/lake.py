"""Small tables in a catalog, which the tests of statements name."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

import floeberg as fb
from floeberg.catalog import Catalog

UTC = datetime.timezone.utc
ORDERS = pa.schema(
    {
        "id": pa.int64(),
        "customer": pa.int64(),
        "day": pa.date32(),
        "price": pa.decimal128(15, 2),
        "note": pa.string(),
    }
)
CUSTOMERS = pa.schema({"id": pa.int64(), "name": pa.string(), "nation": pa.int32()})
LINES = pa.schema(
    {"order": pa.int64(), "line": pa.int32(), "amount": pa.float64(), "sent": pa.timestamp("us", "UTC")}
)


def order(number: int) -> dict[str, Any]:
    return {
        "id": number,
        "customer": number % 4 if number % 7 else None,
        "day": datetime.date(2026, 1, 1) + datetime.timedelta(days=number),
        "price": Decimal(number * 25) / 100,
        "note": None if number % 5 == 0 else f"{'special' if number % 3 else 'plain'} {number}",
    }


def orders_of(numbers: Sequence[int]) -> pa.Table:
    return pa.Table.from_pylist([order(number) for number in numbers], ORDERS)


def make_lake(folder: Path, name: str = "lake") -> Catalog:
    """A catalog with three tables of several files, a branch and a tag."""
    catalog = fb.load_catalog(name, type="filesystem", warehouse=str(folder))
    catalog.create_namespace("sales")
    orders = catalog.create_table("sales.orders", ORDERS)
    orders.append(orders_of(range(10)))
    first = orders.current_snapshot().snapshot_id
    orders.manage_snapshots().create_tag(first, "first").create_branch(first, "audit").commit()
    orders.append(orders_of(range(10, 20)))
    fill(
        catalog,
        "sales.customers",
        CUSTOMERS,
        [{"id": number, "name": f"customer {number}", "nation": number % 2} for number in range(6)],
    )
    lines = [
        {
            "order": number // 2,
            "line": number % 2,
            "amount": number / 4 if number % 9 else float("nan"),
            "sent": datetime.datetime(2026, 1, 1, tzinfo=UTC) + datetime.timedelta(hours=7 * number),
        }
        for number in range(30)
    ]
    fill(catalog, "sales.lines", LINES, lines[:15], lines[15:])
    return catalog


def fill(catalog: Catalog, name: str, schema: pa.Schema, *files: Sequence[Mapping[str, Any]]) -> None:
    """Makes a table with a file for each list of rows."""
    table = catalog.create_table(name, schema)
    for rows in files:
        table.append(pa.Table.from_pylist(list(rows), schema))


def rows(frame: Any) -> list[tuple[Any, ...]]:
    """The rows of a frame, sorted."""
    return sorted(map(tuple, frame.collect()), key=repr)
