"""Random filters, and which rows they hold for.

A filter is two-valued, as the Iceberg expressions specification says: a test of null is false, and its opposite true.
Comparisons are those of IEEE 754: NaN equals nothing, the two zeros are equal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from hypothesis import strategies as st

from floeberg import expressions as fx
from properties.kinds import Kind
from properties.partitioning import apply, result_kind, transforms_of

COMPARISONS = {
    "=": (fx.EqualTo, pc.equal),
    "!=": (fx.NotEqualTo, pc.equal),
    "<": (fx.LessThan, pc.less),
    "<=": (fx.LessThanOrEqual, pc.less_equal),
    ">": (fx.GreaterThan, pc.greater),
    ">=": (fx.GreaterThanOrEqual, pc.greater_equal),
}


@dataclass(frozen=True)
class Leaf:
    """A column that filters name: its name, its type and, maybe, a transform of it."""

    name: str
    kind: Kind
    transform: str | None = None

    @property
    def tested(self) -> Kind:
        """The type of what is tested."""
        return self.kind if self.transform is None else result_kind(self.transform, self.kind)

    def term(self) -> Any:
        """As the library takes it."""
        return self.name if self.transform is None else fx.Transformed(self.transform, self.name)

    def column(self, values: list[Any]) -> pa.Array:
        """What is tested of the values of the column."""
        if self.transform is not None:
            values = [apply(self.transform, self.kind, value) for value in values]
        return self.tested.plain_array(values)


@dataclass(frozen=True)
class Test:
    """A test of a column."""

    leaf: Leaf
    op: str
    values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Joined:
    """Filters joined by `and`, `or` or `not`."""

    word: str
    children: tuple[Any, ...]


Filter = Test | Joined


def expression(tree: Filter) -> fx.Expression:
    """The filter as the library takes it."""
    if isinstance(tree, Joined):
        children = [expression(child) for child in tree.children]
        return {"and": fx.And, "or": fx.Or, "not": fx.Not}[tree.word](*children)
    term, literals = tree.leaf.term(), [tree.leaf.tested.literal(value) for value in tree.values]
    if tree.op in COMPARISONS:
        return COMPARISONS[tree.op][0](term, *literals)
    several = {"in": fx.In, "not in": fx.NotIn}
    if tree.op in several:
        return several[tree.op](term, literals)
    others = {
        "is null": fx.IsNull,
        "not null": fx.NotNull,
        "is nan": fx.IsNaN,
        "not nan": fx.NotNaN,
        "starts with": fx.StartsWith,
        "not starts with": fx.NotStartsWith,
    }
    return others[tree.op](term, *literals)


def holds(tree: Filter, columns: Mapping[str, list[Any]], rows: int) -> pa.Array:
    """For which rows a filter holds: true or false for each."""
    if isinstance(tree, Joined):
        first, *others = (holds(child, columns, rows) for child in tree.children)
        if tree.word == "not":
            return pc.invert(first)
        join = pc.and_ if tree.word == "and" else pc.or_
        for other in others:
            first = join(first, other)
        return first
    found = _test(tree, tree.leaf.column(columns[tree.leaf.name]))
    opposite = tree.op.startswith("not ") or tree.op == "!="
    return pc.invert(found) if opposite else found


def _test(test: Test, column: pa.Array) -> pa.Array:
    """The test without its `not`: null is false."""
    kind = test.leaf.tested
    match test.op.removeprefix("not "):
        case "is null":
            return column.is_null()
        case "null":
            return column.is_null()
        case "is nan" | "nan":
            return pc.fill_null(pc.is_nan(column), fill_value=False)
        case "starts with":
            return pc.fill_null(pc.starts_with(column, pattern=test.values[0]), fill_value=False)
        case "in":
            any_of = pa.array([False] * len(column))
            for value in test.values:
                any_of = pc.or_(any_of, _compared(pc.equal, column, kind, value))
            return any_of
        case comparison:
            return _compared(COMPARISONS[comparison][1], column, kind, test.values[0])


def _compared(compare: Any, column: pa.Array, kind: Kind, value: Any) -> pa.Array:
    return pc.fill_null(compare(column, kind.plain_array([value])[0]), fill_value=False)


def filters(leaves: list[Leaf]) -> st.SearchStrategy[Filter]:
    """Filters over some columns."""
    return st.recursive(
        st.sampled_from(leaves).flatmap(tests),
        lambda inner: st.one_of(
            st.builds(Joined, st.just("not"), st.tuples(inner)),
            st.builds(
                Joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3).map(tuple)
            ),
        ),
        max_leaves=5,
    )


@st.composite
def tests(draw: st.DrawFn, leaf: Leaf) -> Test:
    """Tests of a column, or of a transform of it."""
    transforms = [each for each in transforms_of(leaf.kind) if each not in ("identity", "void")]
    if transforms and draw(st.integers(0, 5)) == 0:
        leaf = Leaf(leaf.name, leaf.kind, draw(st.sampled_from(transforms)))
    kind = leaf.tested
    ops = ["is null", "not null", "in", "not in", *COMPARISONS]
    if kind.is_float:
        ops += ["is nan", "not nan"]
    if kind.name == "string":
        ops += ["starts with", "not starts with"]
    op = draw(st.sampled_from(ops))
    if op in ("is null", "not null", "is nan", "not nan"):
        return Test(leaf, op)
    written = [value for value in leaf.kind.values if not (isinstance(value, float) and math.isnan(value))]
    if leaf.transform is not None:
        written = [apply(leaf.transform, leaf.kind, value) for value in written]
    several = op in ("in", "not in")
    values = draw(st.lists(st.sampled_from(written), min_size=1, max_size=3 if several else 1))
    if op.endswith("starts with"):
        values = [values[0][: draw(st.integers(0, 2))]]
    return Test(leaf, op, tuple(values))
