"""Violations that are planted in the metadata of a table are found, each by its own rule."""

from __future__ import annotations

import copy
import uuid
from collections.abc import Callable
from typing import Any

import pytest

Json = dict[str, Any]
Change = Callable[[Json], object]


def setting(key: str, value: object) -> Change:
    """A change that sets a key."""
    return lambda metadata: metadata.__setitem__(key, value)


def removing(key: str) -> Change:
    """A change that removes a key."""
    return lambda metadata: metadata.pop(key)


def in_newest(change: Change) -> Change:
    """A change of the current snapshot."""
    return lambda metadata: [
        change(each)
        for each in metadata["snapshots"]
        if each["snapshot-id"] == metadata["current-snapshot-id"]
    ]


def in_field(number: int, change: Change) -> Change:
    """A change of a column of the current schema."""
    return lambda metadata: change(current_schema(metadata)["fields"][number])


def current_schema(metadata: Json) -> Json:
    """The current schema."""
    return next(each for each in metadata["schemas"] if each["schema-id"] == metadata["current-schema-id"])


def in_partition_field(change: Change) -> Change:
    """A change of the first partition field."""
    return lambda metadata: change(metadata["partition-specs"][0]["fields"][0])


def repeating(key: str, **changes: object) -> Change:
    """A change that has the last of a list once more."""
    return lambda metadata: metadata[key].append(copy.deepcopy(metadata[key][-1]) | changes)


def summing_up(name: str) -> Change:
    """A change of a count in the summary of a snapshot."""
    return lambda snapshot: snapshot["summary"].update({name: "17"})


def swapping_log(metadata: Json) -> None:
    """The times of the log go back by hours."""
    metadata["snapshot-log"][0]["timestamp-ms"] += 10_000_000


def a_second_meaning(metadata: Json) -> None:
    """One id of a partition field for another column."""
    spec = copy.deepcopy(metadata["partition-specs"][0]) | {"spec-id": 7}
    spec["fields"][0]["source-id"] = 2
    metadata["partition-specs"].append(spec)


def a_second_initial_default(metadata: Json) -> None:
    """A default that rows have already becomes another."""
    for value, schema in enumerate(metadata["schemas"]):
        schema["fields"][0]["initial-default"] = value


def of_several(*numbers: int, transform: str = "zorder") -> Change:
    """Several columns, where a field has one."""

    def change(field: Json) -> None:
        del field["source-id"]
        field.update({"source-ids": list(numbers), "transform": transform})

    return change


PLANTS: dict[str, list[tuple[int, Change]]] = {
    "format-version": [(2, setting("format-version", 9))],
    "metadata-required": [
        (1, removing("location")),
        (1, removing("schema")),
        (1, removing("partition-spec")),
        (2, removing("table-uuid")),
        (2, removing("last-sequence-number")),
        (2, removing("default-sort-order-id")),
        (3, removing("next-row-id")),
        (3, setting("last-updated-ms", "now")),
    ],
    "metadata-other-version": [(2, setting("next-row-id", 0)), (3, setting("schema", {}))],
    "table-uuid": [(3, setting("table-uuid", "me"))],
    "properties-are-text": [(3, setting("properties", {"a": 1}))],
    "ids-are-unique": [
        (3, repeating("schemas")),
        (2, repeating("partition-specs")),
        (2, repeating("sort-orders")),
        (1, repeating("snapshots")),
    ],
    "current-ids-are-there": [
        (3, setting("current-schema-id", 17)),
        (2, setting("default-spec-id", 17)),
        (2, setting("default-sort-order-id", 17)),
    ],
    "written-twice": [
        (1, lambda metadata: metadata["schema"]["fields"].pop()),
        (1, lambda metadata: metadata["partition-spec"].pop()),
    ],
    "current-snapshot": [(2, setting("current-snapshot-id", 1))],
    "main-is-current": [(3, lambda metadata: metadata["refs"]["main"].update(metadata["refs"]["dev"]))],
    "refs-name-snapshots": [(3, lambda metadata: metadata["refs"]["dev"].update({"snapshot-id": 1}))],
    "refs-have-types": [
        (3, lambda metadata: metadata["refs"]["dev"].update(type="twig")),
        (3, lambda metadata: metadata["refs"]["dev"].update({"type": "tag", "min-snapshots-to-keep": 1})),
        (3, lambda metadata: metadata["refs"]["dev"].update({"max-ref-age-ms": 0})),
    ],
    "snapshot-log": [
        (2, lambda metadata: metadata["snapshot-log"].pop()),
        (2, lambda metadata: metadata["snapshot-log"][0].update({"snapshot-id": 1})),
    ],
    "logs-are-ordered": [
        (2, swapping_log),
        (2, setting("last-updated-ms", 0)),
        (2, lambda metadata: metadata["metadata-log"][0].update({"timestamp-ms": 1 << 50})),
    ],
    "metadata-log-is-there": [
        (3, lambda metadata: metadata["metadata-log"][0].update({"metadata-file": "/nowhere.metadata.json"}))
    ],
    "metadata-log-times": [(3, lambda metadata: metadata["metadata-log"][-1].update({"timestamp-ms": 1}))],
    "uuid-stays": [(3, setting("table-uuid", str(uuid.UUID(int=1))))],
    "nothing-goes-back": [(3, setting("next-row-id", 1)), (2, setting("last-column-id", 6))],
    "what-was-written-stays": [
        (3, lambda metadata: metadata["schemas"][0]["fields"].pop()),
        (2, lambda metadata: metadata["snapshots"][0]["summary"].update(owner="me")),
        (2, lambda metadata: metadata["sort-orders"][0].update(fields=[])),
    ],
    "field-ids-are-unique": [(3, in_field(0, setting("id", 2)))],
    "names-are-unique": [(3, in_field(0, setting("name", "part")))],
    "last-column-id": [(2, setting("last-column-id", 2))],
    "types-of-the-version": [
        (2, in_field(1, setting("type", "variant"))),
        (3, in_field(1, setting("type", "text"))),
        (3, in_field(5, setting("type", "decimal(39, 2)"))),
    ],
    "defaults-of-the-version": [(2, in_field(1, setting("initial-default", "x")))],
    "identifier-fields": [
        (3, lambda metadata: current_schema(metadata).update({"identifier-field-ids": [2]})),
        (3, lambda metadata: current_schema(metadata).update({"identifier-field-ids": [99]})),
    ],
    "types-are-promoted": [(3, in_field(0, setting("type", "int")))],
    "initial-defaults-stay": [(3, a_second_initial_default)],
    "nothing-is-kept-twice": [
        (3, repeating("schemas", **{"schema-id": 9})),
        (3, repeating("partition-specs", **{"spec-id": 9})),
        (3, repeating("sort-orders", **{"order-id": 9})),
    ],
    "partition-fields-are-unique": [(3, in_partition_field(setting("name", "f")))],
    "last-partition-id": [(3, setting("last-partition-id", 1000))],
    "partition-sources": [
        (3, in_partition_field(setting("transform", "hour"))),
        (3, in_partition_field(setting("source-id", 99))),
        (3, in_partition_field(of_several(1, 99))),
        (3, in_partition_field(of_several(1, 1))),
        (3, in_partition_field(of_several(1, 2, transform="bucket[4]"))),
        (2, in_partition_field(of_several(1, 2))),
    ],
    "partition-field-ids-mean-one-thing": [(3, a_second_meaning)],
    "order-0-is-unsorted": [(3, repeating("sort-orders", **{"order-id": 0}))],
    "sort-fields": [
        (3, lambda metadata: metadata["sort-orders"][-1]["fields"][0].update(direction="up")),
        (3, lambda metadata: metadata["sort-orders"][-1]["fields"][0].update({"source-id": 99})),
        (3, lambda metadata: of_several(1, 99)(metadata["sort-orders"][-1]["fields"][0])),
    ],
    "snapshot-required": [
        (3, in_newest(removing("sequence-number"))),
        (2, in_newest(setting("manifests", []))),
        (2, in_newest(lambda snapshot: snapshot["summary"].update(total=1))),
    ],
    "operation": [
        (3, in_newest(lambda snapshot: snapshot["summary"].update(operation="deletion"))),
        (3, in_newest(lambda snapshot: snapshot["summary"].update(operation="append"))),
        (3, in_newest(lambda snapshot: snapshot["summary"].update(operation="replace"))),
        (3, lambda metadata: metadata["snapshots"][0]["summary"].update(operation="delete")),
    ],
    "snapshot-schema": [(3, in_newest(setting("schema-id", 99)))],
    "sequence-numbers": [(3, in_newest(setting("sequence-number", 1)))],
    "last-sequence-number": [(3, setting("last-sequence-number", 1))],
    "snapshot-row-ids": [(3, in_newest(removing("first-row-id"))), (3, in_newest(removing("added-rows")))],
    "snapshot-row-ids-overlap": [(3, in_newest(setting("first-row-id", 1)))],
    "next-row-id": [(3, setting("next-row-id", 3))],
    "added-rows": [(3, lambda metadata: metadata["snapshots"][0].update({"added-rows": 2}))],
    "summary-counts": [
        (3, in_newest(summing_up(name)))
        for name in ("deleted-data-files", "deleted-records", "removed-files-size", "added-records")
    ],
    "summary-totals": [
        (3, in_newest(lambda snapshot: snapshot["summary"].update({"total-records": "17"}))),
        (2, in_newest(lambda snapshot: snapshot["summary"].pop("total-data-files"))),
        (1, in_newest(lambda snapshot: snapshot["summary"].update({"total-files-size": "17"}))),
    ],
    "summary-partitions": [
        (3, in_newest(lambda snapshot: snapshot["summary"].update({"changed-partition-count": "17"})))
    ],
    "summary-manifests": [
        (3, in_newest(summing_up(f"manifests-{word}"))) for word in ("created", "kept", "replaced")
    ],
}
CASES = [
    pytest.param(rule, version, change, id=f"{rule}-{number}")
    for rule, plants in PLANTS.items()
    for number, (version, change) in enumerate(plants)
]


@pytest.mark.parametrize(("rule", "version", "change"), CASES)
def test_a_violation_in_the_metadata_is_found(sound, rule, version, change):
    with sound(version) as table:
        table.change_metadata(change)
        assert rule in table.rules()
