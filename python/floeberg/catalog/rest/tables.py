"""How is a table of a server loaded, made and committed?

Spec: REST catalog specification, `LoadTableResult`, `CreateTableRequest`, `CommitTableRequest`.
"""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from floeberg import _native
from floeberg.catalog.names import dotted
from floeberg.catalog.rest.answers import BAD_REQUEST, CONFLICT, NOT_FOUND, NOT_MODIFIED, by_status
from floeberg.catalog.rest.client import UnknownOutcome
from floeberg.catalog.rest.configuration import UNPLACED, SnapshotMode, object_in, table_options, texts
from floeberg.catalog.rest.credentials import renewable
from floeberg.catalog.rest.endpoints import NAMESPACE, TABLE
from floeberg.catalog.rest.metrics import ServerReporter
from floeberg.catalog.rest.planning import ServerPlanner, planning_mode
from floeberg.catalog.rest.signing import is_signed_by_server, signer_options
from floeberg.catalog.rest.updates import commit_request
from floeberg.commit.operations import TableOperations, open_metadata, table_from_metadata
from floeberg.errors import (
    CommitConflictError,
    CommitStateUnknownError,
    FloebergError,
    InvalidDataError,
    UnsupportedError,
)

if TYPE_CHECKING:
    from floeberg.catalog.base import Catalog
    from floeberg.catalog.names import Identifier
    from floeberg.catalog.rest.answers import Refusal
    from floeberg.catalog.rest.auth_manager import AuthManager
    from floeberg.catalog.rest.client import Answer
    from floeberg.catalog.rest.server import Server
    from floeberg.commit.attempt import Attempt
    from floeberg.commit.new_table import NewTable
    from floeberg.commit.operations import OpenedTable
    from floeberg.metrics.delivery import MetricsSink

__all__ = ["RestTableOperations"]

_LOAD = f"GET {TABLE}"
_COMMIT = f"POST {TABLE}"
_CREATE = f"POST {NAMESPACE}/tables"
_METADATA = "metadata"
_LATER = re.compile(r"(?<![\w.])/v2(?![\w.])")
"""A path of version 2 in the words of a server."""


@dataclass
class _Kept:
    """What operations keep of earlier answers.

    That is the tags of a table, by metadata file, uuid and snapshots; who plans its scans; and options of a new table.
    """

    tags: dict[tuple[str, str | None, SnapshotMode], str] = field(default_factory=dict)
    planning: str = "client"
    staged: dict[str, str] | None = None
    auth: AuthManager | None = None
    """What says who the client is, where the server gave the table a token of its own."""

    def __reduce__(self) -> tuple[type[_Kept], tuple[()]]:
        # Another process asks for the table again.
        return type(self), ()


@dataclass(frozen=True)
class RestTableOperations(TableOperations):
    """A table of a server.

    Args:
        catalog: The catalog.
        server: Its server.
        identifier: The table in it.
        referenced_by: The views that the table is loaded for, the outermost first.
    """

    catalog: Catalog
    server: Server
    identifier: Identifier
    referenced_by: tuple[Identifier, ...] = ()
    _kept: _Kept = field(default_factory=_Kept, compare=False, repr=False)

    @property
    def storage_options(self) -> dict[str, str]:
        """Those that the server gave for a table that is to be created, else those of the catalog."""
        return self.server.storage_options if self._kept.staged is None else dict(self._kept.staged)

    @property
    def metrics(self) -> MetricsSink | None:
        """Where reports go: to the reporter of the catalog, and to the server."""
        sink, auth = self.catalog.metrics_sink(self.identifier), self._kept.auth
        if sink is None or auth is None:
            return sink
        found = (
            replace(each, auth=auth) if isinstance(each, ServerReporter) else each for each in sink.reporters
        )
        return replace(sink, reporters=tuple(found))

    @property
    def writes_metadata(self) -> bool:
        """No: the server makes its own."""
        return False

    def load(self, known: OpenedTable | None) -> OpenedTable:
        """Asks for the table. A table that is known comes without its metadata where it did not change."""
        return self._load(known, SnapshotMode.ALL)

    def load_to_read(self, known: OpenedTable | None) -> tuple[OpenedTable, bool]:
        """Asks for the table, by the property `snapshot-loading-mode` without snapshots that no ref names."""
        mode = SnapshotMode.of(self.server.properties)
        return self._load(known, mode), mode is SnapshotMode.ALL

    def load_whole(self, opened: OpenedTable) -> OpenedTable:
        """Asks for all snapshots. Where others committed meanwhile, the metadata file of the state is read."""
        current = self._load(None, SnapshotMode.ALL)
        if (current.metadata_location, current.identity) == (opened.metadata_location, opened.identity):
            return current
        return open_metadata(opened.metadata_location, storage_options=opened.storage_options)

    def _load(self, known: OpenedTable | None, mode: SnapshotMode) -> OpenedTable:
        headers = {}
        if known is not None:
            state = (known.metadata_location, known.identity[0], mode)
            headers = {"If-None-Match": tag} if (tag := self._kept.tags.get(state)) is not None else {}

        query = {"snapshots": mode.value}
        if self.referenced_by:
            query["referenced-by"] = self.server.endpoints.referenced_by(self.referenced_by)
        refused = by_status(
            {NOT_FOUND: lambda _: self.catalog.no_such_table(self.identifier), BAD_REQUEST: self._needs_later}
        )
        answer = self.server.ask(
            _LOAD,
            member_as_text=_METADATA,
            of=self.identifier,
            query=query,
            headers=headers,
            refused=refused,
            auth=self._kept.auth,
        )
        if answer.status == NOT_MODIFIED:
            if known is None or not headers:
                raise InvalidDataError("the server answered 304 to a request without a tag")
            return known
        return self._opened(answer, known, mode)

    def _needs_later(self, refusal: Refusal) -> FloebergError:
        """The error of a table that the server gives by a later version of its paths alone."""
        if _LATER.search(refusal.message) is None:
            return refusal.error
        return UnsupportedError(
            f"the server gives the table {dotted(self.identifier)!r} by its endpoints of version 2 alone, and this "
            f"client has those of version 1: {refusal.message}"
        )

    def create(self, new: NewTable) -> OpenedTable:
        """Creates an empty table: the server makes its metadata."""
        return self._opened(self._asked_for(new, stage=False), None)

    def stage(self, new: NewTable) -> NewTable:
        """Asks where a new table goes, and for the options of its files. The server keeps nothing of it yet."""
        answer = self._asked_for(new, stage=True)
        location = object_in(answer.body, _METADATA).get("location")
        if not isinstance(location, str) or not location:
            raise InvalidDataError("the answer to a staged table has no location")
        self._kept.staged = self._options(answer, location)
        return {**new, "location": location}

    def commit(self, base: OpenedTable | None, attempt: Attempt) -> OpenedTable:
        """Sends the requirements and the updates of an attempt."""
        body = commit_request(self.identifier, base, attempt)

        def conflict(refusal: Refusal) -> FloebergError:
            # Something on the way may have sent the request before: then the conflict is with this very commit.
            unknown = CommitStateUnknownError(
                f"another writer changed or dropped the table {dotted(self.identifier)!r}: {refusal.message}"
                if base is not None
                else f"the table {dotted(self.identifier)!r} may exist already: {refusal.message}"
            )
            # What it is where the table shows that the commit is not there.
            unknown.__cause__ = (
                self.catalog.table_already_exists(self.identifier)
                if base is None
                else self.catalog.commit_conflict(self.identifier)
            )
            return unknown

        refused = by_status(
            {NOT_FOUND: lambda _: self.catalog.no_such_table(self.identifier), CONFLICT: conflict}
        )
        try:
            answer = self.server.ask(
                _COMMIT,
                member_as_text=_METADATA,
                of=self.identifier,
                body=body,
                refused=refused,
                is_sent_again=base is None,
                auth=self._kept.auth,
            )
        except (UnknownOutcome, InvalidDataError) as unknown:
            raise CommitStateUnknownError(f"no answer says whether a commit was made: {unknown}") from unknown
        try:
            return self._opened(answer, base)
        except FloebergError as failure:
            raise CommitStateUnknownError(
                f"a commit was made, and its answer is not as expected: {failure}"
            ) from failure

    def includes(self, current: OpenedTable, attempt: Attempt, metadata_location: str) -> bool:
        """Whether the current table is what an attempt made.

        By its uuid, where the attempt creates it. Without a snapshot, by all that the metadata says.
        """
        del metadata_location
        if any(each["type"] == "assert-create" for each in json.loads(attempt.requirements_json)):
            return bool(json.loads(attempt.metadata_json)["table-uuid"] == current.identity[0])
        if attempt.snapshot_id is not None:
            return False
        return _content(attempt.metadata_json) == _content(current.metadata_json())

    def is_superseded(self, current: OpenedTable, attempt: Attempt, base_location: str | None) -> bool:
        """Whether one of the requirements does not hold any more: the server looks at these alone."""
        del base_location
        try:
            _native.check_requirements(current, attempt.requirements_json)
        except CommitConflictError:
            return True
        return False

    def _asked_for(self, new: NewTable, *, stage: bool) -> Answer:
        body = _request_to_create(self.identifier[-1], new) | {"stage-create": stage}

        refused = by_status(
            {
                CONFLICT: lambda _: self.catalog.table_already_exists(self.identifier),
                NOT_FOUND: lambda _: self.server.no_such_namespace(self.identifier[:-1]),
            }
        )
        try:
            answer = self.server.ask(
                _CREATE,
                namespace=self.identifier[:-1],
                body=body,
                refused=refused,
                is_sent_again=True,
                member_as_text=_METADATA,
            )
        except UnknownOutcome as unknown:
            if stage:
                raise self.server.unknown(unknown) from unknown
            raise CommitStateUnknownError(
                f"no answer says whether the table {dotted(self.identifier)!r} was created: {unknown}"
            ) from unknown
        wanted, found = new["format_version"], object_in(answer.body, _METADATA).get("format-version")
        if found != wanted:
            if not stage:
                self.catalog.do_drop_table(self.identifier)
            raise UnsupportedError(
                f"the server makes tables of format version {found} where {wanted} is asked for: the table "
                f"{dotted(self.identifier)!r} was not created"
            )
        return answer

    def _opened(
        self, answer: Answer, earlier: OpenedTable | None, mode: SnapshotMode = SnapshotMode.ALL
    ) -> OpenedTable:
        location = answer.body.get("metadata-location")
        metadata = object_in(answer.body, _METADATA)
        if not isinstance(location, str) or not location:
            raise InvalidDataError("the answer of the server has no metadata location")
        was_planned = self._kept.planning
        place = str(metadata.get("location", ""))
        if "config" in answer.body:
            self._kept.auth = self.server.auth_of_table(answer.body)
        if "config" in answer.body or "storage-credentials" in answer.body or earlier is None:
            self._kept.planning = planning_mode(texts(answer.body, "config"), self.server.properties)
            options = self._options(answer, place)
        else:
            # The answer to a commit has no options: those of the table stay.
            options = dict(earlier.storage_options)
        # A server may name the file of a table as it named that of a dropped one.
        identity = metadata.get("table-uuid")
        if (tag := answer.headers.get("etag")) is not None:
            same = {
                state: kept for state, kept in self._kept.tags.items() if state[:2] == (location, identity)
            }
            self._kept.tags = same | {(location, identity, mode): tag}
        known = None if earlier is None else (earlier.metadata_location, earlier.identity[0])
        if (
            earlier is not None
            and known == (location, identity)
            and dict(earlier.storage_options) == options
            and was_planned == self._kept.planning
        ):
            return earlier
        return table_from_metadata(
            json.dumps(metadata) if answer.text is None else answer.text,
            location,
            storage_options=options,
            earlier=earlier,
            planner=self._planner(place, options),
        )

    def _options(self, answer: Answer, location: str) -> dict[str, str]:
        """The options of the table's files."""
        found = table_options(self.server.storage_options, answer.body, location)
        if is_signed_by_server(found):
            found |= signer_options(answer.body, self.server, self.identifier, self._kept.auth)
        return renewable(found, self.server, self.identifier, location, self._kept.auth)

    def _planner(self, location: str, options: dict[str, str]) -> ServerPlanner | None:
        """What plans scans, where the server demands to."""
        if self._kept.planning != "server":
            return None
        planner = ServerPlanner(self.server, self.identifier, location, options, self._kept.auth)
        planner.check()
        return planner


def _draft(new: NewTable) -> str:
    """The metadata that the table would have. Nothing is written."""
    made = _native.Commit.begin(
        [_native.Operation.create_table(**new, uuid=str(uuid.uuid4()))],
        starting=None,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key=str(uuid.uuid4()),
    )
    return made.attempt(None).metadata_json


def _request_to_create(name: str, new: NewTable) -> dict[str, object]:
    """A `CreateTableRequest`, but for `stage-create`."""
    draft = json.loads(_draft(new))
    spec = _with_id(draft["partition-specs"], "spec-id", draft["default-spec-id"])
    order = _with_id(draft.get("sort-orders", []), "order-id", draft.get("default-sort-order-id"))
    body: dict[str, object] = {
        "name": name,
        "schema": _with_id(draft["schemas"], "schema-id", draft["current-schema-id"]),
        "properties": draft.get("properties", {}) | {"format-version": str(new["format_version"])},
    }
    if spec.get("fields"):
        body["partition-spec"] = spec
    if order.get("fields"):
        body["write-order"] = order
    if new["location"] != UNPLACED:
        body["location"] = new["location"]
    return body


def _with_id(all_of_them: list[dict[str, Any]], key: str, number: object) -> dict[str, Any]:
    return next((each for each in all_of_them if each.get(key) == number), {})


def _content(metadata_json: str) -> dict[str, object]:
    """What metadata says, but for when it was written and what was before. Empty lists may be left out."""
    metadata = json.loads(metadata_json)
    without = ("last-updated-ms", "metadata-log", "snapshot-log")
    return {
        key: value for key, value in metadata.items() if key not in without and value not in ([], {}, None)
    }
