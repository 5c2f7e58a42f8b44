"""How are the columns of a table changed?

In: calls, named as in PyIceberg. Out: the changes as JSON. A transaction makes them on the newest schema, and again
where another writer committed first.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import uuid
from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_bool, checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg._native import checked_type, schema_from_arrow
from floeberg._new_table import JsonModel, schema_json, type_json
from floeberg.commit.table_changes import TableChanges, changes_shown
from floeberg.errors import InvalidInputError
from floeberg.types import IcebergType, ListType, MapType, PrimitiveType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    import pyarrow as pa
    from typing_extensions import Self

    from floeberg._new_table import AnySchema

    Path: TypeAlias = str | tuple[str, ...]
    AnyType: TypeAlias = str | IcebergType | pa.DataType | JsonModel

__all__ = ["UpdateSchema"]

Json = Any


@says_keywords_of_methods
class UpdateSchema(TableChanges):
    """Changes to the columns of a table, committed together.

    As a context manager, it commits the changes at the end of the block, and drops them if the block raises. Columns
    have dotted names; use a tuple of names where a name itself has a dot. `element` and `value` may be left out in
    lists and maps of structs. Names are those before the first change.

    Examples:
        >>> update = UpdateSchema(print, format_version=2)
        >>> with update:
        ...     _ = update.add_column("note", "string").rename_column("ts", "at")
        {"changes": [{"change": "add-column", "name": "note", ...
    """

    def __init__(
        self,
        commit: Callable[[str], object],
        *,
        format_version: int,
        allow_incompatible_changes: bool = False,
        case_sensitive: bool = True,
    ) -> None:
        """Use `Table.update_schema` or `Transaction.update_schema`.

        Args:
            commit: Takes the changes, as JSON text.
            format_version: The table's format version, which decides which types exist.
            allow_incompatible_changes: Whether a column may become required although rows may be null. Such rows can no
                longer be read.
            case_sensitive: Whether the case of column names counts.
        """
        self._hand_over = commit
        self._format_version = format_version
        self._allow_incompatible = checked_bool("allow_incompatible_changes", allow_incompatible_changes)
        self._case_sensitive = checked_bool("case_sensitive", case_sensitive)
        self._changes: list[dict[str, Json]] = []

    def __repr__(self) -> str:
        return changes_shown(self, [json.dumps(each, default=str) for each in self._changes])

    def add_column(
        self,
        path: Path,
        field_type: AnyType,
        doc: str | None = None,
        required: bool = False,  # noqa: FBT001, FBT002 - PyIceberg's order
        default_value: object = None,
    ) -> Self:
        """Adds a column, last among its siblings.

        Args:
            path: Its name, or a tuple of the names of the structs above it and its own: `("place", "country")`.
            field_type: Its type: a name of the specification (`"decimal(9,2)"`), or a type of `floeberg.types`, pyarrow
                or PyIceberg. Ids in it are ignored.
            doc: Its comment.
            required: Whether it must have a value. A required column needs a default.
            default_value: The value of existing rows, and the value that writers use by default (format version 3).

        Returns:
            These changes.

        Raises:
            InvalidInputError: The name is a string with a dot, or the type does not exist.

        Examples:
            >>> changes = UpdateSchema(print, format_version=3)
            >>> changes.add_column(("place", "country"), "string", doc="ISO 3166").changes_json()
            '{"changes": [{"change": "add-column", "name": "country", "type": "string", "parent": "place", ...
        """
        if isinstance(path, str) and "." in path:
            parts = tuple(path.split("."))
            raise InvalidInputError(
                f"path: {path!r} may be a name with a dot or a nested one: write {parts!r} or {(path,)!r}"
            )
        parent, name = _split(path)
        return self._add(
            "add-column",
            name=name,
            type=self._type(field_type),
            parent=parent,
            required=checked_bool("required", required),
            doc=None if doc is None else checked_text("doc", doc),
            default=default_json(default_value),
        )

    def delete_column(self, path: Path) -> Self:
        """Drops a column, with its nested fields. Its field id is not used again.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("delete-column", name=_joined(path))

    def rename_column(self, path_from: Path, new_name: str) -> Self:
        """Renames a column.

        Args:
            path_from: Its name.
            new_name: Its new name, without its parents'.

        Returns:
            These changes.
        """
        return self._add(
            "rename-column", name=_joined(path_from), **{"new-name": checked_text("new_name", new_name)}
        )

    def update_column(
        self,
        path: Path,
        field_type: AnyType | None = None,
        required: bool | None = None,  # noqa: FBT001 - PyIceberg's order
        doc: str | None = None,
    ) -> Self:
        """Changes the type of a column by a promotion of the specification, its nullability, or its comment.

        Args:
            path: Its name.
            field_type: A wider type, as for `add_column`.
            required: Whether it must have a value.
            doc: Its comment; an empty string removes it.

        Returns:
            These changes.

        Examples:
            >>> UpdateSchema(print, format_version=2).update_column("n", "long", required=False).changes_json()
            '{"changes": [{"change": "update-type", "name": "n", "type": "long"}, {"change": "make-optional", ...
        """
        name = _joined(path)
        if field_type is not None:
            self._add("update-type", name=name, type=self._type(field_type))
        if required is not None:
            self._add("require" if checked_bool("required", required) else "make-optional", name=name)
        if doc is not None:
            self._add("update-doc", name=name, doc=checked_text("doc", doc) or None)
        return self

    def make_column_optional(self, path: Path) -> Self:
        """Makes a column optional.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("make-optional", name=_joined(path))

    def require_column(self, path: Path) -> Self:
        """Makes a column required. Unless it is new and has a default, this needs `allow_incompatible_changes`.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("require", name=_joined(path))

    def set_default_value(self, path: Path, default_value: object) -> Self:
        """Sets the value that writers use for a column by default (format version 3). Existing rows keep their values.

        Args:
            path: The column's name.
            default_value: The value; `None` removes the default.

        Returns:
            These changes.
        """
        return self._add("update-default", name=_joined(path), default=default_json(default_value))

    def move_first(self, path: Path) -> Self:
        """Moves a column before all of its siblings.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("move-first", name=_joined(path))

    def move_before(self, path: Path, before_path: Path) -> Self:
        """Moves a column before a sibling.

        Args:
            path: Its name.
            before_path: The sibling's full name.

        Returns:
            These changes.
        """
        return self._add("move-before", name=_joined(path), before=_joined(before_path))

    def move_after(self, path: Path, after_name: Path) -> Self:
        """Moves a column after a sibling.

        Args:
            path: Its name.
            after_name: The sibling's full name.

        Returns:
            These changes.
        """
        return self._add("move-after", name=_joined(path), after=_joined(after_name))

    def set_identifier_fields(self, *fields: Path) -> Self:
        """Sets the identifier fields, and replaces earlier ones.

        Args:
            fields: Their names. They must be required and primitive, and not floating-point numbers.

        Returns:
            These changes.
        """
        return self._add("set-identifier-fields", names=[_joined(each) for each in fields])

    def union_by_name(self, new_schema: AnySchema) -> Self:
        """Adds the columns that only another schema has, as optional, and promotes columns with a wider type there.

        Args:
            new_schema: A schema of Arrow, `floeberg.types` or PyIceberg. Its ids are ignored.

        Returns:
            These changes.

        Raises:
            InvalidInputError: An Arrow type has no Iceberg type.
        """
        schema = json.loads(schema_json(new_schema, format_version=self._format_version))
        return self._add("union-by-name", schema=schema)

    def changes_json(self) -> str:
        """The changes so far, as JSON text.

        Returns:
            An object with a list of changes under `changes`.
        """
        document: dict[str, Json] = {
            "changes": self._changes,
            "allow-incompatible": self._allow_incompatible,
            "case-sensitive": self._case_sensitive,
        }
        return json.dumps(document)

    def commit(self) -> None:
        """Commits the changes. Without changes, nothing happens."""
        if self._changes:
            self._hand_over(self.changes_json())
            self._changes = []

    def _add(self, change: str, **values: Json) -> Self:
        given = {key: value for key, value in values.items() if value is not None}
        self._changes.append({"change": change, **given})
        return self

    def _type(self, given: object) -> Json:
        if isinstance(given, str):
            try:
                return checked_type(checked_text("field_type", given))
            except InvalidInputError as error:
                raise InvalidInputError(f"field_type: {error.message.removeprefix('field_type: ')}") from None
        if isinstance(given, (PrimitiveType, StructType, ListType, MapType)):
            return type_json(given)
        if isinstance(given, JsonModel):
            return json.loads(given.model_dump_json())
        if hasattr(given, "__arrow_c_schema__"):
            import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

            schema = pa.schema([pa.field("x", cast("pa.DataType", given))])
            return json.loads(schema_from_arrow(schema, self._format_version))["fields"][0]["type"]
        raise InvalidInputError(
            f"field_type: expected a type, found an object of type {type(given).__name__}"
        )


def _parts(path: object) -> tuple[str, ...]:
    if isinstance(path, tuple) and path:
        return tuple(checked_text("path", each) for each in cast("tuple[object, ...]", path))
    return (checked_text("path", path),)


def _joined(path: Path) -> str:
    return ".".join(_parts(path))


def _split(path: Path) -> tuple[str | None, str]:
    *above, name = _parts(path)
    return ".".join(above) or None, name


def default_json(value: object) -> Json:
    """A default, in the specification's JSON serialization of single values. Rust checks its type."""
    written: Json
    if isinstance(value, float) and not math.isfinite(value):
        written = {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    elif value is None or isinstance(value, (bool, int, float, str)) or value == {}:
        written = value
    elif isinstance(value, decimal.Decimal):
        written = format(value, "f")
    elif isinstance(value, dt.datetime):
        moment = value if value.tzinfo is None else value.astimezone(dt.timezone.utc)
        written = moment.isoformat(timespec="microseconds")
    elif isinstance(value, dt.time):
        written = value.isoformat(timespec="microseconds")
    elif isinstance(value, (dt.date, uuid.UUID)):
        written = str(value)
    elif isinstance(value, (bytes, bytearray)):
        written = bytes(value).hex()
    else:
        raise InvalidInputError(
            f"default_value: expected a value, found an object of type {type(value).__name__}"
        )
    return written
