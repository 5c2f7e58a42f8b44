"""What does a statement say, as tokens and as a tree?

In: the text. Out: its tokens with their places, its names, and the tree of a query. The parser is sqlglot's, with the
grammar of Spark.

Invariant: the text itself is what Spark runs. Tokens and tree only tell where in it names stand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from floeberg.errors import NotInstalledError, UnsupportedError
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.time_travel import TimeTravel, find_time_travel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.spark.sql.text.dialect import Dialect

__all__ = ["Name", "Statement", "check_sqlglot", "closing_token", "parse_query", "read_statement"]

_BEGINS_QUERY = frozenset({"SELECT", "WITH", "FROM", "VALUES"})
_REPLACED = re.compile(r"\$\{[^}]*\}")
_SCRIPTS = frozenset({"BEGIN", "DECLARE", "RESET", "SET"})
"""What Spark runs, and EXPLAIN does not take."""
_CHANGES = ("INSERT", "MERGE", "UPDATE", "DELETE")


@dataclass(frozen=True)
class Name:
    """A name of one or more parts with dots between."""

    parts: tuple[str, ...]
    starts: tuple[int, ...]
    """Where each part begins in the text."""
    ends: tuple[int, ...]
    """Where each part ends: the offset after its last character."""
    has_star: bool
    """Whether a star follows, which then is no part."""


@dataclass(frozen=True)
class Statement:
    """A statement, read as far as tokens go."""

    text: str
    tokens: Sequence[Any]
    names: tuple[Name, ...]
    time_travel: dict[int, TimeTravel] = field(repr=False)
    """The time travel of each name, by the offset at which the name ends."""
    dialect: Dialect = field(default_factory=dialect)

    @property
    def word(self) -> str:
        """The word that says what the statement is."""
        if self.is_query:
            written = [token.text.upper() for token in self.tokens]
            return next((word for word in _CHANGES if word in written), written[0])
        return self.tokens[0].text.upper() if self.tokens else ""

    @property
    def is_query(self) -> bool:
        """Whether it begins as a query does."""
        first = next((token.text.upper() for token in self.tokens if token.text != "("), "")
        return first in _BEGINS_QUERY

    @property
    def is_unheard_of(self) -> bool:
        """Whether its first word is not a keyword of SQL. Then it must be a mistake."""
        return bool(self.tokens) and self.tokens[0].token_type.name == "VAR" and self.word not in _SCRIPTS

    @property
    def quoted_and_plain_names(self) -> Iterator[tuple[str, ...]]:
        """The names, and what may be a name in a text."""
        yield from (name.parts for name in self.names)
        yield from (tuple(token.text.split(".")) for token in self.tokens if "." in token.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the statement, quoted or not, in lower case. A column can only be used by its name."""
        return frozenset(token.text.lower() for token in self.tokens)

    @cached_property
    def hides_columns(self) -> bool:
        """Whether Spark may read columns into it that the tokens do not show."""
        # `|` is also the sign of numbers that are put together bit by bit.
        return bool(self._signs & {"|>", "|", "identifier"}) or "${" in self.text or self.has_patterns

    @cached_property
    def has_patterns(self) -> bool:
        """Whether a name in it may be a pattern, which means all columns that match."""
        return self.dialect.patterns_in_backticks and any(
            self.text[token.start] in self.dialect.name_quotes and not token.text.isidentifier()
            for token in self.tokens
        )

    @cached_property
    def is_opaque(self) -> bool:
        """Whether Spark may read columns or conditions into it that the tree does not show."""
        # `!a = b` is NOT (a = b) for Spark.
        return self.hides_columns or "!" in self._signs

    @cached_property
    def _signs(self) -> frozenset[str]:
        return frozenset(token.text.lower() for token in self.tokens if self.text[token.start] not in "'\"`")

    def is_string(self, place: int) -> bool:
        """Whether a string begins at an offset of the text."""
        return self.text[place] in self.dialect.string_quotes

    @cached_property
    def plain_strings(self) -> frozenset[str]:
        """The string literals that mean exactly what stands between their quotes, wherever they stand."""
        plain, other = set[str](), set[str]()
        for before, token in zip((None, *self.tokens[:-1]), self.tokens, strict=True):
            written = self.text[token.start : token.end + 1]
            beside = before is not None and self.text[before.start] in "'\"" and before.end + 1 == token.start
            if written[0] in self.dialect.string_quotes or written[-1] in "'\"":
                pure = written == f"'{token.text}'" and "\\" not in written and not beside
                (plain if pure else other).add(token.text)
        return frozenset(plain - other)

    @cached_property
    def parsed_text(self) -> str:
        """The text with blanks instead of time travel, and with words instead of what Spark replaces. Places stay."""
        text = _REPLACED.sub(lambda found: "v".ljust(len(found[0]), "_"), self.text)
        for travel in self.time_travel.values():
            text = text[: travel.start] + " " * (travel.end - travel.start) + text[travel.end :]
        return text


def check_sqlglot() -> None:
    """Checks that the parser is installed.

    Raises:
        NotInstalledError: It is not.
    """
    try:
        import sqlglot  # noqa: F401, PLC0415 - importing floeberg.spark imports nothing large
    except ImportError as error:
        raise NotInstalledError("sqlglot is not installed: pip install 'floeberg[spark]'") from error


def read_statement(text: str) -> Statement | None:
    """Reads a statement into tokens; `None` where that fails: it is for Spark to say why."""
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - the same

    has_names = dialect().names_in_double_quotes
    if has_names and '\\"' in text:
        raise UnsupportedError(
            'with spark.sql.ansi.doubleQuotedIdentifiers, names with \\" in them are not read: write them in backticks'
        )
    spark = _parser(names_in_double_quotes=has_names)

    class Words(spark.Tokenizer):  # type: ignore[misc, name-defined] # sqlglot publishes few types
        # What follows a command would be one token otherwise.
        COMMANDS: ClassVar[set[Any]] = set()

    try:
        # Some tokens are made of others, as the suffix of `1L`: they have the same place.
        tokens = Words(dialect=spark()).tokenize(text)
    except SqlglotError:
        return None
    return Statement(text, tokens, _names(tokens, text), find_time_travel(text, tokens))


def parse_query(statement: Statement) -> tuple[list[Any], str]:
    """The trees of its queries, or why it cannot be parsed.

    Returns:
        A tree for each query, `[]` where the parser does not understand one; and its message.
    """
    import sqlglot  # noqa: PLC0415 - the same
    from sqlglot.errors import SqlglotError  # noqa: PLC0415

    try:
        read = _parser(names_in_double_quotes=statement.dialect.names_in_double_quotes)
        trees = sqlglot.parse(statement.parsed_text, read=read)
    except (SqlglotError, RecursionError) as error:
        found = getattr(error, "errors", None) or [{}]
        near = found[0].get("highlight")
        return [], f" near {near!r}" if near else ""
    return [tree for tree in trees if tree is not None], ""


@cache
def _parser(*, names_in_double_quotes: bool) -> Any:  # noqa: ANN401 - a class of sqlglot
    """Spark's grammar, with or without names in double quotes."""
    from sqlglot.dialects import Spark  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    if not names_in_double_quotes:
        return Spark

    class Quoted(Spark):  # type: ignore[misc] # sqlglot publishes few types
        class Tokenizer(Spark.Tokenizer):  # type: ignore[misc] # the same
            QUOTES: ClassVar[list[str]] = ["'"]
            IDENTIFIERS: ClassVar[list[str]] = ["`", '"']

    return Quoted


def closing_token(tokens: Sequence[Any], at: int) -> int | None:
    """The bracket that closes the one at a token; `None` where there is none."""
    depth = 0
    for place in range(at, len(tokens)):
        # A string may have the text of a bracket.
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(tokens[place].token_type.name, 0)
        if depth == 0:
            return place
    return None


def _names(tokens: Sequence[Any], text: str) -> tuple[Name, ...]:
    """All names of two parts or more, a star among them."""
    found: list[Name] = []
    at = 0
    while at < len(tokens):
        end = at
        while (
            _is_part(tokens[end], text)
            and end + 2 < len(tokens)
            and tokens[end + 1].text == "."
            and _is_part(tokens[end + 2], text)
        ):
            end += 2
        star = _is_part(tokens[at], text) and [token.text for token in tokens[end + 1 : end + 3]] == [
            ".",
            "*",
        ]
        if end > at or star:
            parts = tokens[at : end + 1 : 2]
            found.append(
                Name(
                    tuple(part.text for part in parts),
                    tuple(part.start for part in parts),
                    tuple(part.end + 1 for part in parts),
                    star,
                )
            )
        at = end + 1
    return tuple(found)


def _is_part(token: Any, text: str) -> bool:  # noqa: ANN401 - sqlglot publishes few types
    first = text[token.start]
    return first in dialect().name_quotes or first == "_" or first.isalnum()
