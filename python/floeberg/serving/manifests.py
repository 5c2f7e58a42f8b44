"""May the server read the manifests of a table?"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floeberg.serving.served import Asked
    from floeberg.table import Table

__all__ = ["check_manifests"]


def check_manifests(asked: Asked, table: Table, snapshot_id: int | None) -> None:
    """Refuses to read manifests of elsewhere. The name of each is checked, and no manifest is read for it.

    Args:
        asked: The request.
        table: The table.
        snapshot_id: The snapshot whose manifests are read; `None` for those of all.

    Raises:
        RefusedError: One is neither below the warehouse nor below the table.
    """
    if not table.snapshots():
        return
    read = (
        table.inspect.all_manifests()
        if snapshot_id is None
        else table.inspect.manifests(snapshot_id=snapshot_id)
    )
    for path in read["path"].to_pylist():
        asked.served.places.check(path, "a manifest of the table", [table.location()])
