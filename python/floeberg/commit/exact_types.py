"""Do values of an Arrow type fit a column of another type?

In: two types. Out: what does not fit, at every depth. Whether a single value fits is another question: see
`exact_values`.

Invariant: values that fit have the same meaning in the type of the column. Dictionaries, runs, views and extensions are
what they stand for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

__all__ = ["field_mismatches", "is_list_like", "is_written_uuid", "mismatches", "written_out"]


def mismatches(name: str, found: pa.DataType, wanted: pa.DataType) -> list[str]:
    """What of a type does not fit a column.

    Args:
        name: The name of the column, with those above it.
        found: The type of the values.
        wanted: The type of the column.

    Returns:
        A part of a sentence for each mismatch, with the full name of its column.

    Examples:
        >>> import pyarrow as pa
        >>> mismatches("a", pa.list_(pa.string()), pa.list_(pa.int32()))
        ["column 'a.element' is of type int32, found string: convert them first"]
    """
    from pyarrow import types  # noqa: PLC0415 - importing floeberg imports nothing large

    if found == wanted or types.is_null(written_out(found)) or is_written_uuid(found, wanted):
        return []
    given, plain = _without_other_name(found, wanted), written_out(wanted)
    wrong = [f"column {name!r} is of type {wanted}, found {found}: convert them first"]
    if given is None:
        return wrong
    if types.is_struct(plain) and types.is_struct(given):
        return field_mismatches(cast("Any", given), cast("Any", plain), above=name)
    if is_list_like(plain) and is_list_like(given):
        return mismatches(f"{name}.element", cast("Any", given).value_type, cast("Any", plain).value_type)
    if types.is_map(plain) and types.is_map(given):
        one, other = cast("pa.MapType[Any, Any, Any]", given), cast("pa.MapType[Any, Any, Any]", plain)
        return [
            *mismatches(f"{name}.key", one.key_type, other.key_type),
            *mismatches(f"{name}.value", one.item_type, other.item_type),
        ]
    fits = given == plain or _mean_the_same(given, plain)
    return [] if fits else wrong


def field_mismatches(
    found: Iterable[pa.Field[Any]], wanted: Iterable[pa.Field[Any]], *, above: str = ""
) -> list[str]:
    """What of the columns of rows, or of the fields of a struct, does not fit. They are found by their names.

    Args:
        found: The fields of the rows.
        wanted: Those of the table.
        above: The full name of the struct; empty for columns.
    """

    def full(name: str) -> str:
        return f"{above}.{name}" if above else name

    given, own = list(found), {each.name: each for each in wanted}
    names = [each.name for each in given]
    wrong = [
        f"the rows have two columns {full(name)!r}"
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    for each in given:
        if each.name in own:
            wrong += mismatches(full(each.name), each.type, own[each.name].type)
            continue
        alike = [name for name in own if name.lower() == each.name.lower()]
        hint = f"which has {full(alike[0])!r}: rename it" if alike else ""
        columns = f"its columns are {', '.join(map(repr, own))}" if not above else ""
        wrong.append(
            f"the table has no column {full(each.name)!r}{''.join(f', {each}' for each in (hint or columns,) if each)}"
        )
    wrong += [
        f"column {full(name)!r} is required, and the rows do not have it"
        for name, each in own.items()
        if not each.nullable and name not in names
    ]
    return wrong


def written_out(kind: Any) -> Any:  # noqa: ANN401 - types
    """The type of the values that dictionaries, runs and extensions stand for."""
    import pyarrow as pa  # noqa: PLC0415

    while True:
        if isinstance(kind, pa.BaseExtensionType):
            kind = kind.storage_type
        elif pa.types.is_dictionary(kind) or isinstance(kind, pa.RunEndEncodedType):
            kind = kind.value_type
        else:
            return kind


def _without_other_name(found: Any, wanted: Any) -> Any:  # noqa: ANN401 - types
    """The plain type of values; `None` where an extension gives them another meaning than that of the column."""
    import pyarrow as pa  # noqa: PLC0415

    while pa.types.is_dictionary(found) or isinstance(found, pa.RunEndEncodedType):
        found = found.value_type
    names = [each.extension_name for each in (found, wanted) if isinstance(each, pa.BaseExtensionType)]
    return None if len(set(names)) > 1 else written_out(found)


def is_written_uuid(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - types
    """Whether values are texts or bytes, and become uuids where each of them is one."""
    if getattr(wanted, "extension_name", None) != "arrow.uuid" or hasattr(found, "extension_name"):
        return False
    plain = str(written_out(found)).removeprefix("large_").removesuffix("_view")
    return plain in {"string", "binary"}


def is_list_like(kind: Any) -> bool:  # noqa: ANN401 - a type
    """Whether values are lists, however they are stored; maps are none."""
    from pyarrow import types  # noqa: PLC0415

    of_views = (getattr(types, name, None) for name in ("is_list_view", "is_large_list_view"))
    known = (types.is_list, types.is_large_list, types.is_fixed_size_list, *of_views)
    return any(each is not None and each(kind) for each in known)


def _mean_the_same(found: Any, wanted: Any) -> bool:  # noqa: ANN401 - types
    """Whether single values of a type, that fit, have the same meaning in another type."""
    import pyarrow.types as kinds  # noqa: PLC0415

    def is_number(kind: Any) -> bool:  # noqa: ANN401 - a type
        return kinds.is_integer(kind) or kinds.is_floating(kind) or kinds.is_decimal(kind)

    def is_text(kind: Any) -> bool:  # noqa: ANN401 - a type
        return kinds.is_string(kind) or kinds.is_large_string(kind) or str(kind) == "string_view"

    def is_bytes(kind: Any) -> bool:  # noqa: ANN401 - a type
        is_plain = kinds.is_binary(kind) or kinds.is_large_binary(kind) or kinds.is_fixed_size_binary(kind)
        return is_plain or str(kind) == "binary_view"

    alike: tuple[Callable[[Any], bool], ...] = (
        is_number,
        is_text,
        is_bytes,
        kinds.is_date,
        kinds.is_time,
        kinds.is_duration,
    )
    if any(each(found) and each(wanted) for each in alike):
        return True
    if kinds.is_timestamp(found) and kinds.is_timestamp(wanted):
        return (found.tz is None) == (wanted.tz is None)
    return False
