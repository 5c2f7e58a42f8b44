"""How does a catalog that keeps the locations of metadata files serve tables?

Each commit writes a metadata file of a name of its own, `<V>-<uuid>.metadata.json`, and then swaps the location that
the catalog keeps, if that is still the one the commit began with. Spec: Metastore Tables.
"""

from __future__ import annotations

import re
import uuid
from abc import abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._versions import remove_old_metadata, suffix_of
from floeberg.catalog.base import Catalog
from floeberg.errors import CommitStateUnknownError, FloebergError, NoSuchTableError

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier
    from floeberg.commits import Attempt

__all__ = ["MetastoreCatalog"]


class MetastoreCatalog(Catalog):
    """A catalog that keeps the location of each table's metadata file.

    Dropping a table leaves all its files: `register_table` takes them back. `purge_table` removes them.

    A catalog of your own says where it keeps locations: see the methods without a body.
    """

    @abstractmethod
    def _location_of(self, identifier: Identifier) -> str | None:
        """The location of a table's metadata file; `None` where there is no such table."""

    @abstractmethod
    def _swap(self, identifier: Identifier, before: str, after: str) -> None:
        """Keeps another location, if the one before is still the one that is kept.

        Raises:
            CommitConflictError: It is not, or the table is gone. Nothing was changed.
            CommitStateUnknownError: It is not known what is kept.
        """

    def _commit(self, identifier: Identifier, base: _native.Table | None, attempt: Attempt) -> str:
        location = _new_location(base, attempt)
        # Nobody else knows the name, so that no store needs to be asked whether there is such a file.
        attempt.write_metadata(location, if_absent=False)
        try:
            if base is None:
                self._register(identifier, location)
            else:
                self._swap(identifier, base.metadata_location, location)
        except CommitStateUnknownError as failure:
            raise CommitStateUnknownError(
                failure.message, context=failure.context | {"metadata": location}
            ) from failure
        except FloebergError:
            with suppress(FloebergError):
                _native.remove_files([location], storage_options=self.storage_options)
            raise
        if base is not None:
            remove_old_metadata(base, attempt, location, self.storage_options)
        return location

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


def _new_location(base: _native.Table | None, attempt: Attempt) -> str:
    """The metadata file of an attempt: `<V>-<uuid>.metadata.json`, `V` one more than the base's."""
    found = None if base is None else re.match(r"v?(\d+)", base.metadata_location.rsplit("/", 1)[-1])
    version = int(found[1]) + 1 if found is not None else 0
    suffix = suffix_of(attempt.table("").properties)
    return f"{attempt.metadata_folder}/{version:05d}-{uuid.uuid4()}{suffix}"
