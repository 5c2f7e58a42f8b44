"""Which value does a constant of a query have, of which type, whatever the session?

Only constants are read whose value no setting changes, but for moments, which Spark itself reads in its time zone.

Invariant: what is not certain is `None`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from floeberg.expressions import TypedLiteral
from floeberg.spark.session.environment import is_connect
from floeberg.spark.sql.pushdown.supported import is_understood

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from floeberg.expressions._literals import LiteralValue
    from floeberg.spark.sql.text.statement import Statement

__all__ = ["Constant", "SessionTimestamps", "constant_of"]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_ZONES = {"TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPLTZ": "TIMESTAMP_LTZ", "TIMESTAMPNTZ": "TIMESTAMP_NTZ"}
_MONTHS = {"MONTH": 1, "MONTHS": 1, "YEAR": 12, "YEARS": 12}
_DAYS = {"DAY": 1, "DAYS": 1, "WEEK": 7, "WEEKS": 7}
_INTEGERS = {"TINYINT": 1 << 7, "SMALLINT": 1 << 15, "INT": 1 << 31, "BIGINT": 1 << 63}


@dataclass(frozen=True)
class Constant:
    """A constant: its kind, `null` among them, and its value."""

    kind: str
    value: LiteralValue | None
    """For `timestamp` and `timestamp_ntz` the text that Spark reads."""


class SessionTimestamps:
    """What Spark makes of texts of moments, in the zone of the session.

    Spark Connect reads a statement again at each action, when the session may have another zone. There only moments are
    known that no zone changes.

    Args:
        spark: The session.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._zone_may_change = is_connect(spark)
        self._known: dict[Constant, TypedLiteral | None] = {}

    def ask(self, constants: Iterable[Constant]) -> None:
        """Asks Spark for all of them at once."""
        wanted = sorted(
            {each for each in constants if not (self._zone_may_change and _needs_zone(each))},
            key=lambda each: (each.kind, str(each.value)),
        )
        if not wanted:
            return
        parts = [f"unix_micros(TRY_CAST('{_zoned(each)}' AS TIMESTAMP_LTZ))" for each in wanted]
        row = self._spark.sql("SELECT " + ", ".join(parts)).collect()[0]
        for each, micros in zip(wanted, row, strict=True):
            zoned = each.kind == "timestamp"
            self._known[each] = (
                None if micros is None else TypedLiteral("timestamptz" if zoned else "timestamp", micros)
            )

    def __getitem__(self, constant: Constant) -> TypedLiteral | None:
        """The literal of a moment; `None` where Spark does not read it."""
        return self._known.get(constant)


def _needs_zone(moment: Constant) -> bool:
    found = _MOMENT.fullmatch(str(moment.value))
    return moment.kind == "timestamp" and (found is None or found["zone"] is None)


def _zoned(moment: Constant) -> str:
    """A text whose microseconds are those of a moment. One without a zone counts as if it were in UTC."""
    text = str(moment.value)
    whole = text if len(text) > len("2026-01-31") else f"{text} 00:00:00"
    return whole if moment.kind == "timestamp" else f"{whole}Z"


def constant_of(node: Any, statement: Statement) -> Constant | None:  # noqa: ANN401, C901, PLR0911 - one return a form
    """The constant that a part of the tree is."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    while isinstance(node, exp.Paren) and is_understood(node):
        node = node.this
    if not is_understood(node):
        return None
    if isinstance(node, exp.Null):
        return Constant("null", None)
    if isinstance(node, exp.Boolean):
        return Constant("boolean", bool(node.this))
    if isinstance(node, exp.HexString):
        text = node.this
        return Constant("binary", bytes.fromhex(text)) if re.fullmatch(r"([0-9A-Fa-f]{2})*", text) else None
    if isinstance(node, exp.Neg):
        inner = constant_of(node.this, statement)
        if inner is None or inner.kind not in {"integer", "decimal"} or isinstance(node.this, exp.Neg):
            return None
        return Constant(inner.kind, -inner.value)  # type: ignore[operator]
    if isinstance(node, exp.Literal):
        return _literal(node, statement)
    if isinstance(node, (exp.Cast, exp.TryCast)):
        return _cast(node, statement)
    if isinstance(node, (exp.Add, exp.Sub)):
        return _moved_date(node, statement)
    return None


def _literal(node: Any, statement: Statement) -> Constant | None:  # noqa: ANN401 - sqlglot's
    text: str = node.this
    if node.is_string:
        return Constant("string", text) if text in statement.plain_strings else None
    if re.fullmatch(r"[0-9]{1,18}", text):
        return Constant("integer", int(text))
    if re.fullmatch(r"[0-9]*\.[0-9]+|[0-9]+\.", text) and len(text) < 30:  # noqa: PLR2004 - Spark's 38 digits
        return Constant("decimal", Decimal(text))
    return None


def _cast(node: Any, statement: Statement) -> Constant | None:  # noqa: ANN401 - the same
    inner = constant_of(node.this, statement)
    if inner is None or not is_understood(node.to):
        return None
    kind = node.to.this.name
    if kind in _INTEGERS and inner.kind == "integer":
        limit = _INTEGERS[kind]
        return inner if -limit <= int(inner.value) < limit else None  # type: ignore[arg-type]
    if inner.kind != "string":
        return None
    text = str(inner.value)
    if kind == "DATE":
        day = day_of(text)
        return None if day is None else Constant("date", day)
    if kind in _ZONES and is_timestamp_text(text, zoned=kind != "TIMESTAMPNTZ"):
        return Constant("timestamp_ntz" if kind == "TIMESTAMPNTZ" else "timestamp", text)
    return None


def day_of(text: str) -> date | None:
    """The day that a text of ten characters is for Spark, in every mode."""
    if not _DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_timestamp_text(text: str, *, zoned: bool) -> bool:
    """Whether Spark reads a text as a moment, in every mode; where it may be `zoned`, also one with a zone."""
    found = _MOMENT.fullmatch(text)
    return found is not None and (zoned or found["zone"] is None)


def _moved_date(node: Any, statement: Statement) -> Constant | None:  # noqa: ANN401, PLR0911 - the same
    """A day and an interval of days, weeks, months or years."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    begin, interval = constant_of(node.this, statement), node.expression
    if begin is None or begin.kind != "date" or not isinstance(interval, exp.Interval):
        return None
    if not is_understood(interval):
        return None
    unit = interval.args.get("unit")
    amount = interval.this
    if (
        not isinstance(unit, exp.Var)
        or not isinstance(amount, exp.Literal)
        or not re.fullmatch("[0-9]{1,4}", amount.this)
    ):
        return None
    count = int(amount.this) * (-1 if isinstance(node, exp.Sub) else 1)
    day = begin.value
    assert isinstance(day, date)  # noqa: S101 - what the kind says
    word = unit.name.upper()
    try:
        if word in _DAYS:
            return Constant("date", day + timedelta(days=count * _DAYS[word]))
        if word in _MONTHS:
            return Constant("date", _months_later(day, count * _MONTHS[word]))
    except (OverflowError, ValueError):
        return None
    return None


def _months_later(day: date, months: int) -> date:
    """The same day of another month, or its last one."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    following = date(year + month // 11, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(day.day, (following - timedelta(days=1)).day))
