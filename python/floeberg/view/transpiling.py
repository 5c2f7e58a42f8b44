"""How is the statement of a view translated to another dialect?

By sqlglot, which is not imported before. What it cannot translate becomes warnings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg._warnings import warn_user
from floeberg.errors import InvalidDataError, LimitExceededError, NotInstalledError, UnsupportedError
from floeberg.view.versions import SQLViewRepresentation

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["transpiled"]


def transpiled(representations: Sequence[SQLViewRepresentation], dialect: str) -> SQLViewRepresentation:
    """The first statement whose dialect sqlglot knows, in another dialect.

    Args:
        representations: The statements of a version.
        dialect: The dialect to translate to.

    Raises:
        NotInstalledError: sqlglot is not installed.
        UnsupportedError: sqlglot knows none of the dialects, or not the wanted one, or the statement is not a query.
        InvalidDataError: The statement is not valid SQL of its dialect.
        LimitExceededError: The statement is nested too deeply.
    """
    try:
        import sqlglot  # noqa: PLC0415 - importing floeberg imports nothing large
    except ImportError as error:
        raise NotInstalledError("sqlglot is not installed: pip install 'floeberg[views]'") from error
    from sqlglot.errors import ErrorLevel, SqlglotError  # noqa: PLC0415 - the same

    target = _known(dialect)
    if target is None:
        raise UnsupportedError(f"sqlglot, which translates views, does not know the dialect {dialect!r}")
    source = next((each for each in representations if _known(each.dialect) is not None), None)
    if source is None:
        has = ", ".join(each.dialect for each in representations) or "none"
        raise UnsupportedError(
            f"the view cannot be translated to {dialect!r}: sqlglot, which translates views, knows none of its "
            f"dialects ({has})"
        )
    # Told here and not logged, so that the caller sees whose view it is.
    generator = target.generator(unsupported_level=ErrorLevel.IGNORE)
    try:
        trees = sqlglot.parse(source.sql, read=source.dialect.lower())
        if len(trees) != 1 or not isinstance(trees[0], sqlglot.exp.Query):
            raise UnsupportedError(
                f"the view cannot be translated: its statement in {source.dialect} is not one query"
            )
        sql = generator.generate(trees[0])
    except SqlglotError as error:
        raise InvalidDataError(
            f"the statement of the view is not understood as {source.dialect}: {_first_line(error)}"
        ) from error
    except RecursionError as error:
        raise LimitExceededError(
            f"the view cannot be translated: its statement in {source.dialect} is nested too deeply for sqlglot"
        ) from error
    for message in dict.fromkeys(generator.unsupported_messages):
        warn_user(
            f"a view was translated from {source.dialect} to {dialect}, and may give other rows: {message}"
        )
    return SQLViewRepresentation(sql, dialect.lower())


def _known(dialect: str) -> Any:  # noqa: ANN401 - sqlglot publishes few types
    """A dialect of sqlglot; `None` for one that it does not know."""
    from sqlglot import Dialect  # noqa: PLC0415 - the same

    found = Dialect.get(dialect.strip().lower())
    return None if found is None or not dialect.strip() else found()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
