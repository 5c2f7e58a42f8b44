"""Which statement does EXECUTE IMMEDIATE run?

In: its words and the values of parameters. Out: the text that Spark evaluates, with the values of USING instead of its
parameters, as Spark puts them in; and the variables of INTO.

Invariant: a value of USING is evaluated once, outside of the statement, and has the type that Spark gives it there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.text.constants import evaluated
from floeberg.spark.sql.text.edits import Edit, edited
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg.spark.sql.text.constants import Arguments
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.tokens import Token

__all__ = ["Immediate", "read_immediate"]

_PLAIN = re.compile(r"[+-]?\d+|'[^'\\]*'|true|false|null", re.IGNORECASE)
_WRITTEN = re.compile(
    r"boolean|tinyint|smallint|int|bigint|float|double|date|timestamp_ntz|decimal\(\d+,\d+\)|string|interval .*"
)


@dataclass(frozen=True)
class Immediate:
    """What EXECUTE IMMEDIATE runs.

    Args:
        text: The statement, with its parameters.
        into: The names of variables that the row of a query is put into, as written.
        using: The values of parameters, as written, each with its name.
    """

    text: str
    into: tuple[str, ...]
    using: tuple[tuple[str | None, str], ...]

    @cached_property
    def statement(self) -> Statement | None:
        """The text, read; `None` where Spark is to say what is wrong."""
        return read_statement(self.text)

    def with_values(self, spark: SparkSession, args: Arguments) -> str:
        """The statement with values instead of its parameters.

        Args:
            spark: The session.
            args: Values of parameters of EXECUTE IMMEDIATE itself.

        Raises:
            InvalidInputError: A parameter has no value.
            UnsupportedError: A value has a type that cannot be written.
        """
        return _with_values(
            self.text, self.statement, [(name, _constant(spark, each, args)) for name, each in self.using]
        )


def read_immediate(spark: SparkSession, statement: Statement, args: Arguments) -> Immediate | None:
    """What a statement runs; `None` where it is no EXECUTE IMMEDIATE.

    Raises:
        InvalidInputError: Its text is null.
        PySparkException: Spark cannot evaluate a part.
    """
    words = TokenReader.of(statement)
    if not words.take("EXECUTE", "IMMEDIATE"):
        return None
    written = words.until("INTO", "USING").text
    into, using = list[str](), list[tuple[str | None, str]]()
    if words.take("INTO"):
        into = words.listed(lambda each: each.until(",", "USING").text)
    if words.take("USING"):
        inside = words.inside() if words.follows("(") and words.closes_statement() else words
        using = inside.all_listed(_value)
    words.end()
    text = evaluated(spark, written, args)
    if not isinstance(text, str):
        raise InvalidInputError(f"EXECUTE IMMEDIATE {written}: expected a text, found {text!r}")
    return Immediate(text, tuple(into), tuple(using))


def _value(words: TokenReader) -> tuple[str | None, str]:
    """A value of USING: its name, if it has one, and its text."""
    value = words.until(",", "AS")
    if words.take("AS"):
        return words.one_name(), value.text
    # A variable gives its own name, as `session.least` gives `least`.
    name = value.as_name
    return (None if name is None else name[-1]), value.text


def _constant(spark: SparkSession, written: str, args: Arguments) -> str:
    """SQL of the value of a constant, with its type."""
    if _PLAIN.fullmatch(written.strip()):
        return written.strip()
    row = spark.sql(
        f"SELECT typeof(c), c IS NULL, hex(CAST(CAST(c AS STRING) AS BINARY)) FROM (SELECT ({written}\n) AS c)",  # noqa: S608 - the user's own text
        args or None,
    ).first()
    kind, is_null, digits = row or ("void", True, None)
    if is_null:
        return f"CAST(NULL AS {kind})"
    if kind == "binary":
        return f"X'{evaluated(spark, f'hex({written})', args)}'"
    if kind == "timestamp":
        # Its text may mean two moments in the hour when clocks go back.
        return f"timestamp_micros({evaluated(spark, f'unix_micros({written})', args)})"
    if not _WRITTEN.fullmatch(kind):
        raise UnsupportedError(
            f"EXECUTE IMMEDIATE USING {written}: a value of type {kind} is not supported: write it into the statement"
        )
    text = f"CAST(X'{digits}' AS STRING)"
    return text if kind == "string" else f"CAST({text} AS {kind})"


def _with_values(text: str, statement: Statement | None, using: list[tuple[str | None, str]]) -> str:
    """A statement with values instead of its parameters."""
    if statement is None:
        return text
    tokens, changes, positions = statement.tokens, list[Edit](), 0
    named = {name.lower(): value for name, value in using if name is not None}
    for at, token in enumerate(tokens):
        if token.upper == "?":
            if positions >= len(using):
                raise InvalidInputError(
                    f"EXECUTE IMMEDIATE: USING gives {len(using)} values, and more are asked for"
                )
            changes.append(Edit(token.start, token.end, using[positions][1]))
            positions += 1
        elif token.upper == ":" and at + 1 < len(tokens) and _is_parameter(text, tokens, at):
            name = tokens[at + 1].text
            if name.lower() not in named:
                raise InvalidInputError(f"EXECUTE IMMEDIATE: USING gives no value for the parameter {name!r}")
            changes.append(Edit(token.start, tokens[at + 1].end, named[name.lower()]))
    return edited(statement, changes)


def _is_parameter(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a colon begins a parameter. Between a column and a field of a variant it begins a path."""
    after = tokens[at + 1]
    if not (text[after.start].isalnum() or text[after.start] == "_"):
        return False
    before = text[tokens[at - 1].end - 1] if at else " "
    is_path = tokens[at].start == (tokens[at - 1].end if at else -1) and (
        before.isalnum() or before in "_`)]"
    )
    return not is_path
