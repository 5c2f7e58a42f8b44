"""Which random tables are there?"""

from __future__ import annotations

import itertools
from typing import Any

from hypothesis import strategies as st

from properties.kinds import KINDS, Kind
from properties.metrics import Told
from properties.partitioning import transforms_of
from properties.tables import NUMBER, Column, File, Layout, PartitionField, Row, Spec, Table

PAST_THE_END = (0, 3, (1 << 16) + 1, (1 << 32) + 5)
"""So many rows after the last one may be deleted too: there are none."""
# A column that became a timestamp keeps only the partitions whose values stayed the same.
OF_DAYS = ("year", "month", "day", "void")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """A table of a few commits."""
    version = draw(st.sampled_from([2, 3]))
    columns = (NUMBER, *(draw(column(number, version)) for number in range(2, draw(st.integers(3, 6)))))
    specs = tuple(draw(spec(number, columns)) for number in range(draw(st.integers(1, 3))))
    table = Table(version, columns, specs, [], inherits=draw(st.booleans()), summaries=draw(st.booleans()))
    numbers = itertools.count()
    commits = draw(st.integers(1, 5))
    evolves = draw(st.integers(0, commits))
    for sequence in range(1, commits + 1):
        schema = int(sequence > evolves)
        kinds = (
            ["data"]
            if not table.files
            else ["data", "data", "position", "equality", *["vector"] * (version > 2)]
        )
        drawn = {"data": data, "position": positions, "equality": keys, "vector": vector}[
            draw(st.sampled_from(kinds))
        ]
        table.files += draw(drawn(table, schema, sequence, numbers))
    return table


@st.composite
def column(draw: st.DrawFn, number: int, version: int) -> Column:
    """A column of any type."""
    first = draw(st.sampled_from([kind for kind in KINDS.values() if kind.version <= version]))
    added, nested = draw(st.sampled_from([(False, False), (False, False), (True, False), (False, True)]))
    promotions = [name for name, _ in first.promotions if name != "timestamp" or version > 2]
    now = first
    if promotions and not added and draw(st.booleans()):
        now = KINDS[promotions[0]]
    default = None
    if added and version > 2 and first.name in ("int", "long", "string", "boolean"):
        default = draw(st.one_of(st.none(), st.sampled_from(first.values)))
    return Column(number, f"c{number}", first, now, added=added, nested=nested, default=default)


@st.composite
def spec(draw: st.DrawFn, number: int, columns: tuple[Column, ...]) -> Spec:
    """A spec of up to two fields; columns that were added later partition nothing."""
    fields = []
    usable = [each for each in columns if not each.added]
    for place, source in enumerate(draw(st.lists(st.sampled_from(usable), max_size=2, unique=True))):
        days = source.now.name == "timestamp" and source.first.name == "date"
        transforms = [each for each in transforms_of(source.first) if not days or each in OF_DAYS]
        transform = draw(st.sampled_from(transforms))
        field_id = 1000 + number * 10 + place
        fields.append(PartitionField(field_id, f"p{field_id}", source, transform))
    return Spec(number, tuple(fields))


layouts = st.builds(
    Layout,
    group_rows=st.sampled_from([1, 2, 3, 100]),
    page_bytes=st.sampled_from([1, 16, 1 << 20]),
    statistics=st.booleans(),
    page_index=st.booleans(),
    dictionary=st.booleans(),
)

tellings = st.builds(
    Told,
    counts=st.booleans(),
    nans=st.booleans(),
    lower=st.booleans(),
    upper=st.booleans(),
    length=st.sampled_from([1, 2, 16]),
)


def values(kind: Kind) -> st.SearchStrategy[Any]:
    """Values of a column, and null."""
    return st.one_of(st.none(), *[st.sampled_from(kind.values)] * 3)


@st.composite
def data(draw: st.DrawFn, table: Table, schema: int, sequence: int, numbers: Any) -> list[File]:
    """The files of one append: one a partition."""
    chosen = draw(st.sampled_from(table.specs))
    by_place: dict[Any, File] = {}
    there = [each for each in table.columns[1:] if schema or not each.added]
    clustered = draw(st.booleans())
    rows = [row(draw, there, schema, next(numbers)) for _ in range(draw(st.integers(1, 8)))]
    if clustered and there:
        rows.sort(key=lambda each: repr(each[there[0].number]))
    for each in rows:
        file = File(
            "", 0, schema, chosen, chosen.values(schema, each), sequence, Layout(1, 1, True, True, True)
        )
        file = by_place.setdefault(file.place, file)
        file.rows.append(each)
    layout = draw(layouts)
    told = {each.number: draw(tellings) for each in table.columns}
    for place, file in enumerate(by_place.values()):
        file.name, file.layout, file.told = f"data-{sequence}-{place}.parquet", layout, told
    return list(by_place.values())


def row(draw: st.DrawFn, columns: list[Column], schema: int, number: int) -> Row:
    """A row; where its struct is null, so is all that stands in it."""
    found: Row = {NUMBER.number: number}
    hidden = draw(st.integers(0, 4)) == 0
    for each in columns:
        drawn = draw(values(each.kind(schema)))
        found[each.number] = None if each.nested and hidden else drawn
    found[0] = hidden
    return found


def without_vectors(table: Table) -> list[File]:
    """The data files of which no deletion vector deletes rows."""
    hidden = [each.of for each in table.files if each.vector]
    return [each for each in table.data() if not any(each is other for other in hidden)]


@st.composite
def positions(draw: st.DrawFn, table: Table, schema: int, sequence: int, numbers: Any) -> list[File]:
    """A position delete file: of one data file, or of those of a partition."""
    del numbers
    without = without_vectors(table)
    if not without:
        return []
    target = draw(st.sampled_from(without))
    alone = draw(st.booleans())
    targets = [target] if alone else [each for each in without if each.place == target.place]
    all_rows = [(file, position) for file in targets for position in range(len(file.rows))]
    all_rows += [(file, len(file.rows) + past) for file in targets for past in PAST_THE_END]
    chosen = draw(st.lists(st.sampled_from(all_rows), min_size=1, max_size=6))
    # Sorted by path and position; a position may be there twice.
    chosen.sort(key=lambda pair: (pair[0].name, pair[1]))
    file = File(
        f"positions-{sequence}.parquet", 1, schema, target.spec, target.partition, sequence, draw(layouts)
    )
    file.positions = chosen
    file.of = target if alone and draw(st.booleans()) else None
    return [file]


@st.composite
def vector(draw: st.DrawFn, table: Table, schema: int, sequence: int, numbers: Any) -> list[File]:
    """A deletion vector, which holds what was deleted by position before."""
    del numbers
    without = without_vectors(table)
    if not without:
        return []
    target = draw(st.sampled_from(without))
    chosen = draw(st.sets(st.integers(0, len(target.rows) - 1), min_size=1))
    chosen |= {len(target.rows) + past for past in draw(st.sets(st.sampled_from(PAST_THE_END), max_size=2))}
    chosen |= {position for each in table.files for file, position in each.positions if file is target}
    file = File(
        f"vector-{sequence}.puffin", 1, schema, target.spec, target.partition, sequence, draw(layouts)
    )
    file.positions = [(target, position) for position in sorted(chosen)]
    file.of, file.vector, file.runs = target, True, draw(st.booleans())
    return [file]


@st.composite
def keys(draw: st.DrawFn, table: Table, schema: int, sequence: int, numbers: Any) -> list[File]:
    """An equality delete file, for the partition of a data file or for all."""
    del numbers
    there = [each for each in table.columns if schema or not each.added]
    usable = [each for each in there if not each.kind(schema).is_float]
    key = tuple(draw(st.lists(st.sampled_from(usable), min_size=1, max_size=2, unique=True)))
    others = [each for each in there if each not in key]
    extra = tuple(draw(st.lists(st.sampled_from(others), max_size=1))) if others else ()
    target = draw(st.sampled_from(list(table.data())))
    everywhere = [each for each in table.specs if not each.fields]
    chosen, partition = target.spec, target.partition
    if everywhere and draw(st.booleans()):
        chosen, partition = everywhere[0], ()
    one = st.fixed_dictionaries(
        {
            each.number: st.integers(0, 40) if each is NUMBER else values(each.kind(schema))
            for each in (*key, *extra)
        }
    )
    rows = draw(st.lists(one, min_size=1, max_size=4))
    for each in rows:
        each[0] = False
    file = File(
        f"keys-{sequence}.parquet", 2, schema, chosen, partition, sequence, draw(layouts), rows, keys=key
    )
    file.extra = extra
    file.told = {each.number: draw(tellings) for each in (*key, *extra)}
    return [file]
