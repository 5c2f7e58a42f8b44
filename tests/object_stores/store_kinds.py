"""How are catalogs made whose tables are in object stores?

In: the name of a kind, such as `filesystem` (in moto) or `sqlite-azurite`. Out: how its catalogs are made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from catalog_kinds import Kind
from emulators import place

from floeberg.catalog import Catalog, FileSystemCatalog
from floeberg.catalog.sql import SqlCatalog
from tiers import ALL

__all__ = ["KINDS", "STORE_OF", "WRITABLE", "tried"]

WRITABLE = ("moto", "seaweedfs", "versitygw", "azurite")
"""Those that take what Floeberg writes."""
_FULL = ("moto",)
"""Those that all tests run over each time; `make long` runs them over each store."""
_SOME = ("seaweedfs", "azurite")
"""Those that some tests run over each time."""


def filesystem(store: str) -> Callable[[str, Path], Catalog]:
    """Folders of a bucket, with the store to decide between writers."""

    def make(name: str, folder: Path) -> Catalog:
        del folder
        return FileSystemCatalog(name, {"warehouse": f"{place(store)}/{name}"})

    return make


def sqlite(store: str) -> Callable[[str, Path], Catalog]:
    """A database that decides."""

    def make(name: str, folder: Path) -> Catalog:
        uri = f"sqlite:///{folder}/catalog.db"
        return SqlCatalog(name, {"uri": uri, "warehouse": f"{place(store)}/{name}"})

    return make


KINDS: dict[str, Kind] = {}
STORE_OF: dict[str, str] = {}
for _store in WRITABLE:
    _end = "" if _store == "moto" else f"-{_store}"
    KINDS[f"filesystem{_end}"] = Kind(
        filesystem(_store),
        has_properties=False,
        renames=False,
        views=False,
        forgets_folders=_store != "seaweedfs",
    )
    KINDS[f"sqlite{_end}"] = Kind(sqlite(_store))
    STORE_OF |= {f"filesystem{_end}": _store, f"sqlite{_end}": _store}


def tried(*, more: bool) -> list[str]:
    """Kinds that a test runs over.

    Args:
        more: Whether it is one of those that run each time over more stores than one.
    """
    stores = WRITABLE if ALL else _FULL
    chosen = [name for name in KINDS if STORE_OF[name] in stores]
    # Folders alone need the store to decide: the other kind asks nothing of a store that this one does not.
    return chosen + [
        name
        for name in KINDS
        if more and name not in chosen and STORE_OF[name] in _SOME and name.startswith("filesystem")
    ]
