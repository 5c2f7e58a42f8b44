"""How are the files of a Delta table taken over?

In: a version of a Delta table. Out: the operations of a transaction that makes the new table: its columns as files call
them, the files with the partition values of the log, the names of columns, and deleted rows as deletes.

Invariant: the log says in which partition a file is. Where the names of folders say it too, both must agree. Columns of
files are found by the names and ids that the log has for files, never by what columns are called.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from floeberg import _native
from floeberg.commit.new_table import NewTable
from floeberg.commit.update_schema import default_json
from floeberg.errors import InvalidDataError, UnsupportedError
from floeberg.takeover.delta_columns import DeltaColumns, columns_of_delta, renamed
from floeberg.takeover.delta_history import earlier_states, steps_of
from floeberg.takeover.delta_partitions import values_beside_folders
from floeberg.takeover.dropped_columns import dropped_columns
from floeberg.takeover.hive_folders import folder_values
from floeberg.takeover.listing import check_inside
from floeberg.write.row_delta import RowDeltaReceipt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from floeberg.commit.create_table import CreateTableTransaction
    from floeberg.takeover.delta_history import Step
    from floeberg.takeover.delta_log import DeltaFile, DeltaState
    from floeberg.takeover.dropped_columns import DroppedColumns

__all__ = ["NAME_MAPPING", "DeltaSource", "identity_spec"]

NAME_MAPPING: Final = "schema.name-mapping.default"
Json = Any
_FIRST_PARTITION_ID: Final = 1000
_WITH_DEFAULTS: Final = 3
_MOST_IDS: Final = 10_000


@dataclass(frozen=True)
class DeltaSource:
    """A version of a Delta table.

    Args:
        state: What its log says.
        columns: Its columns.
        dropped: Columns that only its files have.
        states: The versions to take over, of which it is the last.
    """

    state: DeltaState
    columns: DeltaColumns
    dropped: DroppedColumns
    states: tuple[DeltaState, ...]

    @staticmethod
    def of(state: DeltaState, options: Mapping[str, str], *, keeps_history: bool = False) -> DeltaSource:
        """Looks at a version, and at those before it where these are taken over too.

        Raises:
            UnsupportedError: A column has a type that Iceberg lacks, or is not what tables are partitioned by.
            InvalidInputError: A link leads out of the folder.
        """
        columns = columns_of_delta(state.schema, is_mapped=state.mapping is not None)
        states = earlier_states(state, options) if keeps_history else [state]
        places = list(dict.fromkeys(state.place(each.path) for one in states for each in one.files))
        check_inside(state.location, places)
        known = {each.name: each for each in columns.columns}
        for name in state.partition_columns:
            if name not in known:
                raise InvalidDataError(f"the Delta table is partitioned by {name!r}, and has no such column")
            if known[name].field_type == "binary":
                raise UnsupportedError(
                    f"the Delta table is partitioned by the column {name!r} of bytes, which its log has as text that "
                    "writers write differently: copy its rows by deltalake's `scan`"
                )
        above = folder_values(f"{state.location}/")
        for name in state.partition_columns:
            if name in above or known[name].physical in above:
                raise UnsupportedError(
                    f"the folder of the Delta table is in a folder {name}=.., as if all its rows had one value of the "
                    "partition column: move the table to another folder",
                    context={"path": state.location},
                )
        dropped = dropped_columns(places, columns, options) if state.mapping is not None else {}
        return DeltaSource(state, columns, dropped, tuple(states))

    @property
    def needs_version_3(self) -> bool:
        """Whether deletes are vectors, or dates became timestamps."""
        return self.has_vectors or self.state.widens

    @property
    def has_vectors(self) -> bool:
        """Whether a version has deletion vectors."""
        return any(each.deleted for each in self.states)

    @property
    def deleted_rows(self) -> int:
        """The rows that deletion vectors delete."""
        return sum(map(len, self.state.deleted.values()))

    @property
    def not_enforced(self) -> tuple[str, ...]:
        """What the table demands of rows."""
        prefix = "delta.constraints."
        names = [key.removeprefix(prefix) for key in self.state.configuration if key.startswith(prefix)]
        return (*(f"constraint {name!r}" for name in names), *self.columns.not_enforced)

    def properties(self) -> dict[str, str]:
        """Its properties, those of Iceberg's names left out, and where the table comes from, as Java writes it."""
        kept = {key: text for key, text in self.state.configuration.items() if key.startswith("delta.")}
        comment = {"comment": self.state.description} if self.state.description else {}
        return {
            **kept,
            **self.columns.properties,
            **comment,
            "snapshot_source": "delta",
            "original_location": _native.without_passwords(self.state.location),
        }

    def new_table(self, location: str, properties: dict[str, str], format_version: int) -> NewTable:
        """The table by the names that its files have."""
        return self._form(location, properties, format_version, {})

    def stage(self, transaction: CreateTableTransaction, new: NewTable) -> list[int]:
        """Stages all that makes the table.

        Returns:
            How many snapshots each of the versions is.
        """
        steps = steps_of(self.states)
        described = [self._described(transaction, new, step.added) for step in steps]
        is_by_names = any(names for _, names in described)
        mapping = self._mapping(transaction, with_dropped=False) if is_by_names else None
        self._name_columns(transaction)
        if mapping is not None:
            transaction.set_properties({NAME_MAPPING: mapping})
        added = (receipts for receipts, _ in described)
        return [self._step(transaction, *each) for each in zip(steps, added, strict=True)]

    def _described(
        self, transaction: CreateTableTransaction, new: NewTable, files: Sequence[DeltaFile]
    ) -> tuple[list[_native.Receipt], bool]:
        """Files as manifests list them, and whether columns of one are found by names."""
        receipts, is_by_names = [], False
        for values, of_values in self._by_partition(files).items():
            form = self._form(
                new["location"],
                {**new["properties"], NAME_MAPPING: self._mapping(transaction, with_dropped=True)},
                _WITH_DEFAULTS if values else new["format_version"],
                dict(values),
            )
            receipt, names = transaction.described(form, [self.state.place(each.path) for each in of_values])
            receipts.append(receipt)
            is_by_names |= names is not None
        return receipts, is_by_names

    def _step(self, transaction: CreateTableTransaction, step: Step, receipts: list[_native.Receipt]) -> int:
        """Stages a version: its number of snapshots."""
        changed = [self._rows(step.deleted)] if step.deleted else []
        if step.removed:
            gone = [self.state.place(each) for each in step.removed]
            changed.append(_native.RowDeltaReceipt.of_replaced(gone))
            if receipts and not step.removes_deleted:
                changed.append(_native.RowDeltaReceipt.of_files(_native.Receipt.concat(receipts)))
                receipts = []
        snapshots = self._change(transaction, changed)
        if receipts:
            # Also of files that replace others with deletes: in one snapshot with their removal, these deletes would be
            # those of another writer.
            transaction.add_described(receipts, None)
            snapshots += 1
        return snapshots + self._change(
            transaction, [self._rows(step.deleted_of_added)] if step.deleted_of_added else []
        )

    @staticmethod
    def _change(transaction: CreateTableTransaction, parts: list[_native.RowDeltaReceipt]) -> int:
        """Stages rows that are deleted, and files that come and go: its number of snapshots."""
        if not parts:
            return 0
        transaction.commit_row_delta([RowDeltaReceipt(each) for each in parts], read_snapshot_id=None)
        return 1

    def _form(
        self, location: str, properties: dict[str, str], format_version: int, defaults: Mapping[str, Json]
    ) -> NewTable:
        """The table by the names that its files have, with defaults of columns that they lack."""
        fields: list[Json] = []
        ids: dict[str, int] = {}
        for number, each in enumerate(self._in_order_of_ids(), start=1):
            if isinstance(each, dict):
                fields.append({**each, "id": number})
            else:
                ids[each.name] = number
                fields.append(each.as_json(number, defaults.get(each.name)))
        return NewTable(
            schema_json=json.dumps({"type": "struct", "schema-id": 0, "fields": fields}),
            spec_json=identity_spec(ids, self.state.partition_columns),
            sort_order_json="[]",
            location=location,
            properties=properties,
            format_version=format_version,
        )

    def _in_order_of_ids(self) -> list[Any]:
        """The columns, and what keeps ids free: a new table numbers its columns in their order."""
        columns = self.columns.columns
        ids = {each.field_id: each for each in columns if each.field_id is not None}
        if len(ids) != len(columns) or not self.columns.is_flat or max(ids, default=0) > _MOST_IDS:
            return list(columns)
        gone = (key for key in self.dropped if isinstance(key, int) and key <= _MOST_IDS)
        last = max([*ids, *gone], default=0)
        return [ids.get(number) or self.dropped.get(number) or _free(number) for number in range(1, last + 1)]

    def _by_partition(
        self, files: Sequence[DeltaFile]
    ) -> dict[tuple[tuple[str, Json], ...], list[DeltaFile]]:
        """The files by the partition values that their folders do not say, as defaults of columns."""
        physical = {each.name: each.physical for each in self.columns.columns}
        found: dict[tuple[tuple[str, Json], ...], list[DeltaFile]] = defaultdict(list)
        for each in files:
            values = values_beside_folders(each, physical)
            found[tuple((name, default_json(value)) for name, value in values.items())].append(each)
        return found

    def _mapping(self, transaction: CreateTableTransaction, *, with_dropped: bool) -> str:
        """The name mapping of files, by what columns are called there."""
        schema = _current_schema(transaction.staged)
        names = {each.physical for each in self.columns.columns}
        fields = [_mapped(each) for each in schema["fields"] if each["name"] in names]
        gone = [{"names": [name]} for name in self.dropped if isinstance(name, str)] if with_dropped else []
        return json.dumps([*fields, *gone])

    def _name_columns(self, transaction: CreateTableTransaction) -> None:
        """Calls columns what the Delta table calls them, in its order."""
        names = {each.physical for each in self.columns.columns}
        staged = [each["name"] for each in _current_schema(transaction.staged)["fields"]]
        gone = [name for name in staged if name not in names]
        if gone:
            with transaction.update_schema() as update:
                for name in gone:
                    update.delete_column((name,))
        others = list(renamed(self.columns.columns))
        if others:
            # All at once: two columns may have changed their names.
            with transaction.update_schema() as update:
                for path, name in others:
                    update.rename_column(path, name)
        wanted = [each.name for each in self.columns.columns]
        if [each["name"] for each in _current_schema(transaction.staged)["fields"]] != wanted:
            with transaction.update_schema() as update:
                update.move_first((wanted[0],))
                for before, name in pairwise(wanted):
                    update.move_after((name,), (before,))

    def _rows(self, deleted: Mapping[str, Any]) -> _native.RowDeltaReceipt:
        """Rows that are deleted, by the paths of their files."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        schema = pa.schema(
            [pa.field("_file", pa.string(), nullable=False), pa.field("_pos", pa.int64(), nullable=False)]
        )
        batches = (
            pa.record_batch(
                [pa.repeat(self.state.place(path), len(rows)).cast(pa.string()), rows], schema=schema
            )
            for path, rows in sorted(deleted.items())
        )
        return _native.RowDeltaReceipt.of_rows(pa.RecordBatchReader.from_batches(schema, batches))


def identity_spec(ids: Mapping[str, int], names: Iterable[str]) -> str:
    """The partition spec of columns whose values are partitions, whatever their names look like."""
    fields = [
        {"source-id": ids[name], "field-id": _FIRST_PARTITION_ID + at, "transform": "identity", "name": name}
        for at, name in enumerate(names)
    ]
    return json.dumps(fields)


def _free(number: int) -> Json:
    """What keeps the id of a column that was dropped."""
    return {"name": f"_dropped_{number}", "required": False, "type": "boolean"}


def _current_schema(table: _native.Table) -> Json:
    metadata = json.loads(table.metadata_json())
    return next(each for each in metadata["schemas"] if each["schema-id"] == metadata["current-schema-id"])


def _mapped(field: Json) -> Json:
    """The mapping of a column, and of those in it."""
    kind = field["type"]
    below: list[Json] = []
    if isinstance(kind, dict):
        below = kind["fields"] if kind["type"] == "struct" else []
        if kind["type"] == "list":
            below = [{"name": "element", "id": kind["element-id"], "type": kind["element"]}]
        elif kind["type"] == "map":
            below = [
                {"name": "key", "id": kind["key-id"], "type": kind["key"]},
                {"name": "value", "id": kind["value-id"], "type": kind["value"]},
            ]
    written: Json = {"field-id": field["id"], "names": [field["name"]]}
    return {**written, "fields": [_mapped(each) for each in below]} if below else written
