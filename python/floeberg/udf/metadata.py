"""What does the metadata of a function of SQL say, and how does it change?

Metadata never changes: each change gives new metadata. What is not known in it survives.
Spec: UDF Spec, UDF Metadata.
"""

from __future__ import annotations

import copy
import json
import time
import uuid
from typing import TYPE_CHECKING, Any, Literal

from floeberg._arguments import checked_bool, checked_int, checked_properties, checked_text
from floeberg._keywords import says_keywords_of_methods
from floeberg.errors import InvalidDataError, InvalidInputError, NotFoundError, UnsupportedError
from floeberg.udf.json_fields import JsonObject
from floeberg.udf.parts import UdfDefinition, UdfLogEntry, UdfParameter, read_definition, read_log_entry
from floeberg.udf.types import signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from floeberg.udf.types import UdfType

__all__ = ["UdfMetadata"]

_FORMAT_VERSION = 1


@says_keywords_of_methods
class UdfMetadata:
    """The metadata of a function of SQL: its definitions, one for each list of types of parameters.

    Examples:
        >>> from floeberg.udf import UdfMetadata
        >>> udf = UdfMetadata.new(doc="adds one").with_definition({"x": "int"}, "int", sql={"spark": "x + 1"})
        >>> udf.definition("int").sql_for("spark").sql
        'x + 1'
    """

    _json: dict[str, Any]

    def __init__(self, metadata: dict[str, Any]) -> None:
        """Use `UdfMetadata.new`, `UdfMetadata.from_json`, or `load_function` of a catalog."""
        found = JsonObject(metadata)
        version = found.number("format-version")
        if version != _FORMAT_VERSION:
            raise UnsupportedError(
                f"format version {version} of functions is not supported: expected {_FORMAT_VERSION}"
            )
        try:
            self._uuid = uuid.UUID(found.text("function-uuid"))
        except ValueError as error:
            raise InvalidDataError(
                f"function-uuid: expected a UUID, found {found.text('function-uuid')[:60]!r}"
            ) from error
        self._definitions = tuple(map(read_definition, found.objects("definitions")))
        for name, listed in (
            ("definition-id", [each.definition_id for each in self._definitions]),
            (
                "specific-name",
                [each.specific_name for each in self._definitions if each.specific_name is not None],
            ),
        ):
            twice = next((each for each in listed if listed.count(each) > 1), None)
            if twice is not None:
                raise InvalidDataError(f"definitions: two have the {name} {twice!r}")
        self._log = tuple(map(read_log_entry, found.objects("definition-log")))
        self._properties = found.texts("properties")
        self._secure = found.optional_bool("secure", default=False)
        self._doc, self._location = found.optional_text("doc"), found.optional_text("location")
        self._json = metadata

    @classmethod
    def new(
        cls,
        *,
        doc: str | None = None,
        secure: bool = False,
        properties: Mapping[str, str | float] | None = None,
    ) -> UdfMetadata:
        """The metadata of a new function, which has no definitions yet.

        Args:
            doc: What it does.
            secure: Whether engines should keep its body from users.
            properties: Its properties. Numbers and bools become texts.
        """
        metadata: dict[str, Any] = {
            "function-uuid": str(uuid.uuid4()),
            "format-version": _FORMAT_VERSION,
            "definitions": [],
            "definition-log": [],
        }
        if properties:
            metadata["properties"] = checked_properties("properties", properties)
        if checked_bool("secure", secure):
            metadata["secure"] = True
        return cls(metadata | ({} if doc is None else {"doc": checked_text("doc", doc)}))

    @classmethod
    def from_json(cls, text: str | bytes) -> UdfMetadata:
        """Reads the text of a metadata file.

        Raises:
            InvalidDataError: It is not what the specification says. The error names the place.
            UnsupportedError: It is of another format version.
        """
        try:
            return cls(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise InvalidDataError(f"the metadata of the function is not JSON: {error}") from error

    def to_json(self) -> str:
        """The text of its metadata file, with what is not known here.

        Examples:
            >>> from floeberg.udf import UdfMetadata
            >>> UdfMetadata.from_json(UdfMetadata.new().to_json()).definitions
            ()
        """
        return json.dumps(self._json, indent=2)

    @property
    def uuid(self) -> uuid.UUID:
        """The UUID of the function, which never changes."""
        return self._uuid

    @property
    def definitions(self) -> tuple[UdfDefinition, ...]:
        """Its definitions."""
        return self._definitions

    @property
    def log(self) -> tuple[UdfLogEntry, ...]:
        """Which versions were current when, oldest first."""
        return self._log

    @property
    def properties(self) -> dict[str, str]:
        """Its properties, which are hints."""
        return dict(self._properties)

    @property
    def secure(self) -> bool:
        """Whether engines should keep its body from users."""
        return self._secure

    @property
    def doc(self) -> str | None:
        """What it does."""
        return self._doc

    @property
    def location(self) -> str | None:
        """The folder of its metadata files, where it says one."""
        return self._location

    def definition(self, definition_id: str) -> UdfDefinition:
        """A definition.

        Args:
            definition_id: Its signature, such as `int,string`, or its specific name.

        Raises:
            NotFoundError: There is no such definition.
        """
        wanted = checked_text("definition_id", definition_id)
        for each in self._definitions:
            if wanted in {each.definition_id, each.specific_name}:
                return each
        known = ", ".join(repr(each.definition_id) for each in self._definitions) or "none"
        raise NotFoundError(f"the function has no definition {wanted!r}: it has {known}")

    def with_definition(  # noqa: PLR0913 - one keyword each
        self,
        parameters: Mapping[str, UdfType] | Iterable[UdfParameter],
        return_type: UdfType,
        *,
        sql: Mapping[str, str],
        function_type: Literal["udf", "udtf"] = "udf",
        deterministic: bool = False,
        on_null_input: Literal["return-null", "call"] = "call",
        specific_name: str | None = None,
        doc: str | None = None,
    ) -> UdfMetadata:
        """The metadata with another definition, or with a new current version of the one that has these parameters.

        Args:
            parameters: Types by names, in order, as JSON: `{"x": "int", "y": {"type": "list", "element": "int"}}`; or
                parameters with docs.
            return_type: The type of the result.
            sql: The body for each dialect: `{"spark": "x + 1"}`.
            function_type: `udf` for a value, `udtf` for rows.
            deterministic: Whether it always gives the same for the same arguments.
            on_null_input: `return-null` where an argument that is null makes the result null.
            specific_name: A name of this definition alone.
            doc: What it does.

        Raises:
            InvalidInputError: An argument is wrong, or a version has another type of result than those before.

        Examples:
            >>> from floeberg.udf import UdfMetadata
            >>> one = UdfMetadata.new().with_definition({"x": "int"}, "int", sql={"spark": "x + 2"})
            >>> two = one.with_definition({"x": "int"}, "int", sql={"spark": "x + 1", "trino": "x + 1"})
            >>> [each.version_id for each in two.definition("int").versions]
            [1, 2]
        """
        listed = (
            [UdfParameter(name, kind) for name, kind in parameters.items()]
            if hasattr(parameters, "items")
            else list(parameters)
        )
        if not sql:
            raise InvalidInputError(
                "sql: expected a body for each dialect, such as {'spark': 'x + 1'}, found none"
            )
        written = [
            {"name": each.name, "type": each.type} | ({} if each.doc is None else {"doc": each.doc})
            for each in listed
        ]
        now = int(time.time() * 1000)

        def change(metadata: dict[str, Any]) -> None:
            own = signature([each.type for each in listed])
            found = next((each for each in metadata["definitions"] if each["definition-id"] == own), None)
            if found is None:
                found = {"definition-id": own, "versions": []}
                metadata["definitions"].append(found)
            elif (found["return-type"], found["function-type"]) != (return_type, function_type):
                raise InvalidInputError(
                    f"the definition {own!r} is a {found['function-type']} that returns {found['return-type']!r}: its "
                    "versions cannot return another type: remove the definition first"
                )
            _keep_parameters(found, written)
            number = 1 + max((each["version-id"] for each in found["versions"]), default=0)
            bodies = [{"type": "sql", "dialect": dialect, "sql": text} for dialect, text in sql.items()]
            version = {"version-id": number, "timestamp-ms": now, "representations": bodies}
            version |= {"deterministic": True} if checked_bool("deterministic", deterministic) else {}
            version |= {} if on_null_input == "call" else {"on-null-input": on_null_input}
            found["versions"].append(version)
            found |= {
                "return-type": return_type,
                "function-type": function_type,
                "current-version-id": number,
            }
            found |= {} if specific_name is None else {"specific-name": specific_name}
            found |= {} if doc is None else {"doc": doc}

        return self._changed(change, now)

    def without_definition(self, definition_id: str) -> UdfMetadata:
        """The metadata without a definition.

        Raises:
            NotFoundError: There is no such definition.
        """
        gone = self.definition(definition_id).definition_id

        def change(metadata: dict[str, Any]) -> None:
            metadata["definitions"] = [
                each for each in metadata["definitions"] if each["definition-id"] != gone
            ]

        return self._changed(change, int(time.time() * 1000))

    def with_current_version(self, definition_id: str, version_id: int) -> UdfMetadata:
        """The metadata with another version of a definition as the current one, such as an earlier one.

        Raises:
            NotFoundError: There is no such definition, or no such version of it.

        Examples:
            >>> from floeberg.udf import UdfMetadata
            >>> one = UdfMetadata.new().with_definition({}, "int", sql={"spark": "1"})
            >>> two = one.with_definition({}, "int", sql={"spark": "2"})
            >>> two.with_current_version("", 1).definition("").sql_for("spark").sql
            '1'
        """
        found, wanted = self.definition(definition_id), checked_int("version_id", version_id)
        if wanted not in {each.version_id for each in found.versions}:
            known = ", ".join(str(each.version_id) for each in found.versions)
            raise NotFoundError(
                f"the definition {found.definition_id!r} has no version {wanted}: it has {known}"
            )

        def change(metadata: dict[str, Any]) -> None:
            for each in metadata["definitions"]:
                if each["definition-id"] == found.definition_id:
                    each["current-version-id"] = wanted

        return self._changed(change, int(time.time() * 1000))

    def with_properties(self, properties: Mapping[str, str | float]) -> UdfMetadata:
        """The metadata with these properties instead of its own. Numbers and bools become texts."""
        metadata = copy.deepcopy(self._json)
        metadata["properties"] = checked_properties("properties", properties)
        return UdfMetadata(metadata)

    def _at(self, location: str) -> UdfMetadata:
        """The metadata of a function in a folder."""
        return UdfMetadata(copy.deepcopy(self._json) | {"location": location})

    def _changed(self, change: Callable[[dict[str, Any]], None], now: int) -> UdfMetadata:
        """The metadata after a change of its definitions, with what is current now in the log."""
        metadata = copy.deepcopy(self._json)
        try:
            change(metadata)
            current = [
                {"definition-id": each["definition-id"], "version-id": each["current-version-id"]}
                for each in metadata["definitions"]
            ]
            metadata["definition-log"].append({"timestamp-ms": now, "definition-versions": current})
            return UdfMetadata(metadata)
        except InvalidDataError as error:
            # What is wrong was given just now.
            raise InvalidInputError(error.message, context=error.context) from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UdfMetadata) and other._json == self._json

    def __hash__(self) -> int:
        return hash(self._uuid)

    def __repr__(self) -> str:
        listed = ", ".join(f"({each.definition_id})" for each in self._definitions)
        return f"UdfMetadata({listed or 'no definitions'})"


def _keep_parameters(definition: dict[str, Any], written: list[dict[str, Any]]) -> None:
    """Gives a definition its parameters, or those that it has other docs: bodies of its versions have their names.

    Raises:
        InvalidInputError: They have other names than before.
    """
    known = definition.setdefault("parameters", written)
    before, after = ([each["name"] for each in listed] for listed in (known, written))
    if before != after:
        raise InvalidInputError(
            f"the definition {definition['definition-id']!r} has the parameters {', '.join(map(repr, before))}, found "
            f"{', '.join(map(repr, after))}: the bodies of its versions have these names"
        )
    for own, new in zip(known, written, strict=True):
        own.update({key: value for key, value in new.items() if key == "doc"})
