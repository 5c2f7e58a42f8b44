"""Makes two cases of `lance/`, and says of them what pylance 14.0.2 does.

    python lance_cases.py FOLDER

Needs pylance, and `/warehouse/lance`, where the tables are made: branches name the folder of their parent by its path.
`branches` has branches of branches and tags on them, `row_id_kinds` row ids in segments of all kinds but lists without
order, which pylance does not come to.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

PLACE = Path("/warehouse/lance")
LINEAGE = ("_rowid", "_rowaddr", "_row_created_at_version", "_row_last_updated_at_version")


def rows(start: int, stop: int) -> pa.Table:
    """Rows of two columns."""
    return pa.table({"id": range(start, stop), "name": [f"n{each}" for each in range(start, stop)]})


def state(dataset: lance.LanceDataset) -> dict[str, Any]:
    """What a version of a branch is."""
    fragments = []
    for fragment in dataset.get_fragments():
        metadata = fragment.metadata
        deletion = metadata.deletion_file
        files = []
        for file in metadata.files:
            told = {
                "path": file.path,
                "fields": list(file.fields),
                "column_indices": list(file.column_indices),
                "file_version": [file.file_major_version, file.file_minor_version],
            }
            if file.base_id is not None:
                told["base_id"] = file.base_id
            files.append(told)
        fragments.append(
            {
                "id": metadata.id,
                "physical_rows": metadata.physical_rows,
                "num_deletions": metadata.num_deletions,
                "num_rows": metadata.num_rows,
                "deletion_file": deletion
                and {
                    "read_version": deletion.read_version,
                    "id": deletion.id,
                    "file_type": deletion.file_type,
                    "num_deleted_rows": deletion.num_deleted_rows,
                    "base_id": deletion.base_id,
                },
                "files": files,
            }
        )
    read = dataset.to_table(with_row_address=True)
    return {
        "version": dataset.version,
        "row_count": dataset.count_rows(),
        "max_field_id": dataset.max_field_id,
        "schema": [[field.name, str(field.type), field.nullable] for field in dataset.schema],
        "fields": [
            {"id": field.id(), "parent": -1, "name": field.name()} for field in dataset.lance_schema.fields()
        ],
        "fragments": fragments,
        "addresses": read["_rowaddr"].to_pylist(),
        "ids": read["id"].to_pylist(),
    }


def told(dataset: lance.LanceDataset, name: str, made: str) -> dict[str, Any]:
    """What a table is, and each version of its main branch."""
    return {
        "case": name,
        "writer": "lance",
        "made": made,
        "oracle": f"pylance {lance.__version__}",
        "original_dir": str(PLACE / name),
        "tags": {
            tag: {"version": named["version"], "branch": named["branch"]}
            for tag, named in dataset.tags.list().items()
        },
        "branches": {},
        "data_storage_version": dataset.data_storage_version,
        "stable_row_ids": dataset.has_stable_row_ids,
        "manifests": sorted(path.name for path in (PLACE / name / "_versions").iterdir()),
        "schema_metadata": {},
        "config": {},
        "table_metadata": {},
        "indices": [],
        "time_travel": [state(dataset.checkout_version(each["version"])) for each in dataset.versions()],
        **state(dataset),
    }


def branches(place: Path) -> dict[str, Any]:
    """Branches of branches."""
    trunk = lance.write_dataset(rows(0, 10), place)
    trunk.delete("id = 3")
    dev = trunk.create_branch("dev")
    dev.insert(rows(100, 105))
    dev.delete("id = 101 or id = 4")
    team = dev.create_branch("team/a.b")
    team.insert(rows(200, 203))
    trunk.insert(rows(10, 12))
    trunk.tags.create("on-trunk", 2)
    trunk.tags.create("on-dev", ("dev", dev.version))
    trunk = lance.dataset(place)
    made = "Branches of branches, with appends and deletes on each; tags on the main branch and on another."
    found = told(trunk, place.name, made)
    for name, branch in trunk.branches.list().items():
        versions = [each["version"] for each in trunk.checkout_version((name, None)).versions()]
        found["branches"][name] = {
            "parent_branch": branch["parent_branch"],
            "parent_version": branch["parent_version"],
            "create_at": branch["create_at"],
            "versions": [state(trunk.checkout_version((name, version))) for version in versions],
        }
    return found


def row_id_kinds(place: Path) -> dict[str, Any]:
    """Row ids in ranges, ranges with holes and with bitmaps, and lists."""
    dataset = lance.write_dataset(rows(0, 900), place, enable_stable_row_ids=True, max_rows_per_file=300)
    dataset.delete("id % 100 = 7 and id < 300")
    dataset.delete("id >= 300 and id < 600 and id % 3 <> 0")
    dataset.delete("id >= 600 and id % 97 <> 0")
    dataset.optimize.compact_files(target_rows_per_fragment=150, materialize_deletions_threshold=0.0)
    changed = pa.table({"id": [*range(250, 10, -7), 9000], "name": ["changed"] * 36})
    dataset.merge_insert("id").when_matched_update_all().when_not_matched_insert_all().execute(changed)
    dataset.update({"name": "'updated'"}, "id % 11 = 0 and id < 120")
    dataset.optimize.compact_files(target_rows_per_fragment=10_000)
    dataset.delete("id = 0 or id = 9000")
    dataset = lance.dataset(place)
    made = "Stable row ids in segments of several kinds: deletes, compactions, a merge, an update."
    found = told(dataset, place.name, made)
    read = dataset.to_table(columns=["id", *LINEAGE])
    found["row_ids"] = {
        "columns": ["id", *LINEAGE],
        "rows": [list(row.values()) for row in read.to_pylist()],
    }
    return found


def main() -> None:
    """Make the tables, and tell of them."""
    PLACE.mkdir(parents=True)
    for make in (branches, row_id_kinds):
        expected = make(PLACE / make.__name__)
        folder = Path(sys.argv[1]) / make.__name__
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(PLACE / make.__name__, folder / "table")
        (folder / "expected.json").write_text(json.dumps(expected) + "\n", "utf-8")
    shutil.rmtree(PLACE)


if __name__ == "__main__":
    main()
