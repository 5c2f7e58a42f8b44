"""Which tables and views does a catalog in memory have?"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.catalog.metastore import MetastoreCatalog

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from floeberg.catalog.metastore import MetadataSwap
    from floeberg.catalog.names import Identifier, Namespace

__all__ = ["InMemoryCatalog", "MemoryCatalog"]


@dataclass
class _Contents:
    namespaces: dict[Namespace, dict[str, str]] = field(default_factory=dict)
    tables: dict[Identifier, str] = field(default_factory=dict)
    views: dict[Identifier, str] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)


_CONTENTS: dict[str, _Contents] = {}
"""The contents of the catalogs of this process, by name."""


def _unlock_all() -> None:
    """In a fork no thread could release the locks of the parent."""
    for contents in _CONTENTS.values():
        contents.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlock_all)


class MemoryCatalog(MetastoreCatalog):
    """A catalog in memory: for tests and for trying things out.

    Catalogs of the same name share their tables and views within a process. Other processes do not see them. The files
    are in memory too, unless the property `warehouse` names another location.

    Args:
        name: The name of the catalog.
        properties: `warehouse`, and storage options.

    Examples:
        >>> catalog = MemoryCatalog("doc")
        >>> catalog.create_namespace("sales", properties={"owner": "jo"})
        >>> MemoryCatalog("doc").load_namespace_properties("sales")
        {'owner': 'jo'}
        >>> catalog.drop_namespace("sales")
    """

    _contents: _Contents

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        super().__init__(name, properties, **more)
        self._properties.setdefault("warehouse", f"memory://{self._name}/warehouse")
        self._contents = _CONTENTS.setdefault(self._name, _Contents())

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        with self._contents.lock:
            return namespace in self._contents.namespaces

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        with self._contents.lock:
            for depth in range(1, len(namespace)):
                self._contents.namespaces.setdefault(namespace[:depth], {})
            self._contents.namespaces[namespace] = dict(properties)

    def do_drop_namespace(self, namespace: Namespace) -> None:
        with self._contents.lock:
            self._contents.namespaces.pop(namespace, None)

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        with self._contents.lock:
            return [each for each in self._contents.namespaces if each[:-1] == namespace]

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        with self._contents.lock:
            return dict(self._contents.namespaces.get(namespace, {}))

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        with self._contents.lock:
            known = self._contents.namespaces.get(namespace, {})
            kept = {key: value for key, value in known.items() if key not in removals}
            self._contents.namespaces[namespace] = kept | updates

    def do_load_metadata_location(self, identifier: Identifier) -> str | None:
        with self._contents.lock:
            return self._contents.tables.get(identifier)

    def do_list_metadata_locations(self) -> dict[Identifier, str]:
        with self._contents.lock:
            return dict(self._contents.tables)

    def do_swap_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        with self._contents.lock:
            if self._contents.tables.get(identifier) != before:
                raise self.commit_conflict(identifier)
            self._contents.tables[identifier] = after

    def do_swap_metadata_locations(self, swaps: Sequence[MetadataSwap]) -> None:
        with self._contents.lock:
            for each in swaps:
                is_taken = each.identifier in self._contents.tables or each.identifier in self._contents.views
                if each.before is None and is_taken:
                    raise self.table_already_exists(each.identifier)
                if each.before != self._contents.tables.get(each.identifier):
                    raise self.commit_conflict(each.identifier)
            self._contents.tables.update({each.identifier: each.after for each in swaps})

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        with self._contents.lock:
            return [each for each in self._contents.tables if each[:-1] == namespace]

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        with self._contents.lock:
            if identifier in self._contents.tables or identifier in self._contents.views:
                raise self.table_already_exists(identifier)
            self._contents.tables[identifier] = metadata_location

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        with self._contents.lock:
            if after in self._contents.tables or after in self._contents.views:
                raise self.table_already_exists(after)
            location = self._contents.tables.pop(before, None)
            if location is None:
                raise self.no_such_table(before)
            self._contents.tables[after] = location

    def do_drop_table(self, identifier: Identifier) -> None:
        with self._contents.lock:
            if self._contents.tables.pop(identifier, None) is None:
                raise self.no_such_table(identifier)

    def do_unregister_table(self, identifier: Identifier, metadata_location: str) -> bool:
        with self._contents.lock:
            if self._contents.tables.get(identifier) != metadata_location:
                return False
            del self._contents.tables[identifier]
            return True

    def do_load_view_metadata_location(self, identifier: Identifier) -> str | None:
        with self._contents.lock:
            return self._contents.views.get(identifier)

    def do_swap_view_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        with self._contents.lock:
            if self._contents.views.get(identifier) != before:
                raise self.view_conflict(identifier)
            self._contents.views[identifier] = after

    def do_list_views(self, namespace: Namespace) -> Iterable[Identifier]:
        with self._contents.lock:
            return [each for each in self._contents.views if each[:-1] == namespace]

    def do_register_view(self, identifier: Identifier, metadata_location: str) -> None:
        with self._contents.lock:
            if identifier in self._contents.tables or identifier in self._contents.views:
                raise self.view_already_exists(identifier)
            self._contents.views[identifier] = metadata_location

    def do_rename_view(self, before: Identifier, after: Identifier) -> None:
        with self._contents.lock:
            if after in self._contents.tables or after in self._contents.views:
                raise self.view_already_exists(after)
            location = self._contents.views.pop(before, None)
            if location is None:
                raise self.no_such_view(before)
            self._contents.views[after] = location

    def do_drop_view(self, identifier: Identifier) -> None:
        with self._contents.lock:
            if self._contents.views.pop(identifier, None) is None:
                raise self.no_such_view(identifier)


InMemoryCatalog = MemoryCatalog
"""PyIceberg's name of `MemoryCatalog`."""
