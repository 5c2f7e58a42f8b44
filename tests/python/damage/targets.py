"""Which files does reading a table open, and what can a reader check in each kind?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from corpus import Case

# Where a format holds nothing to check content against, other bytes may be another valid content, and rows may differ:
#   metadata   JSON: a digit may become another digit
#   manifests  Avro: the deflate stream has no checksum, uncompressed blocks have none
#   data       Parquet: a page's CRC is optional, and none of the writers of the corpus writes one; footers have none
#   deletes    Parquet, as above
# A deletion vector has a checksum, a magic and a length, so that it must be right or be an error.
CHECKED = frozenset({"vector"})

# Files that name no other files: an error there can only be theirs.
LEAVES = frozenset({"data", "deletes", "vector"})


@dataclass(frozen=True)
class Target:
    """A file that reading the current snapshot opens: its kind, and its place below the case's table folder."""

    kind: str
    path: Path


def targets(case: Case) -> list[Target]:
    """The files that a scan of the current snapshot opens."""
    expected = case.expected
    found = [Target("metadata", Path(expected["metadata_file"]))]
    current = [
        each for each in expected["snapshots"] if each["snapshot_id"] == expected["current_snapshot_id"]
    ]
    found += [
        Target("manifest list", _place(case, each["manifest_list"]))
        for each in current
        if each["manifest_list"]
    ]
    for manifest in expected["manifests"]:
        found.append(Target("manifest", _place(case, manifest["path"])))
        live = (entry for entry in manifest["entries"] if entry["status"] != "deleted")
        found += [
            Target(_kind(entry["content"], entry["format"]), _place(case, entry["path"])) for entry in live
        ]
    return list(dict.fromkeys(found))


def _kind(content: str, file_format: str) -> str:
    if file_format == "puffin":
        return "vector"
    return "data" if content == "data" else "deletes"


def _place(case: Case, written: str) -> Path:
    path = written.removeprefix("file://").removeprefix("file:")
    return Path(path.removeprefix(case.expected["original_dir"]).lstrip("/"))
