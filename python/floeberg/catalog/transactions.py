"""How are operations on several tables of a catalog one commit?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from floeberg._arguments import checked_options, checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg._pyiceberg_names import SpelledLikePyIceberg
from floeberg.catalog.names import Identifier, checked_identifier, dotted
from floeberg.commit.part_transaction import NewTablePart, TablePart, commit_parts
from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from floeberg._new_table import AnyPartitionSpec, AnySchema, AnySortOrder
    from floeberg.catalog.new_tables import NewTables
    from floeberg.commit.result import CommitResult
    from floeberg.commit.several import StoreAll
    from floeberg.commit.transaction import Transaction

__all__ = ["CatalogTransaction"]


@says_keywords_of_methods
class CatalogTransaction(SpelledLikePyIceberg):
    """Operations on several tables of a catalog, one atomic commit: all tables, or none.

    The end of the `with` block commits, or `commit_transaction` does. An exception in the block commits nothing, and
    removes the files that were written.

    Examples:
        >>> import pyarrow as pa
        >>> made = catalog.create_table("db.stock", pa.table({"id": [1, 2]}))
        >>> with catalog.transaction() as transaction:
        ...     sold = transaction.create_table("db.sold", pa.schema({"id": pa.int64()}))
        ...     sold.append(pa.table({"id": [2]}))
        ...     transaction.table("db.stock").delete("id = 2")
        >>> transaction.results["db", "stock"].deleted_rows, transaction.results["db", "sold"].added_rows
        (1, 1)
        >>> catalog.drop_table("db.stock"), catalog.drop_table("db.sold")
        (None, None)
    """

    _spelled_as = "CatalogTransaction"

    def __init__(
        self,
        catalog: NewTables,
        store: StoreAll,
        *,
        snapshot_properties: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Use `Catalog.transaction`."""
        self._catalog, self._store = catalog, store
        self._properties = checked_options("snapshot_properties", snapshot_properties)
        self._key = None if idempotency_key is None else checked_text("idempotency_key", idempotency_key)
        self._parts: dict[Identifier, TablePart] = {}
        self._branches: dict[Identifier, str | None] = {}
        self._is_open = True

    def table(self, identifier: str | Iterable[str], *, branch: str | None = None) -> Transaction:
        """The operations on a table. The same table gives the same object.

        Args:
            identifier: The namespace and the name.
            branch: The branch that its snapshots go to; `None` is the main one.

        Returns:
            A transaction of the table, which the end of this one commits.

        Raises:
            NoSuchTableError: The table does not exist.
            InvalidInputError: The transaction has ended, or has the table with another branch.
            UnsupportedError: The table cannot be written.
        """
        self._check_open()
        levels = checked_identifier("identifier", identifier)
        if levels in self._parts:
            if branch is not None and branch != self._branches[levels]:
                raise InvalidInputError(
                    f"branch: the transaction writes to the branch {self._branches[levels] or 'main'!r} of the table "
                    f"{dotted(levels)!r}, and cannot write to {branch!r} too"
                )
            return self._parts[levels]
        part = self._catalog.load_table(levels)._begin_part(  # noqa: SLF001 - its own
            snapshot_properties=self._properties, branch=branch, idempotency_key=self._key
        )
        return self._with(levels, branch, part)

    def create_table(  # noqa: PLR0913, PLR0917 - as `Catalog.create_table`
        self,
        identifier: str | Iterable[str],
        schema: AnySchema,
        location: str | os.PathLike[str] | None = None,
        partition_spec: AnyPartitionSpec = None,
        sort_order: AnySortOrder = None,
        properties: Mapping[str, str | float] | None = None,
        *,
        format_version: int | None = None,
    ) -> Transaction:
        """Creates a table in the commit: until then no catalog has it. `table` gives the same object.

        Args:
            identifier: As with `Catalog.create_table`, and so are the others.
            schema: Its columns, or its first rows.
            location: Its folder.
            partition_spec: Its partition spec.
            sort_order: Its sort order.
            properties: Its properties.
            format_version: Its format version.

        Returns:
            A transaction of the new table, which the end of this one commits.

        Raises:
            TableAlreadyExistsError: A table or a view of that name exists, or the transaction creates it.
            UnsupportedError: The transaction has an idempotency key, which a new table cannot be searched for.
            FloebergError: Those of `Catalog.create_table`.
        """
        self._check_open()
        levels = checked_identifier("identifier", identifier)
        if levels in self._parts:
            raise self._catalog.table_already_exists(levels)
        if self._key is not None:
            raise UnsupportedError(
                "idempotency_key: a transaction with a key creates no tables, since a table that does not exist cannot "
                "be searched for the key: create the table before"
            )
        part = self._catalog._new_transaction(  # noqa: SLF001 - its own
            partial(NewTablePart, snapshot_properties=self._properties),
            levels,
            schema,
            location,
            partition_spec,
            sort_order,
            properties,
            format_version,
        )
        return self._with(levels, None, part)

    @property
    def results(self) -> dict[Identifier, CommitResult]:
        """What the commit did, by table; empty before the commit, and after a rollback."""
        found = {levels: part.result for levels, part in self._parts.items()}
        return {levels: result for levels, result in found.items() if result is not None}

    def commit_transaction(self) -> dict[Identifier, CommitResult]:
        """Commits the operations on all tables, atomically.

        Returns:
            What the commit did, by table.

        Raises:
            CommitConflictError: Another writer committed a conflicting change to one of the tables, or was faster at
                every attempt. Nothing was changed.
            PartialCommitError: The commit was decided in a catalog of folders, and another engine wrote the next
                version of a table first. The context has the state of each table.
            CommitStateUnknownError: The outcome is unknown, or only some tables have the commit. The context has what
                is known of each table. No file was removed.
            InvalidInputError: Some of the tables have a commit with the idempotency key, and others do not.
            FloebergError: With any other error nothing was changed.
        """
        self._check_open()
        self._is_open = False
        parts = list(self._parts.values())
        for part in parts:
            part.end()
        try:
            changing = self._still_to_do(parts)
        except BaseException:
            self._drop()
            raise
        for part in parts:
            if part not in changing:
                part.end_alone()
        if len(changing) == 1:
            changing[0].end_alone()
        elif changing:
            commit_parts(changing, self._store)
        return self.results

    def rollback(self) -> None:
        """Drops the operations, and removes their files. After the end of the transaction it does nothing."""
        if self._is_open:
            self._is_open = False
            self._drop()

    def _still_to_do(self, parts: list[TablePart]) -> list[TablePart]:
        """The parts that have something to commit; none where an earlier commit has the key."""
        if any(part.was_done(is_asked=False) for part in parts):
            asked = [part for part in parts if part.whole or part.was_done(is_asked=False)]
            done = [part for part in asked if part.was_done(is_asked=True)]
            if len(done) < len(asked):
                missing = next(part for part in asked if part not in done)
                raise InvalidInputError(
                    f"idempotency_key: the table {dotted(done[0].identifier)!r} has a commit with the key "
                    f"{self._key!r}, and the table {dotted(missing.identifier)!r} has none: the key belongs to another "
                    "transaction"
                )
            return []
        return [part for part in parts if part.whole]

    def _with(self, levels: Identifier, branch: str | None, part: TablePart) -> TablePart:
        part.identifier = levels
        self._parts[levels], self._branches[levels] = part, branch
        return part

    def _drop(self) -> None:
        for part in self._parts.values():
            part.drop()

    def _check_open(self) -> None:
        if not self._is_open:
            raise InvalidInputError("the transaction has ended: begin another one")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._is_open:
            self.commit_transaction()
        else:
            self.rollback()

    def __repr__(self) -> str:
        return f"CatalogTransaction({self._catalog.name!r}, {[dotted(each) for each in self._parts]})"

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError(
            "a CatalogTransaction cannot be pickled: send a WriteRecipe, and commit the Receipts here"
        )
