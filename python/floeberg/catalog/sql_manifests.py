"""Where are the manifests of Lance tables, as a SQL database knows it?"""

from __future__ import annotations

from typing import Final

from floeberg.errors import NotInstalledError, StorageError

try:
    import sqlalchemy as sql
    from sqlalchemy.exc import DBAPIError, IntegrityError

    from floeberg.catalog.sql_database import Database
    from floeberg.catalog.sql_tables import EXACT
except ImportError as error:
    raise NotInstalledError(
        "SQLAlchemy is not installed, and manifests in a SQL database need it: pip install 'floeberg[sql]'"
    ) from error

__all__ = ["SqlManifestStore"]

_LONGEST_FOLDER = 600
"""Characters of a folder. Keys of MySQL have no more bytes than four times as many."""

_tables: Final = sql.MetaData()

_MANIFESTS: Final = sql.Table(
    "lance_manifests",
    _tables,
    sql.Column("table_folder", sql.String(_LONGEST_FOLDER), primary_key=True),
    sql.Column("version", sql.BigInteger, primary_key=True, autoincrement=False),
    sql.Column("location", sql.String(2000), nullable=False),
    **EXACT,
)


class SqlManifestStore:
    """An external manifest store in a SQL database, through SQLAlchemy: SQLite, PostgreSQL and others.

    It decides which of several writers makes a version, for storage that cannot. All of them must use it. It has one
    table, `lance_manifests`, which is created if it is missing.

    Args:
        uri: The URI of the database, as SQLAlchemy writes it.

    Raises:
        InvalidInputError: The URI is wrong.
        NotInstalledError: SQLAlchemy or the driver of the database is missing.
        StorageError: The database cannot be reached.

    Examples:
        >>> import pyarrow as pa
        >>> store = SqlManifestStore(f"sqlite:///{folder}/manifests.db")
        >>> made = fb.lance.create_table(f"{folder}/decided", pa.table({"id": [1]}), manifest_store=store)
        >>> _ = made.append(pa.table({"id": [2]}))
        >>> store.latest(made.location)[0]
        2
    """

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._database = Database(uri)
        with self._database.converted_errors("the table of manifests cannot be made"):
            self._prepare()

    def _prepare(self) -> None:
        engine = self._database.engine()
        try:
            _tables.create_all(engine)
        except DBAPIError:
            # Another process may have made it since.
            if not sql.inspect(engine).has_table(_MANIFESTS.name):
                raise
        self._database.check_exact(_MANIFESTS.name)

    def close(self) -> None:
        """Closes the connections to the database."""
        self._database.close()

    def latest(self, table: str) -> tuple[int, str] | None:
        """The newest version that the store knows of a table, and the location of its manifest."""
        wanted = sql.select(_MANIFESTS.c.version, _MANIFESTS.c.location)
        wanted = wanted.where(_MANIFESTS.c.table_folder == table).order_by(_MANIFESTS.c.version.desc())
        with self._database.reading() as connection:
            row = connection.execute(wanted.limit(1)).first()
        return None if row is None else (int(row[0]), str(row[1]))

    def get(self, table: str, version: int) -> str | None:
        """The location of the manifest of a version."""
        with self._database.reading() as connection:
            row = connection.execute(sql.select(_MANIFESTS.c.location).where(_of(table, version))).first()
        return None if row is None else str(row[0])

    def put_if_absent(self, table: str, version: int, location: str) -> bool:
        """Takes a manifest for a version that has none. The primary key decides between writers."""
        if len(table) > _LONGEST_FOLDER:
            raise StorageError(f"the folder of a table has more than {_LONGEST_FOLDER} characters")
        row = {"table_folder": table, "version": version, "location": location}
        try:
            with self._database.writing(
                "the manifest cannot be put", is_unchanged=lambda: self.get(table, version) != location
            ) as connection:
                connection.execute(sql.insert(_MANIFESTS).values(row))
        except IntegrityError:
            return False
        return True

    def replace(self, table: str, version: int, location: str) -> None:
        """Sets the location of the manifest of a version that is known."""
        with self._database.writing("the manifest cannot be set") as connection:
            connection.execute(sql.update(_MANIFESTS).where(_of(table, version)).values(location=location))

    def __repr__(self) -> str:
        return f"SqlManifestStore({sql.make_url(self._uri).render_as_string()!r})"

    def __reduce__(self) -> tuple[type[SqlManifestStore], tuple[str]]:
        return type(self), (self._uri,)


def _of(table: str, version: int) -> sql.ColumnElement[bool]:
    """The row of a version."""
    return (_MANIFESTS.c.table_folder == table) & (_MANIFESTS.c.version == version)
