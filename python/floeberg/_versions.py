"""How does a table live in a folder that no catalog knows?

Its metadata files are `metadata/v<V>.metadata.json`, and the highest `V` is the current one. A commit writes the next,
where there is none, in one step: of two writers one wins. `metadata/version-hint.text` says where to begin to look, and
may be stale. Spec: File System Tables.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from floeberg import _native

__all__ = ["Versions"]

_NAME: Final = re.compile(r"v(\d+)((?:\.gz)?\.metadata\.json|\.metadata\.json\.gz)")
_HINT: Final = "version-hint.text"


@dataclass(frozen=True, repr=False)
class Versions:
    """A table in a folder.

    Args:
        folder: The folder, as the table writes it.
        storage_options: The options of its store.
    """

    folder: str
    storage_options: dict[str, str]

    def load(self, known: _native.Table | None) -> _native.Table:
        """The table as it is now, the known one where that is current. Raises `NoSuchTableError`."""
        current = _native.Table.open_metadata(self.folder, storage_options=self.storage_options)
        same = (
            known is not None
            and current.metadata_location == known.metadata_location
            and current.identity == known.identity
        )
        # The one that is known has manifests in its cache.
        return known if known is not None and same else current

    def remove(self) -> None:
        """Removes the versions, so that there is no table: the current one last, or an older one would become it."""
        names = [
            name
            for name, is_folder in _native.list_folder(
                f"{self.folder}/metadata", storage_options=self.storage_options
            )
            if not is_folder and _NAME.fullmatch(name)
        ]
        names.sort(key=_number)
        places = [f"{self.folder}/metadata/{name}" for name in (_HINT, *names)]
        _native.remove_files(places, storage_options=self.storage_options)


def _number(location: str) -> int:
    found = _NAME.fullmatch(location.rsplit("/", 1)[-1])
    return 0 if found is None else int(found[1])
