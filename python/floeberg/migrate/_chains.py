"""How long is the longest chain in a script: `a.b.c`, `f()()`, `a + b + c`?

In: the bytes of a script. Out: the links of the statement that has most. Python 3.10 crashes on chains of some hundred
thousand links, where later ones raise an error.
"""

from __future__ import annotations

import io
import token
import tokenize

__all__ = ["longest_chain"]

_CALLED = {token.NAME, token.STRING}
_CLOSING = {")", "]", "}"}
# What stands between values that are beside each other.
_FLAT = {",", ":", ";", "=", "(", "[", "{", *_CLOSING}


def longest_chain(source: bytes) -> int:
    """The links of the statement with the most, and 0 of what is not Python: that is found when it is parsed."""
    longest = links = 0
    last = None
    try:
        for each in tokenize.tokenize(io.BytesIO(source).readline):
            if each.type == token.NEWLINE:
                links, last = 0, None
            elif each.type == token.OP:
                called = last is not None and (last.type in _CALLED or last.string in _CLOSING)
                links += each.string not in _FLAT or (each.string in {"(", "["} and called)
                last, longest = each, max(longest, links)
            elif each.type not in {token.NL, token.COMMENT}:
                last = each
    except (tokenize.TokenError, SyntaxError, ValueError, LookupError):
        return 0
    return longest
