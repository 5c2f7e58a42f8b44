"""Which columns does an Avro file have?

In: the beginning of a file. Out: an Arrow schema, of the schema in JSON that the header has.

Invariant: nothing that the header claims is believed beyond the bytes that are there. A type that is not known is an
error that names the column.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import InvalidDataError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

__all__ = ["avro_columns"]

Json = Any
_MAGIC: Final = b"Obj\x01"
_SCHEMA: Final = b"avro.schema"
_LONGEST_VARINT: Final = 10
_DEEPEST: Final = 100
_MOST_DIGITS: Final = 38


def avro_columns(content: bytes) -> pa.Schema:
    """The columns of a file.

    Args:
        content: The file, or so much of it that the header is in it.

    Raises:
        InvalidDataError: It is no Avro file, or its header is damaged or not whole.
        UnsupportedError: A column has a type that tables do not have.
    """
    import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

    try:
        declared = json.loads(_schema_text(content))
        if not isinstance(declared, dict) or declared.get("type") != "record":
            raise InvalidDataError("the rows of the Avro file are no records")
        return pa.schema(_Types().fields(declared, "", 0))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InvalidDataError(f"the header of the Avro file is damaged: {error!r}") from error


def _schema_text(content: bytes) -> bytes:
    """The schema in the map of the header."""
    if not content.startswith(_MAGIC):
        raise InvalidDataError("the file is no Avro file: it does not begin with its mark")
    at = len(_MAGIC)
    found: bytes | None = None
    while True:
        count, at = _long(content, at)
        if count == 0:
            break
        if count < 0:
            _, at = _long(content, at)
        for _ in range(abs(count)):
            key, at = _bytes(content, at)
            value, at = _bytes(content, at)
            if key == _SCHEMA:
                found = value
    if found is None:
        raise InvalidDataError("the header of the Avro file has no schema")
    return found


def _long(content: bytes, at: int) -> tuple[int, int]:
    """A zigzag number, and where it ends."""
    value = 0
    for number in range(_LONGEST_VARINT):
        if at >= len(content):
            break
        byte = content[at]
        at += 1
        value |= (byte & 0x7F) << (7 * number)
        if byte < 0x80:  # noqa: PLR2004 - the bit that says that more follow
            return (value >> 1) ^ -(value & 1), at
    raise InvalidDataError("the header of the Avro file is damaged: a number does not end")


def _bytes(content: bytes, at: int) -> tuple[bytes, int]:
    length, at = _long(content, at)
    if length < 0 or length > len(content) - at:
        raise InvalidDataError("the header of the Avro file is damaged, or not whole")
    return content[at : at + length], at + length


class _Types:
    """Types of Arrow for those of Avro. Named types may be used again by their names."""

    def __init__(self) -> None:
        self._named: dict[str, pa.DataType] = {}

    def fields(self, record: Json, above: str, depth: int) -> list[Any]:
        """The fields of a record."""
        return [self._field(str(each["name"]), each["type"], above, depth) for each in record["fields"]]

    def _field(self, name: str, kind: Json, above: str, depth: int) -> Any:  # noqa: ANN401 - a field
        import pyarrow as pa  # noqa: PLC0415

        path = f"{above}{name}"
        is_optional = isinstance(kind, list)
        if is_optional:
            kinds = [each for each in kind if each != "null"]
            if len(kinds) != 1:
                raise _no_type(path, "a union of several types")
            (kind,), is_optional = kinds, len(kinds) < len(kind)
        return pa.field(name, self._type(kind, path, depth + 1), nullable=is_optional)

    def _type(self, kind: Json, path: str, depth: int) -> pa.DataType:
        if depth > _DEEPEST:
            raise _no_type(path, "a type that is nested too deep")
        if isinstance(kind, str):
            kind = {"type": kind}
        name = kind["type"]
        if isinstance(name, (dict, list)):
            return self._type(name, path, depth + 1)
        if name in self._named:
            return self._named[name]
        found = self._nested(kind, path, depth) or _primitive(kind)
        if found is None:
            raise _no_type(path, str(kind.get("logicalType") or name))
        if "name" in kind and name in ("record", "enum", "fixed"):
            self._named[str(kind["name"])] = found
        return found

    def _nested(self, kind: Json, path: str, depth: int) -> pa.DataType | None:
        import pyarrow as pa  # noqa: PLC0415

        if kind["type"] == "record":
            return pa.struct(self.fields(kind, f"{path}.", depth))
        if kind["type"] == "array" and kind.get("logicalType") == "map":
            # How Iceberg writes maps whose keys are no texts.
            key, value = self.fields(kind["items"], f"{path}.", depth)
            return pa.map_(key.type, value)
        if kind["type"] == "array":
            return pa.list_(self._field("element", kind["items"], f"{path}.", depth))
        if kind["type"] == "map":
            return pa.map_(pa.string(), self._field("value", kind["values"], f"{path}.", depth))
        return None


def _primitive(kind: Json) -> pa.DataType | None:
    import pyarrow as pa  # noqa: PLC0415

    logical = kind.get("logicalType")
    if logical == "decimal":
        digits, scale = int(kind["precision"]), int(kind.get("scale", 0))
        return pa.decimal128(digits, scale) if 0 < digits <= _MOST_DIGITS and 0 <= scale <= digits else None
    # As Iceberg has it: without the property, a time is one of no zone.
    zone = "UTC" if kind.get("adjust-to-utc") is True else None
    logicals: dict[tuple[str, str | None], Callable[[], pa.DataType]] = {
        ("int", "date"): pa.date32,
        ("int", "time-millis"): lambda: pa.time64("us"),
        ("long", "time-micros"): lambda: pa.time64("us"),
        ("long", "timestamp-millis"): lambda: pa.timestamp("us", zone),
        ("long", "timestamp-micros"): lambda: pa.timestamp("us", zone),
        ("long", "timestamp-nanos"): lambda: pa.timestamp("ns", zone),
        ("long", "local-timestamp-millis"): lambda: pa.timestamp("us"),
        ("long", "local-timestamp-micros"): lambda: pa.timestamp("us"),
        ("fixed", "uuid"): pa.uuid,
    }
    found = logicals.get((kind["type"], logical))
    if found is not None:
        return found()
    if kind["type"] == "fixed" and logical is None and int(kind["size"]) > 0:
        return pa.binary(int(kind["size"]))
    plain: dict[str, Callable[[], pa.DataType]] = {
        "boolean": pa.bool_,
        "int": pa.int32,
        "long": pa.int64,
        "float": pa.float32,
        "double": pa.float64,
        "bytes": pa.binary,
        "string": pa.string,
        "enum": pa.string,
    }
    return plain[kind["type"]]() if kind["type"] in plain else None


def _no_type(path: str, found: str) -> UnsupportedError:
    return UnsupportedError(
        f"the column {path!r} of an Avro file has {found}, which tables do not have: say which columns the table has "
        "by `schema`"
    )
