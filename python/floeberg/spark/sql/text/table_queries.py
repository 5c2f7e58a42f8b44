"""Where is `TABLE name` a query, and what is it?

`TABLE name` means `SELECT * FROM name` wherever a query may stand: alone, after AS and between UNION and its like, in
brackets, after INSERT INTO. The parser does not know it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.spark.sql.text.edits import Edit

if TYPE_CHECKING:
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["selects"]

_BEFORE = frozenset({"AS", "UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS", ")"})
_BEFORE_BRACKETS = frozenset(
    [
        *(
            "FROM",
            "JOIN",
            "IN",
            "EXISTS",
            "AS",
            "USING",
            "UNION",
            "ALL",
            "DISTINCT",
            "EXCEPT",
            "INTERSECT",
            "MINUS",
        ),
        *("LATERAL", "WHERE", "AND", "OR", "NOT", "SELECT", "ON", "THEN", "ELSE", "WHEN"),
        *(",", "(", "=", "<", ">", "<=", ">=", "<>", "!=", "+", "-", "*", "/"),
    ]
)
_AFTER = frozenset(
    [
        *(")", ";", "|>", "UNION", "EXCEPT", "INTERSECT", "MINUS"),
        *("ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"),
    ]
)
_OF_TABLES = {"INSERT": ("INTO", "OVERWRITE"), "CACHE": ("CACHE", "LAZY")}
"""Statements that a query ends, and the words after which TABLE says that a table follows."""
_EXPLAINS = frozenset({"EXPLAIN", "EXTENDED", "FORMATTED", "COST", "CODEGEN", "LOGICAL"})


def selects(statement: Statement) -> list[Edit]:
    """What makes `SELECT * FROM name` of `TABLE name`, where that is a query."""
    return [
        Edit(token.start, token.end, "SELECT * FROM")
        for at, token in enumerate(statement.tokens)
        if token.upper == "TABLE" and _may_begin(statement, at) and _is_whole(statement, at)
    ]


def _may_begin(statement: Statement, at: int) -> bool:
    """Whether a query may begin at a token."""
    if at == 0:
        return True
    first, before = _word(statement, 0), _word(statement, at - 1)
    if before == "(":
        return at == 1 or _word(statement, at - 2) in _BEFORE_BRACKETS
    if before in _BEFORE:
        return True
    if first == "EXPLAIN" and before in _EXPLAINS:
        return True
    if before == "QUERY" and first in {"DESC", "DESCRIBE"}:
        return True
    words = {_word(statement, each) for each in range(at)}
    return any(word in words and before not in of_tables for word, of_tables in _OF_TABLES.items())


def _is_whole(statement: Statement, at: int) -> bool:
    """Whether a name follows, and after it what may follow a query."""
    end = at + 1
    if not _is_part(statement, end):
        return False
    while _word(statement, end + 1) == "." and _is_part(statement, end + 2):
        end += 2
    return end + 1 >= len(statement.tokens) or _word(statement, end + 1) in _AFTER


def _is_part(statement: Statement, at: int) -> bool:
    return at < len(statement.tokens) and statement.tokens[at].is_name


def _word(statement: Statement, at: int) -> str:
    """A token in upper case; empty after the last one, and for what is quoted."""
    return statement.tokens[at].upper if at < len(statement.tokens) else ""
