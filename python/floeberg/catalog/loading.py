"""Which catalog does a name mean?"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from floeberg._arguments import checked_bool, checked_options, checked_path, checked_seconds, checked_text
from floeberg.catalog.base import Catalog
from floeberg.catalog.check import CatalogCheck, Check
from floeberg.catalog.check.origins import GIVEN
from floeberg.catalog.configuration import configured_name, configured_origins, configured_properties
from floeberg.catalog.filesystem import FileSystemCatalog
from floeberg.catalog.memory import MemoryCatalog
from floeberg.catalog.names import checked_identifier
from floeberg.encryption.choosing import options_with
from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError, UnsupportedError
from floeberg.metrics.delivery import checked_reporter

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping

    from floeberg.encryption import KeyManagement
    from floeberg.metrics import MetricsReporter

__all__ = ["check_catalog", "load_catalog"]

_LATER = frozenset({"bigquery", "dynamodb", "hive", "nessie", "polaris", "unity"})
"""Catalog types of other libraries."""


def load_catalog(
    name: str | None = None, **properties: str | MetricsReporter | KeyManagement | None
) -> Catalog:
    """Loads a catalog by its configuration.

    Each property is taken from the first of these that has it: the arguments; the environment, as
    `FLOEBERG_CATALOG__<NAME>__<KEY>`; `~/.floeberg.yaml`; PyIceberg's environment and `.pyiceberg.yaml`.

    Args:
        name: The name of the catalog. By default, the configured `default-catalog`, or `default`.
        **properties: Properties of the catalog, and storage options. `type` is `sql`, `rest`, `filesystem` or `memory`.
            By default, it is `rest` if a `uri` of `http` is given, `sql` for another `uri`, and `filesystem` if only a
            `warehouse` is given. `py-catalog-impl` names a class of your own instead, as `package.module.Class`.
            `metrics_reporter` is no text: it gets a report of each scan and each commit, as `Catalog.metrics_reporter`.
            Nor is `key_management`, which has the keys of encrypted tables: the properties `encryption.kms-type` and
            `encryption.kms-impl` name one too.

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
    keys = properties.pop("key_management", None)
    known, given = _named(name, properties)
    given = options_with(given, keys)
    merged = configured_properties(known) | given
    made = class_of(known, merged)(known, merged)
    made._origins = _origins(known, given)  # noqa: SLF001 - its own package
    made.metrics_reporter = reporter
    return made


def _named(name: str | None, properties: Mapping[str, object]) -> tuple[str, dict[str, str]]:
    """The name of a catalog, and the properties that were given."""
    known = configured_name() if name is None else checked_text("name", name)
    return known, checked_options(
        "properties", {key: value for key, value in properties.items() if value is not None}
    )


def _origins(name: str, given: Mapping[str, str]) -> dict[str, str]:
    """Where each property comes from."""
    return configured_origins(name) | dict.fromkeys(given, GIVEN)


def check_catalog(
    name: str | None = None,
    *,
    table: str | Iterable[str] | None = None,
    location: str | os.PathLike[str] | None = None,
    read_only: bool = False,
    timeout: float = 10.0,
    **properties: str | None,
) -> CatalogCheck:
    """Checks a catalog as `Catalog.check` does, also one that cannot be loaded.

    Args:
        name: The name of the catalog, as with `load_catalog`.
        table: The table to load. By default, the first one.
        location: The folder in which files are written, where the catalog does not name one.
        read_only: Whether nothing is written: no files, and no tables in a database.
        timeout: Seconds that each step may take. A step without an answer by then has failed.
        **properties: Properties of the catalog, as with `load_catalog`.

    Returns:
        The steps.

    Raises:
        InvalidInputError: An argument is wrong. What the steps find is in the result.

    Examples:
        >>> found = check_catalog("far", type="rest", uri="http://127.0.0.1:9/api")
        >>> found.failure.name, found.step("authentication").detail
        ('tcp', "the step 'tcp' failed")
    """
    known, given = _named(name, properties)
    levels = None if table is None else checked_identifier("table", table)
    place = None if location is None else checked_path("location", location)
    checked_bool("read_only", read_only)
    seconds = checked_seconds("timeout", timeout)
    merged = configured_properties(known) | given
    found: list[type[Catalog]] = []

    def kind() -> type[Catalog]:
        if not found:
            found.append(class_of(known, merged))
        return found[0]

    def reached() -> Catalog:
        made = kind()(known, kind()._for_reading(merged) if read_only else merged)  # noqa: SLF001 - its own package
        made._origins = origins  # noqa: SLF001 - the same
        return made

    origins = _origins(known, given)
    wanted = Check(
        name=known,
        kind=_kind_shown(kind),
        properties=merged,
        origins=origins,
        table=levels,
        location=place,
        read_only=read_only,
        seconds=seconds,
    )
    return wanted.run(lambda: kind()._connection(merged, origins), reached)  # noqa: SLF001 - the same


def _kind_shown(kind: Callable[[], type[Catalog]]) -> str:
    try:
        return kind().__name__
    except FloebergError:
        return "unknown kind"


def class_of(name: str, properties: dict[str, str]) -> type[Catalog]:
    """The class of a catalog.

    Raises:
        InvalidInputError: The properties do not determine it.
        NotInstalledError: It needs a package that is not installed.
        UnsupportedError: The type does not exist, or is not supported yet.
    """
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


def _imported(path: str) -> type[Catalog]:
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, ValueError) as error:
        raise NotInstalledError(f"the module of the catalog {path!r} cannot be imported") from error
    except AttributeError as error:
        raise InvalidInputError(f"the module {module!r} has no class {name!r}") from error
    if not isinstance(found, type) or not issubclass(found, Catalog):
        raise InvalidInputError(f"{path!r} does not derive from floeberg.catalog.Catalog")
    return found
