"""Peers read data files of ORC that Floeberg wrote, over all types and evolved schemas, and write more beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from building import DO, Made, start
from drawing import draw, steps
from kinds import KINDS, Kind
from tables import same_rows
from test_appending import append_ours, named, place_for_java
from test_new_types import IS_VARIANT, VARIANTS, lines, written

from corpus import encode
from corpus.variant_bytes import PARTS

CODECS = ("zlib", "zstd", "snappy", "lz4", "none")

pytestmark = pytest.mark.timeout(900)

SEEDS = range(300, 316)


def storable(kind: Kind) -> Kind:
    """The kind with values that ORC can hold, and Java's reader of ORC gives back.

    Times of the last second before 1970 cannot be held. Java's reader takes zeros of both signs as one value.
    """
    if kind.name in ("float", "double"):
        return replace(kind, values=tuple(value for value in kind.values if str(value) != "-0.0"))
    if not kind.name.startswith("timestamp"):
        return kind
    second = 10**9 if kind.name.endswith("ns") else 10**6
    values = tuple(value - 2 * second if -second < value < 0 else value for value in kind.values)
    return replace(kind, values=values)


@pytest.fixture(autouse=True)
def kinds_of_orc(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, kind in list(KINDS.items()):
        monkeypatch.setitem(KINDS, name, storable(kind))


def make(seed: int, place: Path) -> Made:
    """The table of a seed, with files of ORC, some with bloom filters of all columns."""
    drawn = draw(seed)
    drawn.properties |= {
        "write.format.default": "orc",
        "write.delete.format.default": "orc",
        "write.orc.compression-codec": CODECS[seed % len(CODECS)],
        "write.orc.bloom.filter.columns": ",".join(column.name for column in drawn.columns[: seed % 3]),
    }
    made = start(drawn, place)
    for step in ["append", *steps(drawn), "append"]:
        made.done.append(step)
        DO[step](made)
    return made


@pytest.mark.parametrize("seed", SEEDS)
def test_java_reads_orc_files_and_writes_more(seed, tmp_path, java):
    made = make(seed, tmp_path)
    assert set(made.table.inspect.files()["file_format"].to_pylist()) <= {"ORC", "PUFFIN"}
    same_rows(made, encode(made.table.scan().to_arrow()))
    same_rows(made, java("read", metadata_location=made.table.metadata_location))
    java("append", rows=named(made), place=place_for_java(made))
    same_rows(made, encode(made.table.refresh().scan().to_arrow()))
    append_ours(made)
    same_rows(made, java("read", metadata_location=made.table.metadata_location))


def test_java_reads_variants_in_orc(tmp_path, java):
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("v", PARTS, metadata=IS_VARIANT)])
    rows = pa.Table.from_pylist([{"id": number, "v": each} for number, each in enumerate(VARIANTS)], schema)
    table = written(tmp_path, "variant", rows, **{"write-format": "orc"})
    assert lines(java, table) == [json.loads(line) for line in encode(table.scan().to_arrow())]
