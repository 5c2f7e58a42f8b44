"""How does a user say what a new version of a view is?

In: SQL and its dialect, representations, or a whole version of ours or of PyIceberg. Out: JSON, which Rust checks.
Spec: View Spec, Versions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from floeberg import _native
from floeberg._arguments import checked_names, checked_options, checked_text
from floeberg.errors import InvalidInputError
from floeberg.view.versions import SQLViewRepresentation, ViewVersion

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["AnyViewVersion", "version_json"]


@runtime_checkable
class _JsonModel(Protocol):
    """A version of PyIceberg: a model that can write the specification's JSON."""

    def model_dump_json(self) -> str:
        """The JSON text."""


AnyViewVersion: TypeAlias = "ViewVersion | _JsonModel"


def version_json(  # noqa: PLR0913 - one keyword each
    view_version: AnyViewVersion | None,
    *,
    sql: str | Mapping[str, str] | None,
    dialect: str | None,
    representations: Iterable[SQLViewRepresentation] | None,
    default_catalog: str | None,
    default_namespace: str | Iterable[str] | None,
    otherwise: tuple[str | None, Sequence[str]],
) -> str:
    """The JSON of a version that is to be made. The view assigns its ids and its time.

    Args:
        view_version: A whole version, which excludes all other arguments.
        sql: The statement, or one for each dialect.
        dialect: The dialect of a single statement.
        representations: The statements as objects.
        default_catalog: The catalog for names without one.
        default_namespace: The namespace for names without one.
        otherwise: Both defaults, where neither is given.
    """
    given = {
        "view_version": view_version is not None,
        "sql": sql is not None,
        "representations": representations is not None,
    }
    if sum(given.values()) != 1:
        found = " and ".join(name for name, is_given in given.items() if is_given) or "none of them"
        raise InvalidInputError(f"give one of sql, representations and view_version: found {found}")
    if view_version is not None:
        others = {
            "dialect": dialect,
            "default_catalog": default_catalog,
            "default_namespace": default_namespace,
        }
        for name, value in others.items():
            if value is not None:
                raise InvalidInputError(f"{name}: leave it out, since view_version has its own")
        return _given_version(view_version)
    if default_catalog is None and default_namespace is None:
        catalog, namespace = otherwise
    else:
        catalog = None if default_catalog is None else checked_text("default_catalog", default_catalog)
        namespace = otherwise[1] if default_namespace is None else _levels(default_namespace)
    statements = _statements(sql, dialect) if sql is not None else _represented(representations, dialect)
    summary = {"engine-name": "floeberg", "engine-version": _native.__version__}
    return _written(statements, summary, catalog, namespace)


def _given_version(version: object) -> str:
    if isinstance(version, ViewVersion):
        summary = checked_options("view_version.summary", version.summary)
        return _written(
            _represented(version.representations, None),
            summary,
            version.default_catalog,
            _levels(version.default_namespace),
        )
    if isinstance(version, _JsonModel):
        return version.model_dump_json()
    raise InvalidInputError(
        f"view_version: expected a ViewVersion, found an object of type {type(version).__name__}"
    )


def _written(
    statements: list[tuple[str, str]], summary: dict[str, str], catalog: str | None, namespace: Sequence[str]
) -> str:
    written: dict[str, object] = {
        "version-id": 0,
        "timestamp-ms": 0,
        "schema-id": 0,
        "summary": summary,
        "default-namespace": list(namespace),
        "representations": [
            {"type": "sql", "sql": statement, "dialect": dialect} for dialect, statement in statements
        ],
    }
    return json.dumps(written if catalog is None else written | {"default-catalog": catalog})


def _statements(sql: object, dialect: str | None) -> list[tuple[str, str]]:
    """The statements by dialect."""
    if isinstance(sql, Mapping):
        if dialect is not None:
            raise InvalidInputError("dialect: leave it out, since the keys of sql are the dialects")
        return list(checked_options("sql", sql).items())
    text = checked_text("sql", sql)
    if dialect is None:
        raise InvalidInputError(
            "dialect: expected the dialect of the SQL, such as dialect='spark', or sql={'spark': ..., 'trino': ...}"
        )
    return [(checked_text("dialect", dialect), text)]


def _represented(representations: object, dialect: str | None) -> list[tuple[str, str]]:
    if dialect is not None:
        raise InvalidInputError("dialect: leave it out, since each representation has its own")
    if not isinstance(representations, Iterable) or isinstance(representations, (str, bytes)):
        raise InvalidInputError(
            "representations: expected a list of SQLViewRepresentation, found an object of type "
            f"{type(representations).__name__}"
        )
    found = []
    for each in representations:
        if not isinstance(each, SQLViewRepresentation):
            raise InvalidInputError(
                f"representations: expected SQLViewRepresentation, found an object of type {type(each).__name__}"
            )
        dialect_of = checked_text("representations.dialect", each.dialect)
        found.append((dialect_of, checked_text("representations.sql", each.sql)))
    return found


def _levels(namespace: object) -> list[str]:
    """The levels of a default namespace, which may be empty."""
    if isinstance(namespace, str):
        return checked_text("default_namespace", namespace).split(".")
    return checked_names("default_namespace", namespace)
