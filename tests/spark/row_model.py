"""Random tables and statements, with a model of what statements do to rows: plain Python, three-valued logic."""

from __future__ import annotations

import datetime
import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

from floeberg import Table

UTC = datetime.timezone.utc
NAMES = ("v", "Mixed", "a.b", "back`tick", "order", "größe", "with space", "s")
ZONED = [
    datetime.datetime(2026, 1, 31, 23, 59, 59, 999_999, UTC),
    datetime.datetime(1969, 12, 31, 23, 0, tzinfo=UTC),
]
MOMENTS = [each.replace(tzinfo=None) for each in ZONED]
VALUES: dict[str, tuple[pa.DataType, list[Any]]] = {
    "int": (pa.int32(), [-(2**31), -1, 0, 1, 2, 2**31 - 1]),
    "long": (pa.int64(), [-(2**63), -1, 0, 1, 2, 5_000_000_000]),
    "decimal(9,2)": (pa.decimal128(9, 2), [Decimal("-1.50"), Decimal("0.00"), Decimal("9999999.99")]),
    "string": (pa.string(), ["", "a", "A", "b", "it's", "ä", "%"]),
    "date": (
        pa.date32(),
        [datetime.date(2026, 1, 1), datetime.date(1969, 12, 31), datetime.date(2026, 2, 1)],
    ),
    "timestamp": (pa.timestamp("us"), MOMENTS),
    "timestamptz": (pa.timestamp("us", "UTC"), [each.replace(tzinfo=UTC) for each in MOMENTS]),
    "boolean": (pa.bool_(), [True, False]),
    "double": (pa.float64(), [math.nan, math.inf, -0.0, 0.0, 1.5]),
    "struct": (pa.struct({"x": pa.int32(), "y": pa.string()}), [{"x": 1, "y": "a"}, {"x": None, "y": ""}]),
    "list": (pa.list_(pa.int64()), [[], [1, None], [2]]),
}
KEYS = ("int", "long", "decimal(9,2)", "string", "date", "timestamp", "timestamptz", "double")
COMPARED = (*KEYS, "boolean")
SPECS = {
    "int": "bucket(3, {})",
    "long": "truncate(2, {})",
    "decimal(9,2)": "{}",
    "string": "truncate(1, {})",
    "date": "month({})",
    "timestamp": "hour({})",
    "timestamptz": "day({})",
    "boolean": "{}",
}
Row = dict[str, Any]
Truth = bool | None


@dataclass
class Shape:
    """The columns of a table: `id`, a key, and others."""

    kinds: dict[str, str]
    key: str
    spec: list[str]
    version: int
    mode: str

    @classmethod
    def drawn(cls, draw: random.Random) -> Shape:
        names = draw.sample(NAMES, draw.randint(2, 4))
        kinds = {"id": "long", names[0]: draw.choice(KEYS)}
        kinds |= {name: draw.choice(list(VALUES)) for name in names[1:]}
        # The text of a spec has plain names.
        parts = [
            name
            for name in kinds
            if kinds[name] in SPECS and name.isascii() and name.isidentifier() and name != "id"
        ]
        spec = [
            SPECS[kinds[name]].format(name)
            for name in draw.sample(parts, draw.randint(0, min(2, len(parts))))
        ]
        version = draw.choice((1, 2, 2, 3, 3, 3))
        mode = "copy-on-write" if version == 1 else draw.choice(("copy-on-write", "merge-on-read"))
        return cls(kinds, names[0], spec, version, mode)

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([pa.field(name, VALUES[kind][0]) for name, kind in self.kinds.items()])

    def row(self, draw: random.Random, number: int) -> Row:
        return {
            name: number if name == "id" else None if draw.random() < 0.2 else draw.choice(VALUES[kind][1])
            for name, kind in self.kinds.items()
        }

    def table(self, rows: Sequence[Row]) -> pa.Table:
        return pa.Table.from_pylist(list(rows), self.schema)


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def literal(kind: str, value: Any) -> str:
    """A value as Spark's SQL has it."""
    if value is None:
        return "NULL"
    if kind == "string":
        return "'" + value.replace("'", "\\'") + "'" if "'" in value else f"'{value}'"
    if kind == "double":
        return f"double('{value}')"
    if kind == "long" and value == -(2**63):
        return "(-9223372036854775807 - 1)"
    if kind == "date":
        return f"DATE '{value}'"
    if kind == "timestamp":
        return f"TIMESTAMP_NTZ '{value}'"
    if kind == "timestamptz":
        return f"TIMESTAMP '{value.replace(tzinfo=None)}+00:00'"
    if kind == "struct":
        return f"named_struct('x', {literal('int', value['x'])}, 'y', {literal('string', value['y'])})"
    if kind == "list":
        return "CAST(array(" + ", ".join(literal("long", each) for each in value) + ") AS ARRAY<BIGINT>)"
    return str(value)


@dataclass
class Condition:
    """A condition as Spark's SQL, and what it is for a row of the table and one of the source."""

    text: str
    holds: Callable[[Row, Row], Truth]


def _order(value: Any) -> Any:
    """What orders values as Spark does: NaN after all, and -0.0 as 0.0."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    return value.encode() if isinstance(value, str) else value


def compared(one: Any, operator: str, other: Any) -> Truth:
    if one is None or other is None:
        return None
    left, right = _order(one), _order(other)
    return {
        "=": left == right,
        "<>": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[operator]


def and_(one: Truth, other: Truth) -> Truth:
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def not_(one: Truth) -> Truth:
    return None if one is None else not one


def condition(
    draw: random.Random, kinds: Mapping[str, str], side: str = "", deep: int = 2, *, of_source: bool = False
) -> Condition:
    """A random condition over the columns of one side."""

    def value(target: Row, source: Row, name: str) -> Any:
        return (source if of_source else target)[name]

    form = (
        draw.choice(("compare", "compare", "null", "in", "and", "or", "not", "bang")) if deep else "compare"
    )
    if form in {"and", "or"}:
        one, other = (condition(draw, kinds, side, deep - 1, of_source=of_source) for _ in range(2))
        if form == "and":
            return Condition(
                f"({one.text} AND {other.text})", lambda t, s: and_(one.holds(t, s), other.holds(t, s))
            )
        return Condition(
            f"({one.text}\n OR /* or */ {other.text})",
            lambda t, s: not_(and_(not_(one.holds(t, s)), not_(other.holds(t, s)))),
        )
    if form in {"not", "bang"}:
        inner = condition(draw, kinds, side, deep - 1, of_source=of_source)
        sign = "NOT " if form == "not" else "!"
        return Condition(f"{sign}({inner.text})", lambda t, s: not_(inner.holds(t, s)))
    name = draw.choice([each for each in kinds if kinds[each] in COMPARED])
    kind, own = kinds[name], side + quoted(name)
    if form == "null":
        return Condition(f"{own} IS NULL", lambda t, s: value(t, s, name) is None)
    if form == "in":
        listed = draw.sample(VALUES[kind][1], min(2, len(VALUES[kind][1])))
        text = f"{own} IN ({', '.join(literal(kind, each) for each in listed)})"

        def among(t: Row, s: Row) -> Truth:
            found = [compared(value(t, s, name), "=", each) for each in listed]
            return True if True in found else None if None in found else False

        return Condition(text, among)
    operator, other_value = draw.choice(("=", "<>", "<", "<=", ">", ">=")), draw.choice(VALUES[kind][1])
    return Condition(
        f"{own} {operator}  {literal(kind, other_value)}",
        lambda t, s: compared(value(t, s, name), operator, other_value),
    )


@dataclass
class Clause:
    """A clause of a merge: whose rows, which of them, and the new values of columns."""

    rows: str
    condition: Condition | None
    action: str
    values: dict[str, tuple[str, Callable[[Row, Row], Any]]] = field(default_factory=dict)

    def text(self) -> str:
        which = f"WHEN {self.rows}" + ("" if self.condition is None else f" AND {self.condition.text}")
        if self.action == "DELETE":
            return f"{which} THEN DELETE"
        if self.action == "UPDATE":
            return f"{which} THEN UPDATE SET " + ", ".join(
                f"{quoted(name)} = {text}" for name, (text, _) in self.values.items()
            )
        names, texts = zip(*((quoted(name), text) for name, (text, _) in self.values.items()), strict=True)
        return f"{which} THEN INSERT ({', '.join(names)}) VALUES ({', '.join(texts)})"


def clauses(draw: random.Random, shape: Shape) -> list[Clause]:
    """Random clauses; the last for some rows has no condition."""
    found = []
    for rows, side, of_source in (
        ("MATCHED", "t.", False),
        ("NOT MATCHED", "s.", True),
        ("NOT MATCHED BY SOURCE", "t.", False),
    ):
        if draw.random() < (0.3 if rows == "NOT MATCHED BY SOURCE" else 0.8):
            for last in (False, True):
                if draw.random() < 0.6:
                    which = None if last else condition(draw, shape.kinds, side, 1, of_source=of_source)
                    found.append(_clause(draw, shape, rows, which))
    return found or [_clause(draw, shape, "MATCHED", None)]


def _clause(draw: random.Random, shape: Shape, rows: str, which: Condition | None) -> Clause:
    if rows == "NOT MATCHED":
        names = ["id", *draw.sample([name for name in shape.kinds if name != "id"], len(shape.kinds) - 2)]
        return Clause(rows, which, "INSERT", {name: _from_source(name) for name in names})
    if draw.random() < 0.4:
        return Clause(rows, which, "DELETE")
    name = draw.choice([name for name in shape.kinds if name != "id"])
    if rows == "MATCHED" and draw.random() < 0.6:
        return Clause(rows, which, "UPDATE", {name: _from_source(name)})
    return Clause(rows, which, "UPDATE", {name: constant(draw, shape, name)})


def _from_source(name: str) -> tuple[str, Callable[[Row, Row], Any]]:
    return f"s.{quoted(name)}", lambda _, s: s[name]


def constant(draw: random.Random, shape: Shape, name: str) -> tuple[str, Callable[[Row, Row], Any]]:
    value = draw.choice([None, *VALUES[shape.kinds[name]][1]])
    return literal(shape.kinds[name], value), lambda _, __: value


def merge_locally(
    table: Table, key: str, rows: pa.Table, listed: Sequence[Clause], kinds: Mapping[str, str]
) -> None:
    """The same merge by the method of the table, with functions for conditions and values."""
    builder: Any = table.merge(rows, on=[key])
    adders = {
        ("MATCHED", "DELETE"): builder.when_matched_delete,
        ("MATCHED", "UPDATE"): builder.when_matched_update,
        ("NOT MATCHED", "INSERT"): builder.when_not_matched_insert,
        ("NOT MATCHED BY SOURCE", "DELETE"): builder.when_not_matched_by_source_delete,
        ("NOT MATCHED BY SOURCE", "UPDATE"): builder.when_not_matched_by_source_update,
    }
    for each in listed:
        given = [None if each.condition is None else _function(each.condition.holds, pa.bool_())]
        if each.action != "DELETE":
            given.insert(
                0, {name: _function(of, VALUES[kinds[name]][0]) for name, (_, of) in each.values.items()}
            )
        adders[each.rows, each.action](*given)
    builder.execute()


def _function(of: Callable[[Row, Row], Any], kind: pa.DataType) -> Callable[[pa.RecordBatch], pa.Array]:
    def values(batch: pa.RecordBatch) -> pa.Array:
        made = []
        for row in batch.to_pylist():
            sides = [
                {name[len(side) :]: value for name, value in row.items() if name.startswith(side)}
                for side in ("target.", "source.")
            ]
            made.append(of(*sides))
        return pa.array(made, kind)

    return values


class Twice(Exception):  # noqa: N818 - an outcome, and no error of the model
    """A row of the table matches two rows of the source."""


def merged(
    table: Sequence[Row], source: Sequence[Row], on: Callable[[Row, Row], Truth], listed: Sequence[Clause]
) -> list[Row]:
    """What a merge leaves."""
    left, matched = list[Row](), set[int]()
    changes = any(each.rows != "NOT MATCHED" for each in listed)
    for row in table:
        joined = [at for at, each in enumerate(source) if on(row, each) is True]
        matched |= set(joined)
        if len(joined) > 1 and changes:
            raise Twice
        other = source[joined[0]] if joined else {}
        done = _applied(listed, "MATCHED" if joined else "NOT MATCHED BY SOURCE", row, other)
        if done is None or done.action != "DELETE":
            left.append(
                row if done is None else row | {name: of(row, other) for name, (_, of) in done.values.items()}
            )
    for at, each in enumerate(source):
        done = _applied(listed, "NOT MATCHED", {}, each) if at not in matched else None
        if done is not None:
            empty = dict.fromkeys(each)
            left.append(empty | {name: of({}, each) for name, (_, of) in done.values.items()})
    return left


def _applied(listed: Sequence[Clause], rows: str, row: Row, other: Row) -> Clause | None:
    return next(
        (
            each
            for each in listed
            if each.rows == rows and (each.condition is None or each.condition.holds(row, other) is True)
        ),
        None,
    )


def shown(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows that can be compared, in whatever order they come."""
    return sorted(repr({name: _shown(value) for name, value in row.items()}) for row in rows)


def _shown(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime.datetime) else value
