"""Where does a query use tables and views of the catalog, and where are they visible?

In: the tree of a query. Out: each use of a table or a view, with the SELECT that it belongs to and the name that
columns are qualified with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.text.known_tables import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.text.known_tables import FoundView, KnownTables
    from floeberg.spark.sql.text.statement import Name, Statement
    from floeberg.spark.sql.text.time_travel import TimeTravel

__all__ = [
    "Reference",
    "TableReference",
    "direct_relations",
    "names_of_columns",
    "references",
    "select_of",
    "visible_names",
]


@dataclass(frozen=True, eq=False)
class Reference:
    """One use of a table or a view in a query."""

    found: Found | FoundView
    node: Any
    """Its table in the tree."""
    select: Any
    """The SELECT whose FROM it stands in."""
    name: Name
    has_alias: bool
    time_travel: TimeTravel | None

    @property
    def visible(self) -> str:
        """What columns are qualified with."""
        return self.node.alias if self.has_alias else self.name.parts[-1]

    @property
    def place_of_alias(self) -> int:
        """The offset after its name and time travel."""
        return self.name.ends[-1] if self.time_travel is None else self.time_travel.end


@dataclass(frozen=True, eq=False)
class TableReference(Reference):
    """One use of a table in a query."""

    found: Found


def references(statement: Statement, tree: Any, known: KnownTables) -> list[Reference]:  # noqa: ANN401 - sqlglot's
    """All uses of tables and views of the catalog.

    Raises:
        UnsupportedError: A version follows a name with `@`.
    """
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    by_start = {name.starts[0]: name for name in statement.names}
    found: list[Reference] = []
    for node in tree.find_all(exp.Table):
        if node.find_ancestor(exp.Hint) is not None or not isinstance(node.parts[0], exp.Identifier):
            continue
        name = by_start.get(node.parts[0].meta.get("start", -1))
        if name is None or name.parts != tuple(part.name for part in node.parts):
            continue
        table = known.relation(name.parts)
        if table is None:
            continue
        alias = node.args.get("alias")
        has_alias = alias is not None and alias.args.get("this") is not None
        if has_alias and isinstance(alias.this, exp.Parameter):
            raise UnsupportedError(
                f"{'.'.join(name.parts)}@{alias.this.name}: write VERSION AS OF or TIMESTAMP AS OF after the name"
            )
        travel = statement.time_travel.get(name.ends[-1])
        parts = (node, select_of(node), name, has_alias, travel)
        found.append(TableReference(table, *parts) if isinstance(table, Found) else Reference(table, *parts))
    return sorted(found, key=lambda reference: reference.name.starts[0])


def names_of_columns(statement: Statement, tree: Any) -> Iterator[tuple[Name, Any]]:  # noqa: ANN401 - the same
    """The qualified columns and stars, with the SELECT that each stands in."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    by_start = {name.starts[0]: name for name in statement.names}
    for node in tree.find_all(exp.Column):
        name = by_start.get(node.parts[0].meta.get("start", -1))
        if name is not None:
            yield name, select_of(node)


def select_of(node: Any) -> Any:  # noqa: ANN401 - the same
    """The SELECT that a part of the tree stands in; `None` outside of all."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    return node.find_ancestor(exp.Select)


def direct_relations(select: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401 - the same
    """What stands in the FROM of a SELECT, in order: each relation with its join, the first with `None`."""
    first = select.args.get("from_") or select.args.get("from")
    relations = [] if first is None else [(first.this, None)]
    return relations + [(join.this, join) for join in select.args.get("joins") or ()]


def visible_names(select: Any) -> list[str]:  # noqa: ANN401 - the same
    """The names by which columns of a SELECT may be qualified, those of joins in brackets and of lateral views too."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    names = []
    for relation, _ in direct_relations(select):
        if relation.alias_or_name:
            names.append(relation.alias_or_name)
        inside = (each for each in relation.find_all(exp.Table, exp.Subquery) if each is not relation)
        names += [each.alias_or_name for each in inside if select_of(each) is select and each.alias_or_name]
    return names + [each.alias_or_name for each in select.args.get("laterals") or ()]
