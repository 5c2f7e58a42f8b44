"""How do batches of rows become JSON?

In: an Arrow array. Out: a text for each value, in the JSON form that Iceberg's specification gives to single values:
numbers and bools as they are, decimals, dates, times and UUIDs as strings, binary as hexadecimal. Numbers that JSON
does not have are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`.

Invariant: Arrow computes the texts. Nothing here loops over rows.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["json_lines", "json_of"]

_TEXT = pa.large_string()
_ESCAPED = {chr(code): json.dumps(chr(code))[1:-1] for code in range(0x20)}
_CONTROL = "[\\x00-\\x1f]"
_UUID = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))


def json_lines(batch: pa.RecordBatch) -> pa.Array:
    r"""A JSON object for each row.

    Examples:
        >>> json_lines(pa.record_batch({"id": [1, None], "note": ['a "b"', None]})).to_pylist()
        ['{"id": 1, "note": "a \\"b\\""}', '{"id": null, "note": null}']
    """
    return _object(batch.schema.names, [json_of(each) for each in batch.columns], batch.num_rows)


def json_of(array: pa.Array) -> pa.Array:
    """The JSON text of each value; `null` where it is null.

    Examples:
        >>> json_of(pa.array([[1, None], [], None])).to_pylist()
        ['[1, null]', '[]', 'null']
    """
    if isinstance(array, pa.ExtensionArray):
        is_uuid = getattr(array.type, "extension_name", "") == "arrow.uuid"
        text = _uuid(array.storage) if is_uuid else json_of(array.storage)
    elif pa.types.is_dictionary(array.type):
        return json_of(array.dictionary_decode())
    else:
        text = _writer(array.type)(array)
    return pc.fill_null(text, pa.scalar("null", _TEXT))


def _writer(kind: pa.DataType) -> Callable[[pa.Array], pa.Array]:
    types = pa.types
    for matches, write in (
        (types.is_null, lambda array: pa.nulls(len(array), _TEXT)),
        (lambda each: types.is_boolean(each) or types.is_integer(each), lambda array: array.cast(_TEXT)),
        (types.is_floating, _float),
        (_is_text, _string),
        (types.is_timestamp, _timestamp),
        (_is_binary, lambda array: _quoted(_hex(array))),
        (types.is_struct, _struct),
        (types.is_map, _map),
        (types.is_nested, _list),
        (types.is_duration, lambda array: array.cast(pa.int64()).cast(_TEXT)),
    ):
        if matches(kind):
            return write
    return lambda array: _quoted(array.cast(pa.string()).cast(_TEXT))


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or kind == getattr(pa, "string_view", str)()
    )


def _is_binary(kind: pa.DataType) -> bool:
    return "binary" in str(kind)


def _joined(*parts: Any) -> pa.Array:  # noqa: ANN401 - arrays and texts
    """Texts side by side; null where one is."""
    return pc.binary_join_element_wise(
        *(pa.scalar(each, _TEXT) if isinstance(each, str) else each for each in parts), pa.scalar("", _TEXT)
    )


def _quoted(texts: pa.Array) -> pa.Array:
    return _joined('"', texts, '"')


def _float(array: pa.Array) -> pa.Array:
    wide = array.cast(pa.float32()) if pa.types.is_float16(array.type) else array
    text = wide.cast(_TEXT)
    if pc.all(pc.is_finite(wide)).as_py() in (True, None):
        return text
    named = pc.if_else(
        pc.is_nan(wide),
        '"NaN"',
        pc.if_else(pc.greater(wide, pa.scalar(0, wide.type)), '"Infinity"', '"-Infinity"'),
    ).cast(_TEXT)
    return pc.if_else(pc.is_finite(wide), text, named)


def _string(array: pa.Array) -> pa.Array:
    text = array.cast(_TEXT)
    text = pc.replace_substring(text, "\\", "\\\\")
    text = pc.replace_substring(text, '"', '\\"')
    if pc.any(pc.match_substring_regex(text, _CONTROL)).as_py():
        for letter, escaped in _ESCAPED.items():
            text = pc.replace_substring(text, letter, escaped)
    return _quoted(text)


def _timestamp(array: pa.Array) -> pa.Array:
    text = array.cast(pa.string()).cast(_TEXT)
    text = pc.replace_substring(text, " ", "T", max_replacements=1)
    return _quoted(pc.replace_substring(text, "Z", "+00:00"))


def _hex(array: pa.Array) -> pa.Array:
    """Each value in hexadecimal digits."""
    whole = array.cast(pa.large_binary())
    # A copy of the values alone, without those before and after a slice.
    whole = pa.concat_arrays([whole, pa.array([], pa.large_binary())]) if whole.offset else whole
    validity, offsets, values = whole.buffers()
    begins = pa.Array.from_buffers(pa.int64(), len(whole) + 1, [None, offsets])
    digits = pa.py_buffer(b"" if values is None else values.to_pybytes().hex().encode())
    twice = pc.multiply(begins, 2).buffers()[1]
    return pa.Array.from_buffers(_TEXT, len(whole), [validity, twice, digits])


def _uuid(array: pa.Array) -> pa.Array:
    digits = _hex(array)
    parts = [pc.utf8_slice_codeunits(digits, start, stop) for start, stop in _UUID]
    dashed = [part for each in parts for part in (each, "-")][:-1]
    return _quoted(_joined(*dashed))


def _listed(array: pa.Array, texts: pa.Array, opening: str, closing: str) -> pa.Array:
    """The texts of the elements of lists, joined; null where a list is."""
    lengths = pc.fill_null(pc.list_value_length(array).cast(pa.int64()), 0)
    ends = pc.cumulative_sum(lengths)
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    joined = pc.binary_join(pa.LargeListArray.from_arrays(offsets, texts), pa.scalar(", ", _TEXT))
    whole = _joined(opening, joined, closing)
    return pc.if_else(pc.is_valid(array), whole, pa.scalar(None, _TEXT))


def _list(array: pa.Array) -> pa.Array:
    return _listed(array, json_of(pc.list_flatten(array)), "[", "]")


def _map(array: pa.Array) -> pa.Array:
    """An object where keys are texts, and else a list of pairs of a key and a value."""
    pairs = array.cast(pa.list_(pa.struct([("key", array.type.key_type), ("value", array.type.item_type)])))
    entries = pc.list_flatten(pairs)
    if not _is_text(array.type.key_type):
        return _listed(pairs, json_of(entries), "[", "]")
    keys, values = (json_of(pc.struct_field(entries, [number])) for number in (0, 1))
    return _listed(pairs, _joined(keys, ": ", values), "{", "}")


def _struct(array: pa.Array) -> pa.Array:
    names = [array.type.field(number).name for number in range(array.type.num_fields)]
    fields = [json_of(pc.struct_field(array, [number])) for number in range(len(names))]
    return pc.if_else(pc.is_valid(array), _object(names, fields, len(array)), pa.scalar(None, _TEXT))


def _object(names: list[str], texts: list[pa.Array], rows: int) -> pa.Array:
    """An object for each row, of the texts of its values."""
    if not names:
        return pa.repeat(pa.scalar("{}", _TEXT), rows)
    parts: list[Any] = []
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        parts += [f"{', ' if number else '{'}{json.dumps(name, ensure_ascii=False)}: ", text]
    return _joined(*parts, "}")
