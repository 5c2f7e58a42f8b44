"""Which changes of rows does a statement say?

One, but for `FROM source INSERT INTO one SELECT .. INSERT INTO other SELECT ..`, which says an insert for each, whose
query has the source in its own FROM.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.text.grammar import read_change, read_definitions
from floeberg.spark.sql.text.statement import CHANGES, read_statement
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from floeberg.spark.sql.text.grammar import Change, Definitions
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["changes_of"]

_ENDS_LIST = (
    *(
        "WHERE",
        "GROUP",
        "HAVING",
        "WINDOW",
        "ORDER",
        "SORT",
        "CLUSTER",
        "DISTRIBUTE",
        "LIMIT",
        "OFFSET",
        "LATERAL",
    ),
    *("QUALIFY", "UNION", "EXCEPT", "INTERSECT", "MINUS"),
)
_SETS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})


def changes_of(statement: Statement) -> list[tuple[Definitions, Change]]:
    """The changes, each with the common table expressions before it; none for any other statement.

    Raises:
        UnsupportedError: A word is not understood.
    """
    found = []
    for each in _separate_inserts(statement) or [statement]:
        words = TokenReader.of(each)
        defined = read_definitions(words)
        if words.next() not in CHANGES:
            return []
        change = words.rest()
        if change.tokens[0].upper != "INSERT":
            # Names in backticks are names, but in select lists.
            change = replace(change, dialect=replace(change.dialect, patterns_in_backticks=False))
        found.append((defined, read_change(TokenReader.of(change))))
    return found


def _separate_inserts(statement: Statement) -> list[Statement]:
    """The inserts that a statement says; none where it does not begin with the FROM of inserts.

    Raises:
        UnsupportedError: Between the inserts stands something else, or a query that is put together of others.
    """
    words = TokenReader.of(statement)
    begins = words.place
    if words.follows("WITH"):
        _skip_definitions(words)
    text = statement.source
    defined = text[begins : words.place]
    if not words.take("FROM") or words.is_at_end:
        return []
    source = words.until("INSERT", "SELECT")
    if not words.follows("INSERT"):
        return []
    found = []
    while words.follows("INSERT"):
        at = words.place
        words.take("INSERT")
        words.until("SELECT")
        target = text[at : words.place]
        words.expect("SELECT")
        listed = words.until(*_ENDS_LIST, "INSERT")
        rest = ""
        if not words.is_at_end and not words.follows("INSERT"):
            piece = words.until("INSERT")
            if any(word.upper in _SETS for word in piece.tokens):
                raise UnsupportedError(
                    "FROM .. INSERT: expected one SELECT for each INSERT, found several put together"
                )
            rest = piece.text
        each = f"{defined}{target}SELECT {listed.text} FROM {source.text} {rest}".rstrip()  # noqa: S608 - the user's own text
        read = read_statement(each)
        if read is None:
            raise UnsupportedError(f"FROM .. INSERT: {each} cannot be read")
        found.append(read)
    words.end()
    return found


def _skip_definitions(words: TokenReader) -> None:
    """Reads common table expressions."""
    words.take("WITH")
    words.take("RECURSIVE")
    while True:
        words.until("AS")
        words.take("AS")
        words.skip()
        if words.follows("MAX"):
            words.until(",", "FROM", "SELECT", "INSERT")
        if not words.take(","):
            return
