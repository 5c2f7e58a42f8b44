"""A catalog of a user's own: a JSON file that names the metadata file of each table and view.

It derives the public methods of `MetastoreCatalog` and nothing else of the library. The guide has a smaller one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from floeberg.catalog import Identifier, MetadataSwap, MetastoreCatalog, Namespace


class JsonCatalog(MetastoreCatalog):
    """Tables and views by name in the file of the property `file`, which is replaced whole, under a lock."""

    @contextlib.contextmanager
    def _locked(self) -> Iterator[dict[str, Any]]:
        """What is in the file, which gets what becomes of it."""
        path = Path(self.properties["file"])
        with path.with_name(f"{path.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = path.read_text() if path.exists() else '{"namespaces": [], "tables": [], "views": []}'
            content = {
                kind: {tuple(key): value for key, value in each} for kind, each in json.loads(before).items()
            }
            yield content
            after = json.dumps({kind: list(each.items()) for kind, each in content.items()})
            if after != before:
                new = path.with_name(f"{path.name}.new")
                with new.open("w") as file:
                    file.write(after)
                    file.flush()
                    os.fsync(file.fileno())
                new.replace(path)

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        with self._locked() as content:
            return namespace in content["namespaces"]

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        with self._locked() as content:
            for depth in range(1, len(namespace)):
                content["namespaces"].setdefault(namespace[:depth], {})
            content["namespaces"][namespace] = properties

    def do_drop_namespace(self, namespace: Namespace) -> None:
        with self._locked() as content:
            content["namespaces"].pop(namespace, None)

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        with self._locked() as content:
            return [each for each in content["namespaces"] if each[:-1] == namespace]

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        with self._locked() as content:
            return content["namespaces"].get(namespace, {})

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        with self._locked() as content:
            known = content["namespaces"].get(namespace, {})
            kept = {key: value for key, value in known.items() if key not in removals}
            content["namespaces"][namespace] = kept | updates

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        with self._locked() as content:
            return [each for each in content["tables"] if each[:-1] == namespace]

    def do_load_metadata_location(self, identifier: Identifier) -> str | None:
        with self._locked() as content:
            return content["tables"].get(identifier)

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        with self._locked() as content:
            if identifier in content["tables"] or identifier in content["views"]:
                raise self.table_already_exists(identifier)
            content["tables"][identifier] = metadata_location

    def do_swap_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        with self._locked() as content:
            if content["tables"].get(identifier) != before:
                raise self.commit_conflict(identifier)
            content["tables"][identifier] = after

    def do_swap_metadata_locations(self, swaps: Sequence[MetadataSwap]) -> None:
        with self._locked() as content:
            for each in swaps:
                is_taken = each.identifier in content["tables"] or each.identifier in content["views"]
                if each.before is None and is_taken:
                    raise self.table_already_exists(each.identifier)
                if content["tables"].get(each.identifier) != each.before:
                    raise self.commit_conflict(each.identifier)
            content["tables"].update({each.identifier: each.after for each in swaps})

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        with self._locked() as content:
            if after in content["tables"] or after in content["views"]:
                raise self.table_already_exists(after)
            if before not in content["tables"]:
                raise self.no_such_table(before)
            content["tables"][after] = content["tables"].pop(before)

    def do_drop_table(self, identifier: Identifier) -> None:
        with self._locked() as content:
            if content["tables"].pop(identifier, None) is None:
                raise self.no_such_table(identifier)

    def do_list_views(self, namespace: Namespace) -> Iterable[Identifier]:
        with self._locked() as content:
            return [each for each in content["views"] if each[:-1] == namespace]

    def do_load_view_metadata_location(self, identifier: Identifier) -> str | None:
        with self._locked() as content:
            return content["views"].get(identifier)

    def do_register_view(self, identifier: Identifier, metadata_location: str) -> None:
        with self._locked() as content:
            if identifier in content["tables"] or identifier in content["views"]:
                raise self.view_already_exists(identifier)
            content["views"][identifier] = metadata_location

    def do_swap_view_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        with self._locked() as content:
            if content["views"].get(identifier) != before:
                raise self.view_conflict(identifier)
            content["views"][identifier] = after

    def do_rename_view(self, before: Identifier, after: Identifier) -> None:
        with self._locked() as content:
            if after in content["tables"] or after in content["views"]:
                raise self.view_already_exists(after)
            if before not in content["views"]:
                raise self.no_such_view(before)
            content["views"][after] = content["views"].pop(before)

    def do_drop_view(self, identifier: Identifier) -> None:
        with self._locked() as content:
            if content["views"].pop(identifier, None) is None:
                raise self.no_such_view(identifier)
