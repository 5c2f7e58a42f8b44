"""How does CALL stage the files of a table that is to be moved?

Arguments and columns are those of Iceberg's procedure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from floeberg.table import Table

__all__ = ["rewrite_table_path"]

_NO_LIST = "N/A"


def rewrite_table_path(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Stages files with other paths: the last version, the list of files, and the counts of Iceberg's procedure."""
    done = table.maintenance.rewrite_table_path(**given)
    return (
        done.latest_version,
        done.file_list_location or _NO_LIST,
        done.rewritten_manifest_file_paths_count,
        done.rewritten_delete_file_paths_count,
    )
