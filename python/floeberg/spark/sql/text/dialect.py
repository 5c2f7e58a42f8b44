"""How does a session read a text: what do quotes, `!` and `${..}` mean in it?

In: the settings of a session that change what a text means before a word of it is looked up. Out: how the texts of one
statement are read here, the same way. Settings that change what values or names mean are asked for where these are.

Invariant: texts of a statement, and those made of its parts, are read by one dialect.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError
from floeberg.spark.session.conf import is_set

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["PATTERNS", "Dialect", "dialect", "read_in", "substituted"]

PATTERNS = "spark.sql.parser.quotedRegexColumnNames"
"""With it, a name in backticks in a select list is a pattern, and means all columns that match."""
_REFERENCE = re.compile(r"\$\{(?:(\w+?):)?(\S+?)\}")
_OF_SESSION = frozenset({None, "spark", "sparkconf", "hivevar", "hiveconf"})


@dataclass(frozen=True)
class Dialect:
    """How a session reads a text.

    Args:
        names_in_double_quotes: Whether `"a"` is a name, and not a string.
        patterns_in_backticks: Whether a name in backticks in a select list is a pattern.
        bang_is_not: Whether `!` is the word NOT, wherever it stands.
        case_sensitive: Whether the case of names of columns counts.
        has_defaults: Whether `DEFAULT` is the default of a column.
        spark: The session; `None` is the one that is active.
    """

    names_in_double_quotes: bool = False
    patterns_in_backticks: bool = False
    bang_is_not: bool = False
    case_sensitive: bool = False
    has_defaults: bool = True
    spark: SparkSession | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, spark: SparkSession, text: str) -> Dialect:
        """How a session reads a text, and what is made of its parts."""
        return cls(
            '"' in text
            and is_set(spark, "spark.sql.ansi.doubleQuotedIdentifiers")
            and is_set(spark, "spark.sql.ansi.enabled", default=True),
            is_set(spark, PATTERNS),
            "!" in text and is_set(spark, "spark.sql.legacy.bangEqualsNot"),
            is_set(spark, "spark.sql.caseSensitive"),
            "DEFAULT" not in text.upper() or is_set(spark, "spark.sql.defaultColumn.enabled", default=True),
            spark,
        )

    @property
    def name_quotes(self) -> str:
        """The characters that begin a name."""
        return '`"' if self.names_in_double_quotes else "`"


_DIALECT: ContextVar[Dialect] = ContextVar("floeberg_sql_dialect", default=Dialect())  # noqa: B039 - it is frozen


def dialect() -> Dialect:
    """The dialect of the statement that runs here."""
    return _DIALECT.get()


@contextmanager
def read_in(wanted: Dialect) -> Iterator[None]:
    """Reads texts by a dialect in the block."""
    token = _DIALECT.set(wanted)
    try:
        yield
    finally:
        _DIALECT.reset(token)


def substituted(spark: SparkSession, text: str) -> str:
    """The text with settings of the session instead of `${name}`, as Spark puts them there before it reads the text.

    `${env:name}` and `${system:name}` stay: Spark replaces them where it runs the text.

    Raises:
        InvalidInputError: A setting names itself.
    """
    if "${" not in text or not is_set(spark, "spark.sql.variable.substitute", default=True):
        return text
    return _filled(spark, text, ())


def _filled(spark: SparkSession, text: str, within: tuple[str, ...]) -> str:
    def value(found: re.Match[str]) -> str:
        prefix, name = found.groups()
        if prefix not in _OF_SESSION:
            return found[0]
        if name in within:
            raise InvalidInputError(f"the setting {name!r} of the session has ${{{name}}} in its own value")
        # Spark has an empty text for what is not set.
        return _filled(spark, str(spark.conf.get(name, "") or ""), (*within, name))

    return _REFERENCE.sub(value, text)
