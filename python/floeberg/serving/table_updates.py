"""What is the metadata of a table after the updates of a client?

In: the metadata before, and the updates of a `CommitTableRequest`. Out: the metadata after them, as JSON that Rust
parses and checks as it does metadata files.

The rules are those of `apply` in Rust, which has no door to Python yet. A test holds both to each other: what Floeberg
commits must give the same metadata here. Spec: REST catalog specification, `TableUpdate`.

Invariant: the metadata before stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from floeberg._table_properties import whole_of
from floeberg.errors import CommitConflictError, InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["updated_metadata"]

_LAST_ADDED: Final = -1
_MAIN: Final = "main"
_V2, _V3 = 2, 3
_NEWEST: Final = _V3
_FIRST_FIELD: Final = 1000
"""Field ids of partitions begin here."""


def updated_metadata(
    base: dict[str, Any] | None, updates: list[dict[str, Any]], *, base_location: str, now_ms: int
) -> dict[str, Any]:
    """The metadata after updates.

    Args:
        base: The current metadata; `None` where the updates create the table.
        updates: The updates, in their order.
        base_location: The metadata file of the base.
        now_ms: The time, in milliseconds from 1970-01-01 UTC.

    Raises:
        CommitConflictError: A snapshot was made on an older state, and has to be made again.
        InvalidInputError: An update lacks a member, or the table does not allow it.
        UnsupportedError: An update is unknown.
    """
    made = _Metadata(_empty() if base is None else _copied(base), now_ms)
    made.now_ms = max(now_ms, made.all.get("last-updated-ms") or 0)
    for each in updates:
        made.apply(each)
    return made.finished(base, base_location)


def _copied(metadata: dict[str, Any]) -> dict[str, Any]:
    """A copy whose lists and objects may be changed. What is in them stays as it is."""
    return {key: each.copy() if isinstance(each, list | dict) else each for key, each in metadata.items()}


def _empty() -> dict[str, Any]:
    return {
        "format-version": 1,
        "last-column-id": 0,
        "last-partition-id": _FIRST_FIELD - 1,
        "schemas": [],
        "partition-specs": [],
        "sort-orders": [],
        "properties": {},
        "refs": {},
        "snapshots": [],
        "statistics": [],
        "partition-statistics": [],
        "snapshot-log": [],
        "metadata-log": [],
    }


@dataclass
class _Metadata:
    """Metadata that is being changed.

    Attributes:
        all: The metadata.
        now_ms: The time of the commit.
        last: The ids of what was added last, by the list.
        added: Snapshots of this commit.
        removes: Whether snapshots were removed.
    """

    all: dict[str, Any]
    now_ms: int
    last: dict[str, int] = field(default_factory=dict)
    added: set[int] = field(default_factory=set)
    removes: bool = False

    def apply(self, update: dict[str, Any]) -> None:
        """Applies one update."""
        action = update.get("action")
        rule = _RULES.get(action) if isinstance(action, str) else None
        if rule is None:
            raise UnsupportedError(f"the update {str(action)[:100]!r} is unknown: nothing was changed")
        rule(self, _Update(update))

    def assign_uuid(self, update: _Update) -> None:
        known, wanted = self.all.get("table-uuid"), update.text("uuid")
        if known is not None and known.lower() != wanted.lower():
            raise InvalidInputError(f"the table has the uuid {known}, and a uuid cannot change")
        self.all["table-uuid"] = wanted

    def upgrade(self, update: _Update) -> None:
        now, version = self.all["format-version"], update.number("format-version")
        if version < now:
            raise InvalidInputError(f"a table of format version {now} cannot be downgraded to {version}")
        if version > _NEWEST:
            raise UnsupportedError(f"expected format version 1, 2 or 3, found {version}")
        self.all["format-version"] = version
        if version >= _V2:
            self.all.setdefault("last-sequence-number", 0)
            self.all.pop("schema", None)
            self.all.pop("partition-spec", None)
        if version >= _V3:
            self.all.setdefault("next-row-id", 0)

    def add_schema(self, update: _Update) -> None:
        schema = update.object("schema")
        highest = max(_highest(schema), update.optional_number("last-column-id") or 0)
        self.all["last-column-id"] = max(self.all["last-column-id"], highest)
        self._add(
            "schemas",
            "schema-id",
            schema,
            lambda one: (one.get("fields"), one.get("identifier-field-ids") or []),
        )

    def add_spec(self, update: _Update) -> None:
        spec = update.object("spec")
        fields = self._numbered(spec.get("fields"))
        highest = max((each["field-id"] for each in fields), default=0)
        self.all["last-partition-id"] = max(self.all["last-partition-id"], highest)
        self._add("partition-specs", "spec-id", {**spec, "fields": fields}, lambda one: one.get("fields"))

    def add_sort_order(self, update: _Update) -> None:
        order = update.object("sort-order")
        first = 0 if not order.get("fields") else 1
        self._add("sort-orders", "order-id", order, lambda one: one.get("fields") or [], first=first)

    def choose(self, key: str, kind: str, own: str) -> Callable[[_Update], None]:
        """What makes one of a list the current one."""

        def chosen(update: _Update) -> None:
            number = update.number(own)
            if number == _LAST_ADDED:
                if kind not in self.last:
                    raise InvalidInputError(
                        f"the update names the last one added to {kind}, and none was added"
                    )
                number = self.last[kind]
            if all(each.get(_IDS[kind]) != number for each in self.all[kind]):
                raise InvalidInputError(f"the table has no {number} in {kind}")
            self.all[key] = number

        return chosen

    def remove_from(self, kind: str, key: str, numbers: list[int]) -> None:
        """Removes some of a list, never the current one."""
        if (current := self.all.get(key)) in numbers:
            raise InvalidInputError(f"{current} is the {key} of the table, and cannot be removed")
        self.all[kind] = [each for each in self.all[kind] if each.get(_IDS[kind]) not in numbers]

    def add_snapshot(self, update: _Update) -> None:
        snapshot = _Update(update.object("snapshot"))
        number, version = snapshot.number("snapshot-id"), self.all["format-version"]
        if any(each["snapshot-id"] == number for each in self.all["snapshots"]):
            raise InvalidInputError(f"the table already has the snapshot {number}")
        sequence = snapshot.optional_number("sequence-number") or 0
        last = self.all.get("last-sequence-number") or 0
        if version >= _V2:
            if sequence <= last and snapshot.optional_number("parent-snapshot-id") is not None:
                raise CommitConflictError(
                    f"another commit was faster: expected a sequence number after {last}, found {sequence}"
                )
            self.all["last-sequence-number"] = max(last, sequence)
        if version >= _V3:
            self._take_row_ids(snapshot)
        self.now_ms = max(self.now_ms, snapshot.number("timestamp-ms"))
        self.all["snapshots"].append(snapshot.members)
        self.added.add(number)

    def _take_row_ids(self, snapshot: _Update) -> None:
        first, rows = snapshot.number("first-row-id"), snapshot.number("added-rows")
        after = self.all.get("next-row-id") or 0
        if rows < 0:
            raise InvalidInputError(f"added-rows: expected no negative number, found {rows}")
        if first < after:
            raise CommitConflictError(
                f"another commit was faster: expected row ids from {after} on, found them from {first} on"
            )
        self.all["next-row-id"] = first + rows

    def set_ref(self, update: _Update) -> None:
        name, number = update.text("ref-name"), update.number("snapshot-id")
        kind = update.text("type")
        found = [each for each in self.all["snapshots"] if each["snapshot-id"] == number]
        if not found:
            raise InvalidInputError(
                f"the ref {name!r} names the snapshot {number}, which the table does not have"
            )
        if kind not in ("branch", "tag") or (name == _MAIN and kind != "branch"):
            raise InvalidInputError(f"the ref {name!r} cannot be a {kind!r}")
        if name == _MAIN and self.all.get("current-snapshot-id") != number:
            when = found[-1]["timestamp-ms"] if number in self.added else self.now_ms
            self.all["snapshot-log"].append({"timestamp-ms": when, "snapshot-id": number})
            self.all["current-snapshot-id"] = number
        self.all["refs"][name] = {
            key: value for key, value in update.members.items() if key not in ("action", "ref-name")
        }

    def remove_ref(self, name: str) -> None:
        """Removes a ref. The snapshot log stays without `main`."""
        if self.all["refs"].pop(name, None) is not None and name == _MAIN:
            self.all.pop("current-snapshot-id", None)

    def remove_snapshots(self, update: _Update) -> None:
        gone = set(update.numbers("snapshot-ids"))
        self.all["snapshots"] = [each for each in self.all["snapshots"] if each["snapshot-id"] not in gone]
        for name in [name for name, ref in self.all["refs"].items() if ref["snapshot-id"] in gone]:
            self.remove_ref(name)
        for kind in ("statistics", "partition-statistics"):
            self.all[kind] = [each for each in self.all[kind] if each["snapshot-id"] not in gone]
        self.removes = True

    def set_statistics(self, kind: str, update: _Update) -> None:
        """Gives a snapshot a file of a kind, and takes that which it had."""
        file = _Update(update.object(kind))
        number = file.number("snapshot-id")
        if all(each["snapshot-id"] != number for each in self.all["snapshots"]):
            raise InvalidInputError(f"the {kind} are of the snapshot {number}, which the table does not have")
        self.remove_statistics(kind, number)
        self.all[kind].append(file.members)

    def remove_statistics(self, kind: str, number: int) -> None:
        """Takes the file of a kind from a snapshot."""
        self.all[kind] = [each for each in self.all[kind] if each["snapshot-id"] != number]

    def set_location(self, update: _Update) -> None:
        location = update.text("location")
        if not location:
            raise InvalidInputError("the location of a table cannot be empty")
        self.all["location"] = location

    def set_properties(self, update: _Update) -> None:
        self.all["properties"].update(update.texts("updates"))

    def remove_properties(self, update: _Update) -> None:
        for key in update.names("removals"):
            self.all["properties"].pop(key, None)

    def _add(
        self,
        kind: str,
        key: str,
        one: dict[str, Any],
        compared: Callable[[dict[str, Any]], object],
        first: int = 0,
    ) -> None:
        """Adds one to a list, unless an equal one is there."""
        there = self.all[kind]
        known = [each for each in there if compared(each) == compared(one)]
        if known:
            self.last[kind] = known[0][key]
            return
        number = (
            max([first, *(each[key] + 1 for each in there)])
            if one.get("fields") or kind != "sort-orders"
            else 0
        )
        there.append({**one, key: number})
        self.last[kind] = number

    def _numbered(self, fields: object) -> list[dict[str, Any]]:
        """The fields of a partition spec with ids. Those of a field that was there before stay."""
        if not isinstance(fields, list) or not all(isinstance(each, dict) for each in fields):
            raise InvalidInputError("add-spec: expected a list of fields")
        known = {
            _source(each): each["field-id"] for spec in self.all["partition-specs"] for each in spec["fields"]
        }
        following, numbered = max(self.all["last-partition-id"], _FIRST_FIELD - 1), []
        for each in fields:
            number = each.get("field-id")
            if number is None:
                number = known.get(_source(each))
            if number is None:
                number = following = following + 1
            if not isinstance(number, int) or isinstance(number, bool):
                raise InvalidInputError("add-spec: expected a whole number as the field-id of each field")
            following = max(following, number)
            numbered.append({**each, "field-id": number})
        return numbered

    def finished(self, base: dict[str, Any] | None, base_location: str) -> dict[str, Any]:
        """The metadata, with its logs. Nothing changes where no update changed anything."""
        made = self.all
        if base is not None and made == base:
            return base
        made["last-updated-ms"] = self.now_ms
        current = made.get("current-snapshot-id")
        log = [
            each
            for each in made["snapshot-log"]
            if each["snapshot-id"] not in self.added or each["snapshot-id"] == current
        ]
        if self.removes:
            there = {each["snapshot-id"] for each in made["snapshots"]}
            gone = [place for place, each in enumerate(log) if each["snapshot-id"] not in there]
            log = log[gone[-1] + 1 :] if gone else log
        made["snapshot-log"] = log
        if base is not None:
            most = max(whole_of(made["properties"], "write.metadata.previous-versions-max"), 1)
            entry = {"timestamp-ms": base["last-updated-ms"], "metadata-file": base_location}
            made["metadata-log"] = [*made["metadata-log"], entry][-most:]
        if made["format-version"] == 1:
            self._keep_v1()
        return made

    def _keep_v1(self) -> None:
        """Gives metadata of v1 what only v1 has."""
        made = self.all
        for key, kind, number in (
            ("schema", "schemas", "current-schema-id"),
            ("partition-spec", "partition-specs", "default-spec-id"),
        ):
            found = next((each for each in made[kind] if each[_IDS[kind]] == made.get(number)), None)
            if found is not None:
                made[key] = found if key == "schema" else found["fields"]


_IDS: Final = {"schemas": "schema-id", "partition-specs": "spec-id", "sort-orders": "order-id"}


@dataclass(frozen=True)
class _Update:
    """The members of an update, each of the type that it must have."""

    members: dict[str, Any]

    def _of(self, key: str, of: type, what: str) -> Any:  # noqa: ANN401 - of that type
        found = self.members.get(key)
        if not isinstance(found, of) or isinstance(found, bool):
            raise InvalidInputError(
                f"{self.members.get('action', 'a part of an update')}: expected {what} as {key!r}, "
                f"found {'nothing' if found is None else type(found).__name__}"
            )
        return found

    def text(self, key: str) -> str:
        found: str = self._of(key, str, "a text")
        return found

    def number(self, key: str) -> int:
        found: int = self._of(key, int, "a whole number")
        return found

    def optional_number(self, key: str) -> int | None:
        return None if self.members.get(key) is None else self.number(key)

    def object(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self._of(key, dict, "an object")
        return found

    def numbers(self, key: str) -> list[int]:
        found: list[int] = self._of(key, list, "a list of whole numbers")
        return [_Update({key: each, "action": self.members.get("action")}).number(key) for each in found]

    def names(self, key: str) -> list[str]:
        found: list[str] = self._of(key, list, "a list of texts")
        return [_Update({key: each, "action": self.members.get("action")}).text(key) for each in found]

    def texts(self, key: str) -> dict[str, str]:
        found = self.object(key)
        return {
            name: _Update({name: value, "action": self.members.get("action")}).text(name)
            for name, value in found.items()
        }


def _source(partition_field: dict[str, Any]) -> tuple[object, object]:
    return str(partition_field.get("source-ids") or partition_field.get("source-id")), partition_field.get(
        "transform"
    )


def _highest(schema: dict[str, Any]) -> int:
    """The highest field id of a schema, at any depth."""
    highest, waiting = 0, [schema]
    while waiting:
        one = waiting.pop()
        fields = one.get("fields")
        waiting += [each for each in fields if isinstance(each, dict)] if isinstance(fields, list) else []
        for key in ("type", "element", "key", "value"):
            if isinstance(one.get(key), dict):
                waiting.append(one[key])
        for key in ("id", "element-id", "key-id", "value-id"):
            if isinstance(one.get(key), int):
                highest = max(highest, one[key])
    return highest


_RULES: Final[dict[str, Callable[[_Metadata, _Update], None]]] = {
    "assign-uuid": _Metadata.assign_uuid,
    "upgrade-format-version": _Metadata.upgrade,
    "add-schema": _Metadata.add_schema,
    "set-current-schema": lambda made, update: made.choose("current-schema-id", "schemas", "schema-id")(
        update
    ),
    "remove-schemas": lambda made, update: made.remove_from(
        "schemas", "current-schema-id", update.numbers("schema-ids")
    ),
    "add-spec": _Metadata.add_spec,
    "set-default-spec": lambda made, update: made.choose("default-spec-id", "partition-specs", "spec-id")(
        update
    ),
    "remove-partition-specs": lambda made, update: made.remove_from(
        "partition-specs", "default-spec-id", update.numbers("spec-ids")
    ),
    "add-sort-order": _Metadata.add_sort_order,
    "set-default-sort-order": lambda made, update: made.choose(
        "default-sort-order-id", "sort-orders", "sort-order-id"
    )(update),
    "add-snapshot": _Metadata.add_snapshot,
    "set-snapshot-ref": _Metadata.set_ref,
    "remove-snapshot-ref": lambda made, update: made.remove_ref(update.text("ref-name")),
    "remove-snapshots": _Metadata.remove_snapshots,
    "set-statistics": lambda made, update: made.set_statistics("statistics", update),
    "remove-statistics": lambda made, update: made.remove_statistics(
        "statistics", update.number("snapshot-id")
    ),
    "set-partition-statistics": lambda made, update: made.set_statistics("partition-statistics", update),
    "remove-partition-statistics": lambda made, update: made.remove_statistics(
        "partition-statistics", update.number("snapshot-id")
    ),
    "set-location": _Metadata.set_location,
    "set-properties": _Metadata.set_properties,
    "remove-properties": _Metadata.remove_properties,
}
"""What each update does."""
