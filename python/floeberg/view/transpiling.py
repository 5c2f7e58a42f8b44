"""How is the statement of a view read, and translated to another dialect?

By sqlglot, which is not imported before. What it cannot translate becomes warnings.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from floeberg._warnings import warn_user
from floeberg.errors import InvalidDataError, LimitExceededError, NotInstalledError, UnsupportedError
from floeberg.view.versions import SQLViewRepresentation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["parsed", "transpiled", "written"]


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
    tree, source = parsed(representations, dialect)
    return SQLViewRepresentation(written(tree, source, dialect), dialect.lower())


def parsed(representations: Sequence[SQLViewRepresentation], dialect: str) -> tuple[Any, str]:
    """The tree of a statement that is to be translated, and its dialect.

    The statement in the wanted dialect is taken, else the first one whose dialect sqlglot knows.

    Raises:
        FloebergError: As for `transpiled`.
    """
    try:
        import sqlglot  # noqa: PLC0415 - importing floeberg imports nothing large
    except ImportError as error:
        raise NotInstalledError("sqlglot is not installed: pip install 'floeberg[views]'") from error

    if _known(dialect) is None:
        raise UnsupportedError(f"sqlglot, which translates views, does not know the dialect {dialect!r}")
    known = [each for each in representations if _known(each.dialect) is not None]
    wanted = [each for each in known if each.dialect.lower() == dialect.lower()]
    source = next(iter([*wanted, *known]), None)
    if source is None:
        has = ", ".join(each.dialect for each in representations) or "none"
        raise UnsupportedError(
            f"the view cannot be translated to {dialect!r}: sqlglot, which translates views, knows none of its "
            f"dialects ({has})"
        )
    with _understood(source.dialect):
        trees = sqlglot.parse(source.sql, read=source.dialect.lower())
        if len(trees) != 1 or not isinstance(trees[0], (sqlglot.exp.Query, sqlglot.exp.Values)):
            raise UnsupportedError(
                f"the view cannot be translated: its statement in {source.dialect} is not one query"
            )
    return trees[0], source.dialect


def written(tree: Any, source: str, dialect: str, name: str | None = None) -> str:  # noqa: ANN401 - sqlglot publishes few types
    """A tree as SQL of a dialect. What cannot be said in it becomes warnings.

    Args:
        tree: The tree.
        source: The dialect that it was read in.
        dialect: The dialect to write.
        name: What warnings call that; by default the dialect.
    """
    from sqlglot.errors import ErrorLevel  # noqa: PLC0415 - the same

    target = _known(dialect)
    assert target is not None  # noqa: S101 - the tree was made for it
    # Told here and not logged, so that the caller sees whose view it is.
    generator = target.generator(unsupported_level=ErrorLevel.IGNORE)
    with _understood(source):
        sql: str = generator.generate(tree)
    for message in dict.fromkeys(generator.unsupported_messages):
        warn_user(
            f"a view was translated from {source} to {name or dialect}, and may give other rows: {message}"
        )
    return sql


@contextmanager
def _understood(dialect: str) -> Iterator[None]:
    from sqlglot.errors import SqlglotError  # noqa: PLC0415 - the same

    try:
        yield
    except SqlglotError as error:
        raise InvalidDataError(
            f"the statement of the view is not understood as {dialect}: {_first_line(error)}"
        ) from error
    except RecursionError as error:
        raise LimitExceededError(
            f"the view cannot be translated: its statement in {dialect} is nested too deeply for sqlglot"
        ) from error


def _known(dialect: str) -> Any:  # noqa: ANN401 - sqlglot publishes few types
    """A dialect of sqlglot; `None` for one that it does not know."""
    from sqlglot import Dialect  # noqa: PLC0415 - the same

    found = Dialect.get(dialect.strip().lower())
    return None if found is None or not dialect.strip() else found()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
