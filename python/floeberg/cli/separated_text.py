"""How do batches of rows become CSV, and lines with tabs?

In CSV a value is quoted where it has a delimiter, a quote or a line end. Null is nothing, and an empty text is `""`. In
lines of text for a pipe nothing is quoted, and such characters are escaped: each row is a line.

Invariant: Arrow computes the texts. Nothing here loops over rows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from floeberg.cli.json_text import json_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["separated_lines"]

_TEXT = pa.large_string()
_ESCAPED = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\x1b": "\\x1b"}


def separated_lines(batch: pa.RecordBatch, delimiter: str, *, is_text: bool) -> pa.Array:
    """A line for each row, without its end.

    Args:
        batch: The rows.
        delimiter: What stands between values.
        is_text: Whether characters are escaped, and not quoted.

    Examples:
        >>> rows = pa.record_batch({"id": [1, None], "note": ["a, b", ""]})
        >>> separated_lines(rows, ",", is_text=False).to_pylist()
        ['1,"a, b"', ',""']
    """
    if not batch.num_columns:
        return pa.repeat(pa.scalar("", _TEXT), batch.num_rows)
    quoted = _escaped if is_text else _quoted(delimiter)
    columns = [pc.fill_null(quoted(_text(each)), pa.scalar("", _TEXT)) for each in batch.columns]
    return pc.binary_join_element_wise(*columns, pa.scalar(delimiter, _TEXT))


def _text(column: pa.Array) -> pa.Array:
    """Values as texts: structures as JSON; null where a value is."""
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column.cast(_TEXT)
    if pa.types.is_dictionary(column.type):
        return _text(column.dictionary_decode())
    text = json_of(column)
    if not (pa.types.is_nested(column.type)):
        text = pc.replace_substring_regex(text, '^"(.*)"$', "\\1")
    return pc.if_else(pc.is_valid(column), text, pa.scalar(None, _TEXT))


def _escaped(text: pa.Array) -> pa.Array:
    for letter, escaped in _ESCAPED.items():
        text = pc.replace_substring(text, letter, escaped)
    return text


def _quoted(delimiter: str) -> Callable[[pa.Array], pa.Array]:
    needed = f'["\\r\\n{re.escape(delimiter)}]|^$'

    def quoted(text: pa.Array) -> pa.Array:
        doubled = pc.replace_substring(text, '"', '""')
        whole = pc.binary_join_element_wise(
            pa.scalar('"', _TEXT), doubled, pa.scalar('"', _TEXT), pa.scalar("", _TEXT)
        )
        return pc.if_else(pc.match_substring_regex(text, needed), whole, text)

    return quoted
