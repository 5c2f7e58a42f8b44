"""How is a catalog configured?

Each property is taken from the first of these that has it:

1. the arguments of `load_catalog`,
2. the environment: `FLOEBERG_CATALOG__<NAME>__<KEY>`,
3. `~/.floeberg.yaml`,
4. PyIceberg's configuration: `PYICEBERG_CATALOG__<NAME>__<KEY>`, then `.pyiceberg.yaml` in `$PYICEBERG_HOME`, the home
   directory or the working directory. A file without content hides no other one.

In the environment `__` in a key is a dot and `_` a hyphen: `FLOEBERG_CATALOG__PROD__S3__ACCESS_KEY_ID` is the property
`s3.access-key-id` of the catalog `prod`. Names of catalogs ignore case, and the difference of hyphens and underscores.
In files, the keys of mappings within a catalog are joined by dots: `ssl: {cabundle: ..}` is `ssl.cabundle`, and the
items of a list below `auth`, which are scopes, by commas.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from floeberg.errors import (
    InvalidInputError,
    NotInstalledError,
    PermissionDeniedError,
    StorageError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["configured_name", "configured_names", "configured_origins", "configured_properties"]

_OWN = "FLOEBERG"
_OTHER = "PYICEBERG"
_CATALOG = "catalog"
_DEFAULT_CATALOG = "default-catalog"


def configured_name() -> str:
    """The name of the default catalog: the key `default-catalog`, or `default`."""
    for layer in _layers():
        name = layer.content.get(_DEFAULT_CATALOG)
        if isinstance(name, str) and name:
            return name
    return "default"


def configured_names() -> list[str]:
    """The names of the catalogs in the environment and in the files, each once, in alphabetical order.

    Raises:
        InvalidInputError: A file is not YAML, or not of this form. The error names it.
        NotInstalledError: A file exists, and PyYAML is not installed.
    """
    names: dict[str, str] = {}
    for layer in _layers():
        catalogs = layer.content.get(_CATALOG)
        for known in catalogs if isinstance(catalogs, dict) else ():
            names.setdefault(_folded(known), known)
    return sorted(names.values())


def configured_properties(name: str) -> dict[str, str]:
    """The properties of a catalog in the environment and in the files.

    Raises:
        InvalidInputError: A file is not YAML, or not of this form. The error names it.
        NotInstalledError: A file exists, and PyYAML is not installed.
    """
    return {key: value for key, (value, _) in _found(name).items()}


def configured_origins(name: str) -> dict[str, str]:
    """Where each property of a catalog comes from: a variable of the environment, or a file.

    Raises:
        InvalidInputError: As `configured_properties`.
        NotInstalledError: The same.
    """
    return {key: origin for key, (_, origin) in _found(name).items()}


def _found(name: str) -> dict[str, tuple[str, str]]:
    """The value and the origin of each property."""
    found: dict[str, tuple[str, str]] = {}
    for layer in _layers():
        for key, value in _of_catalog(layer.content, name).items():
            if key not in found:
                found[key] = value, layer.origin(name, key)
    return found


@dataclass(frozen=True)
class _Layer:
    """One place that has properties.

    Args:
        content: What it says.
        origin: Where a property of a catalog stands, by the name of the catalog and the key.
    """

    content: Mapping[str, object]
    origin: Callable[[str, str], str]


def _layers() -> Iterator[_Layer]:
    """The layers of the configuration, by precedence. Files are read on demand."""
    yield _environment(_OWN)
    yield _file([Path.home() / ".floeberg.yaml"])
    yield _environment(_OTHER)
    home = os.environ.get(f"{_OTHER}_HOME")
    folders = [Path(home)] if home else []
    places = [folder / ".pyiceberg.yaml" for folder in (*folders, Path.home(), Path.cwd())]
    yield _file(places, skips_empty=True)


def _environment(prefix: str) -> _Layer:
    catalogs: dict[str, dict[str, str]] = {}
    variables: dict[tuple[str, str], str] = {}
    found: dict[str, object] = {_CATALOG: catalogs}
    for variable, value in os.environ.items():
        head, *rest = variable.lower().split("__", maxsplit=2)
        if head == f"{prefix.lower()}_default_catalog" and not rest:
            found[_DEFAULT_CATALOG] = value
        elif head == f"{prefix.lower()}_{_CATALOG}" and len(rest) == 2:  # noqa: PLR2004 - a name and a key
            key = rest[1].replace("__", ".").replace("_", "-")
            catalogs.setdefault(rest[0], {})[key] = value
            variables[_folded(rest[0]), key] = variable
    return _Layer(found, lambda name, key: f"the variable {variables[_folded(name), key]}")


def _file(places: list[Path], *, skips_empty: bool = False) -> _Layer:
    """The first file that exists, or the first one with content."""
    for path in filter(_is_file, places):
        content = _read(path)
        if content or not skips_empty:
            return _Layer(content, partial(_in_file, path))
    return _Layer({}, partial(_in_file, Path()))


def _in_file(path: Path, name: str, key: str) -> str:
    del name, key
    return f"the file {path}"


def _read(path: Path) -> Mapping[str, object]:
    try:
        import yaml  # noqa: PLC0415 - importing floeberg imports nothing large
    except ImportError as error:
        raise NotInstalledError(
            "PyYAML is not installed, and a configuration file needs it: pip install pyyaml",
            context={"path": str(path)},
        ) from error
    where = {"path": str(path)}
    try:
        # Scalars stay strings: `no` must not become a boolean, nor `1e3` a number.
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts only
    except PermissionError as error:
        raise PermissionDeniedError("the configuration cannot be read", context=where) from error
    except OSError as error:
        raise StorageError(f"the configuration cannot be read: {error.strerror}", context=where) from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
        # The message of the library may show a line, which may hold a secret.
        raise InvalidInputError("the configuration is not YAML in UTF-8", context=where) from None
    if content in (None, ""):
        return {}
    if not isinstance(content, dict):
        raise InvalidInputError("expected a mapping in the configuration", context=where)
    _check(content, where)
    return {str(key).lower(): value for key, value in content.items()}


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        # A name that no file can have, or a place where nobody may look.
        return False


def _check(content: dict[object, object], where: dict[str, str]) -> None:
    """Checks the form `catalog: {name: {key: text}}`. Errors do not show values, which may be secret."""
    catalogs = next((value for key, value in content.items() if str(key).lower() == _CATALOG), None)
    if catalogs in (None, ""):
        return
    if not isinstance(catalogs, dict):
        raise InvalidInputError("expected catalogs by name under `catalog`", context=where)
    for name, properties in cast("dict[object, object]", catalogs).items():
        if properties in (None, ""):
            continue
        if not isinstance(properties, dict):
            raise InvalidInputError(f"expected properties by key under the catalog {name!r}", context=where)
        for key, value in cast("dict[object, object]", properties).items():
            if _flat(key, value) is None:
                raise InvalidInputError(
                    f"expected a string as property {key!r} of the catalog {name!r}", context=where
                )


def _flat(key: object, value: object) -> dict[str, str] | None:
    """The properties that a value means: a mapping has one for each of its own. `None` for anything but texts."""
    if isinstance(key, str) and isinstance(value, str):
        return {key.lower(): value}
    if isinstance(key, str) and isinstance(value, dict):
        inner = [_flat(f"{key}.{each}", of_it) for each, of_it in value.items()]
        if any(each is None for each in inner):
            return None
        return {name: text for each in inner for name, text in (each or {}).items()}
    is_list = isinstance(value, list) and all(isinstance(each, str) for each in value)
    if isinstance(key, str) and key.lower().startswith("auth.") and is_list:
        return {key.lower(): ",".join(cast("list[str]", value))}
    return None


def _of_catalog(layer: Mapping[str, object], name: str) -> Mapping[str, str]:
    catalogs = layer.get(_CATALOG)
    if not isinstance(catalogs, dict):
        return {}
    for known, properties in catalogs.items():
        if _folded(known) == _folded(name) and isinstance(properties, dict):
            flat = (_flat(key, value) for key, value in properties.items())
            return {key: value for each in flat for key, value in (each or {}).items()}
    return {}


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
