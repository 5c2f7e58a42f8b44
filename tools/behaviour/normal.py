"""Neutral names for what differs from run to run: ids, times, places."""

from __future__ import annotations

import re
from typing import Any

UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
TIMES = {"timestamp-ms", "last-updated-ms"}
SIZES = {"manifest_length", "manifest-length"}


class Names:
    """Gives the same name to the same thing, by the order in which things are met.

    Args:
        folder: Where the table is.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.known: dict[str, str] = {}

    def know(self, snapshot_id: int) -> None:
        """Name a snapshot."""
        self.known[str(snapshot_id)] = f"snapshot {len(self.known)}"

    def place(self, text: str) -> str:
        """A text with neutral names in it."""
        text = text.replace(self.folder, "FOLDER")
        text = UUID.sub(lambda match: self._named(match.group(0)), text)
        text = re.sub(r"\d{15,20}", lambda match: self.known.get(match.group(0), match.group(0)), text)
        return re.sub(r"\d{5}-<", "N-<", text)

    def neutral(self, value: Any) -> Any:
        """A value with neutral names in it."""
        if isinstance(value, dict):
            return {
                self.neutral(key): "SOME" if key in TIMES | SIZES else self.neutral(each)
                for key, each in value.items()
            }
        if isinstance(value, (list, tuple)):
            return [self.neutral(each) for each in value]
        if isinstance(value, str):
            return self.place(value)
        if isinstance(value, bool):
            return value
        if isinstance(value, int):
            return self.known.get(str(value), value)
        # Not all floats and bytes have a form in JSON.
        return None if value is None else repr(value)

    def _named(self, found: str) -> str:
        return self.known.setdefault(found, f"<uuid {len(self.known)}>")
