"""Which transforms can partition specs and sort orders have?

Each is a string, as the specification writes it, so that `BucketTransform(16) == "bucket[16]"`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from floeberg._arguments import checked_int, checked_text
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self

_NUMBERED = re.compile(r"(bucket|truncate)\[([0-9]{1,10})\]")
_PARAMETERS = range(1, 2**31)


class Transform(str):
    """A transform of a column, for partition specs and sort orders. It is a string.

    Examples:
        >>> BucketTransform(16) == "bucket[16]", parse_transform("bucket[16]").num_buckets
        (True, 16)
    """

    __slots__ = ()

    @property
    def preserves_order(self) -> bool:
        """Whether it is monotonic: a larger value never has a smaller result."""
        return isinstance(self, (IdentityTransform, TruncateTransform, TimeTransform))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __reduce__(self) -> tuple[Callable[[str], Transform], tuple[str]]:
        return parse_transform, (str(self),)


class _Named(Transform):
    """A transform without a parameter."""

    __slots__ = ()
    _text = ""

    def __new__(cls) -> Self:
        return super().__new__(cls, cls._text)


class IdentityTransform(_Named):
    """The value itself."""

    __slots__ = ()
    _text = "identity"


class VoidTransform(_Named):
    """Always null. In format version 1, it replaces the transform of a dropped partition field."""

    __slots__ = ()
    _text = "void"


class TimeTransform(_Named):
    """A transform of dates and timestamps."""

    __slots__ = ()


class YearTransform(TimeTransform):
    """Years from 1970."""

    __slots__ = ()
    _text = "year"


class MonthTransform(TimeTransform):
    """Months from January 1970."""

    __slots__ = ()
    _text = "month"


class DayTransform(TimeTransform):
    """Days from 1970-01-01."""

    __slots__ = ()
    _text = "day"


class HourTransform(TimeTransform):
    """Hours from 1970-01-01 00:00."""

    __slots__ = ()
    _text = "hour"


class BucketTransform(Transform):
    """The hash of the value, modulo a number of buckets.

    Args:
        num_buckets: The number of buckets.

    Examples:
        >>> str(BucketTransform(16))
        'bucket[16]'
    """

    __slots__ = ()

    def __new__(cls, num_buckets: int) -> Self:
        return super().__new__(cls, f"bucket[{_parameter('num_buckets', num_buckets)}]")

    @property
    def num_buckets(self) -> int:
        """The number of buckets."""
        return int(self[len("bucket[") : -1])

    def __repr__(self) -> str:
        return f"BucketTransform(num_buckets={self.num_buckets})"


class TruncateTransform(Transform):
    """The value truncated to a width.

    Args:
        width: The width.

    Examples:
        >>> TruncateTransform(4).width
        4
    """

    __slots__ = ()

    def __new__(cls, width: int) -> Self:
        return super().__new__(cls, f"truncate[{_parameter('width', width)}]")

    @property
    def width(self) -> int:
        """The width."""
        return int(self[len("truncate[") : -1])

    def __repr__(self) -> str:
        return f"TruncateTransform(width={self.width})"


class UnknownTransform(Transform):
    """A transform that this version of Floeberg does not know. Tables may refuse it.

    Args:
        transform: Its name.
    """

    __slots__ = ()

    def __new__(cls, transform: str) -> Self:
        return super().__new__(cls, checked_text("transform", transform))

    def __repr__(self) -> str:
        return f"UnknownTransform(transform={str(self)!r})"


_KNOWN: dict[str, type[_Named]] = {
    known._text: known  # noqa: SLF001 - of this module
    for known in (
        IdentityTransform,
        VoidTransform,
        YearTransform,
        MonthTransform,
        DayTransform,
        HourTransform,
    )
}


def parse_transform(transform: str) -> Transform:
    """Parses a transform.

    Args:
        transform: As the specification writes it: `day`, `bucket[16]`.

    Returns:
        The transform; an `UnknownTransform` for any other string.

    Examples:
        >>> parse_transform("truncate[4]"), parse_transform("day")
        (TruncateTransform(width=4), DayTransform())
    """
    if isinstance(transform, Transform):
        return transform
    # A transform of PyIceberg prints its text.
    text = checked_text("transform", transform if isinstance(transform, str) else _text_of(transform))
    if text in _KNOWN:
        return _KNOWN[text]()
    numbered = _NUMBERED.fullmatch(text)
    if numbered is None or int(numbered[2]) not in _PARAMETERS or str(int(numbered[2])) != numbered[2]:
        return UnknownTransform(text)
    number = int(numbered[2])
    return BucketTransform(number) if numbered[1] == "bucket" else TruncateTransform(number)


def _text_of(transform: object) -> Any:  # noqa: ANN401 - the caller refuses other types
    foreign = type(transform).__module__.partition(".")[0] == "pyiceberg"
    return str(transform) if foreign else transform


def _parameter(name: str, value: int) -> int:
    checked = checked_int(name, value)
    if checked not in _PARAMETERS:
        raise InvalidInputError(f"{name}: expected an integer of 1 to 2147483647, found {checked}")
    return checked
