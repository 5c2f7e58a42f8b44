"""Which names does IDENTIFIER(..) stand for?

In: a statement and the values of its parameters. Out: the same text, with quoted names instead: `` `sales`.`orders` ``
for `IDENTIFIER(:name)`, wherever a name may stand.

Invariant: what Spark does not evaluate to a constant text that is a name stays as written. Spark says why it cannot be.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from floeberg.spark.session.names import quoted
from floeberg.spark.sql.text.constants import evaluated
from floeberg.spark.sql.text.edits import Edit, rewritten
from floeberg.spark.sql.text.tokens import closing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import SparkSession

    from floeberg.spark.sql.text.constants import Arguments
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["with_names"]

_PART = re.compile(r"`((?:[^`]|``)+)`|([A-Za-z0-9_]+)")


def with_names(
    spark: SparkSession, statement: Statement, args: Arguments
) -> tuple[Statement | None, Arguments]:
    """The statement with names instead of IDENTIFIER(..), and the parameters that it still has.

    Args:
        spark: The session.
        statement: The statement.
        args: Values of parameters. Those by position that stand in IDENTIFIER(..) are left out of the result.
    """
    tokens, changes, gone = statement.tokens, list[Edit](), set[int]()
    for at, token in enumerate(tokens[:-2]):
        if token.upper != "IDENTIFIER" or tokens[at + 1].upper != "(":
            continue
        end = closing(tokens, at + 1)
        if end is None or end == at + 2:
            continue
        inside = statement.part(tokens[at + 2 : end]).text
        positions = _positions(statement, at + 2, end)
        parts = _evaluated(spark, inside, _chosen(args, positions))
        if parts is not None:
            changes.append(Edit(token.start, tokens[end].end, quoted(*parts)))
            gone |= set(positions)
    if not changes:
        return statement, args
    left = [each for at, each in enumerate(args) if at not in gone] if isinstance(args, list) else args
    return rewritten(statement, changes), left


def _name_parts(text: str) -> tuple[str, ...] | None:
    """The parts of a name in a text, as Spark reads them; `None` where it is no name."""
    found, at = list[str](), 0
    text = text.strip()
    while True:
        part = _PART.match(text, at)
        if part is None:
            return None
        found.append(part[1].replace("``", "`") if part[1] else part[2])
        at = part.end()
        if at == len(text):
            return tuple(found)
        if text[at] != ".":
            return None
        at += 1


def _positions(statement: Statement, first: int, end: int) -> list[int]:
    """Which of the parameters by position stand between two tokens."""
    marks = [at for at, token in enumerate(statement.tokens) if token.upper == "?"]
    return [number for number, at in enumerate(marks) if first <= at < end]


def _chosen(args: Arguments, positions: Sequence[int]) -> Arguments:
    if isinstance(args, list):
        return [args[at] for at in positions if at < len(args)]
    return args


def _evaluated(spark: SparkSession, inside: str, args: Arguments) -> tuple[str, ...] | None:
    """The name that the text in the brackets gives; `None` where it gives none."""
    from pyspark.errors import PySparkException  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    plain = re.fullmatch(r"'([^'\\]*)'", inside)
    named = re.fullmatch(r":\s*(\w+)", inside)
    if plain is not None:
        return _name_parts(plain[1])
    if named is not None and isinstance(args, dict) and isinstance(args.get(named[1]), str):
        return _name_parts(args[named[1]])
    try:
        value = evaluated(spark, inside, args)
    except PySparkException:
        return None
    return _name_parts(value) if isinstance(value, str) else None
