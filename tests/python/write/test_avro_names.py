"""Are the names in Avro schemas those that Avro allows, and are columns found all the same?"""

from __future__ import annotations

import re
import uuid
from pathlib import Path

import fastavro
import pyarrow as pa
import pytest

import floeberg as fb

AVRO = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\.[A-Za-z_][A-Za-z0-9_]*)*")
NAMES = ["日付", "größe", "a b", "a_x20b", "1st", "_1st", "🐢", "é", "p/q"]


def names_of(schema):
    """The names of a schema, and each record's."""
    if isinstance(schema, list):
        for each in schema:
            yield from names_of(each)
    elif isinstance(schema, dict):
        fields = [each["name"] for each in schema.get("fields", ())]
        assert len(set(fields)) == len(fields), f"two names are equal: {fields}"
        yield from ([schema["name"]] if "name" in schema else [])
        for key in ("fields", "items", "values", "type"):
            if not isinstance(schema.get(key, ""), str):
                yield from names_of(schema[key])


def written(path):
    with Path(path.removeprefix("file://")).open("rb") as file:
        return fastavro.reader(file).writer_schema


@pytest.mark.parametrize("version", [1, 2, 3])
def test_names_of_all_letters(tmp_path, version):
    catalog = fb.load_catalog(f"avro {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    values = {name: pa.array([f"{name}-{row}" for row in range(3)]) for name in NAMES}
    inner = pa.StructArray.from_arrays(list(values.values()), names=NAMES)
    rows = pa.table({**values, "s": inner, "l": pa.array([[each] for each in inner.to_pylist()])})
    table = catalog.create_table(
        "ns.t",
        rows.schema,
        format_version=version,
        partition_spec=[f'identity("{name}") as "{name}"' for name in (*NAMES[:3], NAMES[4])],
        properties={
            "write.format.default": "avro",
            "write.delete.mode": "merge-on-read" if version > 1 else "copy-on-write",
        },
    )
    table.append(rows)
    table.delete("\"日付\" = '日付-0'")
    files = table.inspect.files()["file_path"].to_pylist()
    paths = table.inspect.manifests()["path"].to_pylist() + [each for each in files if each.endswith(".avro")]
    assert len(paths) >= 3
    for path in paths:
        bad = [name for name in names_of(written(path)) if not AVRO.fullmatch(name)]
        assert not bad, f"{path}: {bad}"
    data = next(each for each in paths if "/data/" in each)
    originals = {
        each["name"]: each.get("iceberg-field-name", each["name"]) for each in written(data)["fields"]
    }
    assert set(NAMES) <= set(originals.values())
    assert table.scan().to_arrow().sort_by("é").to_pylist() == rows.slice(1).to_pylist()
    for name in NAMES:
        assert table.scan(f"\"{name}\" = '{name}-2'").to_arrow().to_pylist() == rows.slice(2).to_pylist()
    assert table.inspect.partitions()["partition"].type.field(0).name == NAMES[0]
