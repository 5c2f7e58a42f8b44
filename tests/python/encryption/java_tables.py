"""Tables that Iceberg Java encrypted: `tests/conformance/encrypted`, made by `tests/interop/encrypted_corpus.py`."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2] / "conformance" / "encrypted"
NAMES = ["avro", "buckets", "parquet"]
"""The tables that are read. Keys of 24 bytes, which `middle_keys` has, are refused."""


@dataclass(frozen=True)
class JavaTable:
    """A table.

    Attributes:
        folder: Where it is.
        expected: What Java reads of it.
        key_file: The keys that open it, for their owner alone.
    """

    folder: Path
    expected: dict[str, Any]
    key_file: Path

    @property
    def relocate(self) -> dict[str, str]:
        """Where its files are, for the place that they were written to."""
        return {self.expected["original_dir"]: str(self.folder)}

    @property
    def options(self) -> dict[str, str]:
        """The options that name its keys."""
        return {"encryption.kms-type": "file", "encryption.key-file": str(self.key_file)}

    def states(self) -> list[tuple[Path, list[tuple[Any, ...]]]]:
        """Each metadata file, and the rows that Java reads there."""
        return [
            (self.folder / state["metadata_file"], sorted(map(tuple, state["rows"])))
            for state in self.expected["states"]
        ]


def java_table(name: str, place: Path) -> JavaTable:
    """A table, with a copy of the key file: git keeps no rights of files."""
    key_file = Path(shutil.copy(ROOT / "keys.json", place / "keys.json"))
    key_file.chmod(0o600)
    return JavaTable(ROOT / name / "table", json.loads((ROOT / name / "expected.json").read_text()), key_file)
