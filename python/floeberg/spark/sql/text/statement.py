"""What does a statement say, as tokens and as a tree?

In: the text. Out: its tokens with their places, its names, and the tree of a query or of an expression. The parser is
sqlglot's, with the grammar of Spark.

Invariant: the text itself is what Spark runs. Tokens and trees only tell where in it names stand. A text is read into
tokens once, and a part of it that is parsed is parsed once: parts of a statement are statements over the same tokens.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from floeberg.errors import NotInstalledError, UnsupportedError
from floeberg.spark.sql.text.dialect import Dialect, dialect
from floeberg.spark.sql.text.time_travel import TimeTravel, find_time_travel
from floeberg.spark.sql.text.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from floeberg.spark.sql.text.tokens import Token

__all__ = ["CHANGES", "Name", "Statement", "check_sqlglot", "read_statement"]

CHANGES = ("INSERT", "MERGE", "UPDATE", "DELETE", "TRUNCATE")
"""The words of statements that change rows."""
_BEGINS_QUERY = frozenset({"SELECT", "WITH", "FROM", "VALUES"})
_REPLACED = re.compile(r"\$\{[^}]*\}")
_SCRIPTS = frozenset({"BEGIN", "DECLARE", "RESET", "SET"})
"""What Spark runs, and EXPLAIN does not take."""


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
    """A statement, or a part of one: a query, a condition, a value.

    Args:
        source: The text that it stands in. All places are offsets in it.
        start: Where it begins.
        end: The offset after its last character.
        tokens: Its words, names, numbers, strings and signs.
        read: The same as the parser has them.
        dialect: How the text was read.
    """

    source: str
    start: int
    end: int
    tokens: Sequence[Token] = field(repr=False)
    read: Sequence[Any] = field(repr=False)
    dialect: Dialect = field(repr=False)

    def part(self, tokens: Sequence[Token]) -> Statement:
        """Tokens of it that stand together."""
        start, end = tokens[0].start, tokens[-1].end
        read = [each for each in self.read if start <= each.start < end]
        return replace(self, start=start, end=end, tokens=tokens, read=read)

    @property
    def text(self) -> str:
        """It as it is written."""
        return self.source[self.start : self.end]

    @property
    def word(self) -> str:
        """The word that says what the statement is."""
        if self.is_query:
            written = [token.upper for token in self.tokens]
            return next((word for word in CHANGES[:-1] if word in written), written[0])
        return self.tokens[0].text.upper() if self.tokens else ""

    @property
    def is_query(self) -> bool:
        """Whether it begins as a query does."""
        first = next((token.upper for token in self.tokens if token.upper != "("), "")
        return first in _BEGINS_QUERY

    @property
    def is_unheard_of(self) -> bool:
        """Whether its first word is not a keyword of SQL. Then it must be a mistake."""
        return bool(self.read) and self.read[0].token_type.name == "VAR" and self.word not in _SCRIPTS

    def is_word(self, word: str) -> bool:
        """Whether it is one keyword alone."""
        return [token.upper for token in self.tokens] == [word]

    @property
    def as_name(self) -> tuple[str, ...] | None:
        """The parts of the name that it is; `None` where it is something else."""
        parts, dots = self.tokens[::2], self.tokens[1::2]
        is_one = len(parts) > len(dots) and all(each.upper == "." for each in dots)
        return tuple(each.text for each in parts) if is_one and all(each.is_name for each in parts) else None

    @cached_property
    def names(self) -> tuple[Name, ...]:
        """All names of two parts or more, a star among them."""
        return tuple(_names(self.tokens))

    @cached_property
    def time_travel(self) -> dict[int, TimeTravel]:
        """The time travel of each name, by the offset at which the name ends."""
        return find_time_travel(self.source, self.tokens)

    @property
    def quoted_and_plain_names(self) -> Iterator[tuple[str, ...]]:
        """The names, and what may be a name in a text."""
        yield from (name.parts for name in self.names)
        yield from (tuple(token.text.split(".")) for token in self.tokens if "." in token.text)

    @cached_property
    def words(self) -> frozenset[str]:
        """All words of the statement, quoted or not, in lower case. A column can only be used by its name."""
        return frozenset(token.text.lower() for token in self.read)

    @cached_property
    def hides_columns(self) -> bool:
        """Whether Spark may read columns into it that the tokens do not show."""
        # `|` is also the sign of numbers that are put together bit by bit.
        return bool(self._signs & {"|>", "|", "identifier"}) or "${" in self.text or self.has_patterns

    @cached_property
    def has_patterns(self) -> bool:
        """Whether a name in it may be a pattern, which means all columns that match."""
        return self.dialect.patterns_in_backticks and any(
            token.is_name and not token.upper and not token.text.isidentifier() for token in self.tokens
        )

    @cached_property
    def is_opaque(self) -> bool:
        """Whether Spark may read columns or conditions into it that the tree does not show."""
        # `!a = b` is NOT (a = b) for Spark.
        return self.hides_columns or "!" in self._signs

    @cached_property
    def _signs(self) -> frozenset[str]:
        return frozenset(token.text.lower() for token in self.tokens if token.upper)

    @cached_property
    def plain_strings(self) -> frozenset[str]:
        """The string literals that mean exactly what stands between their quotes, wherever they stand."""
        plain, other = set[str](), set[str]()
        for before, token in zip((None, *self.tokens[:-1]), self.tokens, strict=True):
            written = self.source[token.start : token.end]
            beside = before is not None and not before.upper and before.end == token.start
            if token.is_string or written[-1] in "'\"":
                pure = written == f"'{token.text}'" and "\\" not in written and not beside
                (plain if pure else other).add(token.text)
        return frozenset(plain - other)

    @cached_property
    def trees(self) -> tuple[list[Any], str]:
        """A tree for each of its queries, `[]` where the parser does not understand one; and near which words."""
        return self._parsed(lambda parser: parser.parse)

    @property
    def tree(self) -> Any:  # noqa: ANN401 - sqlglot publishes few types
        """The tree of the only query; `None` where there are several, or the parser does not understand it."""
        trees, _ = self.trees
        return trees[0] if len(trees) == 1 else None

    @cached_property
    def expression(self) -> Any:  # noqa: ANN401 - the same
        """The tree of a condition or of a value; `None` where the parser does not understand it."""
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        def parse(parser: Any) -> Callable[..., list[Any]]:  # noqa: ANN401 - the same
            return lambda tokens, source: parser.parse_into(exp.Condition, tokens, source)

        trees, _ = self._parsed(parse)
        return trees[0] if len(trees) == 1 else None

    def _parsed(self, parse: Callable[[Any], Callable[..., list[Any]]]) -> tuple[list[Any], str]:
        from sqlglot.errors import SqlglotError  # noqa: PLC0415 - the same

        spark = _parser(names_in_double_quotes=self.dialect.names_in_double_quotes)()
        try:
            trees = parse(spark.parser())(self._parsed_tokens(), self.source)
        except (SqlglotError, RecursionError) as error:
            found = getattr(error, "errors", None) or [{}]
            near = found[0].get("highlight")
            return [], f" near {near!r}" if near else ""
        return [tree for tree in trees if tree is not None], ""

    def _parsed_tokens(self) -> list[Any]:
        """What the parser is given: no time travel, and words instead of what Spark replaces. Places stay."""
        read = self.read
        if "${" in self.text:
            known = _REPLACED.sub(lambda found: "v".ljust(len(found[0]), "_"), self.source)
            read = [each for each in _tokenized(known, self.dialect) if self.start <= each.start < self.end]
        gone = [(each.start, each.end) for each in self.time_travel.values()]
        return [each for each in read if not any(start <= each.start < end for start, end in gone)]


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

    read_in = dialect()
    if read_in.names_in_double_quotes and '\\"' in text:
        raise UnsupportedError(
            'with spark.sql.ansi.doubleQuotedIdentifiers, names with \\" in them are not read: write them in backticks'
        )
    try:
        read = _tokenized(text, read_in)
    except SqlglotError:
        return None
    return Statement(text, 0, len(text), tuple(tokens_of(text, read, read_in)), read, read_in)


def _tokenized(text: str, read_in: Dialect) -> list[Any]:
    spark = _parser(names_in_double_quotes=read_in.names_in_double_quotes)

    class Words(spark.Tokenizer):  # type: ignore[misc, name-defined] # sqlglot publishes few types
        # What follows a command would be one token otherwise.
        COMMANDS: ClassVar[set[Any]] = set()

    found: list[Any] = Words(dialect=spark()).tokenize(text)
    return found


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


def _names(tokens: Sequence[Token]) -> Iterator[Name]:
    at = 0
    while at < len(tokens):
        end = at
        while end + 2 < len(tokens) and _joins(tokens[end : end + 3]):
            end += 2
        after = [token.upper for token in tokens[end + 1 : end + 3]]
        star = tokens[at].is_name and after == [".", "*"]
        if end > at or star:
            parts = tokens[at : end + 1 : 2]
            yield Name(
                tuple(part.text for part in parts),
                tuple(part.start for part in parts),
                tuple(part.end for part in parts),
                star,
            )
        at = end + 1


def _joins(tokens: Sequence[Token]) -> bool:
    first, dot, last = tokens
    return first.is_name and dot.upper == "." and last.is_name
