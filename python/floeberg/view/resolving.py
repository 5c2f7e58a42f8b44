"""Which tables and views does a view read, and what does an engine run for it?

In: a view, the catalogs that are known, and the dialect of an engine. Out: its statement in that dialect, with other
names instead of those of tables and views; and for each of these names a scan, rows, or the query of another view.

Invariants: what is read is one query, in which each relation is a table or a view of a catalog, or a function that
reads nothing. Each table is loaded once: all its uses read one snapshot.
Spec: View Spec, Versions.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from floeberg._table_selectors import selector_of
from floeberg._timestamps import milliseconds
from floeberg.errors import (
    InvalidDataError,
    InvalidInputError,
    NoSuchTableError,
    NotFoundError,
    UnsupportedError,
)
from floeberg.view.nesting import entered, naming
from floeberg.view.relations import named_relations, whole_name
from floeberg.view.transpiling import parsed, written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from floeberg.view.nesting import Path
    from floeberg.view.read_view import ReadView, ViewCatalog

__all__ = ["Catalogs", "ViewQuery", "resolved"]

_READS_NOTHING = frozenset(
    ("explode", "posexplode", "inline", "unnest", "range", "generate_series", "values", "sequence", "stack")
)
"""Functions in FROM whose rows are made of their arguments."""
_TELLS_OF_SESSION = frozenset(
    (
        "current_setting",
        "getenv",
        "getvariable",
        "query",
        "query_table",
        "reflect",
        "java_method",
        "try_reflect",
    )
)
"""Functions that say something of the process or the connection, or run a text."""


@dataclass(frozen=True)
class ViewQuery:
    """What an engine runs for a view.

    Args:
        view: The view.
        full: Its whole name.
        sql: Its statement, in the dialect of the engine, with other names for tables and views.
        relations: What these names are: scans, tables of Arrow, and queries of other views.
    """

    view: ReadView
    full: tuple[str, ...]
    sql: str
    relations: dict[str, Any] = field(repr=False)


class Catalogs:
    """The catalogs that a statement may name.

    Args:
        known: Catalogs by their names.
    """

    def __init__(self, known: Mapping[str, ViewCatalog]) -> None:
        self._known: dict[str, ViewCatalog | None] = dict(known)
        self._tables: dict[tuple[str, tuple[str, ...]], Any] = {}

    def add(self, catalog: ViewCatalog) -> None:
        """Makes a catalog known, unless another one has its name."""
        self._known.setdefault(catalog.name, catalog)

    def find(self, name: str) -> ViewCatalog | None:
        """The catalog of a name: a given one, or one of the configuration."""
        if name not in self._known:
            # Catalogs are above views.
            loading: Any = import_module("floeberg.catalog")
            configuration: Any = import_module("floeberg.catalog.configuration")
            self._known[name] = (
                loading.load_catalog(name) if configuration.configured_properties(name) else None
            )
        return self._known[name]

    def table(self, catalog: ViewCatalog, levels: tuple[str, ...]) -> Any:  # noqa: ANN401 - a table, which is above views
        """A table of a catalog, loaded once; `None` where there is none."""
        key = catalog.name, levels
        if key not in self._tables:
            try:
                there = len(levels) > 1 and catalog.table_exists(levels)
            except InvalidInputError:
                # No table can have the name.
                there = False
            self._tables[key] = catalog.load_table(levels) if there else None
        return self._tables[key]


def resolved(view: ReadView, catalogs: Catalogs, dialect: str, engine: str, path: Path = ()) -> ViewQuery:
    """What an engine runs for a view.

    Args:
        view: The view.
        catalogs: The catalogs that it may name.
        dialect: The dialect of the engine, as sqlglot names it.
        engine: The name of the engine, for messages.
        path: The views around it.

    Raises:
        FloebergError: As for `View.scan`. The error names the view.
    """
    own = view.catalog
    full = (own.name, *view.name()) if own is not None else ("the opened view",)
    with naming(full):
        path = entered(path, full)
        version = view.current_version()
        tree, source = parsed(version.representations, dialect)
        _check_functions(tree)
        begins = version.default_catalog or (own.name if own is not None else None)
        # No other query has these names in a connection, and no text of the statement is one.
        relations, token = dict[str, Any](), uuid.uuid4().hex
        for node in list(named_relations(tree)):
            parts = tuple(part.name for part in node.parts)
            whole = whole_name(
                parts, begins or "", version.default_namespace, lambda name: catalogs.find(name) is not None
            )
            catalog = catalogs.find(whole[0]) if whole[0] else None
            if catalog is None:
                raise _no_catalog(parts, whole[0])
            name = f"floeberg_{token}_{len(relations)}"
            relations[name] = _relation(
                node,
                catalogs,
                (catalog, whole[1:]),
                lambda inner: resolved(inner, catalogs, dialect, engine, path),
            )
            _rename(tree, node, name, whole)
        return ViewQuery(view, full, written(tree, source, dialect, engine), relations)


def _relation(
    node: Any,  # noqa: ANN401 - sqlglot's
    catalogs: Catalogs,
    place: tuple[ViewCatalog, tuple[str, ...]],
    of_view: Callable[[ReadView], ViewQuery],
) -> Any:  # noqa: ANN401 - a scan, rows or a query
    """What a name in a statement means."""
    catalog, levels = place
    travel = node.args.get("version")
    if node.args.get("when") is not None:
        raise UnsupportedError(f"{'.'.join(levels)}: write VERSION AS OF or TIMESTAMP AS OF after the name")
    table = catalogs.table(catalog, levels)
    if table is not None:
        return table.scan() if travel is None else _at(table, travel)
    if _is_view(catalog, levels):
        if travel is not None:
            raise InvalidInputError(f"{'.'.join(levels)} AS OF: it is a view, which has no snapshots")
        return of_view(catalog.load_view(levels))
    above = catalogs.table(catalog, levels[:-1]) if len(levels) > 2 else None  # noqa: PLR2004 - something after the name
    selector = selector_of(levels[-1])
    if above is None or travel is not None:
        raise NoSuchTableError(f"the catalog {catalog.name!r} has no table and no view {'.'.join(levels)!r}")
    if selector is None:
        return above.inspect.to_arrow_batch_reader(levels[-1].lower()).read_all()
    if selector.ref is not None:
        kind, name = selector.ref
        known = above.refs().get(name)
        if known is not None and known.snapshot_ref_type != kind:
            raise InvalidInputError(f"{'.'.join(levels)}: {name!r} is a {known.snapshot_ref_type}")
        return above.scan().use_ref(name)
    if selector.snapshot_id is not None:
        return above.scan(snapshot_id=selector.snapshot_id)
    return above.scan().as_of(selector.timestamp_ms)


def _at(table: Any, travel: Any) -> Any:  # noqa: ANN401 - a table, sqlglot's, a scan
    """The scan of the snapshot that a statement names."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg imports nothing large

    asked, kind = travel.expression, str(travel.this).upper()
    while isinstance(asked, (exp.Cast, exp.Paren)):
        asked = asked.this
    if str(travel.args.get("kind")).upper() != "AS OF" or not isinstance(asked, exp.Literal):
        raise UnsupportedError(f"AS OF: expected a constant, found {travel.expression.sql()!r}")
    if "VERSION" in kind:
        if asked.is_string and (asked.this in table.refs() or not asked.this.isdigit()):
            return table.scan().use_ref(asked.this)
        return table.scan(snapshot_id=int(asked.this))
    text = asked.this.removesuffix(" UTC") + ("+00:00" if asked.this.endswith(" UTC") else "")
    # What has no zone would be another moment in each session.
    return table.scan().as_of(milliseconds(text, "TIMESTAMP AS OF"))


def _rename(tree: Any, node: Any, hidden: str, whole: tuple[str, ...]) -> None:  # noqa: ANN401 - the same
    """Puts a name instead of another one, by which columns still are qualified."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    last = node.parts[-1].copy()
    if not node.alias:
        for column in tree.find_all(exp.Column):
            before = tuple(part.name.lower() for part in column.parts[:-1])
            if len(before) > 1 and tuple(map(str.lower, whole))[-len(before) :] == before:
                column.set("catalog", None)
                column.set("db", None)
        node.set("alias", exp.TableAlias(this=last))
    node.set("this", exp.to_identifier(hidden, quoted=True))
    for key in ("db", "catalog", "version"):
        node.set(key, None)


def _check_functions(tree: Any) -> None:  # noqa: ANN401 - the same
    """Checks that a query reads nothing but tables and views: no files, and nothing of the process.

    Raises:
        UnsupportedError: It does.
        InvalidDataError: It changes something.
    """
    from sqlglot import exp  # noqa: PLC0415 - the same

    for node in tree.find_all(exp.Table):
        if isinstance(node.parts[0], exp.Identifier):
            continue
        name = _function_name(node.this)
        if name not in _READS_NOTHING:
            raise UnsupportedError(
                f"the statement of the view reads {name!r}, which is not a table of a catalog: an engine would read "
                "it by itself"
            )
    for node in tree.find_all(exp.Func):
        if _function_name(node) in _TELLS_OF_SESSION:
            raise UnsupportedError(f"the statement of the view has the function {_function_name(node)!r}")
    changes = tree.find(exp.Into, exp.DML, exp.DDL, exp.Command)
    if changes is not None and not isinstance(changes, exp.Query):
        raise InvalidDataError("the statement of the view is not only a query")


def _function_name(node: Any) -> str:  # noqa: ANN401 - the same
    from sqlglot import exp  # noqa: PLC0415 - the same

    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    return node.sql_name().lower() if isinstance(node, exp.Func) else type(node).__name__.lower()


def _is_view(catalog: ViewCatalog, levels: tuple[str, ...]) -> bool:
    try:
        return len(levels) > 1 and catalog.view_exists(levels)
    except (UnsupportedError, InvalidInputError):
        return False


def _no_catalog(parts: tuple[str, ...], name: str) -> NotFoundError:
    if not name:
        return NotFoundError(
            f"{'.'.join(parts)!r} belongs to the catalog of the view, which was opened without one: load it by "
            "catalog.load_view(identifier)"
        )
    return NotFoundError(
        f"{'.'.join(parts)!r} belongs to the catalog {name!r}, which is not known here: configure it, or give "
        f"catalogs={{{name!r}: ..}}"
    )
