"""Which words, names, numbers, strings and signs does a text consist of?

In: what the tokenizer of the parser found. Out: one token for each that is written: of `ORDER BY` two, of `1L` one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from floeberg.spark.sql.text.dialect import Dialect

__all__ = ["Token", "closing", "tokens_of"]

_BRACKETS = {"(": 1, ")": -1}


@dataclass(frozen=True)
class Token:
    """One word, sign, quoted name, number or string.

    Args:
        text: What it says, without quotes.
        upper: The same in upper case; empty where quotes say that it is not a keyword.
        start: Where it begins in the text.
        end: The offset after its last character.
        is_name: Whether it may be a part of a name.
        is_string: Whether it is a string in quotes.
    """

    text: str
    upper: str
    start: int
    end: int
    is_name: bool
    is_string: bool


def tokens_of(text: str, read: Sequence[Any], dialect: Dialect) -> Iterator[Token]:
    """The tokens of a text.

    Args:
        text: The text.
        read: What the tokenizer found. Some are made of others, as the suffix of `1L`: they have the same place.
        dialect: How the text is read.
    """
    last = 0
    for token in read:
        if token.start < last:
            continue
        start, last = token.start, token.end + 1
        written = text[start:last]
        if written[0] in "`'\"":
            is_name = written[0] in dialect.name_quotes
            yield Token(token.text, "", start, last, is_name, not is_name)
            continue
        for found in re.finditer(r"\S+", written):
            word, is_name = found[0], written[0].isalnum() or written[0] == "_"
            upper = "NOT" if word == "!" and dialect.bang_is_not else word.upper()
            yield Token(word, upper, start + found.start(), start + found.end(), is_name, is_string=False)


def closing(tokens: Sequence[Token], at: int) -> int | None:
    """The round bracket that closes the one at a token; `None` where there is none."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += _BRACKETS.get(tokens[place].upper, 0)
        if depth == 0:
            return place
    return None
