"""Which operations of a transaction add, replace, change or delete rows?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, get_args

from floeberg import _native
from floeberg._arguments import (
    checked_bool,
    checked_int,
    checked_locations,
    checked_names,
    checked_options,
    checked_text,
)
from floeberg.commit.apply_changes import ApplyChanges
from floeberg.commit.change_feed import ChangeFeed
from floeberg.commit.join_options import NullKeys, OnConflict, checked_null_keys
from floeberg.commit.merge_builder import MergeBuilder, join_keys
from floeberg.commit.merge_rows import MergeRows
from floeberg.commit.source_rows import SourceRows
from floeberg.commit.staging import StagedOperations
from floeberg.commit.update_rows import UpdateRows
from floeberg.commit.upsert_rows import UpsertRows
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, AnyFilter, as_expression
from floeberg.expressions._reading import as_delete_filter
from floeberg.write.receipt import Receipt
from floeberg.write.row_delta import RowDeltaReceipt

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

    from floeberg.commit.merge_builder import Clauses
    from floeberg.commit.new_values import NewValue
    from floeberg.commit.staging import SchemaMode
    from floeberg.expressions import ValueExpression

__all__ = ["ChangeMode", "DeleteMode", "NullKeys", "OnConflict", "RowOperations", "WriteMode"]

DeleteMode = Literal["copy-on-write", "merge-on-read"]
"""How row-level deletes are written: the files are rewritten with their other rows, or delete files name the rows."""

ChangeMode = Literal["copy-on-write", "merge-on-read", "equality"]
"""The same for a feed of changes, or by equality deletes, without reading the table."""

WriteMode = Literal["append", "overwrite", "dynamic-overwrite"]
"""How files are added: `append` only adds, the others replace rows of a filter or of their partitions."""

_ISOLATION = "isolation-level"


class RowOperations(StagedOperations):
    """The methods of `floeberg.Transaction` that change rows."""

    def append(
        self,
        data: object,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Adds rows: see `Table.append`."""
        receipt = self._write("append", data, schema_mode, _options(options)[0])
        if receipt is not None:
            self._operations.append(_native.Operation.append(receipt.native(), merge=None))

    def add_files(
        self,
        file_paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        check_duplicate_files: bool = True,
        trust_field_ids: bool = False,
    ) -> None:
        """Adds files of other writers: see `Table.add_files`."""
        self._check_open()
        locations = checked_locations("file_paths", file_paths)
        checked_bool("check_duplicate_files", check_duplicate_files)
        checked_bool("trust_field_ids", trust_field_ids)
        if self._is_done():
            self._skipped.append("add files")
            return
        if locations:
            receipt, name_mapping = _native.describe_files(
                self._staged(), locations, trust_field_ids=trust_field_ids, progress=self._reporter.native
            )
        else:
            receipt, name_mapping = Receipt.concat([]).native(), None
        if check_duplicate_files:
            self._files_are_new = False
        self._added.append(receipt)
        self._operations.append(_native.Operation.add_files(receipt, name_mapping=name_mapping))

    def overwrite(  # noqa: PLR0913 - all but the first two are keywords
        self,
        data: object,
        overwrite_filter: AnyFilter = ALWAYS_TRUE,
        *,
        case_sensitive: bool = True,
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Replaces the rows that match a filter: see `Table.overwrite`."""
        tree = as_expression(overwrite_filter).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        _check_mode(mode)
        written, isolation = _options(options)
        receipt = self._write("overwrite", data, schema_mode, written)
        self._stands_on_start = True
        if receipt is not None:
            self._operations.append(
                _native.Operation.overwrite(
                    receipt.native(), tree, case_sensitive=case_sensitive, isolation=isolation, mode=mode
                )
            )

    def dynamic_partition_overwrite(
        self,
        data: object,
        *,
        schema_mode: SchemaMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Replaces all rows of the partitions of new rows: see `Table.dynamic_partition_overwrite`."""
        written, isolation = _options(options)
        receipt = self._write("dynamic overwrite", data, schema_mode, written)
        self._stands_on_start = True
        if receipt is not None:
            self._operations.append(
                _native.Operation.dynamic_overwrite(receipt.native(), isolation=isolation)
            )

    def delete(  # noqa: PLR0913 - all but the first are keywords
        self,
        delete_filter: AnyFilter | None = None,
        *,
        delete_all: bool = False,
        case_sensitive: bool = True,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
    ) -> None:
        """Deletes the rows that match a filter: see `Table.delete`."""
        self._check_open()
        _, isolation = _options(options)
        tree = as_delete_filter(delete_filter, delete_all=delete_all).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        _check_mode(mode)
        finds_again = _finds_again(on_conflict)
        self._stands_on_start |= not finds_again
        self._make(
            _native.Operation.delete(
                tree, case_sensitive=case_sensitive, isolation=isolation, mode=mode, finds_again=finds_again
            )
        )

    def update(  # noqa: PLR0913 - all but the first two are keywords
        self,
        updates: Mapping[str, NewValue],
        filter: AnyFilter = ALWAYS_TRUE,  # noqa: A002 - the word of DataFrames
        *,
        case_sensitive: bool = True,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
    ) -> None:
        """Sets columns of the rows that match a filter: see `Table.update`."""
        written, isolation = _options(options)
        checked_bool("case_sensitive", case_sensitive)
        _check_change(mode, isolation)
        changes = UpdateRows(
            updates, as_expression(filter), case_sensitive=case_sensitive, isolation=isolation, mode=mode
        )
        self._change(changes, written, is_repeated=_finds_again(on_conflict))

    def upsert(  # noqa: PLR0913 - PyIceberg's order, then keywords
        self,
        df: object,
        join_cols: Sequence[str] | None = None,
        when_matched_update_all: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        when_not_matched_insert_all: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        case_sensitive: bool = True,  # noqa: FBT001, FBT002 - PyIceberg's order
        *,
        null_keys: NullKeys = "error",
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
    ) -> None:
        """Updates rows by their keys, and inserts the others: see `Table.upsert`."""
        written, isolation = _options(options)
        for name, flag in (
            ("when_matched_update_all", when_matched_update_all),
            ("when_not_matched_insert_all", when_not_matched_insert_all),
            ("case_sensitive", case_sensitive),
        ):
            checked_bool(name, flag)
        if not when_matched_update_all and not when_not_matched_insert_all:
            raise InvalidInputError("an upsert updates, inserts, or does both: found neither")
        checked_null_keys(null_keys)
        _check_change(mode, isolation)
        self._check_open()
        changes = UpsertRows(
            self._source(df, schema_mode),
            None if join_cols is None else checked_names("join_cols", join_cols),
            updates=when_matched_update_all,
            inserts=when_not_matched_insert_all,
            case_sensitive=case_sensitive,
            null_keys=null_keys,
            isolation=isolation,
            mode=mode,
        )
        self._change(changes, written, is_repeated=_finds_again(on_conflict))

    def merge(  # noqa: PLR0913 - keywords
        self,
        source: object,
        *,
        on: Sequence[str] | str | None = None,
        predicate: str | ValueExpression | None = None,
        case_sensitive: bool = True,
        schema_mode: SchemaMode | None = None,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
    ) -> MergeBuilder[None]:
        """Joins a source to the table: see `Table.merge`. `execute` stages it."""
        written, isolation = _options(options)
        checked_bool("case_sensitive", case_sensitive)
        _check_change(mode, isolation)
        keys = join_keys(on, predicate, case_sensitive=case_sensitive)
        self._check_open()
        rows = self._source(source, schema_mode)

        def run(clauses: Clauses) -> None:
            changes = MergeRows(
                rows, keys, clauses, case_sensitive=case_sensitive, isolation=isolation, mode=mode
            )
            self._change(changes, written, is_repeated=_finds_again(on_conflict))

        return MergeBuilder(run)

    def apply_changes(  # noqa: PLR0913 - keywords
        self,
        changes: object,
        *,
        keys: Sequence[str],
        operation: str,
        order_by: str | Sequence[str],
        null_keys: NullKeys = "error",
        schema_mode: SchemaMode | None = None,
        mode: ChangeMode | None = None,
        options: Mapping[str, str] | None = None,
        on_conflict: OnConflict = "retry",
    ) -> None:
        """Applies a feed of changes: see `Table.apply_changes`."""
        written, isolation = _options(options)
        checked_null_keys(null_keys)
        by_key = mode == "equality"
        _check_change(None if by_key else mode, isolation, ChangeMode)
        order = [order_by] if isinstance(order_by, str) else checked_names("order_by", order_by)
        feed = ChangeFeed(checked_names("keys", keys), checked_text("operation", operation), order, null_keys)
        self._check_open()
        without = {feed.operation, *feed.order_by}
        rows = self._source(changes, schema_mode, without=without)
        changing = ApplyChanges(rows, feed, isolation=isolation, mode=mode)
        self._change(changing, written, is_repeated=_finds_again(on_conflict))

    def _source(
        self, data: object, schema_mode: SchemaMode | None, without: Collection[str] = ()
    ) -> SourceRows:
        """The rows of a source. Its new columns are added to the table, except those of `without`."""
        if schema_mode not in (None, "merge"):
            raise InvalidInputError(f"schema_mode: expected 'merge' or None, found {schema_mode!r}")
        # Temporary files of sources are plain.
        is_encrypted = "encryption.key-id" in self._starting.properties
        rows = SourceRows(data, lambda: self._recipe({}).arrow_schema(), stays_in_memory=is_encrypted)
        if schema_mode == "merge" and not self._is_done():
            schema = rows.schema
            for name in without:
                at = schema.get_field_index(name)
                schema = schema if at < 0 else schema.remove(at)
            changes = _native.columns_to_add(self._staged(), schema)
            if changes is not None:
                self.change_columns(changes)
        return rows

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = ALWAYS_TRUE,
        case_sensitive: bool = True,
        validate_from_snapshot_ids: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Adds files that workers wrote: see `Table.commit_receipts`."""
        self._check_open()
        self._validated_from += [
            None if each is None else checked_int("validate_from_snapshot_ids", each)
            for each in validate_from_snapshot_ids
        ]
        _, isolation = _options(options)
        if isinstance(receipts, Receipt) or not isinstance(receipts, Iterable):
            raise InvalidInputError(f"receipts: expected a list of Receipts, found {type(receipts).__name__}")
        every = Receipt.concat(list(receipts)).native()
        if mode == "append":
            made = _native.Operation.append(every, merge=None)
        elif mode == "overwrite":
            tree = as_expression(overwrite_filter).as_tree()
            checked_bool("case_sensitive", case_sensitive)
            made = _native.Operation.overwrite(
                every, tree, case_sensitive=case_sensitive, isolation=isolation, mode=None
            )
        elif mode == "dynamic-overwrite":
            made = _native.Operation.dynamic_overwrite(every, isolation=isolation)
        else:
            raise InvalidInputError(
                f"mode: expected 'append', 'overwrite' or 'dynamic-overwrite', found {mode!r}"
            )
        self._files_are_new = False
        self._stands_on_start |= mode != "append"
        self._added.append(every)
        self._make(made)

    def commit_row_delta(
        self,
        receipts: Sequence[RowDeltaReceipt],
        *,
        read_snapshot_id: int | None,
        conflict_filter: AnyFilter | None = None,
        case_sensitive: bool = True,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Deletes rows, and adds and replaces files, as workers say: see `Table.commit_row_delta`."""
        self._check_open()
        _, isolation = _options(options)
        if isinstance(receipts, RowDeltaReceipt) or not isinstance(receipts, Iterable):
            raise InvalidInputError(
                f"receipts: expected a list of RowDeltaReceipts, found {type(receipts).__name__}"
            )
        every = RowDeltaReceipt.concat(list(receipts)).native()
        read = None if read_snapshot_id is None else checked_int("read_snapshot_id", read_snapshot_id)
        tree = None if conflict_filter is None else as_expression(conflict_filter).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        self._files_are_new = False
        self._added.append(every.added)
        self._make(
            _native.Operation.row_delta(
                every, tree, case_sensitive=case_sensitive, isolation=isolation, read_snapshot_id=read
            )
        )


def _check_mode(mode: object) -> None:
    if mode is not None and not isinstance(mode, str):
        raise InvalidInputError(
            f"mode: expected 'copy-on-write' or 'merge-on-read', found {type(mode).__name__}"
        )


def _finds_again(on_conflict: object) -> bool:
    if on_conflict not in ("retry", "raise"):
        raise InvalidInputError(f"on_conflict: expected 'retry' or 'raise', found {on_conflict!r}")
    return on_conflict == "retry"


def _check_change(mode: object, isolation: str | None, modes: object = DeleteMode) -> None:
    """Checks words that the commit would check, which is not made where no row changes."""
    _check_mode(mode)
    for what, found, expected in (
        ("mode", mode, get_args(modes)),
        ("isolation level", isolation and isolation.strip().lower(), ("serializable", "snapshot")),
    ):
        if found is not None and found not in expected:
            raise InvalidInputError(f"expected the {what} {' or '.join(expected)}, found {found!r}")


def _options(options: Mapping[str, str] | None) -> tuple[dict[str, str], str | None]:
    """The options of a write without the isolation level, and the isolation level."""
    known = checked_options("options", options)
    isolation = known.pop(_ISOLATION, None)
    return known, isolation
