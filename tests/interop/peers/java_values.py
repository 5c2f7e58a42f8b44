"""How do Iceberg Java's values become the encoding of rows, and the reverse?

Values are those of its generic records: `java.time` for dates and times, `ByteBuffer` for binary.
"""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any


def line(value: Any) -> str:
    """A value as one line of JSON, as the corpus has it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


class Values:
    """Values of one Java machine."""

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm
        java = jvm.java
        pattern = java.time.format.DateTimeFormatter.ofPattern
        self._moments = {digits: pattern(f"uuuu-MM-dd'T'HH:mm:ss.{'S' * digits}") for digits in (6, 9)}
        self._times = pattern("HH:mm:ss.SSSSSS")

    def struct(self, kind: Any, record: Any) -> dict[str, Any]:
        """A record or struct, by the names of its fields."""
        return {
            field.name(): self.encode(field.type(), record.getField(field.name())) for field in kind.fields()
        }

    def encode(self, kind: Any, value: Any) -> Any:  # noqa: C901, PLR0912 - a type each
        """A value of a type."""
        name = kind.typeId().toString().lower()
        if value is None or name == "unknown":
            return None
        if name in ("boolean", "integer", "long", "string"):
            return value
        if name in ("float", "double"):
            return value if math.isfinite(value) else self._special(value)
        if name == "decimal":
            return value.toPlainString() if hasattr(value, "toPlainString") else f"{value:.{kind.scale()}f}"
        if name == "date":
            return value.toString()
        if name == "time":
            return value.format(self._times)
        if name in ("timestamp", "timestamp_nano"):
            zone = "+00:00" if kind.shouldAdjustToUTC() else ""
            return value.format(self._moments[9 if name.endswith("nano") else 6]) + zone
        if name == "uuid":
            return value.toString()
        if name == "fixed":
            return bytes(value).hex()
        if name in ("binary", "geometry", "geography"):
            return self._bytes(value).hex()
        if name == "struct":
            return self.struct(kind, value)
        if name == "list":
            return [self.encode(kind.elementType(), each) for each in value]
        if name == "map":
            pairs = [
                [self.encode(kind.keyType(), key), self.encode(kind.valueType(), value[key])] for key in value
            ]
            return sorted(pairs, key=lambda pair: line(pair[0]).encode())
        if name == "variant":
            return self._variant(value.value())
        raise NotImplementedError(name)

    def record(self, kind: Any, value: dict[str, Any]) -> Any:
        """A record of Iceberg's own representation, out of the names and encoded values of its fields.

        Java makes it of JSON: a number that crossed alone would lose its type on the way.
        """
        return self._jvm.org.apache.iceberg.SingleValueParser.fromJson(
            kind, json.dumps(self._json(kind, value))
        )

    def _json(self, kind: Any, value: Any) -> Any:
        """The specification's JSON of an encoded value."""
        name = kind.typeId().toString().lower()
        if value is None or name == "unknown":
            return None
        if name == "struct":
            fields = [(field, value[field.name()]) for field in kind.fields()]
            return {str(field.fieldId()): self._json(field.type(), each) for field, each in fields}
        if name == "list":
            return [self._json(kind.elementType(), each) for each in value]
        if name == "map":
            return {
                "keys": [self._json(kind.keyType(), key) for key, _ in value],
                "values": [self._json(kind.valueType(), each) for _, each in value],
            }
        return value.upper() if name in ("fixed", "binary") else value

    def _special(self, value: float) -> str:
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

    def _bytes(self, buffer: Any) -> bytes:
        copy = buffer.duplicate()
        return bytes(copy.get() & 0xFF for _ in range(copy.remaining()))

    def _variant(self, value: Any) -> Any:
        kind = value.type().toString().lower()
        if kind == "null":
            return {"type": kind, "value": None}
        if kind == "object":
            parts, names = value.asObject(), value.asObject().fieldNames().iterator()
            found = {}
            while names.hasNext():
                name = names.next()
                found[name] = self._variant(parts.get(name))
            return {"type": kind, "value": found}
        if kind == "array":
            parts = value.asArray()
            return {
                "type": kind,
                "value": [self._variant(parts.get(number)) for number in range(parts.numElements())],
            }
        plain = value.asPrimitive().get()
        if isinstance(plain, Decimal):
            plain = str(plain)
        return {"type": kind, "value": plain}
