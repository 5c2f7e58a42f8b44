"""What is a Lance table?

Its methods are in one file for each subject. This file has those that identify it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg._display import facts_html, moment_shown, rows_html, shown
from floeberg._keywords import says_keywords_of_methods
from floeberg.lance._evolve import LanceTableEvolution
from floeberg.lance._joins import LanceTableJoins
from floeberg.lance._report import LanceTableReports
from floeberg.lance._worker_writes import LanceTableWorkerWrites
from floeberg.lance.inspect import LanceInspect

if TYPE_CHECKING:
    from floeberg import _native
    from floeberg.lance.manifest_store import ManifestStore

__all__ = ["LanceTable"]

_MOST_COLUMNS = 100
"""Columns that are listed: tables may have thousands."""


@says_keywords_of_methods
class LanceTable(
    LanceTableReports,
    LanceTableJoins,
    LanceTableWorkerWrites,
    LanceTableEvolution,
):
    """A Lance table, at one version of one branch.

    A table does not change by itself. It stays at its version, also when it is pickled, until you call `refresh`.
    Existing scans do not change. A table holds no open files or connections.

    Examples:
        >>> lance_table.version, lance_table.schema().names[0]
        (7, 'id')
    """

    _spelled_as = "LanceTable"

    def __init__(
        self,
        native: _native.LanceTable,
        *,
        is_pinned: bool = False,
        manifest_store: ManifestStore | None = None,
    ) -> None:
        """Use `open_table`."""
        self._is_pinned = is_pinned
        self._manifest_store = manifest_store
        self._become(native)

    @property
    def inspect(self) -> LanceInspect:
        """The metadata tables: `versions`, `fragments`, `data_files` and `refs`."""
        return LanceInspect(self._inner)

    def __repr__(self) -> str:
        columns = [f"  {shown(each.name)}: {shown(each.type)}" for each in self.schema()]
        if len(columns) > _MOST_COLUMNS:
            columns = [*columns[:_MOST_COLUMNS], f"  ... {len(columns) - _MOST_COLUMNS} more columns"]
        lines = [f"{shown(self.location)}(", ",\n".join(columns), "),", f"version: {self._version_shown()}"]
        if self.branch is not None:
            lines.append(f"branch: {shown(self.branch)}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        columns = rows_html(("column", "type"), ((each.name, each.type) for each in self.schema()))
        facts = {
            "version": self._version_shown(),
            "branch": self.branch,
            "fragments": self._facts()["fragments"],
        }
        return facts_html(self.location, facts, columns)

    def _version_shown(self) -> str:
        moment = self._inner.version_parts()[1]
        return str(self.version) if moment is None else f"{self.version} of {moment_shown(moment // 1000)}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self._inner, self._is_pinned, self._manifest_store)


def _rebuild(
    native: _native.LanceTable,
    is_pinned: bool,  # noqa: FBT001 - of a pickle
    manifest_store: ManifestStore | None = None,
) -> LanceTable:
    return LanceTable(native, is_pinned=is_pinned, manifest_store=manifest_store)
