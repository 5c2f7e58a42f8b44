"""Files of rows become one stream: every format, columns that differ, and what is damaged."""

from __future__ import annotations

import gzip

import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

ROWS = pa.table({"id": [1, 2], "note": ['a,\n"b"', None], "price": [0.5, None]})
LINES = '{"id": 1, "note": "a,\\n\\"b\\"", "price": 0.5}\n{"id": 2, "note": null, "price": null}\n'


def write_stream(table, path):
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


WRITERS = {
    "rows.parquet": pa.parquet.write_table,
    "rows.feather": pa.feather.write_feather,
    "rows.arrow": write_stream,
    "rows.csv": pa.csv.write_csv,
    "rows.ndjson": lambda _, path: path.write_text(LINES),
    "rows.json.gz": lambda _, path: path.write_bytes(gzip.compress(LINES.encode())),
}


@pytest.mark.parametrize("name", WRITERS)
def test_each_format_is_read(name, tmp_path):
    WRITERS[name](ROWS, tmp_path / name)
    for paths in (tmp_path / name, str(tmp_path), [f"{tmp_path}/*"]):
        reader = fb.read_files(paths)
        assert isinstance(reader, pa.RecordBatchReader)
        assert reader.read_all().to_pylist() == ROWS.to_pylist()


def test_columns_of_several_files_are_put_together(tmp_path):
    (tmp_path / "a.csv").write_text("id,n\n1,1\n")
    (tmp_path / "b.csv").write_text("n,note\n2.5,x\n")
    found = fb.read_files(tmp_path).read_all()
    assert found.schema.field("n").type == pa.float64()
    assert found.to_pylist() == [{"id": 1, "n": 1.0, "note": None}, {"id": None, "n": 2.5, "note": "x"}]


def test_a_schema_gives_types_to_the_columns_that_are_there(tmp_path):
    (tmp_path / "a.csv").write_text("code,day\n007,2026-01-02\n")
    (tmp_path / "b.jsonl").write_text('{"code": "008", "day": "2026-01-03"}\n')
    schema = pa.schema({"code": pa.string(), "day": pa.date32(), "other": pa.int64()})
    found = fb.read_files([tmp_path / "a.csv", tmp_path / "b.jsonl"], schema=schema).read_all()
    assert found.schema == pa.schema({"code": pa.string(), "day": pa.date32()})
    assert found["code"].to_pylist() == ["007", "008"]


def test_an_empty_text_is_no_null_and_words_are_words(tmp_path):
    (tmp_path / "a.csv").write_text('a,b\n"",null\n,NA\n')
    assert fb.read_files(tmp_path / "a.csv").read_all().to_pylist() == [
        {"a": "", "b": "null"},
        {"a": None, "b": "NA"},
    ]


def test_tabs_and_other_delimiters(tmp_path):
    (tmp_path / "a.tsv").write_text("a\tb\n1\tx,y\n")
    assert fb.read_files(tmp_path / "a.tsv").read_all().to_pylist() == [{"a": 1, "b": "x,y"}]
    (tmp_path / "a.txt").write_text("a;b\n1;2\n")
    found = fb.read_files(tmp_path / "a.txt", "csv", delimiter=";").read_all()
    assert found.to_pylist() == [{"a": 1, "b": 2}]


def test_hidden_files_of_a_folder_are_left_out(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.csv").write_text("a\n1\n")
    for name in ("_SUCCESS", ".a.csv.crc", "_b.csv"):
        (tmp_path / name).write_text("a\n9\n")
    assert fb.read_files(tmp_path).read_all().num_rows == 1


def test_rows_are_read_on_demand(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.csv").write_text("a\n2\n")
    reader = fb.read_files(tmp_path)
    (tmp_path / "b.csv").unlink()
    assert reader.read_next_batch().num_rows == 1
    with pytest.raises(NotFoundError, match="b.csv"):
        reader.read_next_batch()


def test_a_value_that_does_not_fit_names_the_file(tmp_path):
    (tmp_path / "a.csv").write_text("a\n" + "1\n" * 1_000_000 + "x\n")
    with pytest.raises(InvalidInputError, match=r"cannot be read as csv.*a\.csv"):
        fb.read_files(tmp_path / "a.csv").read_all()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.arrow", b"ARROW1xx", "cannot be read as arrow"),
        ("a.jsonl", b'{"a": 1', "cannot be read as JSON lines"),
        ("a.csv", b"a,b\n1\n", "cannot be read as csv"),
        ("a.csv", b"a,a\n1,2\n", "two columns are named 'a'"),
        ("a.dat", b"", "does not say the format"),
        ("a.csv", b"", "cannot be read as csv"),
    ],
)
def test_what_is_damaged_is_said(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidInputError, match=said) as raised:
        fb.read_files(tmp_path / name).read_all()
    assert raised.value.context["path"].endswith(name)


@pytest.mark.parametrize(
    ("paths", "given", "error_and_words"),
    [
        ("no.csv", {}, (NotFoundError, "there is no such file")),
        ("no*.csv", {}, (NotFoundError, "there is no such file")),
        (".", {}, (NotFoundError, "the folder has no file of rows")),
        ("s3://bucket/a.csv", {}, (UnsupportedError, "add_files")),
        ([], {}, (InvalidInputError, "at least one file")),
        ("a.csv", {"format": "cvs"}, (InvalidInputError, "expected one of parquet, csv, json, arrow")),
        ("a.csv", {"schema": "a"}, (InvalidInputError, "expected a pyarrow.Schema")),
        ("a.csv", {"delimiter": ";;"}, (InvalidInputError, "expected one character")),
    ],
)
def test_what_is_asked_for_wrongly_is_said(tmp_path, monkeypatch, paths, given, error_and_words):
    error, said = error_and_words
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        fb.read_files(paths, **given)


def test_types_that_nothing_holds_are_said(tmp_path):
    (tmp_path / "a.csv").write_text("a\n1\n")
    (tmp_path / "b.csv").write_text("a\nx\n")
    with pytest.raises(InvalidInputError, match="the files have other types.*give a schema"):
        fb.read_files(tmp_path)
    schema = pa.schema({"a": pa.string()})
    assert fb.read_files(tmp_path, schema=schema).read_all()["a"].to_pylist() == ["1", "x"]
