"""What is a function of SQL in a catalog?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from floeberg.udf.metadata import UdfMetadata

__all__ = ["CatalogFunction"]


@dataclass(frozen=True)
class CatalogFunction:
    """A function of SQL that a catalog keeps.

    Args:
        identifier: The namespace and the name.
        metadata: Its metadata as the catalog has it, in JSON: `definitions`, `function-uuid` and others.
        metadata_location: The file of the metadata; `None` where the catalog names none.
    """

    identifier: tuple[str, ...]
    metadata: dict[str, Any] = field(repr=False)
    metadata_location: str | None = None

    @property
    def definitions(self) -> list[dict[str, Any]]:
        """Its definitions as JSON: one for each list of types of parameters."""
        return list(self.metadata["definitions"])

    @property
    def udf(self) -> UdfMetadata:
        """Its metadata, checked.

        Raises:
            InvalidDataError: The metadata is not what the specification says.
            UnsupportedError: It is of another format version.
        """
        return UdfMetadata(self.metadata)
