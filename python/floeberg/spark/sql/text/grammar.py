"""What does a statement that changes rows ask for?

In: the words of a statement. Out: its parts: the target, the source, clauses. Conditions, values and queries stay the
text that the user wrote, which Spark reads.

Invariant: a word that is not understood is an error that shows it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from floeberg.errors import UnsupportedError
from floeberg.spark.session.names import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from floeberg.spark.sql.text.token_reader import Span, Token, TokenReader

__all__ = [
    "Clause",
    "Definitions",
    "Delete",
    "Insert",
    "Merge",
    "Target",
    "Update",
    "read_change",
    "read_definitions",
]

_CHANGES = ("INSERT", "DELETE", "UPDATE", "MERGE")
_OF_DEFINITIONS = ("AS", ",", "MAX")
"""What stands behind a bracket where WITH still defines: `WITH a(x) AS (..), b(y) MAX RECURSION LEVEL 9 AS (..)`."""

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
    condition: str | None


@dataclass(frozen=True)
class Update:
    """`UPDATE`."""

    target: Target
    settings: tuple[tuple[tuple[str, ...], str], ...]
    """Names of columns, and the texts of their values."""
    condition: str | None


@dataclass(frozen=True)
class Clause:
    """`WHEN ... THEN`.

    Args:
        rows: The rows that it is for.
        condition: Which of them, as text; `None` is all.
        action: What is done to them.
        settings: Columns and their values; `None` is `*`.
    """

    rows: ClauseRows
    condition: str | None
    action: Literal["delete", "update", "insert"]
    settings: tuple[tuple[tuple[str, ...], str], ...] | None = ()


@dataclass(frozen=True)
class Merge:
    """`MERGE INTO`."""

    target: Target
    source: str
    """What follows USING."""
    source_alias: str | None
    source_name: tuple[str, ...] | None
    condition: str
    clauses: tuple[Clause, ...]
    evolves: bool = False
    """Whether the table gets columns of the source: `WITH SCHEMA EVOLUTION`."""


@dataclass(frozen=True)
class Insert:
    """`INSERT INTO` and `INSERT OVERWRITE`.

    Args:
        target: The table.
        query: The text of the query, with what stands before INSERT.
        overwrites: Whether rows are replaced.
        columns: The columns that are given; `None` is all.
        by_name: Whether columns of the query are found by their names.
        partition: The columns of PARTITION, with the text of a value, or `None`.
        replaced: The condition of REPLACE WHERE.
        evolves: Whether the table gets columns of the query: `WITH SCHEMA EVOLUTION`.
    """

    target: Target
    query: str
    overwrites: bool = False
    columns: tuple[str, ...] | None = None
    by_name: bool = False
    partition: tuple[tuple[str, str | None], ...] = field(default=())
    replaced: str | None = None
    evolves: bool = False


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
    if words.next() != "WITH" or words.next(at) not in _CHANGES:
        return Definitions()
    piece = words.span(at)
    return Definitions(piece.text, frozenset(each.text.lower() for each in _outer(piece)))


def _outer(piece: Span) -> Iterator[Token]:
    """The names outside of brackets."""
    depth = 0
    for each in piece.words:
        depth += (each.upper == "(") - (each.upper == ")")
        if depth == 0 and each.is_name and each.upper not in {"WITH", "RECURSIVE", "AS"}:
            yield each


def read_change(words: TokenReader) -> Delete | Update | Merge | Insert | None:
    """The parts of a statement that changes rows; `None` for any other statement.

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
    if words.take("INSERT"):
        return _insert(words)
    return None


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


def _where(words: TokenReader) -> str | None:
    if words.take("WHERE"):
        condition = words.until(";").text
        words.end()
        return condition
    words.end()
    return None


def _settings(words: TokenReader, *stops: str) -> tuple[tuple[tuple[str, ...], str], ...]:
    found = []
    while True:
        name = words.name()
        if not words.take("="):
            words.expect("==")
        found.append((name, words.until(",", *stops).text))
        if not words.take(","):
            return tuple(found)


def _merge(words: TokenReader) -> Merge:
    target = _target(words)
    words.expect("USING")
    source = words.until("ON")
    name, alias = _source(source)
    words.expect("ON")
    condition = words.until("WHEN").text
    clauses = []
    while words.take("WHEN"):
        clauses.append(_clause(words))
    words.end()
    if not clauses:
        words.unexpected("WHEN")
    return Merge(target, source.text, alias, name, condition, tuple(clauses))


def _source(piece: Span) -> tuple[tuple[str, ...] | None, str | None]:
    """The name of a source, if it has one, and what its columns are qualified with.

    Raises:
        UnsupportedError: The source is neither a name nor stands in brackets.
    """
    words = list(piece.words)
    name: tuple[str, ...] | None = None
    if words[0].upper == "(":
        del words[: _closing(words) + 1]
    else:
        parts = [words.pop(0).text]
        while len(words) > 1 and words[0].upper == ".":
            parts.append(words[1].text)
            del words[:2]
        name = tuple(parts)
    if words and words[-1].upper == ")":
        # The names of columns follow the alias.
        opening = max(at for at, each in enumerate(words) if each.upper == "(")
        del words[opening:]
    if not words:
        return name, None if name is None else name[-1]
    if words[-1].is_name and (len(words) == 1 or words[-2].upper == "AS"):
        return name, words[-1].text
    if name is not None and words[0].upper in {"VERSION", "TIMESTAMP", "FOR"}:
        # Time travel, with an alias after it or without.
        has_alias = words[-2].upper not in {"OF", "AS", "+", "-", "INTERVAL"} and words[-1].is_name
        return name, words[-1].text if has_alias and not words[-1].upper.isdigit() else name[-1]
    raise UnsupportedError(
        f"MERGE: USING {piece.text}: expected a table or a query in brackets, and a name for it"
    )


def _closing(words: list[Token]) -> int:
    depth = 0
    for at, word in enumerate(words):
        depth += {"(": 1, ")": -1}.get(word.upper, 0)
        if depth == 0:
            return at
    return len(words) - 1


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
    condition = words.until("THEN").text if words.take("AND") else None
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


def _insert_clause(words: TokenReader, condition: str | None) -> Clause:
    words.expect("INSERT")
    if words.take("*"):
        return Clause("not matched", condition, "insert", None)
    columns, inside = list[tuple[str, ...]](), words.inside()
    while True:
        columns.append(inside.name())
        if not inside.take(","):
            break
    inside.end()
    words.expect("VALUES")
    values, inside = list[str](), words.inside()
    while True:
        values.append(inside.until(",").text)
        if not inside.take(","):
            break
    inside.end()
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
    partition: tuple[tuple[str, str | None], ...] = ()
    replaced, columns, by_name = None, None, False
    if words.take("PARTITION"):
        partition = _partition(words.inside())
    if words.follows("BY", "NAME"):
        by_name = words.take("BY", "NAME")
    elif words.follows("(") and words.next(1) not in {"SELECT", "WITH", "VALUES", "FROM", "TABLE", "("}:
        columns = _columns(words.inside())
    if not overwrites and words.take("REPLACE", "WHERE"):
        replaced = words.until("SELECT", "WITH", "VALUES", "TABLE", "FROM").text
    return Insert(
        target,
        words.rest().text,
        overwrites=overwrites,
        columns=columns,
        by_name=by_name,
        partition=partition,
        replaced=replaced,
        evolves=evolves,
    )


def _columns(inside: TokenReader) -> tuple[str, ...]:
    found = [inside.one_name()]
    while inside.take(","):
        found.append(inside.one_name())
    inside.end()
    return tuple(found)


def _partition(inside: TokenReader) -> tuple[tuple[str, str | None], ...]:
    found: list[tuple[str, str | None]] = []
    while True:
        name = inside.one_name()
        value = inside.until(",").text if inside.take("=") else None
        found.append((name, value))
        if not inside.take(","):
            inside.end()
            return tuple(found)
