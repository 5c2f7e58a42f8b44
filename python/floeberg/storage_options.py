"""How are storage options renewed before they expire?

Vended credentials are valid for about an hour, and scans, task groups and write recipes carry them to other processes.
Two options say how to renew them:

- `storage-options.provider` names the provider of new options. The name is `package.module:function`, which every
  process can import, or one that `register_storage_options_provider` registered in this process;
- `storage-options.expires-at-ms` is the time when they expire, in milliseconds from 1970-01-01 UTC. Iceberg Java's
  names work too: `s3.session-token-expires-at-ms`, `gcs.oauth2.token-expires-at`,
  `adls.sas-token-expires-at-ms.<account>`.

Some time before the options expire, the provider is called with them, on the thread that reads or writes. It returns
the options that change. If options have a provider but no expiry time, they have no values yet: the provider is called
once in each process.

Examples:
    >>> def vend(options):
    ...     return {"s3.session-token": "new", "storage-options.expires-at-ms": "4102444800000"}
    >>> register_storage_options_provider("doc", vend)
    >>> refresh_storage_options({"storage-options.provider": "doc", "s3.session-token": "old"})["s3.session-token"]
    'new'
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias, cast

from floeberg._arguments import checked_options, checked_text
from floeberg._aws_profiles import PROFILE_OPTIONS
from floeberg.errors import FloebergError, InvalidInputError, NotInstalledError, StorageError

__all__ = [
    "EXPIRES_AT_MS",
    "PROVIDER",
    "StorageOptionsProvider",
    "refresh_storage_options",
    "register_storage_options_provider",
]

PROVIDER: Final = "storage-options.provider"
"""The option that names a provider."""

EXPIRES_AT_MS: Final = "storage-options.expires-at-ms"
"""The option with the time when the others expire."""

StorageOptionsProvider: TypeAlias = Callable[[Mapping[str, str]], Mapping[str, str]]
"""Returns new options for those that expire."""

_ENDS: Final = (
    EXPIRES_AT_MS,
    "s3.session-token-expires-at-ms",
    "gcs.oauth2.token-expires-at",
    "adls.sas-token-expires-at-ms",
)
_OF_PROFILES: Final = "floeberg._aws_profiles:provide"
_REGISTERED: Final[dict[str, StorageOptionsProvider]] = {}


def register_storage_options_provider(name: str, provider: StorageOptionsProvider) -> None:
    """Registers a provider under a name in this process. Workers of engines need `package.module:function` instead.

    Args:
        name: The name, without a colon.
        provider: The provider.
    """
    known = checked_text("name", name)
    if not known or ":" in known:
        raise InvalidInputError(f"name: expected a name without a colon, found {known!r}")
    if not callable(provider):
        raise InvalidInputError(
            f"provider: expected a function, found an object of type {type(provider).__name__}"
        )
    _REGISTERED[known] = provider


def refresh_storage_options(options: Mapping[str, str]) -> dict[str, str]:
    """Asks the provider of the options for new ones.

    Returns:
        The new options, and the others without expiry times.

    Raises:
        InvalidInputError: The provider does not exist, or returned values other than strings.
        NotInstalledError: Its module cannot be imported.
        StorageError: It raised an error.
    """
    name = options.get(PROVIDER, "") or _OF_PROFILES * any(key in options for key in PROFILE_OPTIONS)
    provider = _REGISTERED.get(name) or _imported(name)
    try:
        answer: object = provider(dict(options))
    except FloebergError:
        raise
    except Exception as failure:  # noqa: BLE001 - a provider may raise anything
        # Its message may have the values of options.
        message = _without_values(str(failure), options)
        raise StorageError(
            f"the provider {name!r} of storage options raised {type(failure).__name__}: {message}",
            retryable=True,
        ) from None
    given = checked_options(f"the options of the provider {name!r}", answer)
    kept = {key: value for key, value in options.items() if not says_an_end(key)}
    return kept | given


def _imported(name: str) -> StorageOptionsProvider:
    module, colon, function = name.partition(":")
    if not colon:
        raise InvalidInputError(
            f"no provider of storage options is registered as {name!r} in this process: register it, or name it as "
            "'package.module:function', which every process can import"
        )
    try:
        found: object = getattr(importlib.import_module(module), function)
    except (ImportError, ValueError) as failure:
        raise NotInstalledError(
            f"the module of the storage options provider {name!r} cannot be imported"
        ) from failure
    except AttributeError as failure:
        raise InvalidInputError(f"the module {module!r} has no provider {function!r}") from failure
    if not callable(found):
        raise InvalidInputError(f"the storage options provider {name!r} is not callable: expected a function")
    return cast("StorageOptionsProvider", found)


def says_an_end(key: str) -> bool:
    """Whether an option says when others expire."""
    return any(key == end or key.startswith(f"{end}.") for end in _ENDS)


def _without_values(text: str, options: Mapping[str, str]) -> str:
    for key, value in options.items():
        if key != PROVIDER and value:
            text = text.replace(value, "***")
    return text
