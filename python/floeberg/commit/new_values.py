"""Which new values do columns get, and for which rows does a condition hold?

In: literals, `col`, `sql_expr`, expressions of `pyarrow.compute`, and functions. Out: what Rust computes values by.

Invariant: Rust evaluates everything but functions of the user and expressions of other libraries, which cross once for
each batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from floeberg import _native
from floeberg._arguments import checked_text
from floeberg.commit.meant_texts import check_text_is_meant
from floeberg.errors import InvalidInputError, LimitExceededError
from floeberg.expressions import ColumnValue, ConstantValue, Expression, SqlValue, ValueExpression
from floeberg.expressions._sql import SqlExpression
from floeberg.write.dict_rows import batch_of

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa

__all__ = [
    "Assignments",
    "Functions",
    "NewValue",
    "aliases_of_sides",
    "aliases_of_target",
    "condition_of",
    "sql_of",
    "value_of_new_column",
]

NewValue: TypeAlias = Any
"""A literal; or `col`, `sql_expr`, an expression of `pyarrow.compute`, or a function from a batch to an array."""
Array: TypeAlias = Any


class Functions:
    """The functions of one operation, by their numbers. Rust calls them for each batch."""

    def __init__(self, aliases: Callable[[Sequence[str]], Mapping[str, str]]) -> None:
        """No functions yet.

        Args:
            aliases: Other names of the columns of a batch, by the names of its columns, for expressions.
        """
        self._aliases = aliases
        self._functions: list[tuple[str, Callable[[pa.RecordBatch], Array]]] = []

    def add(self, what: str, function: Callable[[pa.RecordBatch], Array]) -> int:
        """Adds a function from a batch to an array.

        Args:
            what: What it gives, for errors.
            function: The function. Without rows it is not called.

        Returns:
            Its number.
        """

        def of_rows(batch: pa.RecordBatch) -> Array:
            import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

            return function(batch) if batch.num_rows else pa.nulls(0)

        self._functions.append((what, of_rows))
        return len(self._functions) - 1

    def add_expression(self, what: str, expression: Any) -> int:  # noqa: ANN401 - of pyarrow.compute
        """Adds an expression of `pyarrow.compute`. Without rows it is computed, too, so that mistakes are found."""
        self._functions.append((what, lambda batch: self._evaluated(expression, batch)))
        return len(self._functions) - 1

    def __call__(self, number: int, rows: _native.Batch) -> pa.RecordBatchReader:
        """The values of a function, as one column.

        Raises:
            InvalidInputError: There is not one value for each row. What a function raises is raised as it is.
        """
        import pyarrow as pa  # noqa: PLC0415

        what, function = self._functions[number]
        batch = pa.record_batch(cast("Any", rows))
        values = _column_of_rows(what, function(batch), batch.num_rows)
        made = pa.RecordBatch.from_arrays([values], names=["value"])
        return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(made.schema, [made]))

    def _evaluated(self, expression: Any, batch: pa.RecordBatch) -> Array:  # noqa: ANN401 - of pyarrow.compute
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import acero  # noqa: PLC0415

        aliases = self._aliases(batch.schema.names)
        names = [*batch.schema.names, *aliases]
        columns = [*batch.columns, *(batch.column(full) for full in aliases.values())]
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


def aliases_of_target(names: Sequence[str]) -> dict[str, str]:
    """Columns of a table alone, each also after `target.`."""
    return {f"target.{name}": name for name in names}


def aliases_of_sides(names: Sequence[str]) -> dict[str, str]:
    """Columns of one side alone, by their names without the side."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition(".")[2], []).append(name)
    return {short: full[0] for short, full in found.items() if len(full) == 1 and short not in names}


class Assignments:
    """New values by the names of columns."""

    def __init__(self, updates: Mapping[str, NewValue], functions: Functions) -> None:
        """Reads values that do not depend on the table.

        Args:
            updates: Values by the names of columns, maybe after `target.`.
            functions: Where functions are added.

        Raises:
            InvalidInputError: There are no updates, or a value is one that cannot be computed.
        """
        if not isinstance(updates, Mapping) or not updates:
            raise InvalidInputError(f"updates: expected new values by columns, found {updates!r}")
        for given in updates:
            if not isinstance(given, str):
                raise InvalidInputError(f"updates: expected a str as the name of a column, found {given!r}")
            checked_text("updates", given)
        self._updates = dict(updates)
        self._computed = {
            name: _computed(f"the new values of {name.removeprefix('target.')!r}:", value, functions)
            for name, value in updates.items()
        }

    def of(
        self, schema: pa.Schema, *, case_sensitive: bool, others: Sequence[str] = ()
    ) -> list[tuple[int, _native.NewValue]]:
        """The values, by the numbers of the columns of a table.

        Args:
            schema: The columns of the table.
            case_sensitive: Whether the case of names counts.
            others: Columns of a source, which a text could name.

        Raises:
            InvalidInputError: A column is unknown or given twice, or a literal does not fit or reads as an expression.
        """
        numbers = _native.assigned_columns(schema, list(self._updates), case_sensitive=case_sensitive)
        found = []
        for number, (given, value) in zip(numbers, self._updates.items(), strict=True):
            field = schema.field(number)
            check_text_is_meant("updates", field.name, value, {*schema.names, *others})
            computed = self._computed[given]
            found.append((number, _literal_value(value, field) if computed is None else computed))
        return found


def _literal_value(value: NewValue, field: pa.Field[Any]) -> _native.NewValue:
    """A literal for a column."""
    import pyarrow as pa  # noqa: PLC0415

    value = value.value if isinstance(value, ConstantValue) else value
    if isinstance(value, (pa.Array, pa.ChunkedArray)):
        raise InvalidInputError(
            f"updates: the new value of {field.name!r} is an array, and nothing says which row gets which value: pass "
            "a function of the batch"
        )
    if value is None:
        return _native.NewValue.null()
    if isinstance(value, pa.Scalar):
        return _native.NewValue.literal(_reader_of(pa.array([value.as_py()], value.type)))
    return _native.NewValue.literal(_reader_of(_literal_of(value, field), field))


def _reader_of(one: Array, field: pa.Field[Any] | None = None) -> pa.RecordBatchReader:
    import pyarrow as pa  # noqa: PLC0415

    given = pa.field("value", one.type)
    # A number beyond the type of the column has a wider one: Rust says that it does not fit.
    schema = pa.schema([given if field is None else field.with_type(one.type).with_nullable(True)])
    batch = pa.RecordBatch.from_arrays([one], schema=schema)
    return cast("pa.RecordBatchReader", pa.RecordBatchReader.from_batches(schema, [batch]))


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


def value_of_new_column(
    name: str, value: NewValue, columns: Collection[str], functions: Functions
) -> _native.NewValue:
    """What gives the values of a column that the table does not have. Literals get the type that pyarrow infers.

    Args:
        name: The new column.
        value: Its values.
        columns: The columns of the table, which a text could name.
        functions: Where functions are added.

    Raises:
        InvalidInputError: It is an array, whose rows are unknown, or has no type; or a text reads as an expression.
    """
    import pyarrow as pa  # noqa: PLC0415

    check_text_is_meant("columns", name, value, columns)
    computed = _computed(f"the new values of {name!r}:", value, functions)
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
    return _native.NewValue.literal(_reader_of(one))


def _computed(what: str, value: object, functions: Functions) -> _native.NewValue | None:
    """What computes values; `None` for a literal."""
    if isinstance(value, ColumnValue):
        return _native.NewValue.column(value.name)
    if isinstance(value, ValueExpression) and not isinstance(value, ConstantValue):
        value = SqlExpression(sql_of(value))
    if isinstance(value, SqlExpression):
        return _native.NewValue.sql(value.native())
    if _is_of_pyarrow(value):
        return _native.NewValue.function(functions.add_expression(what, value))
    if isinstance(value, Expression):
        raise InvalidInputError(
            f"{value!r} is a filter: expected a comparison of fb.col, fb.sql_expr(...), an expression of "
            "pyarrow.compute or a function"
        )
    if callable(value):
        function = cast("Callable[[pa.RecordBatch], Array]", value)
        return _native.NewValue.function(functions.add(what, function))
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


def condition_of(name: str, predicate: object, functions: Functions) -> _native.NewValue | None:
    """The rows that a condition is true for; `None` where that is every row.

    Args:
        name: The argument, for errors.
        predicate: SQL text, values such as comparisons of `col`, an expression of `pyarrow.compute`, or a function.
        functions: Where functions are added.

    Raises:
        InvalidInputError: It is an object of another type.
    """
    if predicate is None:
        return None
    if isinstance(predicate, ConstantValue):
        predicate = SqlValue(predicate.to_sql())
    predicate = SqlValue(predicate) if isinstance(predicate, str) else predicate
    computed = _computed(f"{name}:", predicate, functions)
    if computed is None:
        hint = ": Python has evaluated a comparison" if isinstance(predicate, bool) else ""
        raise InvalidInputError(
            f"{name}: expected a condition in SQL, a comparison of fb.col, an expression of pyarrow.compute or a "
            f"function, found an object of type {type(predicate).__name__}{hint}"
        )
    return computed


def _column_of_rows(what: str, values: Array, rows: int) -> Array:
    """Values as an array with one for each row; a scalar is that of all rows."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(values, pa.Scalar):
        is_extension = isinstance(values.type, pa.BaseExtensionType)
        one = pa.array([values.as_py()], values.type) if is_extension else pa.repeat(values, 1)
        values = one.take(pa.repeat(pa.scalar(0, pa.int32()), rows))
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if not isinstance(values, pa.Array):
        raise InvalidInputError(
            f"{what} found an object of type {type(values).__name__}, expected an Arrow array with a value for each row"
        )
    if len(values) != rows:
        raise InvalidInputError(f"{what} found {len(values)} values, expected {rows}: one for each row")
    return values
