"""Which values do rows get by an operation that changes them?

In: a literal, a column, SQL, an expression of pyarrow or a function, and the rows. Out: an Arrow array of the column's
type.

Invariant: values are converted only where none changes, see `exact_values`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg.commit.exact_values import converted
from floeberg.commit.meant_texts import check_text_is_meant
from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.expressions import ColumnValue, ConstantValue, Expression, SqlValue, ValueExpression
from floeberg.expressions._sql import SqlExpression
from floeberg.write.dict_rows import batch_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "Condition",
    "NewValue",
    "Rows",
    "Setting",
    "condition_of",
    "fitted",
    "settings_of",
    "sql_of",
    "values_of_new_column",
]

NewValue: TypeAlias = Any
"""A literal; or `col`, `sql_expr`, an expression of `pyarrow.compute`, or a function from a batch to an array."""
Array: TypeAlias = Any


@dataclass(frozen=True)
class Rows:
    """Rows of a batch, with columns by name.

    Args:
        batch: The columns that were read.
        aliases: Other names of columns.
        case_sensitive: Whether the case of names counts.
        used: Where the names of columns are put that somebody asks for. `None` puts them nowhere.
    """

    batch: pa.RecordBatch
    aliases: Mapping[str, str]
    case_sensitive: bool
    used: set[str] | None = None

    def column(self, name: str) -> Array:
        """The column of a name, or the field of a struct.

        Raises:
            InvalidInputError: The name is unknown.
        """
        import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

        self.uses(name)
        found = self._number(name)
        if found is not None:
            return self.batch.column(found)
        above, _, field = name.rpartition(".")
        if above:
            try:
                return pc.struct_field(self.column(above), field)
            except (KeyError, TypeError, ValueError):
                pass
        known = [*self.batch.schema.names, *self.aliases]
        raise InvalidInputError(f"column {name!r} is unknown: expected one of {', '.join(map(repr, known))}")

    def uses(self, name: str) -> None:
        """Says that the column of a name is asked for, or the struct that has it as a field."""
        if self.used is None:
            return
        found = self._number(name)
        if found is not None:
            self.used.add(self.batch.schema.names[found])
        elif "." in name:
            self.uses(name.rpartition(".")[0])

    def whole(self) -> pa.RecordBatch:
        """All columns, for somebody who may ask for any of them."""
        if self.used is not None:
            self.used.update(self.batch.schema.names)
        return self.batch

    def filter(self, holds: Array) -> Rows:
        """The rows for which an array says so."""
        return Rows(self.batch.filter(holds), self.aliases, self.case_sensitive, self.used)

    def _number(self, name: str) -> int | None:
        names = {**self.aliases, **{each: each for each in self.batch.schema.names}}
        full = names.get(name)
        if full is None and not self.case_sensitive:
            alike = {names[each] for each in names if each.lower() == name.lower()}
            full = alike.pop() if len(alike) == 1 else None
        found = -1 if full is None else self.batch.schema.get_field_index(full)
        return None if found < 0 else found

    def evaluated(self, expression: Any) -> Array:  # noqa: ANN401 - of pyarrow.compute
        """The values of an expression of `pyarrow.compute`.

        Raises:
            InvalidInputError: It cannot be computed on these rows.
        """
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import acero  # noqa: PLC0415

        batch = self.whole()
        names = [*batch.schema.names, *self.aliases]
        columns = [*batch.columns, *(self.column(full) for full in self.aliases.values())]
        table = pa.Table.from_arrays(columns, names=names)
        plan = acero.Declaration.from_sequence(
            [
                acero.Declaration("table_source", acero.TableSourceNodeOptions(table)),
                acero.Declaration("project", acero.ProjectNodeOptions([expression], ["value"])),
            ]
        )
        try:
            return plan.to_table(use_threads=False).column(0).combine_chunks()
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise InvalidInputError(f"the expression {expression} cannot be computed: {error}") from error


@dataclass(frozen=True)
class Setting:
    """A column that gets new values.

    Args:
        name: The name of the column.
        values: What gives the values of some rows.
    """

    name: str
    values: Callable[[Rows], Array]

    def of(self, rows: Rows, field: pa.Field[Any]) -> Array:
        """The values, in the type of the column.

        Raises:
            InvalidInputError: They do not fit. What a function of the user raises is raised as it is.
        """
        return fitted(self.name, self.values(rows), field, rows.batch.num_rows)


def settings_of(
    updates: Mapping[str, NewValue],
    schema: pa.Schema,
    *,
    case_sensitive: bool,
    others: Sequence[str] = (),
) -> list[Setting]:
    """The new values of columns.

    Args:
        updates: Values by the names of columns, maybe after `target.`.
        schema: The columns of the table.
        case_sensitive: Whether the case of names counts.
        others: Columns of a source, which a text could name.

    Raises:
        InvalidInputError: A column is unknown or given twice, or a literal does not fit or reads as an expression.
    """
    if not isinstance(updates, Mapping) or not updates:
        raise InvalidInputError(f"updates: expected new values by columns, found {updates!r}")
    found: dict[str, Setting] = {}
    for given, value in updates.items():
        if not isinstance(given, str):
            raise InvalidInputError(f"updates: expected a str as the name of a column, found {given!r}")
        name = _column_of(given, schema, case_sensitive=case_sensitive)
        if name in found:
            raise InvalidInputError(f"updates: the column {name!r} is given twice")
        check_text_is_meant("updates", name, value, {*schema.names, *others})
        found[name] = Setting(name, _values_of(value, schema.field(name)))
    return list(found.values())


def _column_of(given: str, schema: pa.Schema, *, case_sensitive: bool) -> str:
    for name in (given, given.removeprefix("target.")):
        if name in schema.names:
            return name
        alike = [each for each in schema.names if each.lower() == name.lower()]
        if not case_sensitive and len(alike) == 1:
            return alike[0]
    hint = ": fields of structs are not set one by one" if "." in given else ""
    raise InvalidInputError(
        f"updates: the table has no column {given!r}{hint}; its columns are {', '.join(map(repr, schema.names))}"
    )


def _values_of(value: NewValue, field: pa.Field[Any]) -> Callable[[Rows], Array]:
    import pyarrow as pa  # noqa: PLC0415

    computed = _computed(value)
    if computed is not None:
        return computed
    value = value.value if isinstance(value, ConstantValue) else value
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        raise InvalidInputError(
            f"updates: the new value of {field.name!r} is an array, and nothing says which row gets which value: pass "
            "a function of the batch"
        )
    if value is None:
        fitted(field.name, pa.scalar(None), field, 1)
        return lambda _rows: pa.scalar(None)
    if isinstance(value, pa.Scalar):
        literal: Array = pa.array([value.as_py()], value.type)
    else:
        literal = _literal_of(value, field)
    one = fitted(field.name, literal, field, 1)
    return lambda rows: _repeated(one, rows.batch.num_rows)


def _literal_of(value: object, field: pa.Field[Any]) -> Array:
    """A Python value as an array of one value."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        return batch_of([{field.name: value}], pa.schema([field])).column(0)
    except InvalidInputError as error:
        if not isinstance(value, str):
            raise
        raise InvalidInputError(
            f"{error.message}. A text is a literal: write fb.sql_expr({value!r}) for an expression, or fb.col for a "
            "column",
            context=error.context,
        ) from error


def values_of_new_column(name: str, value: NewValue, columns: Sequence[str]) -> Callable[[Rows], Array]:
    """What gives the values of a column that the table does not have. Literals get the type that pyarrow infers.

    Args:
        name: The new column.
        value: Its values.
        columns: The columns of the table, which a text could name.

    Raises:
        InvalidInputError: It is an array, whose rows are unknown, or has no type; or a text reads as an expression.
    """
    import pyarrow as pa  # noqa: PLC0415

    check_text_is_meant("columns", name, value, columns)
    computed = _computed(value)
    if computed is not None:
        return computed
    value = value.value if isinstance(value, ConstantValue) else value
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        raise InvalidInputError(
            f"columns: the values of {name!r} are an array, whose rows are unknown: pass a function of the batch"
        )
    try:
        one = pa.array([value.as_py()], value.type) if isinstance(value, pa.Scalar) else pa.array([value])
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InvalidInputError(f"columns: the value of {name!r} cannot be stored: {error}") from error
    return lambda rows: _repeated(one, rows.batch.num_rows)


def _computed(value: object) -> Callable[[Rows], Array] | None:
    """What computes values; `None` for a literal."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(value, ColumnValue):
        name = value.name
        return lambda rows: rows.column(name)
    if isinstance(value, ValueExpression) and not isinstance(value, ConstantValue):
        value = SqlExpression(sql_of(value))
    if isinstance(value, SqlExpression):
        expression = value

        def of_sql(rows: Rows) -> Array:
            # Of no rows not every part is computed.
            for name in expression.columns() if rows.used is not None else ():
                rows.uses(name)
            return expression.of(rows.column, rows.batch.num_rows)

        return of_sql
    if _is_of_pyarrow(value):
        return lambda rows: rows.evaluated(value)
    if isinstance(value, Expression):
        raise InvalidInputError(
            f"{value!r} is a filter: expected a comparison of fb.col, fb.sql_expr(...), an expression of "
            "pyarrow.compute or a function"
        )
    if callable(value):
        function = cast("Callable[[pa.RecordBatch], Array]", value)

        def of_function(rows: Rows) -> Array:
            batch = rows.whole()
            # Without rows, nobody's function is asked.
            return function(batch) if batch.num_rows else pa.nulls(0)

        return of_function
    return None


def _is_of_pyarrow(value: object) -> bool:
    import pyarrow.compute as pc  # noqa: PLC0415

    return isinstance(value, pc.Expression)


def sql_of(value: ValueExpression) -> str:
    """The SQL text of a value.

    Raises:
        LimitExceededError: It is nested too deep.
    """
    try:
        return value.to_sql()
    except RecursionError:
        raise LimitExceededError("an expression is nested too deep") from None


Condition: TypeAlias = Callable[[Rows], Array]
"""Which rows: an array of bools without nulls."""


def condition_of(name: str, predicate: object) -> Condition | None:
    """The rows that a condition is true for; `None` where that is every row.

    Args:
        name: The argument, for errors.
        predicate: SQL text, values such as comparisons of `col`, an expression of `pyarrow.compute`, or a function.

    Raises:
        InvalidInputError: It is an object of another type.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    if predicate is None:
        return None
    if isinstance(predicate, ConstantValue):
        predicate = SqlValue(predicate.to_sql())
    computed = _computed(SqlValue(predicate) if isinstance(predicate, str) else predicate)
    if computed is None:
        hint = ": Python has evaluated a comparison" if isinstance(predicate, bool) else ""
        raise InvalidInputError(
            f"{name}: expected a condition in SQL, a comparison of fb.col, an expression of pyarrow.compute or a "
            f"function, found an object of type {type(predicate).__name__}{hint}"
        )

    def of(rows: Rows) -> Array:
        found = _column_of_rows(f"{name}:", computed(rows), rows.batch.num_rows)
        if pa.types.is_null(found.type):
            found = found.cast(pa.bool_())
        if not pa.types.is_boolean(found.type):
            raise InvalidInputError(f"{name}: the condition has values of type {found.type}, expected bool")
        return pc.fill_null(found, False)

    return of


def fitted(name: str, values: Array, field: pa.Field[Any], rows: int) -> Array:
    """Values in the type of a column, as long as the rows.

    Raises:
        InvalidInputError: They do not fit.
    """
    import pyarrow as pa  # noqa: PLC0415

    values = _column_of_rows(f"the new values of {name!r}:", values, rows)
    made = converted(name, values, field.type)
    if not field.nullable and made.null_count:
        row = made.is_null().index(pa.scalar(True)).as_py()
        raise InvalidInputError(
            f"the column {name!r} is required, and a new value is null", context={"row": str(row)}
        )
    return made


def _column_of_rows(what: str, values: Array, rows: int) -> Array:
    """Values as an array with one for each row; a scalar is that of all rows."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(values, pa.Scalar):
        is_extension = isinstance(values.type, pa.BaseExtensionType)
        one = pa.array([values.as_py()], values.type) if is_extension else pa.repeat(values, 1)
        values = _repeated(one, rows)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        raise InvalidInputError(
            f"{what} found an object of type {type(values).__name__}, expected an Arrow array with a value for each row"
        )
    if len(values) != rows:
        raise InvalidInputError(f"{what} found {len(values)} values, expected {rows}: one for each row")
    if pa.types.is_nested(values.type) or pa.types.is_dictionary(values.type) or not rows:
        batch = pa.RecordBatch.from_arrays([values], names=["values"])
        values = _native.with_buffers(batch).column(0)
    return values


def _repeated(one: Array, rows: int) -> Array:
    """The first value of an array of any type, in every row."""
    import pyarrow as pa  # noqa: PLC0415

    return one.take(pa.repeat(pa.scalar(0, pa.int32()), rows))
