"""How does a catalog that keeps the locations of metadata files serve tables?

Each commit writes a metadata file of a name of its own, `<V>-<uuid>.metadata.json`, and then swaps the location that
the catalog keeps, if that is still the one the commit began with. Spec: Metastore Tables.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from floeberg.catalog.base import Catalog
from floeberg.errors import NoSuchTableError

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.catalog.names import Identifier

__all__ = ["MetastoreCatalog"]


class MetastoreCatalog(Catalog):
    """A catalog that keeps the location of each table's metadata file.

    Dropping a table leaves all its files: `register_table` takes them back. `purge_table` removes them.

    A catalog of your own says where it keeps locations: see the methods without a body.
    """

    @abstractmethod
    def _location_of(self, identifier: Identifier) -> str | None:
        """The location of a table's metadata file; `None` where there is no such table."""

    def _has_table(self, identifier: Identifier) -> bool:
        return self._location_of(identifier) is not None

    def _load(self, identifier: Identifier, known: _native.Table | None) -> _native.Table:
        location = self._location_of(identifier)
        if location is None:
            raise self._no_such_table(identifier)
        if known is not None and known.metadata_location == location:
            return known
        try:
            return self._open(location)
        except NoSuchTableError as error:
            # Another may have committed and removed old metadata since.
            if self._location_of(identifier) == location:
                raise
            again = self._location_of(identifier)
            if again is None:
                raise self._no_such_table(identifier) from error
            return self._open(again)
