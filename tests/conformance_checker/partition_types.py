"""Which types have the values of a partition field?"""

from __future__ import annotations

from typing import Any

from conformance_checker.types import Type, columns, transformed

Json = dict[str, Any]


def source_of(field: Json) -> int | None:
    """The one source of a partition field."""
    if "source-id" in field:
        return field["source-id"]
    sources = field.get("source-ids", [])
    return sources[0] if len(sources) == 1 else None


def types_of(field: Json, metadata: Json) -> list[Type]:
    """The types that the values had, oldest first: columns are promoted. That of `void` may be `int` too."""
    found: list[Type] = []
    schemas = sorted(metadata["schemas"], key=lambda each: each["schema-id"]) if "schemas" in metadata else []
    for schema in schemas or [metadata["schema"]]:
        for column in columns(schema["fields"]):
            if column.number != source_of(field):
                continue
            type_ = transformed(field["transform"], column.type)
            if type_ is not None and type_ not in found:
                found.append(type_)
    return ["int", *found] if field["transform"] == "void" and "int" not in found else found
