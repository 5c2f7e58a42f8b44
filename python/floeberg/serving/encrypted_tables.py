"""May a client change a table this way, if the table is encrypted or would be?

In: the properties of a table, and updates of a request. Out: nothing, or an error.

The rules are those of Floeberg's own commits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["check_encryption"]

_KEY: Final = "encryption.key-id"
_OF_KEYS: Final = (_KEY, "encryption.data-key-length")


def check_encryption(before: Mapping[str, str] | None, updates: Sequence[dict[str, Any]]) -> None:
    """Checks that a table stays plain, or stays encrypted by its key.

    Args:
        before: The properties of the table; `None` where the updates create it.
        updates: The updates of a request. Those that are not understood are left to who applies them.

    Raises:
        UnsupportedError: An update sets, changes or removes the key of a table that exists; or it adds plain files to
            an encrypted table, or takes a key away.
    """
    is_encrypted = _KEY in (_new_properties(updates) if before is None else before)
    for update in updates:
        action = update.get("action")
        if before is not None:
            _check_stays(before, update)
        if not is_encrypted:
            continue
        if action == "add-snapshot" and not _has_key(update.get("snapshot")):
            raise UnsupportedError(
                "the table is encrypted, and the snapshot names no key ('key-id'): its files would be plain. "
                "Write with a library that encrypts"
            )
        if action in ("set-statistics", "set-partition-statistics", "remove-encryption-key"):
            raise UnsupportedError(f"the table is encrypted: the update {action!r} is not supported there")


def _new_properties(updates: Sequence[dict[str, Any]]) -> dict[str, str]:
    given = [each.get("updates") for each in updates if each.get("action") == "set-properties"]
    return {name: value for each in given if isinstance(each, dict) for name, value in each.items()}


def _check_stays(before: Mapping[str, str], update: dict[str, Any]) -> None:
    given = update.get("updates") if update.get("action") == "set-properties" else None
    removed = update.get("removals") if update.get("action") == "remove-properties" else None
    for name in _OF_KEYS:
        is_set = isinstance(given, dict) and name in given and given[name] != before.get(name)
        is_removed = isinstance(removed, list) and name in removed and name in before
        if is_set or is_removed:
            raise UnsupportedError(
                f"the property {name!r} cannot be set, changed or removed after a table was created, since its files "
                "are encrypted by it or are plain: create an encrypted table, and copy the rows into it"
            )


def _has_key(snapshot: object) -> bool:
    return not isinstance(snapshot, dict) or snapshot.get("key-id") is not None
