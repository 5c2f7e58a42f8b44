"""How does a catalog use a SQL database?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.catalog.metastore import MetastoreCatalog
from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError, UnsupportedError

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import DBAPIError, IntegrityError

    from floeberg.catalog.sql_address import check_file, connection_of
    from floeberg.catalog.sql_database import Database
    from floeberg.catalog.sql_tables import (
        LONGEST_NAME,
        NAMESPACE_EXISTS,
        NAMESPACES,
        TABLE_TYPE,
        TABLES,
        VIEW_TYPE,
        all_tables,
        is_or_is_in,
        named,
        of_kind,
        of_namespace,
    )
except ImportError as error:
    raise NotInstalledError(
        "SQLAlchemy is not installed, and a SQL catalog needs it: pip install 'floeberg[sql]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from floeberg.catalog.check.address import ServerConnection
    from floeberg.catalog.metastore import MetadataSwap
    from floeberg.catalog.names import Identifier, Namespace
    from floeberg.errors import CommitConflictError

__all__ = ["SqlCatalog"]


class SqlCatalog(MetastoreCatalog):
    """A catalog in a SQL database, through SQLAlchemy: SQLite, PostgreSQL and others.

    It uses the database tables of PyIceberg's `SqlCatalog` and Iceberg Java's `JdbcCatalog`. So all three open the same
    catalogs, by the same name. Missing tables are created.

    Args:
        name: The name of the catalog, which is a column of its tables.
        properties: `uri`, as SQLAlchemy writes it; `warehouse`, the folder of new tables;
            `init-catalog-tables=false` creates no tables in the database; `schema-version=v1` adds the column
            `iceberg_type` to tables of version 0; and storage options.

    Raises:
        InvalidInputError: The URI is wrong, or the catalog tables are missing and must not be created.
        NotInstalledError: SQLAlchemy or the driver of the database is missing.
        StorageError: The database cannot be reached.

    Examples:
        >>> sales = SqlCatalog("sales", {"uri": "sqlite://"})
        >>> sales.create_namespace("europe")
        >>> sales.list_namespaces()
        [('europe',)]
    """

    _database: Database
    _typed: bool

    def __init__(self, name: str, properties: Mapping[str, str] | None = None, **more: str) -> None:
        super().__init__(name, properties, **more)
        self._database = Database(self._properties.get("uri"))
        self._prepare()

    # The database.

    @classmethod
    def _connection(cls, properties: Mapping[str, str], origins: Mapping[str, str]) -> ServerConnection:
        return connection_of(properties, origins)

    @classmethod
    def _for_reading(cls, properties: Mapping[str, str]) -> dict[str, str]:
        kept = {
            key: value for key, value in properties.items() if key.rpartition("jdbc.")[2] not in _CHANGING
        }
        check_file(kept.get("uri", ""))
        return kept | {"init-catalog-tables": "false"}

    def _access(self) -> str:
        version = "1" if self._typed else "0"
        return f"{self._database.version()}, with catalog tables of version {version}"

    def close(self) -> None:
        """Closes the connections to the database, after reports on their way."""
        super().close()
        self._database.close()

    def _setting(self, name: str, otherwise: str) -> str:
        """A property by the name of Iceberg Java or of PyIceberg."""
        for known in (name, name.replace("-", "_"), f"jdbc.{name}"):
            if known in self._properties:
                return self._properties[known].lower()
        return otherwise

    def _prepare(self) -> None:
        """Creates missing tables, and finds out their version."""
        version = self._setting("schema-version", "v0")
        if version not in ("v0", "v1"):
            raise InvalidInputError(f"schema-version: expected 'v0' or 'v1', found {version!r}")
        with self._database.converted_errors("the tables of the catalog cannot be read"):
            columns = self._columns()
            if columns is None:
                if self._setting("init-catalog-tables", "true") == "false":
                    raise InvalidInputError(
                        "the database has no catalog tables: remove init-catalog-tables=false to create them"
                    )
                self._make_tables()
                columns = self._columns() or set()
        self._database.check_exact(TABLES.name, NAMESPACES.name)
        self._typed = TABLES.c.iceberg_type.name in columns
        if version == "v1" and not self._typed:
            with self._database.writing("the tables of the catalog cannot be changed") as connection:
                connection.execute(sql.text(f"ALTER TABLE {TABLES.name} ADD COLUMN iceberg_type VARCHAR(5)"))
            self._typed = True

    def _columns(self) -> set[str] | None:
        """The columns of `iceberg_tables`; `None` unless both tables exist."""
        inspector = sql.inspect(self._database.engine())
        if not inspector.has_table(TABLES.name) or not inspector.has_table(NAMESPACES.name):
            return None
        return {column["name"] for column in inspector.get_columns(TABLES.name)}

    def _make_tables(self) -> None:
        try:
            all_tables.create_all(self._database.engine())
        except DBAPIError:
            # Another process may have made them since.
            if self._columns() is None:
                raise

    # Namespaces.

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        with self._database.reading() as connection:
            for table, column in _NAMESPACE_COLUMNS:
                row = connection.execute(
                    sql.select(sql.literal(1))
                    .select_from(table)
                    .where(table.c.catalog_name == self._name, is_or_is_in(column, namespace))
                    .limit(1)
                ).first()
                if row is not None:
                    return True
        return False

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        _check_namespace(namespace)
        outer = [each for each in _outside(namespace) if not self.do_namespace_exists(each)]
        rows = [self._property(each, NAMESPACE_EXISTS, "true") for each in (*outer, namespace)]
        rows += [
            self._property(namespace, key, value)
            for key, value in properties.items()
            if key != NAMESPACE_EXISTS
        ]
        try:
            with self._database.writing() as connection:
                connection.execute(sql.insert(NAMESPACES), rows)
        except IntegrityError:
            # Another made it, or one that it is in.
            self.create_namespace(namespace, properties=properties)

    def _property(self, namespace: Namespace, key: str, value: str) -> dict[str, str]:
        return {
            "catalog_name": self._name,
            "namespace": ".".join(namespace),
            "property_key": key,
            "property_value": value,
        }

    def _of_namespace(self, namespace: Namespace) -> Any:  # noqa: ANN401 - a clause of SQLAlchemy
        return (NAMESPACES.c.catalog_name == self._name) & (NAMESPACES.c.namespace == ".".join(namespace))

    def do_drop_namespace(self, namespace: Namespace) -> None:
        with self._database.writing() as connection:
            connection.execute(sql.delete(NAMESPACES).where(self._of_namespace(namespace)))

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        found: set[Namespace] = set()
        with self._database.reading() as connection:
            for table, column in _NAMESPACE_COLUMNS:
                inside = is_or_is_in(column, namespace) if namespace else sql.true()
                rows = connection.execute(
                    sql.select(column).distinct().where(table.c.catalog_name == self._name, inside)
                )
                found |= {tuple(text.split(".")) for text in rows.scalars() if text}
        depth = len(namespace) + 1
        return {each[:depth] for each in found if len(each) >= depth}

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        with self._database.reading() as connection:
            rows = connection.execute(
                sql.select(NAMESPACES.c.property_key, NAMESPACES.c.property_value).where(
                    self._of_namespace(namespace), NAMESPACES.c.property_key != NAMESPACE_EXISTS
                )
            )
            return {row[0]: row[1] for row in rows}

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        changed = (removals | set(updates)) - {NAMESPACE_EXISTS}
        # A namespace without a row would not be there.
        rows = [self._property(namespace, NAMESPACE_EXISTS, "true")]
        rows += [
            self._property(namespace, key, value) for key, value in updates.items() if key != NAMESPACE_EXISTS
        ]
        with self._database.writing() as connection:
            connection.execute(
                sql.delete(NAMESPACES).where(
                    self._of_namespace(namespace),
                    NAMESPACES.c.property_key.in_([*changed, NAMESPACE_EXISTS]),
                )
            )
            connection.execute(sql.insert(NAMESPACES), rows)

    # Tables and views: rows of one database table, which differ in their types.

    def _named(self, identifier: Identifier, kind: str) -> Any:  # noqa: ANN401 - a clause of SQLAlchemy
        return named(self._name, identifier, kind, typed=self._typed)

    def _load_location(self, identifier: Identifier, kind: str) -> str | None:
        with self._database.reading() as connection:
            statement = sql.select(TABLES.c.metadata_location).where(self._named(identifier, kind))
            return connection.execute(statement).scalar()

    def _is_at(self, identifier: Identifier, kind: str, location: str | None) -> bool:
        """Whether the stored location is known to be this one."""
        try:
            return self._load_location(identifier, kind) == location
        except FloebergError:
            return False

    def _swap_location(
        self, identifier: Identifier, kind: str, before: str, after: str, *, conflict: CommitConflictError
    ) -> None:
        """Stores `after` where `before` is stored. Raises `conflict` where another location is."""

        def is_unchanged() -> bool:
            return self._is_at(identifier, kind, before)

        with self._database.writing(is_unchanged=is_unchanged) as connection:
            if not self._swapped(connection, identifier, kind, before, after):
                raise conflict

    def _swapped(
        self, connection: Connection, identifier: Identifier, kind: str, before: str, after: str
    ) -> bool:
        """Whether `before` was stored, and `after` is now."""
        done = connection.execute(
            sql.update(TABLES)
            .where(self._named(identifier, kind), TABLES.c.metadata_location == before)
            .values(metadata_location=after, previous_metadata_location=before)
        )
        return done.rowcount == 1

    def _list(self, namespace: Namespace, kind: str) -> list[Identifier]:
        with self._database.reading() as connection:
            rows = connection.execute(
                sql.select(TABLES.c.table_name).where(
                    of_namespace(self._name, namespace, kind, typed=self._typed)
                )
            )
            return [(*namespace, name) for name in rows.scalars()]

    def _list_locations(self, kind: str) -> dict[Identifier, str]:
        """The metadata files of all tables, or of all views."""
        columns = TABLES.c
        with self._database.reading() as connection:
            rows = connection.execute(
                sql.select(columns.table_namespace, columns.table_name, columns.metadata_location).where(
                    of_kind(self._name, kind, typed=self._typed), columns.metadata_location.is_not(None)
                )
            )
            return {(*row[0].split("."), row[1]): row[2] for row in rows}

    def _register(self, identifier: Identifier, kind: str, metadata_location: str) -> bool:
        """Whether no row of that name existed, of either type."""
        _check_identifier(identifier)

        def is_unchanged() -> bool:
            return self._is_at(identifier, kind, None)

        try:
            with self._database.writing(is_unchanged=is_unchanged) as connection:
                self._insert(connection, identifier, kind, metadata_location)
        except IntegrityError:
            return False
        return True

    def _insert(
        self, connection: Connection, identifier: Identifier, kind: str, metadata_location: str
    ) -> None:
        *namespace, name = identifier
        row = {
            "catalog_name": self._name,
            "table_namespace": ".".join(namespace),
            "table_name": name,
            "metadata_location": metadata_location,
            "previous_metadata_location": None,
        }
        if self._typed:
            row["iceberg_type"] = kind
        connection.execute(sql.insert(TABLES).values(row))

    def _rename(self, before: Identifier, kind: str, after: Identifier) -> int | None:
        """The number of renamed rows; `None` where the new name is taken."""
        _check_identifier(after)
        *namespace, name = after
        try:
            with self._database.writing() as connection:
                done = connection.execute(
                    sql.update(TABLES)
                    .where(self._named(before, kind))
                    .values(table_namespace=".".join(namespace), table_name=name)
                )
        except IntegrityError:
            return None
        return done.rowcount

    def _drop(self, identifier: Identifier, kind: str) -> bool:
        with self._database.writing() as connection:
            done = connection.execute(sql.delete(TABLES).where(self._named(identifier, kind)))
        return done.rowcount != 0

    # Tables.

    def do_load_metadata_location(self, identifier: Identifier) -> str | None:
        return self._load_location(identifier, TABLE_TYPE)

    def do_list_metadata_locations(self) -> dict[Identifier, str]:
        return self._list_locations(TABLE_TYPE)

    def do_swap_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        conflict = self.commit_conflict(identifier)
        self._swap_location(identifier, TABLE_TYPE, before, after, conflict=conflict)

    def do_swap_metadata_locations(self, swaps: Sequence[MetadataSwap]) -> None:
        def is_unchanged() -> bool:
            return all(self._is_at(each.identifier, TABLE_TYPE, each.before) for each in swaps)

        for each in swaps:
            _check_identifier(each.identifier)
        # In the same order everywhere, so that no two of them wait for each other.
        ordered = sorted(swaps, key=lambda each: each.identifier)
        with self._database.writing(is_unchanged=is_unchanged) as connection:
            for each in ordered:
                self._store(connection, each)

    def _store(self, connection: Connection, swap: MetadataSwap) -> None:
        if swap.before is None:
            try:
                self._insert(connection, swap.identifier, TABLE_TYPE, swap.after)
            except IntegrityError:
                raise self.table_already_exists(swap.identifier) from None
        elif not self._swapped(connection, swap.identifier, TABLE_TYPE, swap.before, swap.after):
            raise self.commit_conflict(swap.identifier)

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        return self._list(namespace, TABLE_TYPE)

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        if not self._register(identifier, TABLE_TYPE, metadata_location):
            raise self.table_already_exists(identifier)

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        renamed = self._rename(before, TABLE_TYPE, after)
        if renamed is None:
            raise self.table_already_exists(after)
        if renamed == 0:
            raise self.no_such_table(before)

    def do_drop_table(self, identifier: Identifier) -> None:
        if not self._drop(identifier, TABLE_TYPE):
            raise self.no_such_table(identifier)

    def do_unregister_table(self, identifier: Identifier, metadata_location: str) -> bool:
        with self._database.writing() as connection:
            named = self._named(identifier, TABLE_TYPE)
            is_there = TABLES.c.metadata_location == metadata_location
            return connection.execute(sql.delete(TABLES).where(named, is_there)).rowcount != 0

    # Views.

    def no_views(self) -> UnsupportedError:
        """The error of database tables of version 0, which have no column for types."""
        return UnsupportedError(
            f"the database tables of the catalog {self._name!r} are of version 0, which keeps no views: load it with "
            "the property schema-version='v1' to add the column `iceberg_type`"
        )

    def _check_typed(self) -> None:
        if not self._typed:
            raise self.no_views()

    def do_load_view_metadata_location(self, identifier: Identifier) -> str | None:
        self._check_typed()
        return self._load_location(identifier, VIEW_TYPE)

    def do_swap_view_metadata_location(self, identifier: Identifier, before: str, after: str) -> None:
        self._check_typed()
        conflict = self.view_conflict(identifier)
        self._swap_location(identifier, VIEW_TYPE, before, after, conflict=conflict)

    def do_list_views(self, namespace: Namespace) -> Iterable[Identifier]:
        self._check_typed()
        return self._list(namespace, VIEW_TYPE)

    def do_register_view(self, identifier: Identifier, metadata_location: str) -> None:
        self._check_typed()
        if not self._register(identifier, VIEW_TYPE, metadata_location):
            raise self.view_already_exists(identifier)

    def do_rename_view(self, before: Identifier, after: Identifier) -> None:
        self._check_typed()
        renamed = self._rename(before, VIEW_TYPE, after)
        if renamed is None:
            raise self.view_already_exists(after)
        if renamed == 0:
            raise self.no_such_view(before)

    def do_drop_view(self, identifier: Identifier) -> None:
        self._check_typed()
        if not self._drop(identifier, VIEW_TYPE):
            raise self.no_such_view(identifier)


_CHANGING = frozenset({"schema-version", "schema_version", "init-catalog-tables", "init_catalog_tables"})
_NAMESPACE_COLUMNS = ((NAMESPACES, NAMESPACES.c.namespace), (TABLES, TABLES.c.table_namespace))


def _outside(namespace: Namespace) -> list[Namespace]:
    return [namespace[:depth] for depth in range(1, len(namespace))]


def _check_namespace(namespace: Namespace) -> None:
    """Checks that the rows can hold the levels."""
    for level in namespace:
        if "." in level:
            raise InvalidInputError(
                f"the levels of a namespace in a SQL catalog must not contain dots: found {level!r}"
            )
    _check_length(".".join(namespace))


def _check_identifier(identifier: Identifier) -> None:
    _check_namespace(identifier[:-1])
    _check_length(identifier[-1])


def _check_length(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise InvalidInputError(f"names in a SQL catalog have at most {LONGEST_NAME} characters")
