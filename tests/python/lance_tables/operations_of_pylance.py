"""Operations of pylance that were made of version 1, and what pylance says when they are committed later."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa
from lance import LanceOperation as Op
from lance.file import LanceFileWriter
from lance.fragment import DataFile, write_fragments
from lance.schema import LanceSchema

__all__ = ["PER_FRAGMENT", "ROWS", "STALE", "verdict_of_pylance"]

ROWS = pa.table({"id": pa.array(range(20), pa.int64()), "name": [f"n{each}" for each in range(20)]})
PER_FRAGMENT = 10
"""The table has two fragments."""


def _fragment(place: str, number: int) -> Any:
    return lance.dataset(place, version=1).get_fragment(number)


def _new(place: str, count: int) -> Any:
    """Fragments that are written and not committed."""
    return write_fragments(ROWS.slice(0, count), place, mode="append")


def _deletes(number: int) -> Callable[[str], Any]:
    return lambda place: Op.Delete([_fragment(place, number).delete("id % 10 = 3")], [], "id % 10 = 3")


def _updates(number: int) -> Callable[[str], Any]:
    """Moves a row to a new fragment."""

    def make(place: str) -> Any:
        return Op.Update(
            updated_fragments=[_fragment(place, number).delete("id % 10 = 4")],
            new_fragments=_new(place, 1),
            removed_fragment_ids=[],
            fields_modified=[],
        )

    return make


def _rewrites(number: int) -> Callable[[str], Any]:
    def make(place: str) -> Any:
        group = Op.RewriteGroup([_fragment(place, number).metadata], _new(place, PER_FRAGMENT))
        return Op.Rewrite(groups=[group], rewritten_indices=[])

    return make


def _replaces(number: int) -> Callable[[str], Any]:
    """Gives a column of a fragment another file."""

    def make(place: str) -> Any:
        name, schema = f"{uuid.uuid4().hex}.lance", pa.schema([("name", pa.string())])
        with LanceFileWriter(str(Path(place, "data", name)), schema) as writer:
            writer.write_batch(pa.table({"name": ["r"] * PER_FRAGMENT}, schema=schema))
        file = DataFile(name, [1], [0], 2, 2, writer.size_bytes)
        return Op.DataReplacement([Op.DataReplacementGroup(number, file)])

    return make


def _merges(place: str) -> Any:
    made = [
        each.merge_columns({"twice": "id * 2"}) for each in lance.dataset(place, version=1).get_fragments()
    ]
    return Op.Merge([each for each, _ in made], made[0][1])


def _configures(key: str) -> Callable[[str], Any]:
    return lambda _: Op.UpdateConfig(config_updates=Op.UpdateMap({key: "1"}))


STALE: dict[str, Callable[[str], Any]] = {
    "append": lambda place: Op.Append(_new(place, 2)),
    "delete(0)": _deletes(0),
    "delete(1)": _deletes(1),
    "drop(0)": lambda _: Op.Delete([], [0], "true"),
    "update(0)": _updates(0),
    "update(1)": _updates(1),
    "rewrite(0)": _rewrites(0),
    "rewrite(1)": _rewrites(1),
    "replace(0)": _replaces(0),
    "replace(1)": _replaces(1),
    "merge": _merges,
    "project": lambda _: Op.Project(LanceSchema.from_pyarrow(pa.schema([("id", pa.int64())]))),
    "overwrite": lambda place: Op.Overwrite(ROWS.schema, _new(place, 2)),
    "restore": lambda _: Op.Restore(1),
    "config(k)": _configures("k"),
    "config(o)": _configures("o"),
    "schema metadata": lambda _: Op.UpdateConfig(schema_metadata_updates=Op.UpdateMap({"a": "b"})),
}
"""Makes an operation of version 1."""


def verdict_of_pylance(place: str, operation: Any) -> str:
    """What becomes of an operation that was made of version 1: `ok`, `retry` or `refused`."""
    try:
        lance.LanceDataset.commit(place, operation, read_version=1)
    except OSError as error:
        if "ncompatible" in str(error):
            return "refused"
        if "etryable" in str(error):
            return "retry"
        raise
    return "ok"
