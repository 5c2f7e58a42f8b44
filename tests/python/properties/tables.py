"""Random tables: two schemas, several specs, data and delete files in the order of commits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from properties.kinds import KINDS, Kind
from properties.metrics import Told, same_bits
from properties.partitioning import apply, result_kind

Row = dict[int, Any]


@dataclass(frozen=True)
class Column:
    """A column that holds values, at the top or in the struct.

    Attributes:
        number: Its field id.
        name: Its name now.
        first: Its type in the first schema.
        now: Its type in the second.
        added: Whether only the second schema has it.
        nested: Whether it stands in the struct.
        default: What it is in files without it.
    """

    number: int
    name: str
    first: Kind
    now: Kind
    added: bool = False
    nested: bool = False
    default: Any = None

    def kind(self, schema: int) -> Kind:
        """Its type in a schema."""
        return self.now if schema else self.first

    def today(self, schema: int, value: Any) -> Any:
        """What a value of a schema is now."""
        if value is None or schema or self.now is self.first:
            return value
        return dict(self.first.promotions)[self.now.name](value)

    @property
    def path(self) -> str:
        """As filters name it."""
        return f"st.{self.name}" if self.nested else self.name


@dataclass(frozen=True)
class PartitionField:
    """A field of a spec."""

    number: int
    name: str
    column: Column
    transform: str

    def kind(self, schema: int) -> Kind:
        """The type of its values."""
        return result_kind(self.transform, self.column.kind(schema))


@dataclass(frozen=True)
class Spec:
    """A partition spec."""

    number: int
    fields: tuple[PartitionField, ...]

    @property
    def is_unpartitioned(self) -> bool:
        """Whether it has no field but void ones: its equality deletes reach every partition, as in Iceberg Java."""
        return all(each.transform == "void" for each in self.fields)

    def values(self, schema: int, row: Row) -> tuple[Any, ...]:
        """The partition of a row."""
        return tuple(
            apply(each.transform, each.column.kind(schema), row[each.column.number]) for each in self.fields
        )


@dataclass(frozen=True)
class Layout:
    """How a Parquet file is cut and what it says of itself."""

    group_rows: int
    page_bytes: int
    statistics: bool
    page_index: bool
    dictionary: bool


@dataclass(repr=False)
class File:
    """A data or delete file.

    Attributes:
        name: Its name in the folder of data.
        content: 0 data, 1 position deletes or a vector, 2 equality deletes.
        schema: The schema it was written with.
        partition: The values of its spec's fields.
        sequence: The number of its commit.
        rows: By field id; of equality deletes their keys.
        told: What its manifest says of each column.
        positions: The rows that are deleted, by data file and position.
        of: The one data file that deletes by position say they are for.
        keys: The columns of equality deletes.
        extra: Columns that a file of equality deletes has besides: nothing is compared with them.
        vector: Whether it is a deletion vector.
        runs: Whether its containers may be runs.
    """

    name: str
    content: int
    schema: int
    spec: Spec
    partition: tuple[Any, ...]
    sequence: int
    layout: Layout
    rows: list[Row] = field(default_factory=list)
    told: dict[int, Told] = field(default_factory=dict)
    positions: list[tuple[File, int]] = field(default_factory=list)
    of: File | None = None
    keys: tuple[Column, ...] = ()
    extra: tuple[Column, ...] = ()
    vector: bool = False
    runs: bool = False

    def __repr__(self) -> str:
        """What it holds, a line a file."""
        what = ["data", "position deletes", "equality deletes"][self.content]
        where = f"{self.name}: {what}, schema {self.schema}, spec {self.spec.number} {self.partition}"
        if self.positions:
            deleted = [(target.name, position) for target, position in self.positions]
            return f"\n  {where}, of {self.of and self.of.name}, runs {self.runs}: {deleted}"
        told = {
            number: [name for name, is_told in vars(each).items() if is_told]
            for number, each in self.told.items()
        }
        keys = f"keys {[each.number for each in self.keys]}, extra {[each.number for each in self.extra]}"
        return f"\n  {where}, {keys}, {self.layout}, told {told}: {self.rows}"

    @property
    def place(self) -> tuple[Any, ...]:
        """Its partition, as partitions are compared."""
        return (self.spec.number, *map(same_bits, self.partition))


@dataclass
class Table:
    """A table.

    Attributes:
        version: Of the format.
        columns: All but the struct itself.
        files: In the order of commits.
        inherits: Whether entries leave their sequence numbers to the manifest list.
        summaries: Whether the manifest list says what partitions manifests have.
    """

    version: int
    columns: tuple[Column, ...]
    specs: tuple[Spec, ...]
    files: list[File]
    inherits: bool
    summaries: bool

    @property
    def has_struct(self) -> bool:
        """Whether any column stands in the struct."""
        return any(column.nested for column in self.columns)

    def data(self) -> Iterator[File]:
        """The data files."""
        return (each for each in self.files if each.content == 0)

    def values(self, file: File) -> dict[str, list[Any]]:
        """The columns of a data file as they are now, deleted rows included."""
        return {column.path: [self.value(column, file, row) for row in file.rows] for column in self.columns}

    def value(self, column: Column, file: File, row: Row) -> Any:
        """A value as it is now."""
        if column.added and not file.schema:
            return column.default
        return column.today(file.schema, row[column.number])

    def live(self, file: File) -> list[bool]:
        """Which rows of a data file are not deleted."""
        deletes = [each for each in self.files if each.content != 0]
        by_position = {position for each in deletes for target, position in each.positions if target is file}
        left = []
        for position, row in enumerate(file.rows):
            is_deleted = position in by_position or any(
                self._matches(each, file, row) for each in deletes if each.content == 2
            )
            left.append(not is_deleted)
        return left

    def _matches(self, deletes: File, file: File, row: Row) -> bool:
        is_elsewhere = not deletes.spec.is_unpartitioned and deletes.place != file.place
        if deletes.sequence <= file.sequence or is_elsewhere:
            return False
        wanted = [self.value(column, file, row) for column in deletes.keys]
        return any(
            wanted == [column.today(deletes.schema, key[column.number]) for column in deletes.keys]
            for key in deletes.rows
        )


NUMBER = Column(1, "n", KINDS["long"], KINDS["long"])
STRUCT = 50
SNAPSHOT = 4_711
