"""Which operations of a transaction add, replace or delete rows?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from floeberg import _native
from floeberg._arguments import checked_bool, checked_int, checked_locations, checked_options
from floeberg.commit.staging import StagedOperations
from floeberg.errors import InvalidInputError
from floeberg.expressions import AnyFilter, as_expression
from floeberg.write.receipt import Receipt
from floeberg.write.row_delta import RowDeltaReceipt

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from floeberg.commit.staging import SchemaMode

__all__ = ["DeleteMode", "RowOperations", "WriteMode"]

DeleteMode = Literal["copy-on-write", "merge-on-read"]
"""How row-level deletes are written: the files are rewritten with their other rows, or delete files name the rows."""

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
        if not locations:
            return
        receipt, name_mapping = _native.describe_files(
            self._staged(), locations, trust_field_ids=trust_field_ids, progress=self._reporter.native
        )
        if check_duplicate_files:
            self._files_are_new = False
        self._added.append(receipt)
        self._operations.append(_native.Operation.add_files(receipt, name_mapping=name_mapping))

    def overwrite(  # noqa: PLR0913 - all but the first two are keywords
        self,
        data: object,
        overwrite_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
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
        if receipt is not None:
            self._operations.append(
                _native.Operation.dynamic_overwrite(receipt.native(), isolation=isolation)
            )

    def delete(
        self,
        delete_filter: AnyFilter = True,  # noqa: FBT002 - a filter may be a bool
        *,
        case_sensitive: bool = True,
        mode: DeleteMode | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Deletes the rows that match a filter: see `Table.delete`."""
        self._check_open()
        _, isolation = _options(options)
        tree = as_expression(delete_filter).as_tree()
        checked_bool("case_sensitive", case_sensitive)
        _check_mode(mode)
        self._make(
            _native.Operation.delete(tree, case_sensitive=case_sensitive, isolation=isolation, mode=mode)
        )

    def commit_receipts(  # noqa: PLR0913 - all but the first are keywords
        self,
        receipts: Sequence[Receipt],
        *,
        mode: WriteMode = "append",
        overwrite_filter: AnyFilter = True,
        case_sensitive: bool = True,
        made_from: Sequence[int | None] = (),
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Adds files that workers wrote: see `Table.commit_receipts`."""
        self._check_open()
        self._made_from += [None if each is None else checked_int("made_from", each) for each in made_from]
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


def _options(options: Mapping[str, str] | None) -> tuple[dict[str, str], str | None]:
    """The options of a write without the isolation level, and the isolation level."""
    known = checked_options("options", options)
    isolation = known.pop(_ISOLATION, None)
    return known, isolation
