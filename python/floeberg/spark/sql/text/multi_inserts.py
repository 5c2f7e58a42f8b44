"""Which inserts does `FROM source INSERT INTO one SELECT .. INSERT INTO other SELECT ..` say?

In: its words. Out: one insert for each, whose query has the source in its own FROM.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.text.grammar import read_definitions
from floeberg.spark.sql.text.statement import read_statement
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["is_change", "separate_inserts"]

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
_CHANGES = frozenset({"INSERT", "DELETE", "UPDATE", "MERGE", "TRUNCATE"})
_SETS = frozenset({"UNION", "EXCEPT", "INTERSECT", "MINUS"})


def separate_inserts(statement: Statement) -> list[Statement]:
    """The inserts that a statement says; none where it does not begin with the FROM of inserts.

    Raises:
        UnsupportedError: Between the inserts stands something else, or a query that is put together of others.
    """
    words = TokenReader.of(statement)
    begins = words.place
    if words.follows("WITH"):
        _skip_definitions(words)
    text = statement.text
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
            if any(word.upper in _SETS for word in piece.words):
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


def is_change(statement: Statement) -> bool:
    """Whether a statement changes rows. One that does may begin as a query does."""
    words = TokenReader.of(statement)
    read_definitions(words)
    return words.next() in _CHANGES or bool(separate_inserts(statement))


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
