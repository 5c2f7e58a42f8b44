"""Which types have no nested types?

Invariant: a type has the class of its name: `PrimitiveType("long")` is a `LongType`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_int, checked_text
from floeberg.errors import InvalidInputError
from floeberg.types._frozen import set_frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

_MOST_DIGITS = 38
_DEFAULT_CRS = "OGC:CRS84"
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*\)")
_FIXED = re.compile(r"fixed\[\s*([0-9]{1,10})\s*\]")
_PLACES = re.compile(r"(geometry|geography)\((.*)\)")


class Type:
    """The base class of all types."""

    __slots__ = ()

    @property
    def is_primitive(self) -> bool:
        """Whether it has no nested types."""
        return isinstance(self, PrimitiveType)

    @property
    def is_struct(self) -> bool:
        """Whether it is a struct."""
        return False


@dataclass(frozen=True, init=False, repr=False, eq=False)
class PrimitiveType(Type):
    """A type without nested types, `variant`, or a type that this version does not know.

    Args:
        name: As the specification writes it: `long`, `decimal(9,2)`, `timestamptz`.

    Examples:
        >>> PrimitiveType("decimal(9, 2)"), PrimitiveType("long") == LongType()
        (DecimalType(precision=9, scale=2), True)
    """

    name: str

    def __new__(cls, name: str | None = None) -> PrimitiveType:  # noqa: PYI034 - of the class of the name
        if name is None:
            raise InvalidInputError(
                "name: expected the name of a type, found none. Types in pickles from before version 0.1.0 have none: "
                "make them again"
            )
        text = checked_text("name", name)
        kind = _NAMED.get(text)
        if kind is not None:
            return _made(kind, text)
        if found := _DECIMAL.fullmatch(text):
            kind, text = DecimalType, f"decimal({int(found[1])},{int(found[2])})"
        elif found := _FIXED.fullmatch(text):
            kind, text = FixedType, f"fixed[{int(found[1])}]"
        elif found := _PLACES.fullmatch(text):
            kind = GeometryType if found[1] == "geometry" else GeographyType
        else:
            kind = PrimitiveType
        return _made(kind, text)

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"PrimitiveType(name={self.name!r})"

    def __eq__(self, other: object) -> bool:
        return self.name == other.name if isinstance(other, PrimitiveType) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Callable[[str], PrimitiveType], tuple[str]]:
        return PrimitiveType, (self.name,)


def _made(kind: type[Any], name: str) -> Any:  # noqa: ANN401 - of that class
    """A type of a class, whatever its own arguments are."""
    made = object.__new__(kind)
    set_frozen(made, name=name)
    return made


class _Named(PrimitiveType):
    """A type without parameters."""

    _word = ""

    def __new__(cls) -> Self:
        return _made(cls, cls._word)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class BooleanType(_Named):
    """Booleans."""

    _word = "boolean"


class IntegerType(_Named):
    """32-bit integers."""

    _word = "int"


class LongType(_Named):
    """64-bit integers."""

    _word = "long"


class FloatType(_Named):
    """32-bit floats."""

    _word = "float"


class DoubleType(_Named):
    """64-bit floats."""

    _word = "double"


class DateType(_Named):
    """Days without a zone."""

    _word = "date"


class TimeType(_Named):
    """Times of day, in microseconds."""

    _word = "time"


class TimestampType(_Named):
    """Timestamps without a zone, in microseconds."""

    _word = "timestamp"


class TimestamptzType(_Named):
    """Timestamps in UTC, in microseconds."""

    _word = "timestamptz"


class TimestampNanoType(_Named):
    """Timestamps without a zone, in nanoseconds (format version 3)."""

    _word = "timestamp_ns"


class TimestamptzNanoType(_Named):
    """Timestamps in UTC, in nanoseconds (format version 3)."""

    _word = "timestamptz_ns"


class StringType(_Named):
    """UTF-8 text of any length."""

    _word = "string"


class UUIDType(_Named):
    """UUIDs."""

    _word = "uuid"


class BinaryType(_Named):
    """Bytes of any length."""

    _word = "binary"


class UnknownType(_Named):
    """Null in every row (format version 3)."""

    _word = "unknown"


class VariantType(_Named):
    """Semi-structured values, as in JSON (format version 3)."""

    _word = "variant"


class DecimalType(PrimitiveType):
    """Decimals of a fixed number of digits.

    Args:
        precision: The number of digits, 38 at most.
        scale: The number of digits after the point.

    Examples:
        >>> str(DecimalType(9, 2)), DecimalType(precision=9, scale=2).scale
        ('decimal(9,2)', 2)
    """

    def __new__(cls, precision: int, scale: int) -> Self:
        digits, after = checked_int("precision", precision), checked_int("scale", scale)
        if not 1 <= digits <= _MOST_DIGITS:
            raise InvalidInputError(f"precision: expected an integer of 1 to {_MOST_DIGITS}, found {digits}")
        if not 0 <= after <= digits:
            raise InvalidInputError(f"scale: expected an integer of 0 to {digits}, found {after}")
        return _made(cls, f"decimal({digits},{after})")

    @property
    def precision(self) -> int:
        """The number of digits."""
        return self._numbers()[0]

    @property
    def scale(self) -> int:
        """The number of digits after the point."""
        return self._numbers()[1]

    def _numbers(self) -> tuple[int, int]:
        precision, scale = self.name[len("decimal(") : -1].split(",")
        return int(precision), int(scale)

    def __repr__(self) -> str:
        return f"DecimalType(precision={self.precision}, scale={self.scale})"


class FixedType(PrimitiveType):
    """Bytes of one length.

    Args:
        length: The number of bytes.

    Examples:
        >>> str(FixedType(16)), len(FixedType(16))
        ('fixed[16]', 16)
    """

    def __new__(cls, length: int) -> Self:
        size = checked_int("length", length)
        if not 0 <= size < 2**31:
            raise InvalidInputError(f"length: expected an integer of 0 to 2147483647, found {size}")
        return _made(cls, f"fixed[{size}]")

    def __len__(self) -> int:
        return int(self.name[len("fixed[") : -1])

    def __bool__(self) -> bool:
        """True: a type of length 0 is a type too."""
        return True

    def __repr__(self) -> str:
        return f"FixedType(length={len(self)})"


class GeometryType(PrimitiveType):
    """Shapes in a plane (format version 3).

    Args:
        crs: The coordinate reference system.

    Examples:
        >>> str(GeometryType()), GeometryType("EPSG:4326").crs
        ('geometry', 'EPSG:4326')
    """

    def __new__(cls, crs: str = _DEFAULT_CRS) -> Self:
        name = checked_text("crs", crs)
        return _made(cls, "geometry" if name == _DEFAULT_CRS else f"geometry({name})")

    @property
    def crs(self) -> str:
        """The coordinate reference system."""
        found = _PLACES.fullmatch(self.name)
        return found[2].strip() if found else _DEFAULT_CRS

    def __repr__(self) -> str:
        return f"GeometryType({'' if self.crs == _DEFAULT_CRS else repr(self.crs)})"


class GeographyType(PrimitiveType):
    """Shapes on a globe (format version 3).

    Args:
        crs: The coordinate reference system.
        algorithm: How edges between points run: `spherical`, `vincenty`, `thomas`, `andoyer` or `karney`.

    Examples:
        >>> str(GeographyType("EPSG:4326")), GeographyType("EPSG:4326", "karney").algorithm
        ('geography(EPSG:4326)', 'karney')
    """

    def __new__(cls, crs: str = _DEFAULT_CRS, algorithm: str = "spherical") -> Self:
        parts = [checked_text("crs", crs), checked_text("algorithm", algorithm)]
        if parts[1] == "spherical":
            parts = parts[:1] if parts[0] != _DEFAULT_CRS else []
        return _made(cls, f"geography({', '.join(parts)})" if parts else "geography")

    @property
    def crs(self) -> str:
        """The coordinate reference system."""
        return self._parts()[0]

    @property
    def algorithm(self) -> str:
        """How edges between points run."""
        return self._parts()[1]

    def _parts(self) -> tuple[str, str]:
        found = _PLACES.fullmatch(self.name)
        crs, _, algorithm = found[2].partition(",") if found else (_DEFAULT_CRS, "", "")
        return crs.strip(), algorithm.strip() or "spherical"

    def __repr__(self) -> str:
        return f"GeographyType({self.crs!r}, {self.algorithm!r})"


_NAMED: dict[str, type[PrimitiveType]] = {
    **{
        each._word: each  # noqa: SLF001 - of this module
        for each in (
            BooleanType,
            IntegerType,
            LongType,
            FloatType,
            DoubleType,
            DateType,
            TimeType,
            TimestampType,
            TimestamptzType,
            TimestampNanoType,
            TimestamptzNanoType,
            StringType,
            UUIDType,
            BinaryType,
            UnknownType,
            VariantType,
        )
    },
    "geometry": GeometryType,
    "geography": GeographyType,
}
