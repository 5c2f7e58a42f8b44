"""What do all methods of a Lance table share?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._pyiceberg_names import SpelledLikePyIceberg

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.lance.manifest_store import ManifestStore

__all__ = ["LanceTableBase"]


class LanceTableBase(SpelledLikePyIceberg):
    """The state of `floeberg.lance.LanceTable`."""

    _inner: _native.LanceTable
    _known: dict[str, Any] | None
    _manifest_store: ManifestStore | None

    def _become(self, native: _native.LanceTable) -> None:
        """Moves to another version. Existing scans do not change."""
        self._inner = native
        self._known = None

    def _facts(self) -> dict[str, Any]:
        """What the manifest says beside its fragments."""
        if self._known is None:
            self._known = self._inner.facts()
        return self._known
