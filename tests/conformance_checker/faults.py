"""What is wrong with a table: the rule that is broken, where, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field

RULES = frozenset(
    [
        "a-manifest-is-listed-once",
        "a-path-is-live-once",
        "added-inherit",
        "added-rows",
        "avro-defaults",
        "avro-fields",
        "bounds-are-values",
        "bounds-contain",
        "bounds-of-paths",
        "carried-entries",
        "column-sizes",
        "content",
        "current-ids-are-there",
        "current-snapshot",
        "data-files-are-there",
        "data-files-delete-nothing",
        "defaults-of-the-version",
        "delete-counts",
        "delete-file-size",
        "delete-files-can-be-read",
        "deletes-come-after",
        "deletes-have-no-row-ids",
        "deletes-of-the-partition",
        "deletes-of-the-version",
        "entry-snapshot",
        "equality-ids",
        "field-ids-are-unique",
        "file-counts",
        "file-format",
        "file-size",
        "files-can-be-read",
        "files-come-and-go",
        "files-of-two-tables",
        "format-version",
        "identifier-fields",
        "ids-are-unique",
        "initial-defaults-stay",
        "kept-first-row-id",
        "kept-manifests",
        "last-column-id",
        "last-partition-id",
        "last-sequence-number",
        "list-header",
        "logs-are-ordered",
        "main-is-current",
        "manifest-header",
        "manifest-length",
        "manifest-row-ids",
        "manifest-sequence",
        "manifest-spec",
        "metadata-log-is-there",
        "metadata-log-times",
        "metadata-other-version",
        "metadata-required",
        "min-sequence",
        "names-are-unique",
        "nan-counts",
        "new-manifests",
        "next-row-id",
        "no-nulls-where-required",
        "nothing-goes-back",
        "nothing-is-kept-twice",
        "null-counts",
        "one-vector-of-a-file",
        "operation",
        "order-0-is-unsorted",
        "others-are-explicit",
        "parquet-field-ids",
        "parquet-storage",
        "parquet-types",
        "partition-field-ids-mean-one-thing",
        "partition-fields-are-unique",
        "partition-sources",
        "partition-statistics-columns",
        "partition-statistics-counts",
        "partition-statistics-order",
        "partition-struct",
        "partition-values",
        "positions-are-sorted",
        "properties-are-text",
        "record-count",
        "referenced-data-file",
        "refs-have-types",
        "refs-name-snapshots",
        "row-counts",
        "row-ids-are-carried",
        "row-ids-are-unique",
        "row-ids-stay",
        "rows-are-sorted",
        "sequence-numbers",
        "snapshot-log",
        "snapshot-required",
        "snapshot-row-ids",
        "snapshot-row-ids-overlap",
        "snapshot-schema",
        "sort-fields",
        "sort-order-id",
        "split-offsets",
        "statistics-files",
        "statistics-of-snapshots",
        "status",
        "summaries",
        "summary-bounds",
        "summary-counts",
        "summary-manifests",
        "summary-nans",
        "summary-nulls",
        "summary-partitions",
        "summary-totals",
        "table-uuid",
        "types-are-promoted",
        "types-of-the-version",
        "uuid-stays",
        "value-counts",
        "vectors-are-blobs",
        "vectors-have-their-file",
        "vectors-hold-what-was-deleted",
        "what-was-written-stays",
        "written-twice",
    ]
)
"""Every rule that is checked. Each is broken on purpose by a test."""


@dataclass(frozen=True)
class Fault:
    """A broken rule.

    Attributes:
        rule: Its name, one of `RULES`.
        place: The file, snapshot or column.
        detail: What was expected and what was found.
    """

    rule: str
    place: str
    detail: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.place}: {self.detail}"


@dataclass
class Faults:
    """The faults of a table, as they are found."""

    found: list[Fault] = field(default_factory=list)

    def say(self, rule: str, place: object, detail: str) -> None:
        """A rule is broken."""
        assert rule in RULES, rule
        self.found.append(Fault(rule, str(place), detail))

    def equal(self, rule: str, place: object, what: str, found: object, expected: object) -> None:
        """Two things are one."""
        if found != expected:
            self.say(rule, place, f"{what}: expected {expected!r}, found {found!r}")
