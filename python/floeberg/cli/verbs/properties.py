"""Which verbs read and change properties?"""

from enum import Enum
from typing import Annotated, Any

import typer

from floeberg.cli.exits import near
from floeberg.cli.results import show_result
from floeberg.cli.session import Session, group, verb
from floeberg.errors import InvalidInputError, NotFoundError
from floeberg.lance import LanceTable

__all__ = ["add_to"]


class Owner(str, Enum):
    """What has properties."""

    TABLE = "table"
    NAMESPACE = "namespace"


_Owner = Annotated[Owner, typer.Argument(help="What has the properties.", show_default=False)]
_Name = Annotated[str, typer.Argument(metavar="NAME", help="Its name.", show_default=False)]
_Key = Annotated[str, typer.Argument(metavar="KEY", help="The property.", show_default=False)]


def add_to(app: typer.Typer) -> None:
    """Adds the verbs."""
    properties = group("Reads and changes properties of tables and namespaces.")
    verb(
        properties,
        "get",
        examples=("properties get table sales.orders", "properties get table sales.orders owner"),
    )(_get)
    verb(properties, "set", examples=("properties set table sales.orders write.delete.mode merge-on-read",))(
        _set
    )
    verb(properties, "remove", examples=("properties remove table sales.orders owner --yes",), removes=True)(
        _remove
    )
    app.add_typer(properties, name="properties")


class _Kept:
    """The properties of a table or a namespace."""

    def __init__(self, session: Session, owner: Owner, name: str) -> None:
        if owner is Owner.TABLE:
            self._table: Any = session.place.table(name)
            return
        self._table = None
        named = session.place.named(name)
        if named.catalog is None:
            raise InvalidInputError(f"expected the name of a namespace, found the location {name!r}")
        self._catalog, self._levels = named.catalog, named.levels

    def values(self) -> dict[str, str]:
        """All of them."""
        if self._table is None:
            return self._catalog.load_namespace_properties(self._levels)
        found = self._table.config if isinstance(self._table, LanceTable) else self._table.properties
        return dict(found)

    def value(self, key: str) -> str:
        """One of them.

        Raises:
            NotFoundError: There is no such property.
        """
        values = self.values()
        if key not in values:
            error = NotFoundError(f"there is no property {key!r}")
            if hint := near(key, values):
                error.add_note(hint)
            raise error
        return values[key]

    def change(self, key: str, value: str | None) -> None:
        """Sets one of them, or removes it."""
        if self._table is None:
            updates = {} if value is None else {key: value}
            self._catalog.update_namespace_properties(
                self._levels, {key} if value is None else set(), updates
            )
        elif isinstance(self._table, LanceTable):
            self._table.update_config({key: value})
        elif value is None:
            self._table.remove_properties(key)
        else:
            self._table.set_properties({key: value})


def _get(
    session: Session,
    owner: _Owner,
    name: _Name,
    key: Annotated[
        str | None, typer.Argument(metavar="[KEY]", help="One property.", show_default=False)
    ] = None,
) -> None:
    """Shows properties."""
    kept = _Kept(session, owner, name)
    if key is None:
        session.output.facts(kept.values())
        return
    value = kept.value(key)
    session.output.check_form()
    if session.output.is_json:
        session.output.json({key: value})
    else:
        session.output.text(value)


def _set(
    session: Session,
    owner: _Owner,
    name: _Name,
    key: _Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its value.", show_default=False)],
) -> None:
    """Sets a property."""
    _Kept(session, owner, name).change(key, value)
    show_result(session.output, {"set": key, "value": value})


def _remove(session: Session, owner: _Owner, name: _Name, key: _Key) -> None:
    """Removes a property. It asks."""
    kept = _Kept(session, owner, name)
    value = kept.value(key)
    if not session.dry_run:
        session.confirm(f"Remove the property {key} of {name}, which is {value!r}?")
        kept.change(key, None)
    show_result(session.output, {"property": key, "removed": not session.dry_run, "dry_run": session.dry_run})
