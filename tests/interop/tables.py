"""The tables that all tests of reading share, made once each; and how to compare what peers say of them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from building import Made, make

Json = Any

SEEDS = range(60)


class Tables:
    """Tables by seed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._made: dict[int, Made] = {}

    def __getitem__(self, seed: int) -> Made:
        """The table of a seed."""
        if seed not in self._made:
            place = self._folder / str(seed)
            place.mkdir()
            self._made[seed] = make(seed, place)
        return self._made[seed]


def arrow_file(path: Path) -> pa.Table:
    """The rows that a peer saved."""
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def save(rows: pa.Table, path: Path) -> None:
    """Save rows for a peer."""
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, rows.schema) as writer:
        writer.write_table(rows)


def same_rows(made: Made, lines: list[str]) -> None:
    """Are these all rows of a table, each as often?"""
    found, expected = Counter(lines), Counter(made.lines)
    assert found == expected, f"{made.done}: {list((found - expected) + (expected - found))[:3]}"


def refused_by_duckdb(made: Made) -> str | None:
    """What DuckDB 1.5.5 says of tables that it cannot read."""
    schemas = [str(field.field_type) for schema in made.table.schemas().values() for field in schema.fields]
    if any("timestamptz_ns" in each for each in schemas):
        return "Unrecognized primitive type: timestamptz_ns"
    of_first_version = {each.snapshot_id for each in made.table.snapshots() if each.sequence_number == 0}
    for manifest in made.table.inspect.manifests().to_pylist():
        old = manifest["added_snapshot_id"] in of_first_version and made.drawn.version > 1
        # Existing and deleted entries of format version 1 have no sequence number, which then is 0.
        if old and (manifest["existing_data_files_count"] or manifest["deleted_data_files_count"]):
            return "sequence_number' is (NULL|only allowed to be NULL for ADDED entries)"
    return None


def metadata_json(made: Made) -> Json:
    """What stands in the metadata file."""
    content = Path(made.table.metadata_location).read_bytes()
    return json.loads(gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content)


def differences(ours: Json, theirs: Json, place: str = "") -> Iterator[str]:
    """Where two JSON values differ, but for what is written in two ways and means one thing."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            pair = (ours.get(key), theirs.get(key))
            # No identifier fields, and the sequence number of format version 1, may be written or left out.
            if key in ("identifier-field-ids", "sequence-number") and not any(pair):
                continue
            yield from differences(*pair, f"{place}.{key}")
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for number, pair in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(*pair, f"{place}[{number}]")
    elif _plain(ours) != _plain(theirs):
        yield f"{place}: {ours!r} and {theirs!r}"


def _plain(value: Json) -> Json:
    # `decimal(9, 2)` is Java's.
    return value.replace(" ", "") if isinstance(value, str) and value.startswith("decimal(") else value
