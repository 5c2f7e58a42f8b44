"""Which words, names, numbers and pieces of text does a statement consist of, from left to right?

In: the tokens of a statement. Out: what the grammar asks for, or an error that shows the word that was found instead.

Invariant: a piece is a part of the statement as it is written. Where it ends is found by brackets and by CASE ... END
alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NoReturn, TypeVar

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.text.tokens import closing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from floeberg.spark.sql.text.statement import Statement
    from floeberg.spark.sql.text.tokens import Token

__all__ = ["TokenReader"]

T = TypeVar("T")

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


class TokenReader:
    """The words of a statement, read from left to right.

    Args:
        statement: The statement.
        words: Those of its tokens that are read.
        what: What is read, for errors.
    """

    def __init__(self, statement: Statement, words: Sequence[Token], what: str) -> None:
        self._statement = statement
        self._words = words
        self._at = 0
        self._what = what

    @classmethod
    def of(cls, statement: Statement, first: int = 0) -> TokenReader:
        """The words of a statement from one on, without a semicolon at its end."""
        words = list(statement.tokens[first:])
        while words and words[-1].upper == ";":
            words.pop()
        return cls(statement, words, words[0].text.upper() if words else "")

    @property
    def is_at_end(self) -> bool:
        """Whether all words are read."""
        return self._at >= len(self._words)

    def is_end(self, ahead: int) -> bool:
        """Whether there are no more words than these to read."""
        return self._at + ahead >= len(self._words)

    def next(self, ahead: int = 0) -> str:
        """A word in upper case, which stays to be read; empty at the end and for what is quoted."""
        at = self._at + ahead
        return self._words[at].upper if at < len(self._words) else ""

    def follows(self, *words: str) -> bool:
        """Whether these words come next."""
        return all(self.next(ahead) == word for ahead, word in enumerate(words))

    def take(self, *words: str) -> bool:
        """Reads words if they come next."""
        there = self.follows(*words)
        self._at += len(words) if there else 0
        return there

    def take_one(self, *words: str) -> str:
        """Reads one of some words; empty where none comes next."""
        return next((each for each in words if self.take(each)), "")

    def expect(self, *words: str) -> None:
        """Reads words.

        Raises:
            UnsupportedError: Others come next.
        """
        for word in words:
            if not self.take(word):
                self.unexpected(word)

    def end(self) -> None:
        """Checks that nothing follows.

        Raises:
            UnsupportedError: Something does.
        """
        if not self.is_at_end:
            self.unexpected("the end of the statement")

    def unexpected(self, expected: str) -> NoReturn:
        """Raises an error that shows the next word."""
        found = "the end" if self.is_at_end else repr(self._words[self._at].text)
        raise UnsupportedError(f"{self._what}: expected {expected}, found {found}")

    def take_word(self) -> Token:
        """Reads one word, whatever it is."""
        if self.is_at_end:
            self.unexpected("more words")
        self._at += 1
        return self._words[self._at - 1]

    def name(self) -> tuple[str, ...]:
        """Reads a name of one or more parts with dots between."""
        return tuple(each.text for each in self.name_words())

    def name_words(self) -> list[Token]:
        """Reads a name, as words."""
        parts: list[Token] = []
        while True:
            if not self.is_name:
                self.unexpected("a name")
            parts.append(self.take_word())
            if not self.take("."):
                return parts

    def one_name(self) -> str:
        """Reads a name of one part."""
        parts = self.name()
        if len(parts) > 1:
            raise UnsupportedError(f"{self._what}: expected a name of one part, found {'.'.join(parts)!r}")
        return parts[0]

    def string(self) -> str:
        """Reads a string without escapes."""
        if not self.is_string():
            self.unexpected("a string")
        word = self.take_word()
        written = self._statement.source[word.start : word.end]
        if "\\" in written or written[0] in written[1:-1] or "${" in written:
            raise UnsupportedError(
                f"{self._what}: {written}: write the string without backslashes, quotes and ${{..}}"
            )
        return written[1:-1]

    @property
    def is_name(self) -> bool:
        """Whether a name may come next."""
        return not self.is_at_end and self._words[self._at].is_name

    def is_string(self, ahead: int = 0) -> bool:
        """Whether a string comes next, or after some words."""
        return not self.is_end(ahead) and self._words[self._at + ahead].is_string

    def integer(self) -> int:
        """Reads a whole number."""
        if not re.fullmatch(r"[0-9]{1,19}L?", self.next()):
            self.unexpected("a whole number")
        return int(self.take_word().text.rstrip("lL"))

    def until(self, *stops: str) -> Statement:
        """Reads up to one of some words, outside of brackets and of CASE, or to the end.

        Raises:
            UnsupportedError: Nothing stands before the word.
        """
        first, depth, cases = self._at, 0, 0
        while not self.is_at_end:
            upper = self.next()
            if depth == 0 and cases == 0 and upper in stops:
                break
            if upper in _OPEN:
                depth += 1
            elif upper in _CLOSE:
                if depth == 0:
                    break
                depth -= 1
            elif upper == "CASE":
                cases += 1
            elif upper == "END":
                cases = max(0, cases - 1)
            self._at += 1
        if first == self._at:
            self.unexpected("an expression")
        return self._part(first, self._at)

    def type_text(self, *stops: str) -> str:
        """Reads a type as Spark writes it, up to one of some words, a comma or a bracket outside of it."""
        first, depth = self._at, 0
        while not self.is_at_end:
            upper = self.next()
            if depth == 0 and (upper in stops or upper in {",", ")"}):
                break
            depth += upper.count("<") + upper.count("(") - upper.count(")")
            depth -= 0 if upper in {"=>", "->"} else upper.count(">")
            self._at += 1
        if first == self._at:
            self.unexpected("a type")
        return self._part(first, self._at).text

    def inside(self) -> TokenReader:
        """Reads a pair of round brackets. What stands inside is read by what is returned."""
        if not self.follows("("):
            self.expect("(")
        end = closing(self._words, self._at)
        if end is None:
            self._at = len(self._words)
            self.unexpected(")")
        words = self._words[self._at + 1 : end]
        self._at = end + 1
        return TokenReader(self._statement, words, self._what)

    def listed(self, read: Callable[[TokenReader], T]) -> list[T]:
        """Reads what stands between commas: one item at least."""
        found = [read(self)]
        while self.take(","):
            found.append(read(self))
        return found

    def all_listed(self, read: Callable[[TokenReader], T]) -> list[T]:
        """Reads what stands between commas, to the end."""
        found = self.listed(read)
        self.end()
        return found

    def bracketed(self) -> str:
        """Reads a pair of round brackets: the text inside."""
        first = self._at + 1
        self.inside()
        if self._at - 1 == first:
            self.unexpected("something in the brackets")
        return self._part(first, self._at - 1).text

    @property
    def place(self) -> int:
        """Where the next word begins in the text."""
        return self._words[self._at].start if not self.is_at_end else self._statement.end

    def closes_statement(self) -> bool:
        """Whether the round bracket that comes next is closed by the last word."""
        return closing(self._words, self._at) == len(self._words) - 1

    def skip(self) -> None:
        """Reads one word, or a pair of round brackets with all inside."""
        if self.follows("("):
            self.inside()
        else:
            self.take_word()

    def rest(self) -> Statement:
        """Reads all that follows."""
        first, self._at = self._at, len(self._words)
        if first == self._at:
            self.unexpected("more words")
        return self._part(first, self._at)

    def part(self, count: int) -> Statement:
        """Reads some words. Errors name the one after them as what is read."""
        first, self._at = self._at, self._at + count
        self._what = self.next()
        return self._part(first, self._at)

    def _part(self, first: int, end: int) -> Statement:
        return self._statement.part(self._words[first:end])
