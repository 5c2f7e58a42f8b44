"""Which catalog does a name mean?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from floeberg._arguments import checked_options, checked_text
from floeberg.catalog.base import Catalog
from floeberg.catalog.configuration import configured_name, configured_properties
from floeberg.catalog.filesystem import FileSystemCatalog
from floeberg.catalog.memory import MemoryCatalog
from floeberg.errors import InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.metrics.delivery import checked_reporter

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.metrics import MetricsReporter

__all__ = ["load_catalog"]

_LATER = frozenset({"bigquery", "dynamodb", "hive", "nessie", "polaris", "unity"})
"""Catalog types of other libraries."""


def load_catalog(name: str | None = None, **properties: str | MetricsReporter | None) -> Catalog:
    """Loads a catalog by its configuration.

    Each property is taken from the first of these that has it: the arguments; the environment, as
    `FLOEBERG_CATALOG__<NAME>__<KEY>`; `~/.floeberg.yaml`; PyIceberg's environment and `.pyiceberg.yaml`.

    Args:
        name: The name of the catalog. By default, the configured `default-catalog`, or `default`.
        **properties: Properties of the catalog, and storage options. `type` is `sql`, `rest`, `filesystem` or `memory`.
            By default, it is `rest` if a `uri` of `http` is given, `sql` for another `uri`, and `filesystem` if only a
            `warehouse` is given. `py-catalog-impl` names a class of your own instead, as `package.module.Class`.
            `metrics_reporter` is no text: it gets a report of each scan and each commit, as `Catalog.metrics_reporter`.

    Returns:
        The catalog.

    Raises:
        InvalidInputError: The properties do not determine the type, or one is wrong.
        NotInstalledError: The catalog needs a package that is not installed.
        UnsupportedError: The catalog type does not exist, or is not supported yet.

    Examples:
        >>> load_catalog("local", type="sql", uri="sqlite://", warehouse="memory://doc/local")
        SqlCatalog('local')
    """
    reporter = checked_reporter(properties.pop("metrics_reporter", None))
    known = configured_name() if name is None else checked_text("name", name)
    given = checked_options(
        "properties", {key: value for key, value in properties.items() if value is not None}
    )
    merged = configured_properties(known) | given
    catalog = _class_of(known, merged)(known, merged)
    catalog.metrics_reporter = reporter
    return catalog


def _class_of(name: str, properties: dict[str, str]) -> Callable[[str, dict[str, str]], Catalog]:
    kind = properties.get("type", "").lower()
    own = properties.get("py-catalog-impl")
    if own is not None:
        if kind:
            raise InvalidInputError("give either 'type' or 'py-catalog-impl', not both")
        return _imported(own)
    if not kind:
        kind = _inferred(name, properties)
    if kind == "sql":
        # It imports SQLAlchemy.
        from floeberg.catalog.sql import SqlCatalog  # noqa: PLC0415

        return SqlCatalog
    if kind in ("rest", "glue", "s3tables"):
        # It imports httpx.
        from floeberg.catalog.rest import RestCatalog  # noqa: PLC0415

        return RestCatalog
    if kind in ("filesystem", "hadoop"):
        return FileSystemCatalog
    if kind in ("memory", "in-memory"):
        return MemoryCatalog
    if kind in _LATER:
        raise UnsupportedError(
            f"catalogs of the type {kind!r} are not supported yet: read their tables by "
            "fb.open_table(metadata_location), or use 'rest', 'sql', 'filesystem' or 'memory'"
        )
    if kind == "jdbc":
        raise UnsupportedError(
            "unknown catalog type 'jdbc': the type 'sql' opens what Iceberg Java's JDBC catalog keeps. Give the uri "
            "without 'jdbc:', as in 'sqlite:///catalog.db' or 'postgresql+psycopg://user@host/database'"
        )
    raise UnsupportedError(
        f"unknown catalog type {kind!r}: expected 'rest', 'sql', 'filesystem' (also 'hadoop') or 'memory' (also "
        "'in-memory')"
    )


def _inferred(name: str, properties: dict[str, str]) -> str:
    uri = properties.get("uri")
    if uri is None:
        if "warehouse" in properties:
            return "filesystem"
        raise InvalidInputError(
            f"the catalog {name!r} is not configured: give its type, or a 'uri' or a 'warehouse', as arguments, by "
            f"FLOEBERG_CATALOG__{name.upper().replace('-', '_')}__TYPE, or in ~/.floeberg.yaml"
        )
    scheme = uri.partition(":")[0].lower()
    if scheme in ("http", "https"):
        return "rest"
    return "hive" if scheme == "thrift" else "sql"


def _imported(path: str) -> Callable[[str, dict[str, str]], Catalog]:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError) as error:
        raise NotInstalledError(f"the module of the catalog {path!r} cannot be imported") from error
    except AttributeError as error:
        raise InvalidInputError(f"the module {module!r} has no class {name!r}") from error
    if not isinstance(found, type) or not issubclass(found, Catalog):
        raise InvalidInputError(f"{path!r} does not derive from floeberg.catalog.Catalog")
    return cast("Callable[[str, dict[str, str]], Catalog]", found)
