"""What does a server serve, and how was a request asked?

In: a catalog and settings. Out: what each endpoint gets.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from floeberg import _native
from floeberg.catalog import FileSystemCatalog
from floeberg.catalog.names import dotted, folder_of
from floeberg.errors import InvalidInputError
from floeberg.serving.keys import Answers
from floeberg.serving.limits import Limits
from floeberg.serving.places import Places
from floeberg.serving.plans import Plans

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.catalog import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.commit.operations import OpenedTable

__all__ = ["Asked", "Served"]

_MOST_TABLES: Final = 128


@dataclass(frozen=True)
class Served:
    """A catalog, as a server gives it to its clients.

    Attributes:
        catalog: The catalog.
        token: The token that clients need; `None` lets all in.
        read_only: Whether nothing may be changed.
        allow_outside: Whether locations may be outside of the warehouse.
        share_storage_options: Whether clients get the options of the storage, with secrets.
        limits: What a request may cost.
        places: Where files may be.
        answers: Answers to requests with idempotency keys.
        hosts: The names by which clients may call the server; `None` allows all.
        plans: Plans of scans that clients have not taken whole yet.
    """

    catalog: Catalog
    token: str | None = field(default=None, repr=False)
    read_only: bool = field(default=False, kw_only=True)
    allow_outside: bool = field(default=False, kw_only=True)
    share_storage_options: bool = field(default=False, kw_only=True)
    limits: Limits = field(default_factory=Limits)
    hosts: tuple[str, ...] | None = None
    answers: Answers = field(default_factory=Answers, repr=False)
    plans: Plans = field(init=False, repr=False)
    _tables: OrderedDict[Identifier, OpenedTable] = field(default_factory=OrderedDict, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        """Keeps no plan yet."""
        object.__setattr__(self, "plans", Plans(self.limits))

    @property
    def places(self) -> Places:
        """Where files may be."""
        return Places.of(self.catalog, allow_outside=self.allow_outside)

    def check_folder(self, levels: tuple[str, ...]) -> None:
        """Checks that no link in a warehouse of folders leads from a namespace or a table to another place."""
        if isinstance(self.catalog, FileSystemCatalog):
            warehouse = _native.location_from_user(self.catalog.properties["warehouse"])
            # A name that no folder has is refused where it is used.
            with suppress(InvalidInputError):
                self.places.check_links(folder_of(warehouse, levels), f"the folder of {dotted(levels)!r}")

    def known(self, identifier: Identifier) -> OpenedTable | None:
        """A table as it was last seen."""
        with self._lock:
            return self._tables.get(identifier)

    def keep(self, identifier: Identifier, opened: OpenedTable) -> None:
        """Keeps what was read of a table. The tables that were asked for last are kept."""
        with self._lock:
            self._tables[identifier] = opened
            self._tables.move_to_end(identifier)
            while len(self._tables) > _MOST_TABLES:
                self._tables.popitem(last=False)

    def load(self, identifier: Identifier) -> OpenedTable:
        """The current table. What was read of it before is used where it did not change."""
        opened = self.catalog.table_operations(identifier).load(self.known(identifier))
        self.keep(identifier, opened)
        return opened


@dataclass(frozen=True)
class Asked:
    """A request.

    Attributes:
        served: What is served.
        path: The parts of its path that are names, as they were sent.
        query: Its parameters.
        headers: Its headers, by names in lower case.
        body: Its JSON object; empty where it has no body.
        key: Its idempotency key.
    """

    served: Served
    path: dict[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: dict[str, Any]
    key: str | None

    @property
    def catalog(self) -> Catalog:
        """The catalog."""
        return self.served.catalog
