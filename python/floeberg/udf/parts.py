"""What are the definitions, parameters and versions of a function of SQL?

Spec: UDF Spec, Definition, Parameter, Definition Version, Representation, Definition Log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

from floeberg.errors import InvalidDataError
from floeberg.udf.types import signature, type_text

if TYPE_CHECKING:
    from floeberg.udf.json_fields import JsonObject
    from floeberg.udf.types import UdfType

__all__ = [
    "SQLUdfRepresentation",
    "UdfDefinition",
    "UdfLogEntry",
    "UdfParameter",
    "UdfVersion",
    "read_definition",
    "read_log_entry",
]


@dataclass(frozen=True)
class SQLUdfRepresentation:
    """The body of a function in a dialect.

    Args:
        sql: The expression of a `udf`, or the query of a `udtf`. Parameters stand in it by their names.
        dialect: The dialect, such as `spark` or `trino`.
    """

    sql: str
    dialect: str


@dataclass(frozen=True)
class UdfParameter:
    """A parameter.

    Args:
        name: Its name.
        type: Its type, as JSON.
        doc: What it is for.
    """

    name: str
    type: UdfType
    doc: str | None = None


@dataclass(frozen=True)
class UdfVersion:
    """An implementation of a definition.

    Args:
        version_id: Its id.
        timestamp_ms: When it was made, in milliseconds from 1970-01-01 UTC.
        representations: Its bodies, one for each dialect. Those of kinds that are not known are left out.
        deterministic: Whether it always gives the same for the same arguments.
        on_null_input: `return-null` where an argument that is null makes the result null; else `call`.
    """

    version_id: int
    timestamp_ms: int
    representations: tuple[SQLUdfRepresentation, ...]
    deterministic: bool = False
    on_null_input: Literal["return-null", "call"] = "call"


@dataclass(frozen=True)
class UdfDefinition:
    """A function for one list of types of parameters.

    Args:
        definition_id: The signature: `int,list<string>`.
        parameters: The parameters, in order.
        return_type: The type of the result, as JSON. That of a `udtf` is a struct: the columns of its rows.
        versions: Its versions.
        current_version_id: The current one.
        function_type: `udf` gives a value, `udtf` gives rows.
        specific_name: A name of this definition alone.
        return_nullable: Whether the result may be null.
        doc: What it does.
    """

    definition_id: str
    parameters: tuple[UdfParameter, ...]
    return_type: UdfType
    versions: tuple[UdfVersion, ...]
    current_version_id: int
    function_type: Literal["udf", "udtf"] = "udf"
    specific_name: str | None = None
    return_nullable: bool = True
    doc: str | None = None

    def current_version(self) -> UdfVersion:
        """The current version."""
        return next(each for each in self.versions if each.version_id == self.current_version_id)

    def sql_for(self, dialect: str) -> SQLUdfRepresentation | None:
        """The body of the current version in a dialect, in any case; `None` where it does not have the dialect."""
        found = self.current_version().representations
        return next((each for each in found if each.dialect.lower() == dialect.lower()), None)


@dataclass(frozen=True)
class UdfLogEntry:
    """Which versions became current at a time.

    Args:
        timestamp_ms: The time, in milliseconds from 1970-01-01 UTC.
        versions: The version of each definition, by the ids of the definitions.
    """

    timestamp_ms: int
    versions: dict[str, int]


def read_definition(found: JsonObject) -> UdfDefinition:
    """A definition from its JSON.

    Raises:
        InvalidDataError: It is not what the specification says.
    """
    parameters = tuple(
        UdfParameter(each.text("name"), each.value.get("type", ""), each.optional_text("doc"))
        for each in found.objects("parameters")
    )
    _check_once([each.name for each in parameters], found.at("parameters"), "two parameters are named")
    # A signature of structs may be written by others with other fields.
    written, own = found.text("definition-id"), signature([each.type for each in parameters])
    if written != own:
        raise InvalidDataError(
            f"{found.at('definition-id')}: expected {own!r}, the types of the parameters, found {written[:60]!r}"
        )
    kind = found.one_of("function-type", ("udf", "udtf"))
    result = found.value.get("return-type")
    text = type_text(result, found.at("return-type"))
    if kind == "udtf" and not text.startswith("struct<"):
        raise InvalidDataError(
            f"{found.at('return-type')}: expected a struct, since it is a udtf, found {text!r}"
        )
    versions = tuple(map(_read_version, found.objects("versions")))
    _check_once([each.version_id for each in versions], found.at("versions"), "two versions have the id")
    current = found.number("current-version-id")
    if current not in {each.version_id for each in versions}:
        raise InvalidDataError(f"{found.at('current-version-id')}: there is no version {current}")
    return UdfDefinition(
        definition_id=written,
        parameters=parameters,
        return_type=cast("UdfType", result),
        versions=versions,
        current_version_id=current,
        function_type=cast("Literal['udf', 'udtf']", kind),
        specific_name=found.optional_text("specific-name"),
        return_nullable=found.optional_bool("return-nullable", default=True),
        doc=found.optional_text("doc"),
    )


def read_log_entry(found: JsonObject) -> UdfLogEntry:
    """An entry of the log from its JSON.

    Raises:
        InvalidDataError: It is not what the specification says.
    """
    named = found.objects("definition-versions")
    ids = [each.text("definition-id") for each in named]
    _check_once(ids, found.at("definition-versions"), "one definition is there twice:")
    return UdfLogEntry(
        found.number("timestamp-ms"),
        {name: each.number("version-id") for name, each in zip(ids, named, strict=True)},
    )


def _read_version(found: JsonObject) -> UdfVersion:
    bodies = [each for each in found.objects("representations") if each.text("type") == "sql"]
    representations = tuple(SQLUdfRepresentation(each.text("sql"), each.text("dialect")) for each in bodies)
    dialects = [each.dialect.lower() for each in representations]
    _check_once(dialects, found.at("representations"), "two are in the dialect")
    nulls = found.one_of("on-null-input", ("return-null", "call"), "call")
    return UdfVersion(
        found.number("version-id"),
        found.number("timestamp-ms"),
        representations,
        found.optional_bool("deterministic", default=False),
        cast("Literal['return-null', 'call']", nulls),
    )


def _check_once(found: list[str] | list[int], place: str, says: str) -> None:
    seen = set[object]()
    for each in found:
        if each in seen:
            raise InvalidDataError(f"{place}: {says} {each!r}")
        seen.add(each)
