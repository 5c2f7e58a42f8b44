"""How does a user change the columns of a table?

In: calls that say what shall be different, named as in PyIceberg. Out: the changes as data, which a transaction makes
on the newest schema of the table, and again on a newer one where another writer was faster.
"""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
import uuid
from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_bool, checked_text
from floeberg._native import checked_type, schema_from_arrow
from floeberg._new_table import JsonModel, schema_json, type_json
from floeberg.errors import InvalidInputError
from floeberg.types import IcebergType, ListType, MapType, PrimitiveType, StructType

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TypeAlias

    import pyarrow as pa
    from typing_extensions import Self

    from floeberg._new_table import AnySchema

    Path: TypeAlias = str | tuple[str, ...]
    AnyType: TypeAlias = str | IcebergType | pa.DataType | JsonModel

__all__ = ["UpdateSchema"]

Json = Any


class UpdateSchema:
    """Changes to the columns of a table, made together.

    As a context manager it hands its changes over at the end of the block, and drops them where the block raises.
    Columns are named by dotted names, or by tuples of names where a name holds a dot; what is in a list or map of
    structs may leave out `element` and `value`. Names are those from before the first change.

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
        """Made by `Table.update_schema` and `Transaction.update_schema`.

        Args:
            commit: What the changes are handed over to, as JSON text.
            format_version: That of the table, which decides over types.
            allow_incompatible_changes: Whether columns may become required although rows may hold null, which makes
                such rows unreadable.
            case_sensitive: Whether the case of column names counts.
        """
        self._hand_over = commit
        self._format_version = format_version
        self._allow_incompatible = checked_bool("allow_incompatible_changes", allow_incompatible_changes)
        self._case_sensitive = checked_bool("case_sensitive", case_sensitive)
        self._changes: list[dict[str, Json]] = []

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
            field_type: Its type: the specification's word (`"decimal(9,2)"`), a type of `floeberg.types`, of pyarrow or
                of PyIceberg. Ids in it do not count.
            doc: Its comment.
            required: Whether it must hold a value, which needs a default.
            default_value: The value of rows that are there, and of writers that give none (format version 3).

        Returns:
            These changes.

        Raises:
            InvalidInputError: The name is a string with a dot in it, or the type is none.

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
        """Drops a column, with all below it. Files keep its values, and no later column gets its id.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("delete-column", name=_joined(path))

    def rename_column(self, path_from: Path, new_name: str) -> Self:
        """Gives a column another name.

        Args:
            path_from: Its name.
            new_name: Its own new name, without those above it.

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
        """Changes a column: its type, by a promotion of the specification, whether it must hold a value, its comment.

        Args:
            path: Its name.
            field_type: A wider type, as for `add_column`.
            required: Whether it must hold a value.
            doc: Its comment; an empty one takes the comment away.

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
        """Lets a column be null.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("make-optional", name=_joined(path))

    def require_column(self, path: Path) -> Self:
        """Demands a value of a column: of a new one with a default, or where incompatible changes are allowed.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("require", name=_joined(path))

    def set_default_value(self, path: Path, default_value: object) -> Self:
        """Sets what writers put where they give no value (format version 3). Rows that are there keep theirs.

        Args:
            path: The column's name.
            default_value: The value; `None` takes the default away.

        Returns:
            These changes.
        """
        return self._add("update-default", name=_joined(path), default=default_json(default_value))

    def move_first(self, path: Path) -> Self:
        """Makes a column the first of its siblings.

        Args:
            path: Its name.

        Returns:
            These changes.
        """
        return self._add("move-first", name=_joined(path))

    def move_before(self, path: Path, before_path: Path) -> Self:
        """Puts a column before a sibling.

        Args:
            path: Its name.
            before_path: The sibling's full name.

        Returns:
            These changes.
        """
        return self._add("move-before", name=_joined(path), before=_joined(before_path))

    def move_after(self, path: Path, after_name: Path) -> Self:
        """Puts a column after a sibling.

        Args:
            path: Its name.
            after_name: The sibling's full name.

        Returns:
            These changes.
        """
        return self._add("move-after", name=_joined(path), after=_joined(after_name))

    def set_identifier_fields(self, *fields: Path) -> Self:
        """Says which fields identify rows: these, and no others.

        Args:
            fields: Their names. They are required, primitive and no floating-point numbers.

        Returns:
            These changes.
        """
        return self._add("set-identifier-fields", names=[_joined(each) for each in fields])

    def union_by_name(self, new_schema: AnySchema) -> Self:
        """Adds every column of another schema that is not there, as optional; widens the others where theirs is wider.

        Args:
            new_schema: An Arrow schema, one of `floeberg.types` or of PyIceberg. Its ids do not count.

        Returns:
            These changes.

        Raises:
            InvalidInputError: An Arrow type has no type of a table.
        """
        schema = json.loads(schema_json(new_schema, format_version=self._format_version))
        return self._add("union-by-name", schema=schema)

    def changes_json(self) -> str:
        """The changes so far, as JSON text.

        Returns:
            The text that Rust reads: a list of changes under `changes`.
        """
        document: dict[str, Json] = {
            "changes": self._changes,
            "allow-incompatible": self._allow_incompatible,
            "case-sensitive": self._case_sensitive,
        }
        return json.dumps(document)

    def commit(self) -> None:
        """Hands the changes over. Without any, nothing happens."""
        if self._changes:
            self._hand_over(self.changes_json())
            self._changes = []

    def __enter__(self) -> Self:
        """Begins a block of changes."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Hands the changes over, unless the block raised."""
        if kind is None:
            self.commit()

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
    """A default in the specification's JSON form for single values. Its type is checked in Rust."""
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
