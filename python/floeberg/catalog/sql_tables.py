"""In which tables does a SQL database store a catalog?

In two tables, which PyIceberg's `SqlCatalog` and Iceberg Java's `JdbcCatalog` use too:

- `iceberg_tables`: by `catalog_name`, `table_namespace` and `table_name` the `metadata_location`, the
  `previous_metadata_location` and the `iceberg_type`;
- `iceberg_namespace_properties`: by `catalog_name`, `namespace` and `property_key` the `property_value`.

In MySQL and MariaDB they are made with a binary collation, so that `T` and `t` are two tables.

Version 0 of the tables lacks `iceberg_type`, which distinguishes tables and views. Namespaces are dotted.

Only `SqlCatalog` imports this, since it imports SQLAlchemy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Column, MetaData, String, Table, false, func, or_, true

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from floeberg.catalog.names import Identifier, Namespace

__all__ = [
    "EXACT",
    "LONGEST_NAME",
    "NAMESPACES",
    "NAMESPACE_EXISTS",
    "TABLES",
    "TABLE_TYPE",
    "VIEW_TYPE",
    "all_tables",
    "is_or_is_in",
    "named",
    "of_kind",
    "of_namespace",
]

LONGEST_NAME: Final = 255
TABLE_TYPE: Final = "TABLE"
VIEW_TYPE: Final = "VIEW"
NAMESPACE_EXISTS: Final = "exists"
"""The property that a namespace has where it has no other, and which is not shown."""

EXACT: Final[dict[str, Any]] = {
    f"{dialect}_{key}": value
    for dialect in ("mysql", "mariadb")
    for key, value in (("charset", "utf8mb4"), ("collate", "utf8mb4_bin"))
}
"""How tables are made in databases that would compare names without regard to case."""

all_tables: Final = MetaData()

TABLES: Final = Table(
    "iceberg_tables",
    all_tables,
    Column("catalog_name", String(LONGEST_NAME), primary_key=True),
    Column("table_namespace", String(LONGEST_NAME), primary_key=True),
    Column("table_name", String(LONGEST_NAME), primary_key=True),
    Column("metadata_location", String(1000)),
    Column("previous_metadata_location", String(1000)),
    Column("iceberg_type", String(5)),
    **EXACT,
)

NAMESPACES: Final = Table(
    "iceberg_namespace_properties",
    all_tables,
    Column("catalog_name", String(LONGEST_NAME), primary_key=True),
    Column("namespace", String(LONGEST_NAME), primary_key=True),
    Column("property_key", String(LONGEST_NAME), primary_key=True),
    Column("property_value", String(1000), nullable=False),
    **EXACT,
)


def named(catalog: str, identifier: Identifier, kind: str, *, typed: bool) -> ColumnElement[bool]:
    """The row of a table or a view."""
    *namespace, name = identifier
    return of_namespace(catalog, tuple(namespace), kind, typed=typed) & (TABLES.c.table_name == name)


def of_namespace(catalog: str, namespace: Namespace, kind: str, *, typed: bool) -> ColumnElement[bool]:
    """The rows of the tables or of the views directly in a namespace."""
    return of_kind(catalog, kind, typed=typed) & (TABLES.c.table_namespace == ".".join(namespace))


def of_kind(catalog: str, kind: str, *, typed: bool) -> ColumnElement[bool]:
    """The rows of all tables, or of all views. Rows without a type are tables."""
    found = TABLES.c.iceberg_type
    is_of_kind: ColumnElement[bool]
    if not typed:
        is_of_kind = true() if kind == TABLE_TYPE else false()
    elif kind == TABLE_TYPE:
        is_of_kind = or_(found == kind, found.is_(None))
    else:
        is_of_kind = found == kind
    return (TABLES.c.catalog_name == catalog) & is_of_kind


def is_or_is_in(column: Column[str], namespace: Namespace) -> ColumnElement[bool]:
    """Whether a row is of the namespace, or of one inside it. `LIKE` would ignore case in some databases."""
    text = ".".join(namespace)
    return (column == text) | (func.substr(column, 1, len(text) + 1) == f"{text}.")
