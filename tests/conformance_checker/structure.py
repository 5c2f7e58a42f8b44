"""Schemas, partition specs and sort orders of a table. Spec: Schemas and Data Types; Partitioning; Sorting."""

from __future__ import annotations

from typing import Any

from conformance_checker.faults import Faults
from conformance_checker.types import (
    Column,
    columns,
    is_nested,
    is_promotion,
    kind_of,
    transformed,
    version_of,
)

Json = dict[str, Any]
FIRST_RESERVED = 2_147_483_447


def check_schemas(metadata: Json, place: str, faults: Faults) -> None:
    """Check each schema, and what became of columns from one to the next."""
    known: dict[int, Column] = {}
    seen: list[Any] = []
    for schema in sorted(metadata.get("schemas", []), key=lambda each: each["schema-id"]):
        where = f"{place}, schema {schema['schema-id']}"
        found = list(columns(schema["fields"]))
        _check_columns(found, metadata, where, faults)
        _check_identifiers(schema, found, where, faults)
        for column in found:
            _check_successor(known.get(column.number), column, where, faults)
            known[column.number] = column
        content = (schema["fields"], sorted(schema.get("identifier-field-ids", [])))
        if content in seen:
            faults.say("nothing-is-kept-twice", where, "there is an equal schema")
        seen.append(content)


def _check_columns(found: list[Column], metadata: Json, where: str, faults: Faults) -> None:
    version = metadata["format-version"]
    numbers = [column.number for column in found]
    if len(set(numbers)) != len(numbers):
        faults.say("field-ids-are-unique", where, f"found {sorted(numbers)}")
    names = [(column.above, column.name) for column in found]
    if len(set(names)) != len(names):
        faults.say("names-are-unique", where, f"found {names}")
    for column in found:
        if not 0 <= column.number <= metadata["last-column-id"] or column.number > FIRST_RESERVED:
            last = metadata["last-column-id"]
            faults.say(
                "last-column-id", where, f"column {column.name} has the id {column.number}, above {last}"
            )
        first = version_of(column.type)
        if first is None or first > version:
            faults.say("types-of-the-version", where, f"column {column.name} is of type {column.type}")
        defaults = [column.json.get("initial-default"), column.json.get("write-default")]
        if not column.repeated and any(each is not None for each in defaults) and version < 3:
            faults.say("defaults-of-the-version", where, f"column {column.name} has the defaults {defaults}")


def _check_identifiers(schema: Json, found: list[Column], where: str, faults: Faults) -> None:
    by_number = {column.number: column for column in found}
    for number in schema.get("identifier-field-ids", []):
        column = by_number.get(number)
        fits = (
            column is not None
            and column.required
            and not column.repeated
            and not is_nested(column.type)
            and column.type not in ("float", "double")
            and all(by_number[above].required for above in column.above)
        )
        if not fits:
            faults.say("identifier-fields", where, f"{number} is {column}")


def _check_successor(before: Column | None, after: Column, where: str, faults: Faults) -> None:
    """What became of a column from one schema to the next."""
    if before is None:
        return
    if not is_promotion(before.type, after.type):
        faults.say(
            "types-are-promoted",
            where,
            f"column {after.number} was of type {before.type}, is of {after.type}",
        )
    if before.above != after.above:
        faults.say("types-are-promoted", where, f"column {after.number} was below {before.above}")
    if not before.repeated and before.json.get("initial-default") != after.json.get("initial-default"):
        was, now = before.json.get("initial-default"), after.json.get("initial-default")
        faults.say("initial-defaults-stay", where, f"column {after.number}: {was!r} became {now!r}")


def check_specs(metadata: Json, place: str, faults: Faults) -> None:
    """Check the partition specs."""
    current = _current_columns(metadata)
    ever = {
        column.number: column
        for schema in metadata.get("schemas", [])
        for column in columns(schema["fields"])
    }
    meaning: dict[int, tuple[Any, str]] = {}
    seen: list[Any] = []
    for spec in metadata.get("partition-specs", []):
        where = f"{place}, spec {spec['spec-id']}"
        numbers = [field["field-id"] for field in spec["fields"]]
        names = [field["name"] for field in spec["fields"]]
        if len(set(numbers)) != len(numbers) or len(set(names)) != len(names):
            faults.say("partition-fields-are-unique", where, f"ids {numbers}, names {names}")
        is_default = spec["spec-id"] == metadata["default-spec-id"]
        for field in spec["fields"]:
            number, transform = field["field-id"], field["transform"]
            if not 1000 <= number <= metadata["last-partition-id"]:
                last = metadata["last-partition-id"]
                faults.say("last-partition-id", where, f"a field has the id {number}, the last is {last}")
            known = current if is_default and transform != "void" else ever
            if transform != "void" and not _fits(field, known, metadata):
                faults.say("partition-sources", where, f"{transform} of {_source(field)}")
            other = meaning.setdefault(number, (_source(field), transform))
            is_other = "void" not in (transform, other[1]) and other != (_source(field), transform)
            if is_other and _numbers_fields(metadata):
                faults.say("partition-field-ids-mean-one-thing", where, f"{number} is {field} and {other}")
        content = [(_source(field), field["transform"], field["name"]) for field in spec["fields"]]
        if content in seen:
            faults.say("nothing-is-kept-twice", where, "there is an equal spec")
        seen.append(content)


def _numbers_fields(metadata: Json) -> bool:
    """Did every version of the table number its partition fields? The first did not."""
    numbered = all(each.get("sequence-number", 0) > 0 for each in metadata.get("snapshots", []))
    return metadata["format-version"] > 1 and numbered


def _source(field: Json) -> Any:
    return field["source-id"] if "source-id" in field else tuple(field.get("source-ids", ()))


def _fits(field: Json, known: dict[int, Column], metadata: Json) -> bool:
    """Whether a field's transform takes its source columns. No transform of several columns is defined."""
    numbers = field["source-ids"] if "source-ids" in field else [field["source-id"]]
    sources = [known[number] for number in numbers if number in known and not known[number].repeated]
    if len(sources) < len(numbers):
        return False
    if "source-ids" not in field:
        return transformed(field["transform"], sources[0].type) is not None
    is_defined = transformed(field["transform"], "unknown") is not None
    is_plain = len(set(numbers)) == len(numbers) > 1 and not any(is_nested(each.type) for each in sources)
    return is_plain and not is_defined and "source-id" not in field and metadata["format-version"] >= 3


def _current_columns(metadata: Json) -> dict[int, Column]:
    for schema in metadata.get("schemas", []):
        if schema["schema-id"] == metadata.get("current-schema-id"):
            return {column.number: column for column in columns(schema["fields"])}
    return {}


def check_orders(metadata: Json, place: str, faults: Faults) -> None:
    """Check the sort orders."""
    current = _current_columns(metadata)
    seen: list[Any] = []
    for order in metadata.get("sort-orders", []):
        where = f"{place}, order {order['order-id']}"
        if (order["order-id"] == 0) != (not order["fields"]):
            faults.say("order-0-is-unsorted", where, f"it has the fields {order['fields']}")
        for field in order["fields"]:
            if field.get("direction") not in ("asc", "desc") or field.get("null-order") not in (
                "nulls-first",
                "nulls-last",
            ):
                faults.say("sort-fields", where, f"found {field}")
            is_default = order["order-id"] == metadata.get("default-sort-order-id")
            source = current.get(_source(field))
            fits = source is not None and kind_of(source.type) not in ("struct", "list", "map")
            if is_default and not (_fits(field, current, metadata) if "source-ids" in field else fits):
                faults.say("sort-fields", where, f"{field} sorts by {source}")
        if order["fields"] in seen:
            faults.say("nothing-is-kept-twice", where, "there is an equal sort order")
        seen.append(order["fields"])
