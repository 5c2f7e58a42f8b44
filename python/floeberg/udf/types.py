"""Which types do parameters have, and what is the signature of a function?

In: types as JSON. Out: the text that names them in a `definition-id`.
Spec: UDF Spec, Types, Definition ID.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from floeberg.errors import InvalidDataError
from floeberg.udf.json_fields import JsonObject

__all__ = ["UdfType", "signature", "type_text"]

UdfType: TypeAlias = "str | dict[str, Any]"
"""A type as the specification writes it in JSON: `"int"`, or `{"type": "list", "element": "int"}`."""
_NAME = re.compile(r"[a-z][a-z0-9_]*([(\[][A-Za-z0-9_:,./+-]*[)\]])?")
_DEEPEST = 100


def signature(types: list[UdfType]) -> str:
    """The `definition-id` of parameters of these types; empty where there are none.

    Raises:
        InvalidDataError: One is not a type.

    Examples:
        >>> signature(["int", {"type": "list", "element": "string"}])
        'int,list<string>'
    """
    return ",".join(type_text(each, f"parameters[{at}].type") for at, each in enumerate(types))


def type_text(kind: object, place: str, depth: int = 0) -> str:
    """A type as a `definition-id` has it. Fields that the specification does not need are ignored.

    Args:
        kind: The type.
        place: Where it stands, for errors.
        depth: In how many types it stands.

    Raises:
        InvalidDataError: It is not a type.
    """
    if depth > _DEEPEST:
        raise InvalidDataError(f"{place}: more than {_DEEPEST} types are in each other")
    if isinstance(kind, str):
        if not _NAME.fullmatch(kind):
            raise InvalidDataError(
                f"{place}: expected a type without spaces and quotes, such as 'int' or 'decimal(9,2)', found "
                f"{kind[:60]!r}"
            )
        return kind
    found = JsonObject(kind, place)
    which = found.one_of("type", ("list", "map", "struct"))

    def inner(name: str) -> str:
        return type_text(found.value.get(name), found.at(name), depth + 1)

    if which == "list":
        return f"list<{inner('element')}>"
    if which == "map":
        return f"map<{inner('key')},{inner('value')}>"
    fields = (
        f"{each.text('name')}:{type_text(each.value.get('type'), each.at('type'), depth + 1)}"
        for each in found.objects("fields")
    )
    return f"struct<{','.join(fields)}>"
