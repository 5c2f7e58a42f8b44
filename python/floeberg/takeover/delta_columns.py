"""Which columns does a table get that takes over a Delta table?

In: the schema of a Delta table. Out: the columns by the names that they have in files, and what they are called by
then.

Invariant: no value changes. A column of a type that Iceberg lacks is an error that names it. Field ids of files are
kept, or the files are refused when they are looked at.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, Final

from floeberg.errors import InvalidDataError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["DeltaColumn", "DeltaColumns", "columns_of_delta", "renamed"]

Json = Any
_ID: Final = "delta.columnMapping.id"
_PHYSICAL: Final = "delta.columnMapping.physicalName"
_TYPES: Final = {
    "string": "string",
    "long": "long",
    "integer": "int",
    "short": "int",
    "byte": "int",
    "float": "float",
    "double": "double",
    "boolean": "boolean",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
}
_DECIMAL: Final = re.compile(r"decimal\((\d+),\s*(-?\d+)\)")
_MOST_DIGITS: Final = 38
_NOT_ENFORCED: Final = {
    "delta.generationExpression": "generated column",
    "delta.invariants": "invariant of column",
    "CURRENT_DEFAULT": "default of column",
    "delta.identity.start": "identity column",
}
_DEEPEST: Final = 100


@dataclass(frozen=True)
class DeltaColumn:
    """A column, or a field of a struct.

    Args:
        name: What it is called.
        physical: What it is called in files.
        field_id: Its id in files; `None` without column mapping.
        field_type: Its type, as the specification of Iceberg writes it, with names of files.
        required: Whether it has no nulls.
        doc: Its comment.
        below: The fields of structs in it, by the path to them.
    """

    name: str
    physical: str
    field_id: int | None
    field_type: Json
    required: bool
    doc: str | None = None
    below: tuple[tuple[tuple[str, ...], DeltaColumn], ...] = ()

    def as_json(self, field_id: int, default: Json = None) -> Json:
        """It as a field of a schema, by its name in files."""
        written = {"id": field_id, "name": self.physical, "required": self.required, "type": self.field_type}
        if self.doc is not None:
            written["doc"] = self.doc
        if default is not None:
            written["initial-default"] = default
        return written


@dataclass(frozen=True)
class DeltaColumns:
    """The columns of a Delta table.

    Args:
        columns: The columns.
        not_enforced: Generated columns, defaults and invariants, in words.
        properties: Their texts, as properties of the new table.
    """

    columns: tuple[DeltaColumn, ...]
    not_enforced: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_flat(self) -> bool:
        """Whether no column has columns in it."""
        return all(isinstance(each.field_type, str) for each in self.columns)


def columns_of_delta(schema: Json, *, is_mapped: bool) -> DeltaColumns:
    """The columns of a schema.

    Raises:
        UnsupportedError: Iceberg has no type for a column.
        InvalidDataError: The schema is damaged.
    """
    reader = _Reader(is_mapped)
    try:
        columns = tuple(reader.fields(schema, ""))
    except (KeyError, TypeError, AttributeError) as error:
        raise InvalidDataError(f"the schema of the Delta table is damaged: {error!r}") from error
    return DeltaColumns(columns, tuple(reader.not_enforced), reader.properties)


def renamed(
    columns: Iterable[DeltaColumn], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The columns, nested ones too, that are called otherwise than in files: their names there, and the new ones."""
    for each in columns:
        path = (*above, each.physical)
        for inside, below in each.below:
            yield from renamed([below], (*path, *inside))
        if each.name != each.physical:
            yield path, each.name


class _Reader:
    """Reads columns of a schema."""

    def __init__(self, is_mapped: bool) -> None:  # noqa: FBT001 - its own
        self._is_mapped = is_mapped
        self._ids = count(1_000_000)
        """Ids of what is in columns. Whoever makes the table gives fresh ones."""
        self.not_enforced: list[str] = []
        self.properties: dict[str, str] = {}

    def fields(self, struct: Json, above: str, depth: int = 0) -> Iterator[DeltaColumn]:
        for each in struct["fields"]:
            name, metadata = str(each["name"]), each.get("metadata") or {}
            path = f"{above}{name}"
            below: list[tuple[tuple[str, ...], DeltaColumn]] = []
            kind = self._type(each["type"], path, below, (), depth)
            self._note(path, metadata)
            comment = metadata.get("comment")
            yield DeltaColumn(
                name,
                str(metadata[_PHYSICAL]) if self._is_mapped else name,
                int(metadata[_ID]) if self._is_mapped else None,
                kind,
                not each.get("nullable", True),
                str(comment) if comment else None,
                tuple(below),
            )

    def _note(self, path: str, metadata: Mapping[str, Json]) -> None:
        for key, what in _NOT_ENFORCED.items():
            if key in metadata:
                self.not_enforced.append(f"{what} {path!r}")
                self.properties[f"delta.column.{path}.{key.removeprefix('delta.')}"] = str(metadata[key])

    def _type(self, kind: Json, path: str, below: list[Any], inside: tuple[str, ...], depth: int) -> Json:
        """A type. Fields of structs are added to `below`, with the names that lead to them."""
        if depth > _DEEPEST:
            raise UnsupportedError(f"the column {path!r} of the Delta table is nested too deep")
        if isinstance(kind, str):
            return _primitive(kind, path)
        if kind["type"] == "struct":
            fields = list(self.fields(kind, f"{path}.", depth + 1))
            below += [(inside, each) for each in fields]
            return {"type": "struct", "fields": [each.as_json(next(self._ids)) for each in fields]}
        if kind["type"] == "array":
            return {
                "type": "list",
                "element-id": next(self._ids),
                "element": self._type(
                    kind["elementType"], f"{path}.element", below, (*inside, "element"), depth + 1
                ),
                "element-required": not kind.get("containsNull", True),
            }
        if kind["type"] == "map":
            return {
                "type": "map",
                "key-id": next(self._ids),
                "key": self._type(kind["keyType"], f"{path}.key", below, (*inside, "key"), depth + 1),
                "value-id": next(self._ids),
                "value": self._type(kind["valueType"], f"{path}.value", below, (*inside, "value"), depth + 1),
                "value-required": not kind.get("valueContainsNull", True),
            }
        raise _no_type(str(kind["type"]), path)


def _primitive(kind: str, path: str) -> str:
    if found := _TYPES.get(kind):
        return found
    digits = _DECIMAL.fullmatch(kind)
    if digits and int(digits[1]) <= _MOST_DIGITS and 0 <= int(digits[2]) <= int(digits[1]):
        return f"decimal({digits[1]},{digits[2]})"
    raise _no_type(kind, path)


def _no_type(kind: str, path: str) -> UnsupportedError:
    return UnsupportedError(
        f"the column {path!r} of the Delta table has the type {kind}, which a table of Iceberg does not get from its "
        "files: "
        "copy its other rows by deltalake's `scan(columns=...)`"
    )
