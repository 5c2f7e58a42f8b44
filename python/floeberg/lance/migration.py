"""How do the manifests of a Lance table get the names of the newer scheme?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg._arguments import checked_options, checked_path, checked_text

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["migrate_manifest_paths"]


def migrate_manifest_paths(
    location: str, *, branch: str | None = None, storage_options: Mapping[str, str] | None = None
) -> int:
    """Gives all manifests the names of Lance's newer scheme, `V2`, by which a listing begins with the newest.

    Tables are made with these names. Older ones may have others, and each table is written in its own scheme.

    Nobody may write meanwhile: until it is done, the table cannot be opened. If it is broken off, do it again. Leave
    tables with an external manifest store as they are: the store knows manifests by their names.

    Args:
        location: The folder of the table.
        branch: The branch; `None` is the main one. Each has manifests of its own.
        storage_options: The options of the storage.

    Returns:
        How many manifests had other names.

    Raises:
        NotFoundError: There is no Lance table.
        AlreadyExistsError: A version has two manifests that differ. Nothing is lost.

    Examples:
        >>> import pyarrow as pa
        >>> made = fb.lance.create_table(f"{folder}/new_names", pa.table({"id": [1]}))
        >>> fb.lance.migrate_manifest_paths(made.location)
        0
    """
    return _native.rename_lance_manifests(
        checked_path("location", location),
        None if branch in (None, "main") else checked_text("branch", branch),
        storage_options=checked_options("storage_options", storage_options),
    )
