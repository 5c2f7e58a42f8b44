"""How do Iceberg Java's values become the encoding of rows, and the reverse?

Values are those of its generic records: `java.time` for dates and times, `ByteBuffer` for binary.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
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

    def encoder(self, kind: Any) -> Callable[[Any], Any]:
        """What encodes values of a type.

        The type is asked once, not with each value: each question is a call between two processes.
        """
        encode = self._encoder(kind)
        return lambda value: None if value is None else encode(value)

    def _encoder(self, kind: Any) -> Callable[[Any], Any]:  # noqa: C901, PLR0912 - a type each
        name = kind.typeId().toString().lower()
        if name == "unknown":
            return lambda _: None
        if name in ("boolean", "integer", "long", "string"):
            return lambda value: value
        if name in ("float", "double"):
            return lambda value: value if math.isfinite(value) else self._special(value)
        if name == "decimal":
            scale = kind.scale()
            return lambda value: (
                value.toPlainString() if hasattr(value, "toPlainString") else f"{value:.{scale}f}"
            )
        if name in ("date", "uuid"):
            return lambda value: value.toString()
        if name == "time":
            return lambda value: value.format(self._times)
        if name in ("timestamp", "timestamp_nano"):
            zone = "+00:00" if kind.shouldAdjustToUTC() else ""
            moments = self._moments[9 if name.endswith("nano") else 6]
            return lambda value: value.format(moments) + zone
        if name == "fixed":
            return lambda value: bytes(value).hex()
        if name in ("binary", "geometry", "geography"):
            return lambda value: self.bytes_of(value).hex()
        if name == "struct":
            fields = [(field.name(), self.encoder(field.type())) for field in kind.fields()]
            return lambda record: {name: encode(record.getField(name)) for name, encode in fields}
        if name == "list":
            element = self.encoder(kind.elementType())
            return lambda values: [element(each) for each in values]
        if name == "map":
            key, of = self.encoder(kind.keyType()), self.encoder(kind.valueType())
            return lambda values: sorted(
                ([key(each), of(values[each])] for each in values), key=lambda pair: line(pair[0]).encode()
            )
        if name == "variant":
            return lambda value: self._variant(value.value())
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

    def bytes_of(self, buffer: Any) -> bytes:
        """What is left of a buffer."""
        return bytes(self._jvm.org.apache.iceberg.util.ByteBuffers.toByteArray(buffer))

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
