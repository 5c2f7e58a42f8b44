"""What do the options of a write say?

In: strings, their keys in lower case, as Spark gives them. Out: `Writing`, or an error that says what was expected.

Invariant: no option is passed over, and no repr or error shows the value of one that may be secret.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.options.storage_options import STORE_OPTIONS
from floeberg.spark.options.table_locator import PLACE_OPTIONS, Place, is_of_place, place_of
from floeberg.spark.options.values import flag, integer, object_of_strings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Overwrite", "Writing", "write_options"]

Overwrite = Literal["full", "dynamic", "filter"]

_OVERWRITES: tuple[Overwrite, ...] = ("full", "dynamic", "filter")
_PROPERTY = "snapshot-property."
_OF_FILES = (
    *("compression-codec", "compression-level", "target-file-size-bytes", "write-format"),
    *("shred-variants", "variant-inference-buffer-size"),
)
"""Options that Spark users know from Iceberg Java, which every write takes."""
_WITHOUT_EFFECT = ("fanout-enabled",)
"""Options of Iceberg Java that ask for what the writer finds out by itself."""
_OWN = (
    *("branch", "case-sensitive", "idempotency-key", "isolation-level", "merge-schema", "overwrite-filter"),
    *("overwrite-mode", "properties", "validate-from-snapshot-id"),
)
_OF_OVERWRITES = ("isolation-level", "overwrite-filter", "overwrite-mode", "validate-from-snapshot-id")
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
class Writing:
    """What is written where, and how.

    Args:
        place: Where the table is.
        overwrite: What goes when the mode is `overwrite`: all, the partitions of the new rows, or what a filter says.
        overwrite_filter: The filter, as SQL text.
        branch: The branch that is written to; `None` is the table.
        idempotency_key: Makes the write happen once, however often it is run.
        isolation_level: `serializable` or `snapshot`; `None` is what the table says.
        validate_from: The snapshot that the rows were made from, where that is not the newest.
        of_overwrites: The options that were given and that only overwrites take.
        merge_schema: Whether columns that the table lacks are added to it, and too narrow ones promoted.
        case_sensitive: Whether the case of names counts.
        snapshot_properties: What is added to the snapshot's summary.
        properties: Table properties that are others for this write, or options of writes that stand for them.
    """

    place: Place
    overwrite: Overwrite = "full"
    overwrite_filter: str | None = None
    branch: str | None = None
    idempotency_key: str | None = None
    isolation_level: str | None = None
    validate_from: int | None = None
    of_overwrites: tuple[str, ...] = ()
    merge_schema: bool = False
    case_sensitive: bool = False
    snapshot_properties: Mapping[str, str] = field(default_factory=dict[str, str])
    properties: Mapping[str, str] = field(default_factory=dict[str, str])


def write_options(given: Mapping[str, str]) -> Writing:
    """Reads options.

    Args:
        given: The options, with keys in any case.

    Returns:
        What is written, and where.

    Raises:
        InvalidInputError: A key is unknown, a value is wrong, or the options contradict each other.
        UnsupportedError: A key is known and cannot be served.
    """
    options = {key.lower(): value for key, value in given.items()}
    for key in options:
        if not (key in _KNOWN or key.startswith(_PROPERTY) or is_of_place(key)):
            _refuse(key)
    overwrite = _overwrite(options)
    named = {key: options[key] for key in _OF_FILES if key in options}
    return Writing(
        place=place_of(options, _UNNAMED),
        overwrite=overwrite,
        overwrite_filter=options.get("overwrite-filter"),
        branch=_text(options, "branch"),
        idempotency_key=_text(options, "idempotency-key"),
        isolation_level=_isolation(options),
        validate_from=integer(options, "validate-from-snapshot-id", least=None),
        of_overwrites=tuple(key for key in _OF_OVERWRITES if key in options),
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
        raise InvalidInputError(f"the option {key!r}: expected a text, found {found!r}")
    return found


def _isolation(options: Mapping[str, str]) -> str | None:
    found = options.get("isolation-level")
    if found is not None and found.strip().lower() not in {"serializable", "snapshot"}:
        raise InvalidInputError(
            f"the option 'isolation-level': expected serializable or snapshot, found {found!r}"
        )
    return found


def _overwrite(options: Mapping[str, str]) -> Overwrite:
    wanted = options.get("overwrite-mode", "filter" if "overwrite-filter" in options else "full").lower()
    found = next((each for each in _OVERWRITES if each == wanted), None)
    if found is None:
        raise InvalidInputError(
            f"the option 'overwrite-mode': expected full, dynamic or filter, found {options['overwrite-mode']!r}"
        )
    if (found == "filter") != ("overwrite-filter" in options):
        raise InvalidInputError(
            "the option 'overwrite-filter' goes with 'overwrite-mode' as 'filter', and it with that"
        )
    return found


def _refuse(key: str) -> None:
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    if key in _ELSEWHERE:
        raise UnsupportedError(f"the option {key!r} cannot be used: {_ELSEWHERE[key]}")
    known = (*_KNOWN, *PLACE_OPTIONS, *STORE_OPTIONS)
    near = get_close_matches(key, known)
    own = ", ".join(sorted((*_KNOWN, *PLACE_OPTIONS)))
    listed = f"there are {own}, snapshot-property.* and those of stores"
    hint = f"near matches: {', '.join(map(repr, near))}" if near else listed
    raise InvalidInputError(f"there is no option {key!r} of writes; {hint}")
