"""What do the parts that read rows of a view ask of it?

In: nothing. Out: protocols that `View` and catalogs have, which keep these parts from importing the view.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from floeberg.types import Schema
    from floeberg.view.versions import SQLViewRepresentation, ViewVersion

__all__ = ["ReadView", "ViewCatalog"]


class ViewCatalog(Protocol):
    """The catalog of a view. `floeberg.catalog.Catalog` has more methods."""

    @property
    def name(self) -> str:
        """The name of the catalog."""
        ...

    def load_view(self, identifier: str | Iterable[str]) -> Any:  # noqa: ANN401 - a `View`
        """Loads a view."""
        ...

    def view_exists(self, identifier: str | Iterable[str]) -> bool:
        """Whether a view exists."""
        ...

    def load_table(self, identifier: str | Iterable[str]) -> Any:  # noqa: ANN401 - a table, which is above views
        """Loads a table."""
        ...

    def table_exists(self, identifier: str | Iterable[str]) -> bool:
        """Whether a table exists."""
        ...


class ReadView(Protocol):
    """A view whose rows are read."""

    @property
    def catalog(self) -> ViewCatalog | None:
        """The catalog that it was loaded from."""
        ...

    @property
    def properties(self) -> dict[str, str]:
        """Its properties."""
        ...

    def name(self) -> tuple[str, ...]:
        """Its identifier in the catalog."""
        ...

    def schema(self) -> Schema:
        """The columns of its current version."""
        ...

    def current_version(self) -> ViewVersion:
        """Its current version."""
        ...

    def sql_for(self, dialect: str, *, transpile: bool = False) -> SQLViewRepresentation | None:
        """Its statement in a dialect."""
        ...
