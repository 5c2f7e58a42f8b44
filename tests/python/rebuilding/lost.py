"""Tables with a history of all kinds, and what destroys them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import floeberg as fb
from maintenance.disk import path_of, rows
from maintenance.moved_tables import drop_keys
from written_tables import Written

LINEAGE = ("_row_id", "_last_updated_sequence_number")


def fill(table: fb.Table) -> None:
    """Appends, deletes of all kinds, a compaction, other columns and another partition spec, on one branch."""
    table.append(rows(*range(10)))
    table.append(rows(*range(10, 20), part="b"))
    if table.format_version > 1:
        table.delete("id in (1, 11)", mode="merge-on-read")
        drop_keys(table, 2, 3)
    table.maintenance.rewrite_data_files(options={"rewrite-all": "true"}, where="part = 'b'")
    table.update_schema().add_column("note", pa.string()).rename_column("id", "number").commit()
    if table.format_version > 1:
        table.update_spec().add_field("number", "bucket[4]").commit()
    table.append(pa.table({"number": [30, 31], "part": ["a", "c"], "note": ["x", None]}))
    if table.format_version > 1:
        table.delete("number in (5, 31)", mode="merge-on-read")


def metadata_folder(table: fb.Table) -> Path:
    return Path(path_of(table.location()), "metadata")


def newest_metadata(table: fb.Table) -> Path:
    return Path(path_of(table.metadata_location))


def without_metadata(table: fb.Table) -> None:
    """Removes all metadata files."""
    for path in metadata_folder(table).glob("*.metadata.json"):
        path.unlink()


def lists(table: fb.Table) -> list[Path]:
    """The manifest lists, the oldest first."""
    return [Path(path_of(each.manifest_list)) for each in table.snapshots()]


def without_lists(table: fb.Table) -> None:
    """Removes all metadata files and manifest lists."""
    gone = lists(table)
    without_metadata(table)
    for path in gone:
        path.unlink()


def only_data(table: fb.Table) -> None:
    """Removes everything but data files and delete files."""
    for path in metadata_folder(table).iterdir():
        path.unlink()


def data_paths(table: fb.Table) -> list[str]:
    """The live data files."""
    return [each["file_path"] for each in table.inspect.data_files().to_pylist()]


def delete_paths(table: fb.Table) -> list[str]:
    """The live delete files, each once."""
    return sorted({each["file_path"] for each in table.inspect.delete_files().to_pylist()})


def live_rows(table: fb.Table) -> list[tuple[Any, ...]]:
    """All rows, with their row ids and sequence numbers where the table has them."""
    names = [*table.schema().column_names, *(LINEAGE if table.format_version > 2 else ())]
    found = table.scan(selected_fields=names).to_arrow().to_pylist()
    return sorted((tuple(each.values()) for each in found), key=repr)


def entries(table: fb.Table, without: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
    """What manifests say of live files, but for status and some fields."""
    left = {"status", "readable_metrics"}

    def frozen(value: Any) -> str:
        if isinstance(value, dict):
            value = {name: each for name, each in value.items() if name not in without}
        return json.dumps(value, default=str, sort_keys=True)

    found = [each for each in table.inspect.entries().to_pylist() if each["status"] != 2]
    return sorted(
        tuple((name, frozen(value)) for name, value in each.items() if name not in left) for each in found
    )


def digests(folder: str | Path) -> dict[str, str]:
    """All files below a folder, with what is in them."""
    files = [path for path in Path(path_of(str(folder))).rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def check_new(table: fb.Table, old: str, excused: str = "") -> None:
    """A rebuilt table is sound, for the library and for the checker of the tests, and removes no file."""
    found = list(table.check("rows"))
    assert found == [], found
    written = Written()
    written.look_through(Path(path_of(table.location())))
    faults = [each for each in written.faults() if each.rule != excused]
    assert faults == [], faults
    assert table.properties["gc.enabled"] == "false"
    before = digests(old)
    for removes in removers(table):
        with pytest.raises(fb.FloebergError, match=r"gc\.enabled"):
            removes()
    assert digests(old) == before


def removers(table: fb.Table) -> list[Callable[[], object]]:
    return [
        lambda: table.maintenance.expire_snapshots(retain_last=1),
        table.maintenance.remove_orphan_files,
    ]
