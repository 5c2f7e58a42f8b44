"""Statistics files and partition statistics: what they say is what the writer says, and damage is told."""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
from dataclasses import replace

import pyarrow as pa
import pytest

from corpus import Case, cases, lent
from floeberg import errors
from floeberg.statistics import PuffinBlob

TABLES = [case for case in cases() if not case.is_view]
SKETCHED = [case for case in TABLES if case.expected.get("puffin_files")]
COUNTED = [case for case in TABLES if case.expected.get("partition_statistics_rows")]


@pytest.mark.parametrize("case", TABLES, ids=lambda case: case.name)
def test_the_metadata_names_the_files_that_the_oracle_names(case: Case) -> None:
    """Also where there are none."""
    table = case.open()
    statistics = [
        {
            "snapshot_id": file.snapshot_id,
            "path": file.statistics_path,
            "file_size": file.file_size_in_bytes,
            "footer_size": file.file_footer_size_in_bytes,
            "blobs": [
                {
                    "type": blob.type,
                    "fields": list(blob.fields),
                    "source_snapshot_id": blob.snapshot_id,
                    "source_sequence_number": blob.sequence_number,
                    "properties": blob.properties,
                }
                for blob in file.blob_metadata
            ],
        }
        for file in table.statistics()
    ]
    assert statistics == case.expected.get("statistics", [])
    counted = [
        {"snapshot_id": file.snapshot_id, "path": file.statistics_path, "file_size": file.file_size_in_bytes}
        for file in table.partition_statistics()
    ]
    assert counted == case.expected.get("partition_statistics", [])


@pytest.mark.parametrize("case", SKETCHED, ids=lambda case: case.name)
def test_blobs_are_those_of_the_file(case: Case) -> None:
    table = case.open()
    files = [each for each in table.statistics() if each.statistics_path in case.expected["puffin_files"]]
    assert files
    for file in files:
        wanted = case.expected["puffin_files"][file.statistics_path]
        for blob, expected in zip(table.statistics_blobs(file), wanted, strict=True):
            for name in (
                "type",
                "snapshot_id",
                "sequence_number",
                "offset",
                "length",
                "compression_codec",
                "properties",
            ):
                assert getattr(blob, name) == expected[name]
            assert list(blob.fields) == expected["fields"]
            content = table.read_blob(file, blob)
            assert len(content) == expected["uncompressed_length"]
            told = hashlib.sha256(content).hexdigest() if "sha256" in expected else content.hex()
            assert told == expected.get("sha256", expected.get("hex"))


@pytest.mark.parametrize("case", COUNTED, ids=lambda case: case.name)
def test_partition_statistics_are_those_of_the_file_in_its_order(case: Case) -> None:
    table = case.open()
    for file in table.partition_statistics():
        rows = table.read_partition_statistics(file).to_pylist()
        wanted = case.expected["partition_statistics_rows"][file.statistics_path]
        assert [
            {name: row[name] for name in known} for row, known in zip(rows, wanted, strict=True)
        ] == wanted
        # Ascending by partition, nulls first.
        keys = [[(value is not None, value) for value in row["partition"].values()] for row in rows]
        assert keys == sorted(keys)


def test_the_columns_are_the_specifications_by_id():
    case = lent("counted")
    table = case.open()
    schema = table.read_partition_statistics(table.partition_statistics()[0]).schema
    ids = {field.name: int(field.metadata[b"PARQUET:field_id"]) for field in schema}
    assert list(ids.values()) == list(range(1, 13))
    assert (ids["partition"], ids["spec_id"], ids["last_updated_snapshot_id"]) == (1, 2, 12)
    assert [field.name for field in schema.field("partition").type] == ["cat", "id_bucket_2"]


def copied(case: Case, tmp_path, change=lambda document: document):
    """A copy of a table with changed metadata, opened."""
    shutil.copytree(case.folder / "table", tmp_path / "table", dirs_exist_ok=True)
    copy = Case(case.name, tmp_path, case.expected)
    document = change(json.loads(copy.metadata_file.read_text()))
    copy.metadata_file.write_text(json.dumps(document))
    return copy.open()


def test_format_version_3_counts_vectors(tmp_path):
    def upgrade(document):
        return document | {"format-version": 3, "next-row-id": 0}

    table = copied(lent("counted"), tmp_path, upgrade)
    rows = table.read_partition_statistics(table.partition_statistics()[0])
    assert rows.schema.field("dv_count").metadata[b"PARQUET:field_id"] == b"13"
    # The file was written before the upgrade.
    assert rows["dv_count"].null_count == len(rows)


def puffin(blobs, *, footer=None, flags=0):
    """A Puffin file of (content, codec) with its own idea of the footer, or another."""
    magic, body, listed = b"PFA1", b"PFA1", []
    for content, codec in blobs:
        stored = content if codec is None else pa.Codec(codec).compress(content, asbytes=True)
        known = {"type": "t", "fields": [1], "snapshot-id": 1, "sequence-number": 1}
        known |= {"offset": len(body), "length": len(stored)}
        listed.append(known if codec is None else known | {"compression-codec": codec})
        body += stored
    payload = json.dumps({"blobs": listed if footer is None else footer(listed)}).encode()
    if flags & 1:
        payload = pa.Codec("lz4").compress(payload, asbytes=True)
    return body + magic + payload + struct.pack("<ii", len(payload), flags) + magic


@pytest.fixture
def with_file(tmp_path):
    """A table that names a statistics file of given bytes."""

    def make(content: bytes, **keys):
        path = tmp_path / "made.stats"
        path.write_bytes(content)
        named = {
            "snapshot-id": 1,
            "statistics-path": str(path),
            "file-size-in-bytes": len(content),
            "file-footer-size-in-bytes": 1,
            "blob-metadata": [],
        }
        table = copied(lent("sketched"), tmp_path, lambda document: document | {"statistics": [named | keys]})
        return table, table.statistics()[0]

    return make


def test_blobs_of_every_codec_are_read(with_file):
    content = b"some bytes " * 50
    table, file = with_file(
        puffin([(content, None), (content, "zstd"), (content, "lz4"), (b"", None)], flags=1)
    )
    blobs = table.statistics_blobs(file)
    assert [blob.compression_codec for blob in blobs] == [None, "zstd", "lz4", None]
    assert [table.read_blob(file, blob) for blob in blobs] == [content, content, content, b""]


def test_what_the_metadata_names_must_be_in_the_file(with_file):
    named = {"type": "t", "fields": [1], "snapshot-id": 1, "sequence-number": 1}
    table, file = with_file(puffin([(b"a", None)]), **{"blob-metadata": [named]})
    assert len(table.statistics_blobs(file)) == 1
    for other in (
        {"type": "u"},
        {"fields": [2]},
        {"snapshot-id": 2},
        {"sequence-number": 3},
        {"properties": {"ndv": "3"}},
    ):
        table, file = with_file(puffin([(b"a", None)]), **{"blob-metadata": [named | other]})
        with pytest.raises(errors.InvalidDataError, match="the statistics file has no blob"):
            table.statistics_blobs(file)


@pytest.mark.parametrize(
    "change", [{"offset": 0}, {"offset": 1 << 40}, {"length": 1 << 40}, {"length": (1 << 63) - 1}]
)
def test_a_blob_outside_of_its_file_is_refused(with_file, change):
    content = puffin([(b"abc", None)], footer=lambda listed: [listed[0] | change])
    table, file = with_file(content)
    (blob,) = table.statistics_blobs(file)
    with pytest.raises(errors.InvalidDataError, match="expected a Puffin blob between the bytes 4 and 7"):
        table.read_blob(file, blob)


def test_damaged_files_are_refused_by_name(with_file):
    whole = puffin([(b"abc" * 9, "zstd")])
    for content in (b"", b"PFA1", whole[:-1], whole[1:], whole[:-12] + b"\xff\xff\xff\x7f" + whole[-8:]):
        table, file = with_file(content)
        with pytest.raises(errors.InvalidDataError) as caught:
            table.read_blob(file, PUFFIN_BLOB)
        assert caught.value.context["path"].endswith("made.stats")
    for content in (whole[:-12] + b"\xff\xff\xff\xff" + whole[-8:], whole[:6] + b"\0\0\0" + whole[9:]):
        table, file = with_file(content)
        with pytest.raises(errors.InvalidDataError):
            table.read_blob(file, PUFFIN_BLOB)


PUFFIN_BLOB = PuffinBlob(0, "t", 1, 1, (1,), 4, 3, None, {})


def test_an_encrypted_statistics_file_is_refused(with_file):
    table, file = with_file(puffin([(b"abc", None)]), **{"key-metadata": "YQ=="})
    assert file.key_metadata == "YQ=="
    with pytest.raises(errors.UnsupportedError, match="encrypted"):
        table.statistics_blobs(file)
    table, file = with_file(b"AGS1" + bytes(60))
    with pytest.raises((errors.UnsupportedError, errors.InvalidDataError)):
        table.statistics_blobs(file)


def test_only_files_that_the_table_names_are_read(refs):
    sketched, counted = lent("sketched").open(), lent("counted").open()
    file = replace(sketched.statistics()[0], statistics_path="/elsewhere")
    with pytest.raises(errors.InvalidInputError, match="does not list this statistics file"):
        sketched.statistics_blobs(file)
    with pytest.raises(errors.InvalidInputError, match="does not list this partition statistics file"):
        refs.open().read_partition_statistics(counted.partition_statistics()[0])
    with pytest.raises(errors.InvalidInputError, match="expected a StatisticsFile"):
        sketched.statistics_blobs(counted.partition_statistics()[0])
    with pytest.raises(errors.InvalidInputError, match="blob 7 is out of range"):
        sketched.read_blob(sketched.statistics()[0], replace(PUFFIN_BLOB, number=7))


def test_broken_entries_are_an_error_for_who_asks_only(tmp_path):
    table = copied(
        lent("sketched"), tmp_path, lambda document: document | {"statistics": [{"snapshot-id": 1}]}
    )
    assert table.scan().count() == lent("sketched").expected["row_count"]
    with pytest.raises(errors.InvalidDataError, match="statistics\\[0\\]: the required key"):
        table.statistics()


def test_partition_statistics_in_no_known_format_are_refused(tmp_path):
    table = copied(lent("counted"), tmp_path)
    path = table.partition_statistics()[0].statistics_path.rsplit("/", 1)[1]
    (tmp_path / "table" / "metadata" / path).write_bytes(b"what")
    with pytest.raises(errors.UnsupportedError, match="Parquet, Avro or ORC"):
        table.read_partition_statistics(table.partition_statistics()[0])
