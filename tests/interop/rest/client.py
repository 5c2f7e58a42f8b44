"""A thin client of REST catalogs: the second user of `TableOperations`, until the library has its own.

It asks for the configuration, and makes, loads, commits and drops tables. The server makes the metadata.
Spec: REST catalog specification, `CommitTableRequest`, `LoadTableResult`.
"""

from __future__ import annotations

import http.client
import json
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from floeberg.catalog import Catalog, Identifier, Namespace
from floeberg.commit import Attempt, OpenedTable, TableOperations, table_from_metadata
from floeberg.errors import (
    CommitStateUnknownError,
    InvalidInputError,
    NotFoundError,
    StorageError,
    UnsupportedError,
)

CONFLICT = 409
NOT_FOUND = 404
UNKNOWN = {500, 502, 504}
"""Statuses after which a commit may have been made."""


class Answered(Exception):  # noqa: N818 - it is an answer
    """A status that is no success."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class RestCatalog(Catalog):
    """Tables of a REST catalog at the property `uri`."""

    def __init__(self, name: str, properties: Mapping[str, str] | None = None) -> None:
        super().__init__(name, properties)
        config = self.ask("GET", "config")
        self._properties = config["defaults"] | self._properties | config["overrides"]
        self.answers: list[int] = []
        """The statuses of commits."""

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Ask the server. Raises `Answered`, and `OSError` where no whole answer came."""
        host = urllib.parse.urlsplit(self._properties["uri"])
        connection = http.client.HTTPConnection(str(host.hostname), host.port, timeout=60)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, f"/v1/{path}", text, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = answer.read()
        except http.client.HTTPException as failure:
            raise ConnectionError(str(failure)) from failure
        finally:
            connection.close()
        if answer.status >= 300:
            raise Answered(answer.status, content.decode(errors="replace")[:500])
        return json.loads(content) if content else None

    def namespace_path(self, namespace: Namespace) -> str:
        separator = urllib.parse.unquote(self._properties.get("namespace-separator", "%1F"))
        return f"namespaces/{urllib.parse.quote(separator.join(namespace), safe='')}"

    def table_path(self, identifier: Identifier) -> str:
        return f"{self.namespace_path(identifier[:-1])}/tables/{urllib.parse.quote(identifier[-1], safe='')}"

    def is_there(self, path: str) -> bool:
        try:
            self.ask("GET", path)
        except Answered as answer:
            if answer.status == NOT_FOUND:
                return False
            raise
        return True

    # Tables.

    def table_operations(self, identifier: Identifier) -> RestTableOperations:
        return RestTableOperations(self, identifier)

    def do_table_exists(self, identifier: Identifier) -> bool:
        return self.is_there(self.table_path(identifier))

    def do_list_tables(self, namespace: Namespace) -> Iterable[Identifier]:
        found = self.ask("GET", f"{self.namespace_path(namespace)}/tables")["identifiers"]
        return [(*each["namespace"], each["name"]) for each in found]

    def do_drop_table(self, identifier: Identifier) -> None:
        self.ask("DELETE", self.table_path(identifier))

    def do_register_table(self, identifier: Identifier, metadata_location: str) -> None:
        body = {"name": identifier[-1], "metadata-location": metadata_location}
        self.ask("POST", f"{self.namespace_path(identifier[:-1])}/register", body)

    def do_rename_table(self, before: Identifier, after: Identifier) -> None:
        source, target = ({"namespace": list(each[:-1]), "name": each[-1]} for each in (before, after))
        self.ask("POST", "tables/rename", {"source": source, "destination": target})

    # Namespaces.

    def do_namespace_exists(self, namespace: Namespace) -> bool:
        return self.is_there(self.namespace_path(namespace))

    def do_create_namespace(self, namespace: Namespace, properties: dict[str, str]) -> None:
        self.ask("POST", "namespaces", {"namespace": list(namespace), "properties": properties})

    def do_drop_namespace(self, namespace: Namespace) -> None:
        self.ask("DELETE", self.namespace_path(namespace))

    def do_list_namespaces(self, namespace: Namespace) -> Iterable[Namespace]:
        if namespace:
            raise UnsupportedError("this client lists namespaces of the first level")
        return [tuple(each) for each in self.ask("GET", "namespaces")["namespaces"]]

    def do_load_namespace_properties(self, namespace: Namespace) -> dict[str, str]:
        return self.ask("GET", self.namespace_path(namespace))["properties"]

    def do_update_namespace_properties(
        self, namespace: Namespace, removals: set[str], updates: dict[str, str]
    ) -> None:
        body = {"removals": sorted(removals), "updates": updates}
        self.ask("POST", f"{self.namespace_path(namespace)}/properties", body)


@dataclass(frozen=True)
class RestTableOperations(TableOperations):
    """A table of a REST catalog."""

    catalog: RestCatalog
    identifier: Identifier

    @property
    def storage_options(self) -> dict[str, str]:
        return self.catalog.storage_options

    def load(self, known: OpenedTable | None) -> OpenedTable:
        try:
            answer = self.catalog.ask("GET", self.catalog.table_path(self.identifier))
        except Answered as answered:
            if answered.status == NOT_FOUND:
                raise self.catalog.no_such_table(self.identifier) from answered
            raise StorageError(
                f"the server answered {answered.status}: {answered}", retryable=True
            ) from answered
        except OSError as failure:
            raise StorageError(f"the server cannot be reached: {failure}", retryable=True) from failure
        return self._table(answer, known)

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        body = {
            "identifier": {"namespace": list(self.identifier[:-1]), "name": self.identifier[-1]},
            "requirements": json.loads(attempt.requirements_json),
            "updates": json.loads(attempt.updates_json),
        }
        try:
            answer = self.catalog.ask("POST", self.catalog.table_path(self.identifier), body)
        except OSError as failure:
            raise CommitStateUnknownError(f"no answer to a commit: {failure}") from failure
        except Answered as answered:
            self.catalog.answers.append(answered.status)
            raise self._refusal(answered, base) from answered
        self.catalog.answers.append(200)
        return self._table(answer, base)

    def _refusal(self, answered: Answered, base: OpenedTable | None) -> Exception:
        if answered.status in UNKNOWN:
            return CommitStateUnknownError(f"the server answered {answered.status} to a commit: {answered}")
        if answered.status == CONFLICT:
            if base is None:
                return self.catalog.table_already_exists(self.identifier)
            return self.catalog.commit_conflict(self.identifier)
        if answered.status == NOT_FOUND:
            return NotFoundError(str(answered))
        return InvalidInputError(f"the server answered {answered.status} to a commit: {answered}")

    def _table(self, answer: dict[str, Any], earlier: OpenedTable | None) -> OpenedTable:
        location = answer["metadata-location"]
        # The answer to a commit has no options: those of the table stay.
        own = answer.get("config") or {}
        options = (earlier.storage_options if earlier is not None else {}) | self.storage_options | own
        if earlier is not None and (earlier.metadata_location, earlier.storage_options) == (
            location,
            options,
        ):
            return earlier
        return table_from_metadata(
            json.dumps(answer["metadata"]), location, storage_options=options, earlier=earlier
        )

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        # Its own metadata file would be the server's; a table that was made has the UUID of who made it.
        del metadata_location
        made = any(each["type"] == "assert-create" for each in json.loads(attempt.requirements_json))
        return made and json.loads(attempt.metadata_json)["table-uuid"] == current.identity[0]

    def is_superseded(self, current: OpenedTable, attempt: Attempt, base_location: str | None) -> bool:
        del base_location
        # The server looks at requirements alone, so that a late request may still be served.
        metadata = json.loads(current.metadata_json())
        refs = metadata.get("refs", {})
        for each in json.loads(attempt.requirements_json):
            if each["type"] == "assert-create":
                return True
            if each["type"] == "assert-table-uuid" and each["uuid"] != metadata["table-uuid"]:
                return True
            if each["type"] == "assert-ref-snapshot-id":
                known = refs.get(each["ref"], {}).get("snapshot-id")
                if known != each["snapshot-id"]:
                    return True
        return False
