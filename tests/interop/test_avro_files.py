"""Peers read data files of Avro that Floeberg wrote, over all types and evolved schemas, and write more beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from building import DO, Made, start
from drawing import draw, steps
from tables import same_rows
from test_appending import append_ours, named, place_for_java
from test_new_types import IS_VARIANT, VARIANTS, lines, written

from corpus import encode
from corpus.variant_bytes import PARTS

CODECS = ("gzip", "zstd", "snappy", "uncompressed")

pytestmark = pytest.mark.timeout(900)


def by_metadata(seed: int) -> bool:
    """Whether deletes of a table need no bounds of columns, which Avro files do not have."""
    drawn = draw(seed)
    return drawn.part is None or ("identity", "part") in drawn.partition


SEEDS = [seed for seed in range(200, 240) if by_metadata(seed)][:16]


def make(seed: int, place: Path) -> Made:
    """The table of a seed, with files of Avro."""
    drawn = draw(seed)
    codec = CODECS[seed % len(CODECS)]
    drawn.properties |= {"write.format.default": "avro", "write.avro.compression-codec": codec}
    made = start(drawn, place)
    for step in ["append", *steps(drawn), "append"]:
        made.done.append(step)
        DO[step](made)
    return made


@pytest.mark.parametrize("seed", SEEDS)
def test_java_reads_avro_files_and_writes_more(seed, tmp_path, java):
    made = make(seed, tmp_path)
    formats = set(made.table.inspect.files()["file_format"].to_pylist())
    assert formats == {"AVRO"}
    same_rows(made, encode(made.table.scan().to_arrow()))
    same_rows(made, java("read", metadata_location=made.table.metadata_location))
    java("append", rows=named(made), place=place_for_java(made))
    same_rows(made, encode(made.table.refresh().scan().to_arrow()))
    append_ours(made)
    same_rows(made, java("read", metadata_location=made.table.metadata_location))


def test_java_reads_variants_in_avro(tmp_path, java):
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("v", PARTS, metadata=IS_VARIANT)])
    rows = pa.Table.from_pylist([{"id": number, "v": each} for number, each in enumerate(VARIANTS)], schema)
    table = written(tmp_path, "variant", rows, **{"write-format": "avro"})
    assert lines(java, table) == [json.loads(line) for line in encode(table.scan().to_arrow())]
    assert lines(java, table)[0][1] == {"type": "object", "value": {"a": {"type": "int8", "value": 7}}}
