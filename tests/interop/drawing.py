"""Which tables are made, out of which columns and by which commits? A seed says it all."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from kinds import KINDS, Kind

MOST_ROWS = 12
FIRST_STEPS = ("append", "append", "append", "transaction")
STEPS = (
    *("append", "append", "append", "delete", "overwrite", "overwrite all", "replace partitions"),
    *("add column", "rename column", "promote column", "drop column", "move column", "set property"),
    *("transaction", "upgrade"),
)


@dataclass
class Column:
    """A column.

    Attributes:
        shape: `plain`, or what `kind` is in: `struct`, `list` or `map`, whose keys are strings.
    """

    name: str
    kind: Kind
    shape: str = "plain"
    required: bool = False


@dataclass
class Step:
    """A commit: what is done, and with which rows, columns or values."""

    name: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    column: Column | None = None
    text: str = ""


@dataclass
class Drawn:
    """A table to make.

    Attributes:
        partition: Pairs of a transform and a column.
        sort: Columns of the sort order.
        part: The column that deletes and overwrites go by, where files hold one of its values each.
        finite: Whether floats are neither NaN nor infinite just now, and elements not null.
    """

    seed: int
    version: int
    catalog: str
    columns: list[Column]
    partition: list[tuple[str, str]]
    sort: list[str]
    part: str | None
    properties: dict[str, str]
    random: random.Random
    finite: bool = False

    def value(self, kind: Kind, *, null: bool) -> Any:
        """A value of a kind."""
        if null and self.random.random() < 0.2:
            return None
        return self.random.choice(kind.finite if self.finite else kind.values)

    def cell(self, column: Column) -> Any:
        """A value of a column."""
        if column.shape == "plain":
            return self.value(column.kind, null=not column.required)
        if self.random.random() < 0.2:
            return None
        if column.shape == "struct":
            return {"inner": self.value(column.kind, null=True), "count": self.random.choice((None, 1, 2))}
        items = [self.value(column.kind, null=not self.finite) for _ in range(self.random.randrange(4))]
        return items if column.shape == "list" else list(zip("pqrs", items, strict=False))

    def rows(self, *, finite: bool) -> list[dict[str, Any]]:
        """Some rows of the columns of now."""
        self.finite = finite
        return [
            {each.name: self.cell(each) for each in self.columns}
            for _ in range(self.random.randrange(1, MOST_ROWS))
        ]


def draw(seed: int) -> Drawn:
    """The table of a seed, before its first commit."""
    chance = random.Random(seed)
    version = chance.choice((1, 2, 2, 3, 3))
    kinds = [each for each in KINDS.values() if each.version <= version]
    # Every kind comes about as often: a seed starts where the one before has ended.
    start = seed * 4 % len(kinds)
    chosen = [kinds[(start + number) % len(kinds)] for number in range(chance.randrange(3, 6))]
    columns = [Column("part", KINDS["string"], required=chance.random() < 0.3)]
    columns += [
        Column(f"c{number}", kind, required=chance.random() < 0.2) for number, kind in enumerate(chosen)
    ]
    for shape in ("struct", "list", "map"):
        if chance.random() < 0.4:
            # pyarrow makes no nested arrays of an extension type out of Python's values.
            storable = [each for each in kinds if not isinstance(each.arrow, pa.BaseExtensionType)]
            columns.append(Column(f"in {shape}", chance.choice(storable), shape))
    partition = []
    part = None
    if chance.random() < 0.7:
        part = "part"
        partition.append(("identity", "part"))
    usable = [each for each in columns[1:] if each.shape == "plain" and each.kind.transforms]
    # Like the kinds, every transform comes about.
    partition += [
        (each.kind.transforms[seed % len(each.kind.transforms)], each.name)
        for each in chance.sample(usable, min(len(usable), chance.randrange(3)))
    ]
    sort = [chance.choice([each.name for each in columns if each.shape == "plain"])]
    return Drawn(
        seed,
        version,
        chance.choice(("filesystem", "sql")),
        columns,
        partition,
        sort if chance.random() < 0.3 else [],
        part,
        properties(chance),
        chance,
    )


def properties(chance: random.Random) -> dict[str, str]:
    """Table properties that change what is written."""
    codecs = ("zstd", "snappy", "gzip", "lz4", "uncompressed")
    modes = ("truncate(16)", "truncate(3)", "full", "counts", "none")
    optional = {
        "write.parquet.compression-codec": chance.choice(codecs),
        "write.metadata.metrics.default": chance.choice(modes),
        "write.metadata.compression-codec": "gzip",
        "commit.manifest.min-count-to-merge": "2",
        "write.parquet.row-group-limit": "3",
        "write.object-storage.enabled": "true",
    }
    return {key: value for key, value in optional.items() if chance.random() < 0.3}


def steps(drawn: Drawn) -> list[str]:
    """What is done to a table."""
    chance = drawn.random
    return [chance.choice(FIRST_STEPS), *chance.choices(STEPS, k=chance.randrange(2, 7))]
