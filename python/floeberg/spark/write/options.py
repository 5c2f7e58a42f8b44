"""What do the options of a write say?

In: strings, with keys in lower case. Out: `WriteOptions`, or an error that says what was expected.

Invariant: no option is ignored, and no repr or error shows a value that may be secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.options.storage_options import STORE_OPTIONS
from floeberg.spark.options.table_locator import TABLE_OPTIONS, TableLocator, is_table_option, table_locator
from floeberg.spark.options.values import flag, integer, object_of_strings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Isolation", "Overwrite", "WriteOptions", "write_options"]

Isolation = Literal["serializable", "snapshot"]
Overwrite = Literal["full", "dynamic", "filter"]

_OVERWRITES: tuple[Overwrite, ...] = ("full", "dynamic", "filter")
_PROPERTY = "snapshot-property."
_OF_FILES = (
    *("compression-codec", "compression-level", "target-file-size-bytes", "write-format"),
    *("shred-variants", "variant-inference-buffer-size"),
)
"""Options that Spark users know from Iceberg Java, which every write takes."""
_WITHOUT_EFFECT = ("fanout-enabled",)
"""Options of Iceberg Java that are accepted and have no effect: the writer decides by itself."""
_OWN = (
    *("branch", "case-sensitive", "idempotency-key", "isolation-level", "merge-schema", "overwrite-filter"),
    *("overwrite-mode", "properties", "validate-from-snapshot-id", "validate-from-version"),
)
_OF_OVERWRITES = (
    *("isolation-level", "overwrite-filter", "overwrite-mode", "validate-from-snapshot-id"),
    "validate-from-version",
)
_KNOWN = (*_OWN, *_OF_FILES, *_WITHOUT_EFFECT)
_ELSEWHERE = {
    "check-nullability": "a null in a required column is always an error",
    "check-ordering": "columns are found by their names, in any order",
    "distribution-mode": "a source in Python cannot ask for an order: repartition the DataFrame before it is written",
}
_UNNAMED = (
    "give save() a table directory, or name a table of a catalog: the options 'table', 'catalog' and "
    "'catalog.<property>'"
)


@dataclass(frozen=True)
class WriteOptions:
    """The table to write to, and how.

    Args:
        locator: The table.
        overwrite: What mode `overwrite` replaces: all rows, the partitions of the new rows, or the rows of a filter.
        overwrite_filter: The filter, as SQL text.
        branch: The branch to write to; `None` is `main`.
        idempotency_key: A key that lets the write happen only once, however often it is run.
        isolation_level: `serializable` or `snapshot`; `None` takes the table's property.
        validate_from: The snapshot that the rows were made from; `None` is the newest.
        validate_from_version: The same for a Lance table.
        overwrite_options: The given options that only overwrites take.
        merge_schema: Whether missing columns are added to the table, and too narrow ones promoted.
        case_sensitive: Whether the case of column names counts.
        snapshot_properties: Entries of the snapshot's summary.
        properties: Table properties for this write alone, or write options in their place.
    """

    locator: TableLocator
    overwrite: Overwrite = "full"
    overwrite_filter: str | None = None
    branch: str | None = None
    idempotency_key: str | None = None
    isolation_level: Isolation | None = None
    validate_from: int | None = None
    validate_from_version: int | None = None
    overwrite_options: tuple[str, ...] = ()
    merge_schema: bool = False
    case_sensitive: bool = False
    snapshot_properties: Mapping[str, str] = field(default_factory=dict[str, str])
    properties: Mapping[str, str] = field(default_factory=dict[str, str])


def write_options(given: Mapping[str, str]) -> WriteOptions:
    """Parses the options of a write.

    Args:
        given: The options, with keys in any case.

    Returns:
        The table to write to, and how.

    Raises:
        InvalidInputError: A key is unknown, a value is wrong, or the options contradict each other.
        UnsupportedError: A key is known and not supported.
    """
    options = {key.lower(): value for key, value in given.items()}
    for key in options:
        if not (key in _KNOWN or key.startswith(_PROPERTY) or is_table_option(key)):
            _refuse(key)
    overwrite = _overwrite(options)
    named = {key: options[key] for key in _OF_FILES if key in options}
    return WriteOptions(
        locator=table_locator(options, _UNNAMED),
        overwrite=overwrite,
        overwrite_filter=options.get("overwrite-filter"),
        branch=_text(options, "branch"),
        idempotency_key=_text(options, "idempotency-key"),
        isolation_level=_isolation(options),
        validate_from=integer(options, "validate-from-snapshot-id", least=None),
        validate_from_version=integer(options, "validate-from-version", least=1),
        overwrite_options=tuple(key for key in _OF_OVERWRITES if key in options),
        merge_schema=flag(options, "merge-schema"),
        case_sensitive=flag(options, "case-sensitive"),
        snapshot_properties={
            key.removeprefix(_PROPERTY): value for key, value in options.items() if key.startswith(_PROPERTY)
        },
        properties=object_of_strings(options, "properties", '{"write.parquet.page-size-bytes": "65536"}')
        | named,
    )


def _text(options: Mapping[str, str], key: str) -> str | None:
    found = options.get(key)
    if found is not None and not found.strip():
        raise InvalidInputError(f"the option {key!r}: expected a non-empty string, found {found!r}")
    return found


def _isolation(options: Mapping[str, str]) -> Isolation | None:
    found = options.get("isolation-level")
    if found is None:
        return None
    level = found.strip().lower()
    if level == "serializable":
        return "serializable"
    if level == "snapshot":
        return "snapshot"
    raise InvalidInputError(
        f"the option 'isolation-level': expected serializable or snapshot, found {found!r}"
    )


def _overwrite(options: Mapping[str, str]) -> Overwrite:
    wanted = options.get("overwrite-mode", "filter" if "overwrite-filter" in options else "full").lower()
    found = next((each for each in _OVERWRITES if each == wanted), None)
    if found is None:
        raise InvalidInputError(
            f"the option 'overwrite-mode': expected full, dynamic or filter, found {options['overwrite-mode']!r}"
        )
    if (found == "filter") != ("overwrite-filter" in options):
        raise InvalidInputError(
            "'overwrite-filter' and 'overwrite-mode' as 'filter' need each other: only one of them was given"
        )
    return found


def _refuse(key: str) -> None:
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    if key in _ELSEWHERE:
        raise UnsupportedError(f"the option {key!r} is not supported: {_ELSEWHERE[key]}")
    known = (*_KNOWN, *TABLE_OPTIONS, *STORE_OPTIONS)
    near = get_close_matches(key, known)
    own = ", ".join(sorted((*_KNOWN, *TABLE_OPTIONS)))
    listed = f"known options: {own}, snapshot-property.* and storage options"
    hint = f"near matches: {', '.join(map(repr, near))}" if near else listed
    raise InvalidInputError(f"unknown write option {key!r}; {hint}")
