"""A Lance table at the version that a read or a write of Spark chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.table import open_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.lance import LanceTable

__all__ = ["lance_at"]


def lance_at(
    table: LanceTable,
    *,
    branch: str | None = None,
    relocate: Mapping[str, str] | None = None,
    **chosen: Any,  # noqa: ANN401 - of `open_table`
) -> LanceTable:
    """The table at a version, a tag or a time, or at the newest version of a branch.

    Args:
        table: The table.
        branch: The branch.
        relocate: The current prefixes of the table's files, by the written ones.
        **chosen: `version`, `tag` or `as_of`.

    Returns:
        A table opened anew; the same one where nothing else was chosen.

    Raises:
        NotFoundError: The version, tag or branch does not exist.
    """
    if branch is None and all(value is None for value in chosen.values()):
        return table
    return open_table(
        table.location,
        format="lance",
        relocate=relocate,
        storage_options=table._inner.storage_options,  # noqa: SLF001 - the package's own
        branch=None if branch == "main" else branch,
        manifest_store=table._manifest_store,  # noqa: SLF001 - the same
        **chosen,
    )
