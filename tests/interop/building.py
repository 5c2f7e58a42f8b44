"""How is a drawn table made, and which rows are then in it?

The rows are kept beside it in a `pyarrow.Table` that knows nothing of Iceberg.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from drawing import Column, Drawn, draw, steps
from kinds import KINDS, Kind

import floeberg as fb
from corpus import encode
from floeberg.types import (
    IcebergType,
    ListType,
    MapType,
    NestedField,
    PartitionField,
    PartitionSpec,
    PrimitiveType,
    Schema,
    SortField,
    SortOrder,
    StructType,
)

ANY_PART = object()
"""Instead of a value of `part`: each row has its own."""


def arrow_type(column: Column) -> pa.DataType:
    """The type of a column's rows."""
    shapes = {
        "plain": lambda kind: kind,
        "struct": lambda kind: pa.struct([("inner", kind), ("count", pa.int32())]),
        "list": pa.list_,
        "map": lambda kind: pa.map_(pa.string(), kind),
    }
    return shapes[column.shape](column.kind.arrow)


def array(column: Column, values: list[Any]) -> pa.Array:
    """Values of a column."""
    return column.kind.array(values) if column.shape == "plain" else pa.array(values, arrow_type(column))


def table_type(column: Column, ids: Any) -> IcebergType:
    """The type of a column of the table."""
    kind = PrimitiveType(column.kind.name)
    if column.shape == "struct":
        inner = NestedField(next(ids), "inner", kind, required=False)
        return StructType((inner, NestedField(next(ids), "count", PrimitiveType("int"), required=False)))
    if column.shape == "list":
        return ListType(next(ids), kind, element_required=False)
    if column.shape == "map":
        return MapType(next(ids), PrimitiveType("string"), next(ids), kind, value_required=False)
    return kind


@dataclass
class Made:
    """A table and its rows.

    Attributes:
        rows: What is in it.
        done: The steps, for a message.
        place: Where the catalog is.
    """

    drawn: Drawn
    table: fb.Table
    rows: pa.Table
    done: list[str]
    place: Path

    @property
    def lines(self) -> list[str]:
        """Its rows as lines of JSON, sorted."""
        return encode(self.rows)

    @property
    def has_empty(self) -> bool:
        """Whether there are no rows."""
        return self.rows.num_rows == 0


def make(seed: int, place: Path) -> Made:
    """Make the table of a seed, and do all its steps."""
    drawn = draw(seed)
    made = start(drawn, place)
    for step in steps(drawn):
        made.done.append(step)
        DO[step](made)
    return made


def catalog_of(drawn: Drawn, place: Path) -> Any:
    """The catalog that the table is in."""
    if drawn.catalog == "sql":
        return fb.load_catalog(
            "interop", type="sql", uri=f"sqlite:///{place}/catalog.db", warehouse=str(place)
        )
    return fb.load_catalog("interop", type="filesystem", warehouse=str(place))


def start(drawn: Drawn, place: Path) -> Made:
    """Make the table, without rows."""
    catalog = catalog_of(drawn, place)
    catalog.create_namespace("ns")
    ids = itertools.count(1)
    fields = []
    for each in drawn.columns:
        number = next(ids)
        fields.append(NestedField(number, each.name, table_type(each, ids), required=each.required))
    by_name = {each.name: each.field_id for each in fields}
    spec = [
        PartitionField(by_name[name], 1000 + number, transform, f"p{number} {transform}")
        for number, (transform, name) in enumerate(drawn.partition)
    ]
    sort = [SortField(by_name[name], "identity", "desc", "nulls-last") for name in drawn.sort]
    table = catalog.create_table(
        "ns.t",
        Schema(*fields),
        partition_spec=PartitionSpec(*spec),
        sort_order=SortOrder(*sort),
        properties=drawn.properties | {"format-version": str(drawn.version)},
    )
    rows = pa.table({each.name: array(each, []) for each in drawn.columns})
    return Made(drawn, table, rows, [], place)


def new_rows(made: Made, part: Any = ANY_PART, *, finite: bool = False) -> pa.Table:
    """Rows to write; all of one value of `part`, where it is given."""
    rows = made.drawn.rows(finite=finite)
    if part is not ANY_PART:
        rows = [row | {"part": part} for row in rows]
    columns = {each.name: array(each, [row[each.name] for row in rows]) for each in made.drawn.columns}
    return pa.table(columns)


def append(made: Made) -> None:
    """Rows are added."""
    rows = new_rows(made)
    made.table.append(rows)
    made.rows = pa.concat_tables([made.rows, rows])


def chosen_part(made: Made) -> tuple[Any, str, pa.Table]:
    """A value of `part`, its filter, and the rows that are left without it; all rows, where files mix values."""
    if made.drawn.part is None:
        return None, "true", made.rows.slice(0, 0)
    column = made.rows["part"]
    values = column.unique().to_pylist()
    value = made.drawn.random.choice(values) if values else "absent"
    if value is None:
        return None, "part IS NULL", made.rows.filter(pc.is_valid(column))
    quoted = value.replace("'", "''")
    left = pc.fill_null(pc.not_equal(column, value), fill_value=True)
    return value, f"part = '{quoted}'", made.rows.filter(left)


def delete(made: Made) -> None:
    """Whole files are deleted by a filter."""
    _, text, left = chosen_part(made)
    made.table.delete(text)
    made.rows = left


def overwrite(made: Made) -> None:
    """Whole files are replaced by a filter."""
    value, text, left = chosen_part(made)
    rows = new_rows(made) if made.drawn.part is None else new_rows(made, value)
    made.table.overwrite(rows, overwrite_filter=text)
    made.rows = pa.concat_tables([left, rows])


def overwrite_all(made: Made) -> None:
    """All rows are replaced."""
    rows = new_rows(made)
    made.table.overwrite(rows)
    made.rows = rows


def replace_partitions(made: Made) -> None:
    """The partitions of new rows are replaced; which these are is known apart from the library for `part` alone."""
    if made.drawn.partition and made.drawn.partition != [("identity", "part")]:
        append(made)
        return
    rows = new_rows(made)
    left = made.rows.slice(0, 0)
    if made.drawn.part is not None:
        replaced = pc.is_in(made.rows["part"], rows["part"].combine_chunks(), skip_nulls=False)
        left = made.rows.filter(pc.invert(replaced))
    made.table.dynamic_partition_overwrite(rows)
    made.rows = pa.concat_tables([left, rows])


def add_column(made: Made) -> None:
    """A column is added, which rows before do not have."""
    chance = made.drawn.random
    kinds = [each for each in KINDS.values() if each.version <= made.drawn.version]
    column = Column(f"added {len(made.done)}", chance.choice(kinds))
    with made.table.update_schema() as update:
        update.add_column(column.name, PrimitiveType(column.kind.name))
    made.drawn.columns.append(column)
    made.rows = made.rows.append_column(column.name, array(column, [None] * made.rows.num_rows))


def plain_columns(made: Made) -> list[Column]:
    """Columns that may be changed: not `part`, which filters name."""
    return [each for each in made.drawn.columns if each.shape == "plain" and each.name != "part"]


def rename_column(made: Made) -> None:
    """A column gets another name."""
    columns = plain_columns(made)
    if not columns:
        return
    column = made.drawn.random.choice(columns)
    name = f"renamed.{len(made.done)}"
    with made.table.update_schema() as update:
        update.rename_column(column.name, name)
    made.rows = made.rows.rename_columns(
        [name if old == column.name else old for old in made.rows.column_names]
    )
    renamed(made, column, name)


def renamed(made: Made, column: Column, name: str) -> None:
    """What else names the column."""
    made.drawn.partition = [
        (transform, name if old == column.name else old) for transform, old in made.drawn.partition
    ]
    made.drawn.sort = [name if old == column.name else old for old in made.drawn.sort]
    column.name = name


def promote_column(made: Made) -> None:
    """A column gets a wider type."""
    columns = [each for each in plain_columns(made) if each.kind.becomes]
    if not columns:
        return
    column = made.drawn.random.choice(columns)
    wider: Kind = KINDS[column.kind.becomes[0]]
    with made.table.update_schema() as update:
        update.update_column(column.name, field_type=PrimitiveType(wider.name))
    place = made.rows.column_names.index(column.name)
    made.rows = made.rows.set_column(place, column.name, made.rows[column.name].cast(wider.arrow))
    column.kind = wider


def drop_column(made: Made) -> None:
    """A column goes that neither partitions nor sorts."""
    used = {name for _, name in made.drawn.partition} | set(made.drawn.sort)
    columns = [each for each in made.drawn.columns[1:] if each.name not in used]
    if not columns:
        return
    column = made.drawn.random.choice(columns)
    with made.table.update_schema() as update:
        update.delete_column((column.name,))
    made.drawn.columns.remove(column)
    made.rows = made.rows.drop_columns([column.name])


def move_column(made: Made) -> None:
    """A column comes first."""
    column = made.drawn.columns[-1]
    with made.table.update_schema() as update:
        update.move_first((column.name,))
    made.drawn.columns.insert(0, made.drawn.columns.pop())
    made.rows = made.rows.select([each.name for each in made.drawn.columns])


def set_property(made: Made) -> None:
    """A property is set."""
    with made.table.transaction() as transaction:
        transaction.set_properties({"owner": f"step {len(made.done)}"})


def transaction(made: Made) -> None:
    """Several things are done at once."""
    first, second = new_rows(made), new_rows(made)
    with made.table.transaction() as several:
        several.append(first)
        several.set_properties({"both": "true"})
        several.append(second)
    made.rows = pa.concat_tables([made.rows, first, second])


def upgrade(made: Made) -> None:
    """The table gets the next format version."""
    if made.drawn.version == 3:
        return
    made.drawn.version += 1
    with made.table.transaction() as changes:
        changes.upgrade_table_version(made.drawn.version)


DO = {
    "append": append,
    "delete": delete,
    "overwrite": overwrite,
    "overwrite all": overwrite_all,
    "replace partitions": replace_partitions,
    "add column": add_column,
    "rename column": rename_column,
    "promote column": promote_column,
    "drop column": drop_column,
    "move column": move_column,
    "set property": set_property,
    "transaction": transaction,
    "upgrade": upgrade,
}
