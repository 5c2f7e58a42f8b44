"""What does a statement that changes rows ask for?

In: the words of a statement. Out: its parts: the target, the source, clauses. Conditions, values and queries stay
as the user wrote them, and Spark reads their text.

Invariant: a word that is not understood is an error that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from floeberg.errors import UnsupportedError
from floeberg.spark.session.names import quoted
from floeberg.spark.sql.text.statement import CHANGES
from floeberg.spark.sql.text.token_reader import TokenReader
from floeberg.spark.sql.text.tokens import closing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.tokens import Token

__all__ = [
    "Change",
    "Clause",
    "Definitions",
    "Delete",
    "Insert",
    "Merge",
    "Settings",
    "Target",
    "Update",
    "read_change",
    "read_definitions",
]

_OF_DEFINITIONS = ("AS", ",", "MAX")
"""What stands behind a bracket where WITH still defines: `WITH a(x) AS (..), b(y) MAX RECURSION LEVEL 9 AS (..)`."""

Settings: TypeAlias = "tuple[tuple[tuple[str, ...], Statement], ...]"
"""Names of columns, and their values."""
ClauseRows: TypeAlias = Literal["matched", "not matched", "not matched by source"]


@dataclass(frozen=True)
class Target:
    """The table that is changed.

    Args:
        parts: Its name.
        text: Its name as written.
        alias: What columns are qualified with, if it is given another name.
    """

    parts: tuple[str, ...]
    text: str
    alias: str | None = None

    @property
    def visible(self) -> str:
        """What columns are qualified with."""
        return self.parts[-1] if self.alias is None else self.alias


@dataclass(frozen=True)
class Delete:
    """`DELETE FROM`, and `TRUNCATE TABLE`."""

    target: Target
    condition: Statement | None


@dataclass(frozen=True)
class Update:
    """`UPDATE`."""

    target: Target
    settings: Settings
    condition: Statement | None


@dataclass(frozen=True)
class Clause:
    """`WHEN ... THEN`.

    Args:
        rows: The rows that it is for.
        condition: Which of them; `None` is all.
        action: What is done to them.
        settings: Columns and their values; `None` is `*`.
    """

    rows: ClauseRows
    condition: Statement | None
    action: Literal["delete", "update", "insert"]
    settings: Settings | None = ()


@dataclass(frozen=True)
class Merge:
    """`MERGE INTO`."""

    target: Target
    source: str
    """What follows USING."""
    source_alias: str | None
    condition: Statement
    clauses: tuple[Clause, ...]
    evolves: bool = False
    """Whether the table gets columns of the source: `WITH SCHEMA EVOLUTION`."""


@dataclass(frozen=True)
class Insert:
    """`INSERT INTO` and `INSERT OVERWRITE`.

    Args:
        target: The table.
        query: The query.
        overwrites: Whether rows are replaced.
        columns: The columns that are given; `None` is all.
        by_name: Whether columns of the query are found by their names.
        partition: The columns of PARTITION, with a value, or `None`.
        replaced: The condition of REPLACE WHERE.
        evolves: Whether the table gets columns of the query: `WITH SCHEMA EVOLUTION`.
    """

    target: Target
    query: Statement
    overwrites: bool = False
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    partition: tuple[tuple[str, Statement | None], ...] = field(default=())
    replaced: Statement | None = None
    evolves: bool = False


Change: TypeAlias = Delete | Update | Merge | Insert


@dataclass(frozen=True)
class Definitions:
    """The common table expressions before a change: `WITH one AS (..), two AS (..)`.

    Args:
        text: As written.
        names: Their names, in lower case. Other words may be among them.
    """

    text: str = ""
    names: frozenset[str] = frozenset()


def read_definitions(words: TokenReader) -> Definitions:
    """What stands before a change. Without WITH, and in a query, there is nothing, and no word is read."""
    depth, at = 0, 0
    while words.next() == "WITH" and not words.is_end(at):
        sign = words.next(at)
        depth += (sign == "(") - (sign == ")")
        at += 1
        if depth == 0 and sign == ")" and words.next(at) not in _OF_DEFINITIONS:
            break
    if words.next() != "WITH" or words.next(at) not in CHANGES:
        return Definitions()
    piece = words.part(at)
    return Definitions(piece.text, frozenset(each.text.lower() for each in _outer(piece)))


def _outer(piece: Statement) -> Iterator[Token]:
    """The names outside of brackets."""
    depth = 0
    for each in piece.tokens:
        depth += (each.upper == "(") - (each.upper == ")")
        if depth == 0 and each.is_name and each.upper not in {"WITH", "RECURSIVE", "AS"}:
            yield each


def read_change(words: TokenReader) -> Change:
    """The parts of a statement that changes rows.

    Raises:
        UnsupportedError: A word is not understood.
    """
    if words.take("DELETE"):
        words.expect("FROM")
        target = _target(words)
        condition = _where(words)
        return Delete(target, condition)
    if words.take("TRUNCATE"):
        words.expect("TABLE")
        target = _named(words)
        words.end()
        return Delete(target, None)
    if words.take("UPDATE"):
        target = _target(words, "SET")
        words.expect("SET")
        settings = _settings(words, "WHERE")
        return Update(target, settings, _where(words))
    if words.take("MERGE"):
        evolves = words.take("WITH", "SCHEMA", "EVOLUTION")
        words.expect("INTO")
        return replace(_merge(words), evolves=evolves)
    words.expect("INSERT")
    return _insert(words)


def _named(words: TokenReader) -> Target:
    parts = words.name_words()
    return Target(tuple(each.text for each in parts), quoted(*(each.text for each in parts)))


def _target(words: TokenReader, *stops: str) -> Target:
    """A table, and another name for it."""
    target = _named(words)
    given = words.take("AS")
    if given or not (words.is_at_end or words.next() in {"WHERE", "USING", *stops}):
        return Target(target.parts, target.text, words.one_name())
    return target


def _where(words: TokenReader) -> Statement | None:
    if words.take("WHERE"):
        condition = words.until(";")
        words.end()
        return condition
    words.end()
    return None


def _settings(words: TokenReader, *stops: str) -> Settings:
    def setting(words: TokenReader) -> tuple[tuple[str, ...], Statement]:
        name = words.name()
        if not words.take("="):
            words.expect("==")
        return name, words.until(",", *stops)

    return tuple(words.listed(setting))


def _merge(words: TokenReader) -> Merge:
    target = _target(words)
    words.expect("USING")
    source = words.until("ON")
    alias = _source_alias(source)
    words.expect("ON")
    condition = words.until("WHEN")
    clauses = []
    while words.take("WHEN"):
        clauses.append(_clause(words))
    words.end()
    if not clauses:
        words.unexpected("WHEN")
    return Merge(target, source.text, alias, condition, tuple(clauses))


def _source_alias(piece: Statement) -> str | None:
    """What the columns of a source are qualified with.

    Raises:
        UnsupportedError: The source is neither a name nor stands in brackets.
    """
    words = list(piece.tokens)
    name: str | None = None
    if words[0].upper == "(":
        del words[: (closing(words, 0) or len(words)) + 1]
    else:
        name = words.pop(0).text
        while len(words) > 1 and words[0].upper == ".":
            name = words[1].text
            del words[:2]
    if words and words[-1].upper == ")":
        # The names of columns follow the alias.
        opening = max(at for at, each in enumerate(words) if each.upper == "(")
        del words[opening:]
    if not words:
        return name
    if words[-1].is_name and (len(words) == 1 or words[-2].upper == "AS"):
        return words[-1].text
    if name is not None and words[0].upper in {"VERSION", "TIMESTAMP", "FOR"}:
        # Time travel, with an alias after it or without.
        has_alias = words[-2].upper not in {"OF", "AS", "+", "-", "INTERVAL"} and words[-1].is_name
        return words[-1].text if has_alias and not words[-1].upper.isdigit() else name
    raise UnsupportedError(
        f"MERGE: USING {piece.text}: expected a table or a query in brackets, and a name for it"
    )


def _clause(words: TokenReader) -> Clause:
    rows: ClauseRows = "matched"
    if words.take("NOT"):
        rows = "not matched"
    words.expect("MATCHED")
    if words.take("BY"):
        if rows == "matched":
            words.unexpected("THEN")
        if words.take("SOURCE"):
            rows = "not matched by source"
        else:
            words.expect("TARGET")
    condition = words.until("THEN") if words.take("AND") else None
    words.expect("THEN")
    if rows == "not matched":
        return _insert_clause(words, condition)
    if words.take("DELETE"):
        return Clause(rows, condition, "delete")
    words.expect("UPDATE", "SET")
    if words.take("*"):
        if rows != "matched":
            raise UnsupportedError("MERGE: UPDATE SET * needs a row of the source: name the columns")
        return Clause(rows, condition, "update", None)
    return Clause(rows, condition, "update", _settings(words, "WHEN"))


def _insert_clause(words: TokenReader, condition: Statement | None) -> Clause:
    words.expect("INSERT")
    if words.take("*"):
        return Clause("not matched", condition, "insert", None)
    columns = words.inside().all_listed(TokenReader.name)
    words.expect("VALUES")
    values = words.inside().all_listed(lambda inside: inside.until(","))
    if len(columns) != len(values):
        raise UnsupportedError(f"MERGE: INSERT has {len(columns)} columns and {len(values)} values")
    return Clause("not matched", condition, "insert", tuple(zip(columns, values, strict=True)))


def _insert(words: TokenReader) -> Insert:
    evolves = words.take("WITH", "SCHEMA", "EVOLUTION")
    overwrites = words.take("OVERWRITE")
    if not overwrites:
        words.expect("INTO")
    words.take("TABLE")
    target = _named(words)
    partition, replaced, columns, by_name = list[tuple[str, "Statement | None"]](), None, None, False
    if words.take("PARTITION"):
        partition = words.inside().all_listed(_partition)
    if words.follows("BY", "NAME"):
        by_name = words.take("BY", "NAME")
    elif words.follows("(") and words.next(1) not in {"SELECT", "WITH", "VALUES", "FROM", "TABLE", "("}:
        columns = tuple(words.inside().all_listed(TokenReader.one_name))
    if not overwrites and words.take("REPLACE", "WHERE"):
        replaced = words.until("SELECT", "WITH", "VALUES", "TABLE", "FROM")
    return Insert(
        target,
        words.rest(),
        overwrites=overwrites,
        columns=columns,
        by_name=by_name,
        partition=tuple(partition),
        replaced=replaced,
        evolves=evolves,
    )


def _partition(inside: TokenReader) -> tuple[str, Statement | None]:
    name = inside.one_name()
    return name, inside.until(",") if inside.take("=") else None
