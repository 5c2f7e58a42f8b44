"""Makes the case `lance/branches`: branches of branches, tags on them, and what pylance 14.0.2 says of each version.

    python lance_branches.py FOLDER

Needs pylance, and `/warehouse/lance`, where the table is made: branches name the folder of their parent by its path.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

PLACE = Path("/warehouse/lance/branches")


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


def main() -> None:
    """Make the table, and tell of it."""
    shutil.rmtree(PLACE, ignore_errors=True)
    trunk = lance.write_dataset(rows(0, 10), PLACE)
    trunk.delete("id = 3")
    dev = trunk.create_branch("dev")
    dev.insert(rows(100, 105))
    dev.delete("id = 101 or id = 4")
    team = dev.create_branch("team/a.b")
    team.insert(rows(200, 203))
    trunk.insert(rows(10, 12))
    trunk.tags.create("on-trunk", 2)
    trunk.tags.create("on-dev", ("dev", dev.version))
    trunk = lance.dataset(PLACE)
    branches = {}
    for name, told in trunk.branches.list().items():
        branch = trunk.checkout_version((name, None))
        versions = [each["version"] for each in branch.versions()]
        branches[name] = {
            "parent_branch": told["parent_branch"],
            "parent_version": told["parent_version"],
            "create_at": told["create_at"],
            "versions": [state(trunk.checkout_version((name, version))) for version in versions],
        }
    expected = {
        "case": "branches",
        "writer": "lance",
        "made": "Branches of branches, with appends and deletes on each; tags on the main branch and on another.",
        "oracle": f"pylance {lance.__version__}",
        "original_dir": str(PLACE),
        "tags": {
            name: {"version": tag["version"], "branch": tag["branch"]}
            for name, tag in trunk.tags.list().items()
        },
        "branches": branches,
        "data_storage_version": trunk.data_storage_version,
        "stable_row_ids": trunk.has_stable_row_ids,
        "manifests": sorted(path.name for path in (PLACE / "_versions").iterdir()),
        "schema_metadata": {},
        "config": {},
        "table_metadata": {},
        "indices": [],
        "time_travel": [state(trunk.checkout_version(each["version"])) for each in trunk.versions()],
        **state(trunk),
    }
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(PLACE, folder / "table")
    (folder / "expected.json").write_text(json.dumps(expected) + "\n", "utf-8")


if __name__ == "__main__":
    main()
