"""What are Iceberg's functions, `catalog.system.bucket(16, id)` and the others, in the SQL that Spark runs?

Functions of the session, whose tasks compute the transforms of tables. `truncate` has one for each type, since Spark
asks for the type of a result before it knows that of an argument.

Invariant: a value is the one that the partition of a table has. Times are those of UTC, whatever the session's zone.
"""

from __future__ import annotations

import re
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.functions import arrow_function, as_in_tables, plain
from floeberg.spark.sql.text.edits import Edit
from floeberg.spark.sql.text.references import select_of
from floeberg.spark.sql.text.token_reader import TokenReader
from floeberg.spark.sql.text.tokens import closing
from floeberg.transforms import _functions as transforms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from floeberg.spark.sql.text.known_tables import KnownTables
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["TRUNCATE", "functions", "typed_functions"]

TRUNCATE = "floeberg_truncate"
"""Stands for the function whose type is not known yet."""

_RESULTS = {"bucket": "int", "years": "int", "months": "int", "days": "date", "hours": "int"}
_VERSION = "iceberg_version"
_TRUNCATED = re.compile(r"tinyint|smallint|int|bigint|string|binary|decimal\(\d+,\d+\)")
_MOST = (1 << 31) - 1
_MADE: WeakKeyDictionary[SparkSession, set[str]] = WeakKeyDictionary()
_LOCK = Lock()


def functions(spark: SparkSession, known: KnownTables, statement: Statement) -> list[Edit]:
    """What puts functions of the session instead of those of the catalogs' namespace `system`.

    Raises:
        UnsupportedError: PySpark is older than 4.1.
        InvalidInputError: `iceberg_version` has arguments.
    """
    changes = []
    for name in statement.names:
        function = name.parts[-1].lower()
        if name.parts[-2:-1] and name.parts[-2].lower() == "system" and _is_called(statement, name.ends[-1]):
            own = known.default if len(name.parts) == 2 else known.catalog(name.parts[0])  # noqa: PLR2004 - a catalog before both
            if own is None or len(name.parts) > 3:  # noqa: PLR2004 - the same
                continue
            if function == _VERSION:
                changes.append(_version(statement, name.starts[0], name.ends[-1]))
            elif function in _RESULTS or function == "truncate":
                if function in _RESULTS:
                    _make(spark, f"floeberg_{function}", _RESULTS[function], _FUNCTIONS[function])
                changes.append(Edit(name.starts[0], name.ends[-1], f"floeberg_{function}"))
    return changes


def typed_functions(
    spark: SparkSession,
    statement: Statement,
    tree: Any,  # noqa: ANN401 - sqlglot's
    type_of: Callable[[str], str],
) -> list[Edit]:
    """What puts the functions of the types of their arguments.

    Args:
        spark: The session.
        statement: A query.
        tree: Its tree.
        type_of: The type that Spark says the only column of a query has.

    Raises:
        UnsupportedError: The type of an argument cannot be truncated, or is not known.
    """
    changes = []
    for at, token in enumerate(statement.tokens):
        if token.text != TRUNCATE or not _is_called(statement, token.end):
            continue
        value = _value(statement, at + 1)
        kind = _kind(value, tree, type_of)
        if not _TRUNCATED.fullmatch(kind):
            raise UnsupportedError(
                f"system.truncate: {value.text} is of type {kind}: expected whole numbers, decimals, texts or "
                "binary values"
            )
        name = f"{TRUNCATE}_{re.sub('[^a-z0-9]+', '_', kind).strip('_')}"
        _make(spark, name, kind, _truncated(kind))
        changes.append(Edit(token.start, token.end, name))
    return changes


def _is_called(statement: Statement, end: int) -> bool:
    """Whether a bracket follows a name."""
    after = next((token for token in statement.tokens if token.start >= end), None)
    return after is not None and after.upper == "("


def _version(statement: Statement, start: int, end: int) -> Edit:
    from floeberg import __version__  # noqa: PLC0415 - it is known when the package is imported

    tokens = statement.tokens
    opening = next(at for at, token in enumerate(tokens) if token.start >= end)
    if closing(tokens, opening) != opening + 1:
        raise InvalidInputError(f"system.{_VERSION}: expected no arguments")
    return Edit(start, tokens[opening + 1].end, f"'floeberg {__version__}'")


def _value(statement: Statement, opening: int) -> Statement:
    """The second argument of a call.

    Raises:
        InvalidInputError: There are not two.
    """
    inside = TokenReader.of(statement, opening).inside()
    given = [] if inside.is_at_end else inside.listed(lambda each: each.until(","))
    if len(given) != 2:  # noqa: PLR2004 - a width and a value
        raise InvalidInputError("system.truncate: expected a width and a value, as in truncate(4, note)")
    return given[1]


def _kind(value: Statement, tree: Any, type_of: Callable[[str], str]) -> str:  # noqa: ANN401 - the same
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    query = " ".join([*_definitions(tree), f"SELECT ({value.text}\n) AS c", *_relations(tree, value)])
    try:
        return type_of(query)
    except PySparkException as error:
        raise UnsupportedError(
            f"system.truncate: the type of {value.text} is not known here: write CAST({value.text} AS STRING), or "
            "another type"
        ) from error


def _definitions(tree: Any) -> Iterator[str]:  # noqa: ANN401 - the same
    found = tree.args.get("with_") or tree.args.get("with")
    if found is not None:
        yield found.sql(dialect="spark")


def _relations(tree: Any, value: Statement) -> Iterator[str]:  # noqa: ANN401 - the same
    """The FROM of the SELECT that the columns in a value belong to."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    for node in tree.find_all(exp.Column):
        if value.start <= node.parts[0].meta.get("start", -1) < value.end:
            select = select_of(node)
            parts = [] if select is None else [select.args.get("from_") or select.args.get("from")]
            parts += (
                []
                if select is None
                else [*(select.args.get("joins") or ()), *(select.args.get("laterals") or ())]
            )
            yield " ".join(each.sql(dialect="spark") for each in parts if each is not None)
            return


def _make(spark: SparkSession, name: str, kind: str, apply: Callable[..., pa.Array[Any]]) -> None:
    """Makes a function of the session, once."""
    with _LOCK:
        made = _MADE.setdefault(spark, set())
        if name in made:
            return
        function: Any = arrow_function(apply, kind, "functions of Iceberg")
        spark.udf.register(name, function)
        made.add(name)


def _each_number(
    numbers: pa.Array[Any],
    values: pa.Array[Any],
    apply: Callable[[Any, int], pa.Array[Any]],
    kind: pa.DataType,
) -> pa.Array[Any]:
    """A transform whose number may differ from row to row. Where it is null, so is the result."""
    import pyarrow as pa  # noqa: PLC0415 - the same
    import pyarrow.compute as pc  # noqa: PLC0415

    wanted = numbers.unique().to_pylist()
    if len(wanted) == 1 and wanted[0] is not None:
        return apply(values, _checked(wanted[0])).cast(kind)
    result: Any = pa.nulls(len(values), kind)
    for number in wanted:
        if number is not None:
            chosen = pc.fill_null(pc.equal(numbers, number), False)
            result = pc.if_else(chosen, apply(values, _checked(number)).cast(kind), result)
    return result


def _checked(number: int) -> int:
    if not 1 <= number <= _MOST:
        raise InvalidInputError(f"expected a number from 1 to {_MOST}, found {number}")
    return number


def _bucket(numbers: pa.Array[Any], values: pa.Array[Any]) -> pa.Array[Any]:
    import pyarrow as pa  # noqa: PLC0415 - the same

    return _each_number(numbers, as_in_tables(values), transforms.bucket, pa.int32())


def _truncated(kind: str) -> Callable[..., pa.Array[Any]]:
    def truncate(widths: pa.Array[Any], values: pa.Array[Any]) -> pa.Array[Any]:
        return _each_number(widths, as_in_tables(values), transforms.truncate, values.type)

    truncate.__name__ = f"truncate_{kind.partition('(')[0]}"
    return truncate


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bucket": _bucket,
    "years": plain(transforms.years),
    "months": plain(transforms.months),
    "days": plain(transforms.days),
    "hours": plain(transforms.hours),
}
