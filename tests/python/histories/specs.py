"""Another writer changes the partition spec of a table: the library has no call for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from floeberg.catalog import MemoryCatalog
from histories.model import ID

Json = dict[str, Any]


def add_or_drop_partition_field(catalog: MemoryCatalog, name: str) -> None:
    """The next metadata file has a spec of one more field, or the first spec again."""
    before = catalog.load_table(name).metadata_location
    path = Path(before.removeprefix("file://"))
    metadata = json.loads(path.read_text())
    evolve(metadata)
    log = {"timestamp-ms": metadata["last-updated-ms"], "metadata-file": before}
    metadata["metadata-log"] = [*metadata.get("metadata-log", []), log]
    after = path.with_name(f"{len(list(path.parent.iterdir())):05}-of-another.metadata.json")
    after.write_text(json.dumps(metadata))
    catalog.do_swap_metadata_location(tuple(name.split(".")), before, str(after))


def evolve(metadata: Json) -> None:
    """What changes in metadata."""
    specs = metadata["partition-specs"]
    default = int(metadata["default-spec-id"] == 0)
    if len(specs) == 1:
        added = {"field-id": 1001, "source-id": ID, "transform": "bucket[2]", "name": "id_bucket"}
        specs.append({"spec-id": 1, "fields": [*specs[0]["fields"], added]})
        metadata["last-partition-id"] = 1001
    metadata["default-spec-id"] = default
    if "partition-spec" in metadata:
        metadata["partition-spec"] = specs[default]["fields"]
