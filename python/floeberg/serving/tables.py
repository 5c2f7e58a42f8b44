"""How does a server answer about tables?

In: requests. Out: answers, with the metadata as the library has it: it is not made anew.
Spec: REST catalog specification, `LoadTableResult`, `CreateTableRequest`, `CommitTableRequest`, `RegisterTableRequest`.
"""

from __future__ import annotations

import hashlib
import json
import logging
import uuid
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from floeberg import _native
from floeberg.catalog.new_table_arguments import FORMAT_VERSION
from floeberg.commit.create_table import CreateTableTransaction
from floeberg.commit.new_table import NewTable
from floeberg.commit.operations import open_metadata
from floeberg.encryption.choosing import without_keys
from floeberg.errors import InvalidInputError, NoSuchTableError
from floeberg.serving.answers import done, named, page, text_answer
from floeberg.serving.commits import TableChange, commit_tables, commit_to_table
from floeberg.serving.names import identifier_in, namespace_in, new_name_in, table_in

if TYPE_CHECKING:
    from floeberg.catalog.names import Identifier
    from floeberg.commit.operations import OpenedTable
    from floeberg.serving.served import Asked, Served

__all__ = [
    "commit_table",
    "commit_transaction",
    "create_table",
    "drop_table",
    "list_tables",
    "load_table",
    "register_table",
    "rename_table",
    "table_exists",
    "take_metrics",
]

_LOG: Final = logging.getLogger("floeberg.serving")
_METADATA: Final = "metadata"
_NOT_MODIFIED: Final = 304
_OPEN_OPTIONS: Final = frozenset(
    {
        "s3.region",
        "s3.endpoint",
        "s3.path-style-access",
        "client.region",
        "gcs.project-id",
        "adls.account-name",
    }
)
"""Options of storage that are no secrets, and that clients need to find the files."""


def list_tables(asked: Asked) -> Response:
    """The tables in a namespace."""
    return page(asked.catalog.list_tables(namespace_in(asked.path)), asked.query, "identifiers", named)


def load_table(asked: Asked) -> Response:
    """A table; nothing where the client has it already."""
    mode = asked.query.get("snapshots") or "all"
    if mode not in ("all", "refs"):
        raise InvalidInputError(f"snapshots: expected 'all' or 'refs', found {mode[:100]!r}")
    identifier = table_in(asked.path)
    opened = _opened(asked, identifier)
    tag = _tag(opened, mode)
    wanted = [each.strip().removeprefix("W/") for each in asked.headers.get("if-none-match", "").split(",")]
    if tag in wanted or "*" in wanted:
        return Response(status_code=_NOT_MODIFIED, headers={"ETag": tag})
    text = opened.metadata_json()
    return _answer(asked.served, opened, text if mode == "all" else _of_refs(text), {"ETag": tag})


def table_exists(asked: Asked) -> Response:
    """Whether a table exists."""
    identifier = table_in(asked.path)
    if not asked.catalog.table_exists(identifier):
        raise asked.catalog.no_such_table(identifier)
    return done()


def create_table(asked: Asked) -> Response:
    """Creates a table, or says what it would be: a commit with its first rows creates it then."""
    body = asked.body
    identifier = new_name_in(asked.path, body)
    operations, place = asked.catalog.new_table("name", identifier)
    if body.get("location") is not None:
        wanted = asked.served.places.check(body["location"], "the location of the table")
        place = asked.catalog._place(identifier, wanted)  # noqa: SLF001 - its own
    new = _new_table(asked, place)
    if body.get("stage-create") is True:
        draft = _draft(new)
        return text_answer(_configuration(asked.served, operations.storage_options), _METADATA, draft)
    made: list[OpenedTable] = []
    if (opened := operations.create(new)) is not None:
        made.append(opened)
    else:
        with CreateTableTransaction(operations, operations.stage(new), become=made.append):
            pass
    return _answer(asked.served, made[-1], made[-1].metadata_json(), {"ETag": _tag(made[-1], "all")})


def register_table(asked: Asked) -> Response:
    """Adds a table by its metadata file."""
    served, body = asked.served, asked.body
    identifier = new_name_in(asked.path, body)
    location = served.places.check(body.get("metadata-location"), "the metadata file")
    known = open_metadata(location, storage_options=asked.catalog.storage_options)
    served.places.check_metadata(json.loads(known.metadata_json()))
    asked.catalog.register_table(identifier, location, overwrite=body.get("overwrite") is True)
    opened = served.load(identifier)
    return _answer(served, opened, opened.metadata_json(), {"ETag": _tag(opened, "all")})


def commit_table(asked: Asked) -> Response:
    """Commits to a table, or creates it."""
    identifier = table_in(asked.path)
    if "identifier" in asked.body and identifier_in(asked.body, "identifier") != identifier:
        raise InvalidInputError("the identifier in the body is not that of the path")
    change = TableChange.of(identifier, asked.body)
    served = asked.served
    made = commit_to_table(
        asked.catalog, served.places, change, key=asked.key, known=served.known(identifier)
    )
    served.keep(identifier, made)
    members = {"metadata-location": made.metadata_location}
    return text_answer(members, _METADATA, made.metadata_json(), {"ETag": _tag(made, "all")})


def commit_transaction(asked: Asked) -> Response:
    """Commits to several tables: all, or none."""
    changes = asked.body.get("table-changes")
    if not isinstance(changes, list):
        raise InvalidInputError("expected a list as 'table-changes'")
    parts = [TableChange.of(identifier_in(each, "identifier"), each) for each in changes]
    commit_tables(asked.catalog, asked.served.places, parts, key=asked.key)
    return done()


def drop_table(asked: Asked) -> Response:
    """Drops a table; with `purgeRequested=true` its files too."""
    identifier = table_in(asked.path)
    if asked.query.get("purgeRequested", "false").lower() == "true":
        asked.catalog.purge_table(identifier)
    else:
        asked.catalog.drop_table(identifier)
    return done()


def rename_table(asked: Asked) -> Response:
    """Renames a table."""
    asked.catalog.rename_table(identifier_in(asked.body, "source"), identifier_in(asked.body, "destination"))
    return done()


def take_metrics(asked: Asked) -> Response:
    """Takes the report of a scan or a commit, and logs it."""
    identifier = table_in(asked.path)
    kind = asked.body.get("report-type")
    if not isinstance(kind, str):
        raise InvalidInputError("expected a text as 'report-type'")
    _LOG.info("a client reports of the table %r: %s", ".".join(identifier), json.dumps(asked.body)[:10_000])
    return done()


def _opened(asked: Asked, identifier: Identifier) -> OpenedTable:
    """A table. The error says where it is a view."""
    try:
        return asked.served.load(identifier)
    except NoSuchTableError as error:
        raise asked.catalog._instead_of_table(identifier, error) from error  # noqa: SLF001 - its own


def _new_table(asked: Asked, place: str) -> NewTable:
    body = asked.body
    properties = body.get("properties") or {}
    if not isinstance(properties, dict) or not all(isinstance(each, str) for each in properties.values()):
        raise InvalidInputError("expected an object of texts as 'properties'")
    asked.served.places.check_properties(properties, [place])
    version = properties.get(FORMAT_VERSION, "2")
    if version not in ("1", "2", "3"):
        raise InvalidInputError(f"the property {FORMAT_VERSION!r} is {version[:100]!r}: expected 1, 2 or 3")
    return NewTable(
        schema_json=_object(body, "schema"),
        spec_json=None if body.get("partition-spec") is None else _object(body, "partition-spec"),
        sort_order_json=None if body.get("write-order") is None else _object(body, "write-order"),
        location=place,
        properties={key: value for key, value in properties.items() if key != FORMAT_VERSION},
        format_version=int(version),
    )


def _draft(new: NewTable) -> str:
    """The metadata that a table would have. Nothing is written."""
    made = _native.Commit.begin(
        [_native.Operation.create_table(**new, uuid=str(uuid.uuid4()))],
        starting=None,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key=str(uuid.uuid4()),
    )
    return made.attempt(None, None).metadata_json


def _answer(served: Served, opened: OpenedTable, text: str, headers: dict[str, str]) -> Response:
    members = {
        "metadata-location": opened.metadata_location,
        **_configuration(served, opened.storage_options),
    }
    return text_answer(members, _METADATA, text, headers)


def _configuration(served: Served, options: Any) -> dict[str, dict[str, str]]:  # noqa: ANN401 - a mapping
    """What a client gets to know of the storage: no secret, unless it is to be shared; of keys nothing."""
    shared, known = served.share_storage_options, without_keys(options)
    return {"config": {key: value for key, value in known.items() if shared or key in _OPEN_OPTIONS}}


def _tag(opened: OpenedTable, mode: str) -> str:
    """What tells this state of a table from others. A file may have the name of one of a dropped table."""
    what = json.dumps([opened.metadata_location, *opened.identity, mode])
    return f'"{hashlib.sha256(what.encode()).hexdigest()[:32]}"'


def _of_refs(text: str) -> str:
    """Metadata with the snapshots alone that a branch or a tag names."""
    metadata = json.loads(text)
    named_ones = {each["snapshot-id"] for each in metadata.get("refs", {}).values()}
    named_ones.add(metadata.get("current-snapshot-id"))
    metadata["snapshots"] = [
        each for each in metadata.get("snapshots", ()) if each["snapshot-id"] in named_ones
    ]
    return json.dumps(metadata)


def _object(body: dict[str, Any], name: str) -> str:
    """A member that is an object, as JSON."""
    found = body.get(name)
    if not isinstance(found, dict):
        raise InvalidInputError(f"expected an object as {name!r}")
    return json.dumps(found)
