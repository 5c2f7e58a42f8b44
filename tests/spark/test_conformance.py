"""Does Spark see every table of the corpus as its writer says it must be read?

Of each case all rows, one filter, and one ref or snapshot, through the data source. What Python itself cannot read,
Spark must refuse with the same kind of error; that this is right is held against KNOWN_FAILURES.toml by the run in
Python. Columns that Spark has no type for must be refused by name, whatever else there is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

import floeberg as fb
from corpus import Case, cases, checksum, encode, known_failures
from corpus.filters import Filter
from corpus.known import hold
from floeberg.errors import FloebergError, UnsupportedError
from floeberg.types import IcebergType, ListType, MapType, StructType
from reading import load, ours, rows_of

NANOSECONDS = ("timestamp_ns", "timestamptz_ns")
OPENED = [case for case in cases() if not case.is_view and (case.name, "open") not in known_failures()]


@dataclass(frozen=True)
class Read:
    """The same rows, asked for in two ways, and what the oracle says of them."""

    label: str
    scan: fb.Scan
    options: dict[str, str]
    row_count: int
    checksum: str


def reads(case: Case) -> Iterator[Read]:
    """All rows; a filter that some rows match and some do not, where there is one; the ref or snapshot off the way."""
    table, expected = case.open(), case.expected
    yield Read("rows", table.scan(), {}, expected["row_count"], expected["checksum"])
    filters = [each for each in map(Filter, expected["filters"]) if each.expression is not None]
    if filters:
        telling = [each for each in filters if 0 < each.row_count < expected["row_count"]]
        chosen = (telling or filters)[0]
        scan = table.scan(row_filter=chosen.sql)
        yield Read(chosen.sql, scan, {"filter": chosen.sql}, chosen.row_count, chosen.checksum)
    for name in sorted(expected["ref_reads"].keys() - {"main"}):
        wanted, kind = expected["ref_reads"][name], expected["refs"][name]["type"]
        scan = table.scan().use_ref(name)
        yield Read(f"{kind} {name}", scan, {kind: name}, wanted["row_count"], wanted["checksum"])
        return
    for wanted in expected["time_travel"][:1]:
        snapshot = wanted["snapshot_id"]
        scan = table.scan(snapshot_id=snapshot)
        options = {"snapshot-id": str(snapshot)}
        yield Read(f"snapshot {snapshot}", scan, options, wanted["row_count"], wanted["checksum"])


@pytest.mark.parametrize("case", OPENED, ids=lambda case: case.name)
def test_case(case: Case, spark: SparkSession) -> None:
    """What Spark gives is what the oracle says."""
    checks: list[tuple[str, Callable[[], None]]] = []
    for read in reads(case):
        lacking = dict(without_spark_type(read.scan))
        if lacking:
            checks.append((read.label, partial(check_refused, spark, case, read, lacking)))
        if all(kind in NANOSECONDS for kind in lacking.values()):
            checks.append((read.label, partial(check_rows, spark, case, read, truncate=bool(lacking))))
    hold(case, "spark", checks)


def check_rows(spark: SparkSession, case: Case, read: Read, *, truncate: bool) -> None:
    """Spark gives the rows that the oracle has, or the error that Python has."""
    options = read.options | ({"truncate-nanoseconds": "true"} if truncate else {})
    wanted = rows_or_error(read.scan)
    if isinstance(wanted, FloebergError):
        with pytest.raises(PySparkException) as caught:
            load(spark, case, options).collect()
        found = ours(caught.value)
        assert found.kind == wanted.kind, f"{type(found).__name__}: {found}, and in Python {wanted}"
        return
    assert len(wanted) == read.row_count
    assert checksum(wanted) == read.checksum
    frame = load(spark, case, options)
    assert frame.columns == [field.name for field in read.scan.projection().fields]
    assert rows_of(frame) == (cut(wanted, read.scan) if truncate else wanted)


def rows_or_error(scan: fb.Scan) -> list[str] | FloebergError:
    """What Python reads, or why it does not."""
    try:
        return encode(scan.to_arrow())
    except FloebergError as error:
        return error


def check_refused(spark: SparkSession, case: Case, read: Read, lacking: dict[str, str]) -> None:
    """Spark names a column that it has no type for, when the table is loaded."""
    with pytest.raises(PySparkException) as caught:
        load(spark, case, read.options)
    found = ours(caught.value)
    assert isinstance(found, UnsupportedError)
    assert any(repr(name) in str(found) and kind in str(found) for name, kind in lacking.items()), found


def without_spark_type(scan: fb.Scan) -> Iterator[tuple[str, str]]:
    """The columns of a scan, nested ones too, that Spark has no type for, with their types."""
    for field in scan.projection().fields:
        yield from _without(field.name, field.field_type)


def _without(name: str, kind: IcebergType) -> Iterator[tuple[str, str]]:
    if isinstance(kind, StructType):
        for field in kind.fields:
            yield from _without(f"{name}.{field.name}", field.field_type)
    elif isinstance(kind, ListType):
        yield from _without(f"{name}.element", kind.element_type)
    elif isinstance(kind, MapType):
        yield from _without(f"{name}.key", kind.key_type)
        yield from _without(f"{name}.value", kind.value_type)
    elif str(kind) in NANOSECONDS:
        yield name, str(kind)


def cut(lines: list[str], scan: fb.Scan) -> list[str]:
    """The rows with nanoseconds cut to microseconds: the digits of a time are those since the second before it."""
    kinds = [str(field.field_type) for field in scan.projection().fields]
    digits = re.compile(r"(\.\d{6})\d{3}(?=[+-]|$)")

    def of(value: object, kind: str) -> object:
        assert kind in NANOSECONDS or "_ns" not in kind, "nanoseconds in a nested column: cut them too"
        return digits.sub(r"\1", value) if isinstance(value, str) and kind in NANOSECONDS else value

    rows = [[of(value, kind) for value, kind in zip(json.loads(each), kinds, strict=True)] for each in lines]
    texts = [json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for row in rows]
    return sorted(texts, key=str.encode)
