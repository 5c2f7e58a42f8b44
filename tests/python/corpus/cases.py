"""Which tables are there, and what does their oracle say is in them?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import floeberg as fb

ROOT = Path(__file__).parents[2] / "conformance"


@dataclass(frozen=True)
class Case:
    """A table with its `expected.json`."""

    name: str
    folder: Path
    expected: dict[str, Any]

    @property
    def metadata_file(self) -> Path:
        """The current metadata file."""
        return self.folder / "table" / self.expected["metadata_file"]

    @property
    def relocate(self) -> dict[str, str]:
        """Where the table's files are, for the places that it was written to."""
        moved = {self.expected["original_dir"]: str(self.folder / "table")}
        extra = self.expected.get("extra_dirs", {})
        return moved | {original: str(self.folder / kept) for kept, original in extra.items()}

    @property
    def is_view(self) -> bool:
        """Whether this is a view, which has no rows of its own."""
        return self.expected.get("kind") == "view"

    def open(self, **options: Any) -> fb.Table:
        """Open the table at its current metadata file."""
        return fb.open_table(self.metadata_file, relocate=self.relocate, **options)

    def rows(self) -> list[str]:
        """The rows of the table now, as sorted lines of JSON."""
        if "rows" in self.expected:
            return sorted(map(line, self.expected["rows"]))
        return sorted(
            map(line, map(json.loads, (self.folder / self.expected["rows_file"]).read_text().splitlines()))
        )


def line(row: Any) -> str:
    """A row as the one JSON text that checksums are made of."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


@cache
def cases() -> list[Case]:
    """Every case, by name."""
    folders = sorted(path.parent for path in (ROOT / "iceberg").glob("*/*/expected.json"))
    assert folders, "the corpus is empty"
    return [
        Case(
            f"{folder.parent.name}/{folder.name}", folder, json.loads((folder / "expected.json").read_text())
        )
        for folder in folders
    ]
