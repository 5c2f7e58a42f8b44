"""Which Lance tables are there, and what does pylance say is in them?"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import floeberg as fb
from corpus.cases import ROOT


@dataclass(frozen=True)
class LanceCase:
    """A table with its `expected.json`."""

    name: str
    folder: Path
    expected: dict[str, Any]

    @property
    def location(self) -> Path:
        """The folder of the table."""
        return self.folder / "table"

    @property
    def relocate(self) -> dict[str, str]:
        """Where the table's files are, for the places that it was written to."""
        moved = {self.expected["original_dir"]: str(self.location)}
        extra = self.expected.get("extra_dirs", {})
        return moved | {original: str(self.folder / kept) for kept, original in extra.items()}

    @property
    def names_other_folders(self) -> bool:
        """Whether manifests name folders by their paths, so that pylance reads the table only where it was made."""
        return bool(self.expected.get("extra_dirs") or self.expected["branches"])

    def open(self, **options: Any) -> fb.LanceTable:
        """Open the table at its newest version, or at another one."""
        return fb.open_table(self.location, format="lance", relocate=self.relocate, **options)


@cache
def lance_cases() -> list[LanceCase]:
    """Every case, by name."""
    folders = sorted(path.parent for path in (ROOT / "lance").glob("*/expected.json"))
    assert folders, "the Lance corpus is empty"
    return [
        LanceCase(folder.name, folder, json.loads((folder / "expected.json").read_text("utf-8")))
        for folder in folders
    ]
