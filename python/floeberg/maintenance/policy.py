"""What does a policy say is to be done for a table, and with which options?

A policy is a mapping, or a TOML file: a table for each call of `table.maintenance`, with the arguments of the call.

    [rewrite_data_files]
    options = { min-input-files = "10" }
    [expire_snapshots]
    older_than = "P7D"
    [remove_orphan_files]
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

__all__ = ["MaintenancePolicy", "arguments_of", "check_call", "read_policy"]

MaintenancePolicy = Mapping[str, Mapping[str, Any]] | str | Path
"""A mapping of calls to their arguments, or the path of a TOML file."""

ARGUMENTS = {
    "convert_equality_deletes": {"where", "options"},
    "rewrite_position_delete_files": {"where", "options"},
    "rewrite_data_files": {"where", "strategy", "sort_order", "options"},
    "remove_dangling_deletes": set[str](),
    "rewrite_manifests": {"spec_id", "sort_by"},
    "expire_snapshots": {"older_than", "retain_last", "clean_expired_metadata"},
    "remove_orphan_files": {
        "older_than",
        "location",
        "prefix_mismatch_mode",
        "equal_schemes",
        "equal_authorities",
    },
}
"""The calls of a policy, in the order in which they are done, and their arguments."""
_ONLY_NAMED = ("remove_orphan_files",)
"""Calls that are done only where a policy names them: they list all files of the table."""
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


def read_policy(policy: Any) -> dict[str, dict[str, Any]]:  # noqa: ANN401 - checked here
    """The calls of a policy with their arguments, in the order in which they are done.

    Args:
        policy: A mapping, or the path of a TOML file. `None` is all calls but `remove_orphan_files`, without arguments.

    Raises:
        InvalidInputError: It names a call or an argument that does not exist, or is no TOML.
        NotFoundError: The file does not exist.
        UnsupportedError: Python has no reader of TOML.
    """
    if policy is None:
        return {name: {} for name in ARGUMENTS if name not in _ONLY_NAMED}
    if isinstance(policy, (str, Path)):
        policy = _of_file(Path(policy))
    if not hasattr(policy, "items"):
        raise InvalidInputError(
            "policy: expected a mapping of calls to their arguments, or the path of a TOML file, found an object of "
            f"type {type(policy).__name__}"
        )
    for name, arguments in policy.items():
        check_call(name, arguments)
    return {name: dict(policy[name]) for name in ARGUMENTS if name in policy}


def check_call(procedure: object, arguments: Any) -> None:  # noqa: ANN401 - checked here
    """Checks that a policy or a plan may make a call with these arguments.

    Raises:
        InvalidInputError: There is no such call, or it has no such argument there.
    """
    if not isinstance(procedure, str) or procedure not in ARGUMENTS:
        raise InvalidInputError(f"policy: expected one of {', '.join(ARGUMENTS)}, found {procedure!r}")
    if not hasattr(arguments, "items"):
        raise InvalidInputError(
            f"policy: expected the arguments of {procedure!r} by their names, found {arguments!r}"
        )
    if unknown := sorted(str(each) for each in set(arguments) - ARGUMENTS[procedure]):
        known = ", ".join(sorted(ARGUMENTS[procedure])) or "none"
        raise InvalidInputError(f"policy: {procedure} has no argument {unknown[0]!r} there, expected {known}")
    if isinstance(arguments.get("older_than"), str):
        _age(arguments["older_than"])


def arguments_of(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call now: an age before now is a time."""
    given = dict(arguments)
    if isinstance(given.get("older_than"), str):
        given["older_than"] = datetime.now(timezone.utc) - _age(given["older_than"])
    return given


def _age(text: str) -> timedelta:
    """An ISO 8601 duration of weeks, days, hours, minutes and seconds."""
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise InvalidInputError(
            f"policy: expected an age as ISO 8601 writes it for older_than, such as 'P7D' or 'PT12H', found {text!r}"
        )
    weeks, days, hours, minutes, seconds = (int(each or 0) for each in found.groups())
    try:
        return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    except OverflowError as error:
        raise InvalidInputError(f"policy: older_than is longer than any time: {text!r}") from error


def _of_file(path: Path) -> Any:  # noqa: ANN401 - what TOML gives
    if sys.version_info < (3, 11):
        raise UnsupportedError("a policy in a TOML file needs Python 3.11 or later: give a mapping instead")
    tomllib = import_module("tomllib")

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError as error:
        raise NotFoundError("the policy does not exist", context={"path": str(path)}) from error
    except OSError as error:
        raise InvalidInputError("the policy cannot be read", context={"path": str(path)}) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"policy: expected TOML: {error}", context={"path": str(path)}) from error
