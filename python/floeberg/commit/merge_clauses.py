"""Which clause of a merge is for which row, and what are the new values?

In: rows of a table with the rows of a source that have their keys, and clauses. Out: what is deleted, and batches of
new rows. Tables of all formats merge by this.

Invariant: of the clauses that are for a row, the first whose condition holds is applied, and no other. A row of the
table is changed by one row of the source, unless all that the rows of the source say is that it goes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from floeberg.commit.exact_types import written_out
from floeberg.commit.new_values import Condition, Rows, Setting, fitted
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from floeberg.commit.joined_rows import RowsToChange
    from floeberg.commit.stored_rows import StoredRows

__all__ = ["Clause", "JoinKeys", "MergeRun", "key_columns", "matches_once", "resolved_keys"]

Array: TypeAlias = Any
For: TypeAlias = Literal["matched", "not matched", "not matched by source"]
_SHOWN = 3
"""The most keys that an error shows."""


@dataclass(frozen=True)
class Clause:
    """What is done to rows.

    Args:
        rows: The rows that it is for.
        settings: The columns that are set, for the schema of the table; `None` deletes the rows.
        condition: Which of the rows; `None` is all.
    """

    rows: For
    settings: Callable[[pa.Schema, pa.Schema], list[Setting]] | None
    condition: Condition | None


def matches_once(matched: Sequence[tuple[bool, bool]]) -> bool:
    """Whether a row of the table that two rows of the source match is an error, as in Spark and Iceberg Java.

    It is not where nothing is done to matched rows, or all of them are deleted whatever their row of the source.

    Args:
        matched: For each clause for matched rows whether it deletes, and whether it has a condition.
    """
    return bool(matched) and list(matched) != [(True, False)]


@dataclass(frozen=True)
class JoinKeys:
    """What joins a source to the table.

    Args:
        columns: Key columns of the table, and columns of the source that equal them.
        condition: What must hold too; `None` is nothing.
        whole: The condition with the equalities of the keys, for floats: keys take NaN for equal to NaN, and a
            condition in SQL does not. `None` where nothing but keys was given.
    """

    columns: Sequence[tuple[str, str]]
    condition: Condition | None
    whole: Condition | None = None


def resolved_keys(keys: JoinKeys, source: pa.Schema, table: pa.Schema, *, case_sensitive: bool) -> JoinKeys:
    """The keys, by the names that the table and the source have for them.

    Raises:
        InvalidInputError: The table or the source has no such column.
    """
    columns = [
        (
            _key("table", target, table.names, case_sensitive=case_sensitive),
            _key("source", name, source.names, case_sensitive=case_sensitive),
        )
        for target, name in keys.columns
    ]
    targets = [target for target, _ in columns]
    if len(set(targets)) < len(targets):
        twice = next(name for name in targets if targets.count(name) > 1)
        raise InvalidInputError(f"the key column {twice!r} of the table is given twice")
    kinds = [kind for target, name in columns for kind in (table.field(target).type, source.field(name).type)]
    if keys.whole is not None and any(map(_is_floating, kinds)):
        return JoinKeys(columns, keys.whole)
    return JoinKeys(columns, keys.condition)


def _is_floating(kind: Any) -> bool:  # noqa: ANN401 - a type
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    return pa.types.is_floating(written_out(kind))


def _key(side: str, given: str, names: Sequence[str], *, case_sensitive: bool) -> str:
    alike = [given] if given in names else []
    if not alike and not case_sensitive:
        alike = [each for each in names if each.lower() == given.lower()]
    if len(alike) == 1:
        return alike[0]
    if given.partition(".")[0] in names:
        raise InvalidInputError(
            f"{given!r} cannot be a key: rows are joined by columns, not by fields of structs"
        )
    known = ", ".join(map(repr, names))
    raise InvalidInputError(f"the {side} has no column {given!r} to join by: expected one of {known}")


def key_columns(keys: JoinKeys, source: StoredRows, schema: pa.Schema) -> pa.RecordBatchReader:
    """The keys of the source, by the names and in the types of the table.

    Raises:
        InvalidInputError: They do not fit.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    for target, name in keys.columns:
        _check_key_types(target, schema.field(target).type, source.schema.field(name).type)
    of_table = pa.schema([schema.field(target).with_nullable(True) for target, _ in keys.columns])

    def batches() -> Iterator[pa.RecordBatch]:
        for batch in source.batches():
            columns = [
                fitted(name, batch.column(name), field, batch.num_rows)
                for (_, name), field in zip(keys.columns, of_table, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(columns, schema=of_table)

    return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(of_table, batches()))


class MergeRun:
    """One run of a merge on one state of a table."""

    def __init__(
        self,
        keys: JoinKeys,
        clauses: Sequence[Clause],
        source: StoredRows,
        changed: RowsToChange,
        *,
        case_sensitive: bool,
    ) -> None:
        """Checks names and types: mistakes are found where no row matches, too.

        Args:
            keys: What joins the source, by the names that both have.
            clauses: The clauses, in order.
            source: The rows of the source.
            changed: Where the rows go.
            case_sensitive: Whether the case of names counts.

        Raises:
            InvalidInputError: A name is unknown, or values do not fit.
        """
        self._keys = keys
        self._source = source
        self._changed = changed
        self._case_sensitive = case_sensitive
        schema = changed.schema
        self._schema = schema
        self._prepared = [
            (each, None if each.settings is None else each.settings(schema, source.schema))
            for each in clauses
        ]
        self._matched: list[Array] = []
        """The rows of the source that a condition joined."""
        self._matches_once = matches_once(
            [
                (each.settings is None, each.condition is not None)
                for each in clauses
                if each.rows == "matched"
            ]
        )
        target = [f"target.{name}" for name in schema.names]
        self._both = _aliases([*target, *(f"source.{name}" for name in source.schema.names)])
        self._one = _aliases(target)
        self._read = self._checked()

    def _checked(self) -> list[str]:
        """Computes everything for no rows; the columns of the table that were asked for, or stay as they are."""
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        used: set[str] = set()

        def none(*sides: tuple[str, pa.Schema]) -> Rows:
            fields = [field.with_name(f"{side}.{field.name}") for side, schema in sides for field in schema]
            names = [field.name for field in fields]
            empty = pa.RecordBatch.from_pylist([], schema=pa.schema(fields))
            return Rows(empty, _aliases(names), self._case_sensitive, used)

        target, source = ("target", self._schema), ("source", self._source.schema)
        seen: dict[For, Rows] = {
            "matched": none(target, source),
            "not matched": none(source),
            "not matched by source": none(target),
        }
        if self._keys.condition is not None:
            self._keys.condition(seen["matched"])
        for clause, settings in self._prepared:
            if clause.condition is not None:
                clause.condition(seen[clause.rows])
            for each in settings or ():
                each.of(seen[clause.rows], self._schema.field(each.name))
            if settings is not None and clause.rows != "not matched":
                used.update(
                    f"target.{name}" for name in set(self._schema.names) - {each.name for each in settings}
                )
        return [name for name in self._schema.names if f"target.{name}" in used]

    @property
    def columns_to_read(self) -> list[str]:
        """The columns of the table that conditions and new values are made of, or that rows keep."""
        return self._read

    @property
    def updated_columns(self) -> list[str]:
        """The columns that a clause sets in rows of the table."""
        names = (
            each.name
            for clause, settings in self._prepared
            if clause.rows != "not matched"
            for each in settings or ()
        )
        return list(dict.fromkeys(names))

    def batches(
        self, found: Iterable[pa.RecordBatch], unmatched: Callable[[], Array]
    ) -> Iterator[pa.RecordBatch]:
        """New rows, in the order of the table, and then inserted ones.

        Args:
            found: Rows of the table, and the number of a row of the source with their keys, or null. All of the source
                that a row has are in one batch. Columns that are not read may have any values.
            unmatched: The rows of the source whose keys no row of the table has. It is asked last.
        """
        changes = any(clause.rows != "not matched" for clause, _ in self._prepared)
        if changes or self._keys.condition is not None:
            for batch in found:
                yield from self._changed_rows(batch)
        if any(clause.rows == "not matched" for clause, _ in self._prepared):
            new = unmatched() if self._keys.condition is None else self._unmatched()
            for rows in self._source.taken(new):
                yield from self._inserted(rows)

    def _unmatched(self) -> Array:
        """The rows of the source that no row joined."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        every = pc.indices_nonzero(pa.repeat(pa.scalar(True), self._source.num_rows)).cast(pa.uint32())
        joined = pa.chunked_array(self._matched, pa.uint32())
        return every.filter(pc.invert(pc.is_in(every, value_set=joined)))

    def _changed_rows(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Applies clauses to rows of one batch."""
        import pyarrow.compute as pc  # noqa: PLC0415

        of_source = batch.column(batch.num_columns - 1)
        places = batch.column(self._changed.place)
        joined = pc.indices_nonzero(pc.is_valid(of_source))
        if self._keys.condition is not None and len(joined):
            joined = joined.filter(self._keys.condition(self._joined(batch, joined)))
            self._matched.append(of_source.take(joined))
        joined = self._once(batch, joined, places)
        yield from self._applied("matched", batch, joined)
        if any(clause.rows == "not matched by source" for clause, _ in self._prepared):
            # A row that several rows of the source could have joined is there several times.
            first = pc.index_in(places.unique(), value_set=places)
            alone = first.filter(pc.invert(pc.is_in(places.take(first), value_set=places.take(joined))))
            yield from self._applied("not matched by source", batch, alone)

    def _once(self, batch: pa.RecordBatch, joined: Array, places: Array) -> Array:
        """The matched rows, each once.

        Raises:
            InvalidInputError: Two rows of the source match a row, and could say different things of it.
        """
        import pyarrow.compute as pc  # noqa: PLC0415

        of_rows = places.take(joined)
        if len(of_rows.unique()) == len(of_rows):
            return joined
        if not self._matches_once:
            return joined.take(pc.index_in(of_rows.unique(), value_set=of_rows))
        counts = of_rows.value_counts()
        twice = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
        of_source = batch.column(batch.num_columns - 1).take(joined)
        rows = self._source.take(of_source.take(pc.index_in(twice.slice(0, _SHOWN), value_set=of_rows)))
        keys = [rows.column(name).to_pylist() for _, name in self._keys.columns]
        shown = "; ".join(
            ", ".join(f"{name} = {value!r}" for (name, _), value in zip(self._keys.columns, key, strict=True))
            for key in zip(*keys, strict=True)
        )
        raise InvalidInputError(
            f"more than one row of the source matches a row of the table: {shown}. Keep one of them for each, or make "
            "the predicate stricter"
        )

    def _joined(self, batch: pa.RecordBatch, rows: Array) -> Rows:
        """Rows of the table with the rows of the source that they match."""
        import pyarrow as pa  # noqa: PLC0415

        names, columns = self._of_table(batch, rows)
        source = self._source.take(batch.column(batch.num_columns - 1).take(rows))
        names += [f"source.{name}" for name in source.schema.names]
        made = pa.RecordBatch.from_arrays([*columns, *source.columns], names=names)
        return Rows(made, self._both, self._case_sensitive)

    def _alone(self, batch: pa.RecordBatch, rows: Array) -> Rows:
        """Rows of the table without a row of the source."""
        import pyarrow as pa  # noqa: PLC0415

        names, columns = self._of_table(batch, rows)
        if names:
            made = pa.RecordBatch.from_arrays(columns, names=names)
        else:
            # A batch without columns would have no rows.
            made = pa.RecordBatch.from_arrays([rows], names=["target."])
        return Rows(made, self._one, self._case_sensitive)

    def _of_table(self, batch: pa.RecordBatch, rows: Array) -> tuple[list[str], list[Array]]:
        """The columns that were read of some rows, and their names. What was not read cannot be asked for."""
        columns = [batch.column(self._schema.names.index(name)).take(rows) for name in self._read]
        return [f"target.{name}" for name in self._read], columns

    def _applied(self, which: For, batch: pa.RecordBatch, rows: Array) -> Iterator[pa.RecordBatch]:
        """Applies the clauses for some rows of a batch."""
        import pyarrow.compute as pc  # noqa: PLC0415

        for clause, settings in self._prepared:
            if clause.rows != which or not len(rows):
                continue
            view = self._joined(batch, rows) if which == "matched" else self._alone(batch, rows)
            chosen = rows
            if clause.condition is not None:
                holds = clause.condition(view)
                chosen, rows = rows.filter(holds), rows.filter(pc.invert(holds))
                view = view.filter(holds)
            else:
                rows = rows.slice(0, 0)
            old = batch.take(chosen)
            if settings is None:
                self._changed.delete(old)
                continue
            columns: list[Array] = old.columns[: self._changed.width]
            for each in settings:
                columns[self._schema.names.index(each.name)] = each.of(view, self._schema.field(each.name))
            yield self._changed.changed(old, columns)

    def _inserted(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Applies the clauses for rows of the source that no row matches."""
        import pyarrow as pa  # noqa: PLC0415
        import pyarrow.compute as pc  # noqa: PLC0415

        names = [f"source.{name}" for name in rows.schema.names]
        left = pa.RecordBatch.from_arrays(rows.columns, names=names)
        for clause, settings in self._prepared:
            if clause.rows != "not matched" or not left.num_rows:
                continue
            view = Rows(left, _aliases(left.schema.names), self._case_sensitive)
            if clause.condition is not None:
                holds = clause.condition(view)
                left = view.batch.filter(pc.invert(holds))
                view = view.filter(holds)
            else:
                left = left.slice(0, 0)
            number = view.batch.num_rows
            # What is required is checked where defaults are known.
            optional = {
                each.name: self._schema.field(each.name).with_nullable(True) for each in settings or ()
            }
            columns = [each.of(view, optional[each.name]) for each in settings or ()]
            made = pa.RecordBatch.from_arrays(columns, schema=pa.schema(list(optional.values())))
            if number:
                yield self._changed.added(self._changed.conformed(made).columns, number)


def _check_key_types(name: str, table: pa.DataType, source: pa.DataType) -> None:
    """A double is seldom exactly a decimal that it is written like, so that these are not joined."""
    import pyarrow.types as kinds  # noqa: PLC0415

    for one, other in ((table, source), (source, table)):
        if kinds.is_floating(one) and kinds.is_decimal(other):
            raise InvalidInputError(
                f"the key {name!r} is of type {source} in the source, and {table} in the table: cast one of them"
            )


def _aliases(names: Sequence[str]) -> dict[str, str]:
    """Columns of one side alone, by their names without the side."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition(".")[2], []).append(name)
    return {short: full[0] for short, full in found.items() if len(full) == 1 and short not in names}
