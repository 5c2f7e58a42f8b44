"""How are the names of a catalog, and what they point to, kept in a file?

The file is JSON: namespaces with their properties, and the metadata file of each table and view. It has no row and no
secret. Tables that have moved on since are not touched without `overwrite`.
"""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_bool, checked_path
from floeberg.catalog.new_tables import NewTables
from floeberg.errors import FloebergError, InvalidDataError, NotFoundError
from floeberg.maintenance.results.base import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.table import Table

__all__ = ["Backups", "ExportResult", "RestoreResult"]

_FORMAT = "floeberg-catalog"
_VERSION = 1


@dataclass(frozen=True, repr=False)
class ExportResult(Result):
    """What was written to a file.

    Attributes:
        namespaces: The namespaces.
        tables: The tables.
        views: The views.
        failed: Tables and views that could not be loaded, each with the reason. The file does not have them.
    """

    namespaces: tuple[Namespace, ...] = ()
    tables: tuple[Identifier, ...] = ()
    views: tuple[Identifier, ...] = ()
    failed: tuple[tuple[Identifier, str], ...] = ()


@dataclass(frozen=True, repr=False)
class RestoreResult(Result):
    """What came from a file.

    Attributes:
        namespaces: The namespaces that were created.
        tables: The tables that were registered.
        views: The views that were registered.
        same: Tables and views that are there, at the same metadata files.
        newer: Tables and views that are there, at other metadata files, and stay so.
        failed: Those that could not be registered, each with the reason.
        dry_run: Whether nothing was done: the rest says what would be.
    """

    namespaces: tuple[Namespace, ...] = ()
    tables: tuple[Identifier, ...] = ()
    views: tuple[Identifier, ...] = ()
    same: tuple[Identifier, ...] = ()
    newer: tuple[Identifier, ...] = ()
    failed: tuple[tuple[Identifier, str], ...] = ()
    dry_run: bool = False


class Backups(NewTables):
    """The methods of `floeberg.catalog.Catalog` that keep its pointers in a file."""

    def export(self, path: str | os.PathLike[str]) -> ExportResult:
        """Writes the names of all namespaces, tables and views to a local file, with what they point to.

        The file is a back-up of the catalog, not of the tables: snapshots that expire afterwards take the metadata
        files with them.

        Args:
            path: The file. One that is there is replaced.

        Returns:
            What was written.

        Raises:
            OSError: The file cannot be written.
            FloebergError: The catalog cannot be listed.

        Examples:
            >>> catalog.export(f"{folder}/catalog.json").tables
            (('db', 'refs'),)
        """
        failed: list[tuple[Identifier, str]] = []
        namespaces = [*self._all_namespaces(())]
        tables: dict[Identifier, str] = {}
        views: dict[Identifier, str] = {}
        for levels in namespaces:
            tables |= _loaded(sorted(self.do_list_tables(levels)), self.load_table, failed)
            views |= _loaded(sorted(self._views_in(levels)), self.load_view, failed)
        content = {
            "format": _FORMAT,
            "version": _VERSION,
            "namespaces": [
                {"namespace": levels, "properties": self.do_load_namespace_properties(levels)}
                for levels in namespaces
            ],
            "tables": [{"identifier": each, "metadata-location": at} for each, at in tables.items()],
            "views": [{"identifier": each, "metadata-location": at} for each, at in views.items()],
        }
        target = Path(checked_path("path", path))
        fresh = target.with_name(f"{target.name}.{os.getpid()}.new")
        fresh.write_text(json.dumps(content, indent=1), encoding="utf-8")
        fresh.replace(target)
        return ExportResult(tuple(namespaces), tuple(tables), tuple(views), tuple(failed))

    def restore(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, dry_run: bool = False
    ) -> RestoreResult:
        """Registers the namespaces, tables and views of a file that `export` wrote.

        Args:
            path: The file.
            overwrite: Whether tables that point elsewhere by now go back to what the file says. Commits since then are
                lost.
            dry_run: Whether to say only what would be done.

        Returns:
            What came from the file. A table that cannot be registered does not stop the others.

        Raises:
            NotFoundError: The file does not exist.
            InvalidDataError: It is no such file.

        Examples:
            >>> catalog.restore(f"{folder}/catalog.json", dry_run=True).same
            (('db', 'refs'),)
        """
        place = Path(checked_path("path", path))
        replaces, only_said = checked_bool("overwrite", overwrite), checked_bool("dry_run", dry_run)
        content = _content(place)
        restored = _Restored(only_said)
        for each in content["namespaces"]:
            levels = tuple(each["namespace"])
            if not self.do_namespace_exists(levels):
                if not only_said:
                    self.create_namespace(levels, each["properties"])
                restored.namespaces.append(levels)
        for each in content["tables"]:
            restored.table(each, self, replaces=replaces)
        for each in content["views"]:
            restored.view(each, self)
        return RestoreResult(
            tuple(restored.namespaces),
            tuple(restored.tables),
            tuple(restored.views),
            tuple(restored.same),
            tuple(restored.newer),
            tuple(restored.failed),
            only_said,
        )

    @abstractmethod
    def register_table(
        self,
        identifier: str | Iterable[str],
        metadata_location: str | os.PathLike[str],
        overwrite: bool = False,  # noqa: FBT001, FBT002 - as in Iceberg Java
    ) -> Table:
        """Adds an existing table to the catalog."""

    def _all_namespaces(self, parent: Namespace) -> Iterator[Namespace]:
        for levels in sorted(self.do_list_namespaces(parent)):
            yield levels
            yield from self._all_namespaces(levels)


@dataclass
class _Restored:
    """What was restored so far."""

    only_said: bool
    namespaces: list[Namespace] = field(default_factory=list)
    tables: list[Identifier] = field(default_factory=list)
    views: list[Identifier] = field(default_factory=list)
    same: list[Identifier] = field(default_factory=list)
    newer: list[Identifier] = field(default_factory=list)
    failed: list[tuple[Identifier, str]] = field(default_factory=list)

    def table(self, entry: dict[str, Any], catalog: Backups, *, replaces: bool) -> None:
        """Registers a table, unless it is there."""

        def register(identifier: Identifier, location: str, is_there: bool) -> None:  # noqa: FBT001 - its own
            catalog.register_table(identifier, location, overwrite=is_there)

        self._one(
            entry, self.tables, catalog.do_table_exists, catalog.load_table, register, replaces=replaces
        )

    def view(self, entry: dict[str, Any], catalog: Backups) -> None:
        """Registers a view, unless it is there."""

        def register(identifier: Identifier, location: str, _: bool) -> None:  # noqa: FBT001 - its own
            catalog.register_view(identifier, location)

        self._one(
            entry,
            self.views,
            catalog._is_view,  # noqa: SLF001 - its own
            catalog.load_view,
            register,
            replaces=False,
        )

    def _one(  # noqa: PLR0913 - what tables and views differ in
        self,
        entry: dict[str, Any],
        done: list[Identifier],
        exists: Callable[[Identifier], bool],
        load: Callable[[Identifier], Any],
        register: Callable[[Identifier, str, bool], None],
        *,
        replaces: bool,
    ) -> None:
        identifier, location = tuple(entry["identifier"]), entry["metadata-location"]
        try:
            is_there = identifier[:-1] not in self.namespaces and exists(identifier)
            if is_there and load(identifier).metadata_location == location:
                self.same.append(identifier)
            elif is_there and not replaces:
                self.newer.append(identifier)
            else:
                if not self.only_said:
                    register(identifier, location, is_there)
                done.append(identifier)
        except FloebergError as failure:
            self.failed.append((identifier, str(failure)))


def _loaded(
    identifiers: list[Identifier],
    load: Callable[[Identifier], Any],
    failed: list[tuple[Identifier, str]],
) -> dict[Identifier, str]:
    """The metadata files of tables or views."""
    found = {each: _location(each, load, failed) for each in identifiers}
    return {each: location for each, location in found.items() if location is not None}


def _location(
    identifier: Identifier, load: Callable[[Identifier], Any], failed: list[tuple[Identifier, str]]
) -> str | None:
    try:
        return cast("str", load(identifier).metadata_location)
    except FloebergError as failure:
        failed.append((identifier, str(failure)))
        return None


def _content(path: Path) -> dict[str, Any]:
    """What a file has.

    Raises:
        NotFoundError: It does not exist.
        InvalidDataError: `export` did not write it.
    """
    try:
        found: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise NotFoundError("no such file", context={"path": str(path)}) from None
    except (ValueError, RecursionError) as failure:
        raise InvalidDataError("expected a file of catalog.export", context={"path": str(path)}) from failure
    if not _is_content(found):
        raise InvalidDataError(
            f"expected a file of catalog.export, of version {_VERSION}", context={"path": str(path)}
        )
    return cast("dict[str, Any]", found)


def _is_content(found: object) -> bool:
    if not isinstance(found, dict) or (found.get("format"), found.get("version")) != (_FORMAT, _VERSION):
        return False
    named = all(
        isinstance(found.get(each), list) and all(isinstance(entry, dict) for entry in found[each])
        for each in ("namespaces", "tables", "views")
    )
    return (
        named
        and all(_are_names(each.get("namespace"), 1) for each in found["namespaces"])
        and all(isinstance(each.get("properties"), dict) for each in found["namespaces"])
        and all(
            _are_names(each.get("identifier"), 2) and isinstance(each.get("metadata-location"), str)
            for each in [*found["tables"], *found["views"]]
        )
    )


def _are_names(levels: object, least: int) -> bool:
    return isinstance(levels, list) and len(levels) >= least and all(isinstance(each, str) for each in levels)
