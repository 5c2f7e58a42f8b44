"""How is a SQL database read and written?

Only `SqlCatalog` imports this, since it imports SQLAlchemy.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import TYPE_CHECKING

import sqlalchemy as sql
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool, StaticPool

from floeberg.errors import (
    CommitStateUnknownError,
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Connection, Engine, RootTransaction

__all__ = ["Database"]

_KINDS = (
    "sqlite",
    "postgresql",
    "postgresql+psycopg",
    "postgresql+psycopg2",
    "mysql",
    "mariadb",
    "oracle",
    "mssql",
)
"""What a URI begins with, most often."""

_EXACT = ("_bin", "_cs", "binary")
"""What the names of collations end with that tell capitals."""

_PATIENCE = 60
"""Seconds that a connection to SQLite waits for others."""


class Database:
    """A database, by its URI of SQLAlchemy.

    Args:
        uri: The URI, such as `sqlite:////data/catalog.db`. It is checked when the database is first used.
    """

    def __init__(self, uri: str | None) -> None:
        self._uri = uri
        self._made: tuple[int, Engine] | None = None

    def engine(self) -> Engine:
        """The engine of this process: connections do not survive a fork.

        Raises:
            InvalidInputError: The URI is wrong.
            NotInstalledError: The driver of the database is missing.
        """
        process = os.getpid()
        if self._made is None or self._made[0] != process:
            self._made = process, _engine_of(self._uri)
        return self._made[1]

    def version(self) -> str:
        """The name and the version of the database, which is asked something.

        Raises:
            PermissionDeniedError: The user may not read.
            StorageError: It cannot be reached.
        """
        with self.reading() as connection:
            connection.execute(sql.text("SELECT 1"))
            numbers = connection.dialect.server_version_info or ()
            return " ".join((connection.dialect.name, ".".join(map(str, numbers)))).strip()

    def check_exact(self, *tables: str) -> None:
        """Checks that names which differ by case are two names. MySQL and MariaDB take them for one by default.

        Args:
            tables: The database tables, which exist.

        Raises:
            UnsupportedError: A column of one of them ignores case. The error has the statement that changes it.
            StorageError: The database cannot be asked.
        """
        if self.engine().dialect.name not in ("mysql", "mariadb"):
            return
        columns = sql.table(
            "columns",
            *map(sql.column, ("table_schema", "table_name", "collation_name")),
            schema="information_schema",
        ).c
        wanted = sql.select(columns.table_name, columns.collation_name).where(
            columns.table_schema == sql.func.database(),
            columns.table_name.in_(tables),
            columns.collation_name.is_not(None),
        )
        with self.reading() as connection:
            found = {(str(row[0]), str(row[1])) for row in connection.execute(wanted)}
        for table, collation in sorted(found):
            if not collation.endswith(_EXACT):
                raise UnsupportedError(
                    f"the database table {table!r} has the collation {collation!r}, by which names that differ by case "
                    f"may be one name: ALTER TABLE {table} CONVERT TO CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
                )

    def close(self) -> None:
        """Closes the connections of this process. The next call opens one."""
        if self._made is not None and self._made[0] == os.getpid():
            self._made[1].dispose()

    def __del__(self) -> None:
        with suppress(Exception):
            self.close()

    def _file(self) -> str | None:
        """The file of an SQLite database, for errors: its driver does not name it."""
        url = self.engine().url
        return url.database if url.get_backend_name() == "sqlite" else None

    @contextmanager
    def converted_errors(self, what: str) -> Iterator[None]:
        """Converts errors of the database. They do not show the statement and its values."""
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as failure:
            why = f"{what}: {_cause(failure)}"
            where = self._file()
            if where is not None:
                why += f" (the database is the file {where!r})"
            if "readonly" in why or "permission denied" in why.lower():
                raise PermissionDeniedError(why) from None
            raise StorageError(why, retryable=True) from None

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection for reading."""
        with self.converted_errors("the catalog cannot be read"), self.engine().connect() as connection:
            yield connection

    @contextmanager
    def writing(
        self, what: str = "the catalog cannot be written", *, is_unchanged: Callable[[], bool] = lambda: False
    ) -> Iterator[Connection]:
        """A transaction, which is durable when it ends. An error before that changes nothing.

        After an error of the commit itself, the outcome is unknown. SQLite is the exception: it commits in this
        process, so a write that is missing then never appears.
        """
        engine = self.engine()
        with self.converted_errors(what):
            with engine.connect() as connection:
                transaction = connection.begin()
                yield connection
                failure = _failure_of(transaction)
            if failure is None:
                return
            if engine.dialect.name == "sqlite" and is_unchanged():
                raise failure
            raise CommitStateUnknownError(
                f"the outcome of a write to the catalog is unknown: {_cause(failure)}"
            )


def _engine_of(uri: str | None) -> Engine:
    if uri is None:
        raise InvalidInputError(
            "a SQL catalog needs the property 'uri', such as 'sqlite:////data/catalog.db'"
        )
    try:
        url = sql.make_url(uri)
    except (ArgumentError, ValueError):
        # The URI may hold a password.
        raise InvalidInputError("the property 'uri' is not the URI of a database") from None
    try:
        if url.get_backend_name() != "sqlite":
            # A connection of before a restart of the database is replaced, and does not fail what comes next.
            return sql.create_engine(url, pool_pre_ping=True)
        if url.database in (None, "", ":memory:"):
            # One connection, or there would be a database for each.
            return sql.create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
        patience = {} if "timeout" in url.query else {"timeout": _PATIENCE}
        return sql.create_engine(url, poolclass=NullPool, connect_args=patience)
    except NoSuchModuleError:
        kind = url.drivername
        near = [each for each in get_close_matches(kind, _KINDS, n=1) if each != kind]
        if near:
            raise InvalidInputError(
                f"the property 'uri' begins with {kind!r}, which SQLAlchemy does not know: did you mean {near[0]!r}?"
            ) from None
        raise NotInstalledError(f"the driver of the database {kind!r} is not installed") from None
    except ImportError as failure:
        package = failure.name or "the package of the driver"
        other = "; or pip install psycopg, and write postgresql+psycopg://" if package == "psycopg2" else ""
        raise NotInstalledError(
            f"the database driver of {url.drivername!r} is not installed: pip install {package}{other}"
        ) from None
    except (ArgumentError, ValueError):
        # The URI may hold a password.
        raise InvalidInputError("the property 'uri' is not the URI of a database") from None


def _failure_of(transaction: RootTransaction) -> SQLAlchemyError | None:
    """The reason why a transaction could not be made durable."""
    try:
        transaction.commit()
    except SQLAlchemyError as failure:
        return failure
    return None


def _cause(failure: SQLAlchemyError) -> object:
    """The driver's message. The rest of the error shows the statement and its values."""
    return failure.orig if isinstance(failure, DBAPIError) else type(failure).__name__
