"""How do workers write data files of a Lance table, and how do their files become a version?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Literal, cast

from floeberg import _native
from floeberg._arguments import checked_properties, checked_size, checked_text
from floeberg.commit.column_casts import plain_schema
from floeberg.errors import AlreadyExistsError, CommitConflictError, InvalidInputError, NotFoundError
from floeberg.lance._writes import LanceTableWrites
from floeberg.lance.committing import Conditions, Made, earlier_commit
from floeberg.lance.committing import commit as commit_operation
from floeberg.lance.new_files import ROWS_PER_FILE
from floeberg.lance.options import LanceCommitOptions  # noqa: TC001 - `_keywords` reads the name
from floeberg.lance.receipt import LanceReceipt, LanceWrite, checked_receipts
from floeberg.lance.recipe import LanceWriteRecipe
from floeberg.lance.result import LanceCommitResult
from floeberg.lance.row_changes import check_columns, schema_of_table
from floeberg.write.input_rows import schema_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from typing_extensions import Unpack

__all__ = ["LanceTableWorkerWrites"]


class LanceTableWorkerWrites(LanceTableWrites):
    """The methods of `floeberg.lance.LanceTable` for writes in other processes."""

    def write_recipe(
        self,
        *,
        schema: object | None = None,
        max_rows_per_file: int = ROWS_PER_FILE,
        write_id: str | None = None,
    ) -> LanceWriteRecipe:
        """Makes the recipe that workers need to write rows of this table, for `commit_receipts`.

        Args:
            schema: The columns of an overwrite that replaces the columns too: an Arrow schema, or rows. By default,
                the columns of the table.
            max_rows_per_file: The most rows of a fragment.
            write_id: An id of the write. By default, it is random.

        Returns:
            The recipe.

        Raises:
            UnsupportedError: The table is at a fixed version, or has features or columns that cannot be written.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/worker_recipe", pa.table({"id": [1]}))
            >>> made.write_recipe(write_id="job-7")
            LanceWriteRecipe(write_id="job-7")
        """
        self._check_follows()
        given = checked_text("write_id", str(uuid.uuid4()) if write_id is None else write_id)
        table = self._inner
        columns = (
            schema_of_table(table)
            if schema is None
            else plain_schema(schema_of(schema), keeps_dictionaries=True)
        )
        # Columns that cannot be written, and tables that cannot, are refused before anything is.
        operation = (
            _native.LanceOperation.append(table, [])
            if schema is None
            else _native.LanceOperation.overwrite(table, columns, [], config=[])
        )
        _native.LanceCommit.begin(table, operation, properties=[], key=None, inserts_missing_keys=False)
        write = LanceWrite(
            table.folder.rstrip("/"),
            table.version,
            table.facts()["transaction_file"],
            given,
            columns,
            replaces_columns=schema is not None,
            made_at=table.version_parts()[1],
        )
        version = cast("str", table.facts()["data_storage_version"])
        rows_per_file = checked_size("max_rows_per_file", max_rows_per_file, 1)
        return LanceWriteRecipe(write, table.storage_options, version, rows_per_file)

    def commit_receipts(
        self,
        receipts: Sequence[LanceReceipt],
        *,
        mode: Literal["append", "overwrite"] = "append",
        isolation_level: Literal["serializable", "snapshot"] = "serializable",
        validate_from_version: int | None = None,
        **commit: Unpack[LanceCommitOptions],
    ) -> LanceCommitResult:
        """Makes the files that workers wrote one version, atomically.

        A file is added once: all versions since that of the recipe are looked at.

        After an error, the files are still there. Remove them with `LanceWriteRecipe.remove`, but never after
        `CommitStateUnknownError` or `AlreadyExistsError`: they may be in the table.

        Args:
            receipts: The receipts of `LanceWriteRecipe.write`, each once.
            mode: `append` adds the rows. `overwrite` replaces all rows; columns too, if the recipe has others.
            isolation_level: Of an overwrite. With `serializable`, rows that others changed since the version of the
                recipe are a conflict. With `snapshot`, they are replaced too.
            validate_from_version: The version that the rows of an overwrite were made from, if it is older than the
                recipe's.
            **commit: As `LanceCommitOptions` says.

        Returns:
            What the commit did, or which earlier commit did it.

        Raises:
            InvalidInputError: A receipt belongs to another table, or two have different columns.
            AlreadyExistsError: The table has one of the files already.
            NotFoundError: A file is missing.
            InvalidDataError: The size of a file differs from its receipt.
            CommitConflictError: Another writer changed the columns, replaced the table, or changed rows that an
                overwrite replaces; or a version since that of the recipe is gone.

        Examples:
            >>> import pyarrow as pa
            >>> made = fb.lance.create_table(f"{folder}/worker_commit", pa.table({"id": [1]}))
            >>> receipt = made.write_recipe().write(pa.table({"id": [2]}))
            >>> [made.commit_receipts([receipt], idempotency_key="job-7").already_committed for _ in range(2)]
            [False, True]
            >>> made.scan().count()
            2
        """
        self._check_follows()
        if mode not in {"append", "overwrite"}:
            raise InvalidInputError(f"mode: expected 'append' or 'overwrite', found {mode!r}")
        if isolation_level not in {"serializable", "snapshot"}:
            raise InvalidInputError(
                f"isolation_level: expected 'serializable' or 'snapshot', found {isolation_level!r}"
            )
        said = checked_properties("transaction_properties", commit.get("transaction_properties") or {})
        idempotency_key = commit.get("idempotency_key")
        write = self._write_of(checked_receipts(receipts), mode)
        files = [file for each in receipts for file in each.files]
        columns = schema_of_table(self._inner) if write is None else write.schema
        done = None if idempotency_key is None else self.find_commit(idempotency_key, mode=mode)
        if done is not None:
            self._become(self._inner.newest())
            return LanceCommitResult(done, mode.capitalize(), already_committed=True)
        if not files and mode == "append":
            return LanceCommitResult(None, None)
        base = self._inner if write is None else self._written_for(write)
        if (
            validate_from_version is not None
            and checked_size("validate_from_version", validate_from_version, 1) < base.version
        ):
            base = self._at(validate_from_version)
        _native.check_lance_files(base, [(name, size) for name, _, size in files])
        if not (write is None or write.replaces_columns):
            check_columns(base, base, columns)
        counts = {
            "added_rows": sum(each.rows for each in receipts),
            "added_files": len(files),
            "added_bytes": sum(each.size for each in receipts),
        }
        conditions = Conditions(keeps_rows=mode == "overwrite" and isolation_level == "serializable")

        def make(table: _native.LanceTable) -> Made:
            if table is not base:
                check_columns(base, table, columns)
                _check_not_added(table, files)
            return Made(self._operation(table, mode, columns, files), counts=counts, conditions=conditions)

        # An overwrite is of what was there when its recipe was made: it is not made anew.
        table, result = commit_operation(
            base,
            make,
            idempotency_key=idempotency_key,
            transaction_properties=said,
            on_conflict="retry" if mode == "append" else "raise",
            manifest_store=self._manifest_store,
        )
        self._become(table)
        return result

    def find_commit(
        self, idempotency_key: str, *, mode: Literal["append", "overwrite"] = "append"
    ) -> int | None:
        """The version that an earlier commit of receipts made.

        It is found as long as the file of its transaction is there.

        Args:
            idempotency_key: The key of the commit.
            mode: Its mode.

        Returns:
            The version; `None` if there was no such commit.

        Raises:
            InvalidInputError: The key belongs to another operation.
        """
        key = checked_text("idempotency_key", idempotency_key)
        done = earlier_commit(self._inner, key, mode.capitalize())
        return None if done is None else done[1].version

    def _write_of(self, receipts: list[LanceReceipt], mode: str) -> LanceWrite | None:
        """What all receipts are for, from the oldest version of them; `None` without receipts."""
        if not receipts:
            return None
        first = min((each.write for each in receipts), key=lambda write: write.version)
        for each in receipts:
            if each.write.folder != self._inner.folder.rstrip("/"):
                raise InvalidInputError(f"receipts: a file belongs to another table, {each.write.folder}")
            if not each.write.schema.equals(first.schema):
                raise InvalidInputError(
                    "receipts: their files have different columns: commit them one by one"
                )
            if each.write.replaces_columns and mode == "append":
                raise InvalidInputError(
                    "receipts: their recipe has columns of its own, for an overwrite, and the mode is 'append'"
                )
        return first

    @staticmethod
    def _operation(
        table: _native.LanceTable, mode: str, columns: pa.Schema, files: list[tuple[str, int, int]]
    ) -> _native.LanceOperation:
        if mode == "append":
            return _native.LanceOperation.append(table, files)
        return _native.LanceOperation.overwrite(table, columns, files, config=[])

    def _written_for(self, write: LanceWrite) -> _native.LanceTable:
        """The version that files were written for.

        Raises:
            CommitConflictError: It is gone, or another table is at its place.
        """
        table = self._at(write.version)
        is_same = write.made_at is None or write.made_at == table.version_parts()[1]
        if not is_same or table.facts()["transaction_file"] != write.transaction_file:
            raise CommitConflictError("another table is here now: write the rows again")
        return table

    def _at(self, version: int) -> _native.LanceTable:
        """The table at the version that files were written for.

        Raises:
            CommitConflictError: It is gone.
        """
        table = self._inner
        if table.version == version:
            return table
        try:
            return table.at_version(version)
        except NotFoundError as error:
            raise CommitConflictError(
                f"version {version}, which the rows were written for, is gone: write them again"
            ) from error


def _check_not_added(table: _native.LanceTable, files: list[tuple[str, int, int]]) -> None:
    """Checks that a version has none of the files, where nothing says what came before it.

    Raises:
        AlreadyExistsError: It has one.
    """
    added = {name for name, _, _ in files}
    for _, location, *_ in table.data_files():
        if location.rsplit("/", 1)[-1] in added:
            raise AlreadyExistsError(
                f"version {table.version} has the data file already", context={"path": location}
            )
