"""Which files of a scan go to Spark's own reader, which to Floeberg's, and why?

In: a scan and its plan. Out: groups of files that Spark reads in one way, and the numbers of all others.

Invariant: every file of the plan is in one group, or among the others with a reason.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from floeberg.scan.stored_files import stored_files
from floeberg.spark.native.filters import condition, tested_columns
from floeberg.spark.native.proof import NativeColumn, Unproven, native_columns
from floeberg.types import ListType, MapType, StructType

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from pyspark.sql import Column

    from floeberg.scan import Scan
    from floeberg.scan.plan import Plan
    from floeberg.scan.stored_files import StoredFile
    from floeberg.spark.native.file_systems import FileSystems
    from floeberg.types import IcebergType, NestedField

__all__ = ["FileGroup", "Lanes", "divide"]

_RESERVED = 2_147_483_447 - 1_000
"""Metadata columns have the last ids there are."""
_ROW_ID, _SEQUENCE_NUMBER = 2_147_483_540, 2_147_483_539
"""Those that a file may store."""
_OF_FILES = frozenset({"_file", "_spec_id", "_partition", "_row_id", "_last_updated_sequence_number"})
"""Those that say something of the row's file."""
_IN_PARTITIONS = re.compile(r"boolean|int|long|float|double|string|binary|date|decimal\(.*\)")
_LARGEST = (1 << 63) - 1
_PLAIN_NAME = re.compile(r"[A-Za-z0-9_.=-]+")
_MOST_GROUPS = 8
_MOST_BITMAP_BYTES = 32 << 20
"""Bitmaps of deleted rows are sent to every executor: a bit for each row of a file that has deletes, 268 million rows.

Nothing else bounds them (decision 18).
"""


@dataclass(frozen=True)
class FileGroup:
    """Files that Spark reads in one way.

    Args:
        columns: The columns, those that the filter alone needs among them.
        filtered: Whether rows must be tested.
        numbers: The files, by their numbers in the plan.
        paths: Where they are.
        sizes: Their bytes.
        key: What tells which file a row is of, where that matters: `number`, `size` or `name`.
        keys: That of each file.
        deleted: Whether rows of them are deleted.
    """

    columns: tuple[NativeColumn, ...]
    filtered: bool
    numbers: tuple[int, ...]
    paths: tuple[str, ...]
    sizes: tuple[int, ...]
    key: str
    keys: tuple[int | str, ...]
    deleted: bool


@dataclass(frozen=True)
class Lanes:
    """How the files of a plan are read.

    Args:
        plan: The plan.
        groups: What Spark reads.
        others: What Floeberg reads: the numbers of files.
        reasons: Why, and how many files of it.
        condition: What groups are tested by; `None` where Spark has no words for it.
        tested: The columns that it tests, by name.
        special: The metadata columns that are selected.
    """

    plan: Plan
    groups: tuple[FileGroup, ...]
    others: tuple[int, ...]
    reasons: tuple[tuple[str, int], ...]
    condition: Column | None = None
    tested: dict[str, NestedField] = field(default_factory=dict)
    special: tuple[str, ...] = ()


def divide(  # noqa: PLR0913 - what decides how files are read
    scan: Scan,
    plan: Plan,
    file_systems: FileSystems,
    *,
    most_files: int,
    keeps_nullability: bool = True,
    numbers_files: bool = True,
) -> Lanes:
    """Divides the files of a plan.

    Args:
        scan: The scan.
        plan: Its plan.
        file_systems: What Spark opens.
        most_files: Files that Spark can be given.
        keeps_nullability: Whether Spark can be told that parts of columns are never null.
        numbers_files: Whether Spark can be told the number of a file.
    """
    return _Division(scan, plan, file_systems, most_files, keeps_nullability, numbers_files).lanes()


@dataclass(frozen=True)
class _Kind:
    """What files of a group have in common."""

    columns: tuple[NativeColumn, ...]
    filtered: bool
    deleted: bool


@dataclass
class _Division:
    scan: Scan
    plan: Plan
    file_systems: FileSystems
    most_files: int
    keeps_nullability: bool
    numbers_files: bool
    reasons: dict[int, str] = field(default_factory=dict)

    def lanes(self) -> Lanes:
        count = len(self.plan)
        try:
            self._look_at_scan(count)
        except Unproven as why:
            return Lanes(self.plan, (), tuple(range(count)), ((str(why), count),) if count else ())
        columns = "location file_format spec_id record_count first_row_id delete_files residual"
        self.files = self.plan.to_arrow().select(columns.split()).to_pylist()
        self.is_true = [tree[0] == "true" for tree in self.plan._inner.residuals()]  # noqa: SLF001 - the package's own
        self.equality = [each.content == "equality" for each in self.plan.delete_files()]
        paths = {number: path for number, each in enumerate(self.files) if (path := self._path(number, each))}
        stored = dict(
            zip(paths, stored_files(self.scan, [self.files[each]["location"] for each in paths]), strict=True)
        )
        groups = self._groups(self._opened(paths, stored), stored)
        taken = {number for group in groups for number in group.numbers}
        others = tuple(number for number in range(count) if number not in taken)
        reasons = Counter(self.reasons[number] for number in others)
        told = tuple(reasons.most_common())
        return Lanes(self.plan, groups, others, told, self.condition, self.tested, self.special)

    def _look_at_scan(self, count: int) -> None:
        """What is needed of every file; raises where Spark cannot read one of them."""
        if count > self.most_files:
            raise Unproven(f"the plan has more than {self.most_files:,} files")
        projected = self.scan.projection().fields
        stored = (_ROW_ID, _SEQUENCE_NUMBER)
        self.fields = [each for each in projected if each.field_id < _RESERVED or each.field_id in stored]
        self.special = tuple(each.name for each in projected if each.field_id >= _RESERVED)
        for each in projected:
            if each.field_id >= _RESERVED and isinstance(each.field_type, StructType):
                _check_partition(each.field_type)
        if not self.keeps_nullability and (lost := next(filter(_is_required_inside, self.fields), None)):
            raise Unproven(f"Spark Connect takes all parts of {lost.name!r} for nullable")
        residual = self.scan._inner.row_filter()  # noqa: SLF001 - the package's own
        self.tested = {}
        by_name = {each.name: each for each in self.scan.schema().fields}
        selected = {each.field_id for each in self.fields}
        self.extra = []
        for name in sorted(tested_columns(residual)):
            tested = by_name.get(name)
            if tested is None:
                raise Unproven(f"the filter tests {name!r}, which is not a top-level column of the table")
            self.tested[name] = tested
            if tested.field_id not in selected:
                self.extra.append(tested)
        self.condition, self.untested = None, None
        try:
            self.condition = condition(residual, self.tested)
        except Unproven as why:
            # It is of no matter where all rows of a file match.
            self.untested = str(why)

    def _path(self, number: int, file: dict[str, Any]) -> str | None:
        """The path of a file as Spark takes it; nothing where Spark cannot read it, and a reason is kept."""
        if file["file_format"].lower() != "parquet":
            self.reasons[number] = f"the format is {file['file_format']}"
        elif any(self.equality[each] for each in file["delete_files"]):
            self.reasons[number] = "equality deletes"
        elif "_row_id" in self.special and (file["first_row_id"] or 0) > _LARGEST - file["record_count"]:
            self.reasons[number] = "row ids do not fit into 64 bits"
        else:
            try:
                return self.file_systems.path(file["location"])
            except Unproven as why:
                self.reasons[number] = str(why)
        return None

    def _opened(self, paths: dict[int, str], stored: dict[int, StoredFile]) -> dict[int, str]:
        """The paths that Spark opens; a reason is kept for the others."""
        for number, path in paths.items():
            # A footer that cannot be read says more than the file system does.
            why = None if stored[number].shape.error else self.file_systems.fault(path, stored[number].size)
            if why is not None:
                self.reasons[number] = why
        return {number: path for number, path in paths.items() if number not in self.reasons}

    def _groups(self, paths: dict[int, str], stored: dict[int, StoredFile]) -> tuple[FileGroup, ...]:
        proven: dict[tuple[int, int, bool], tuple[NativeColumn, ...] | str] = {}
        by_kind: dict[_Kind, list[int]] = {}
        # To hash the columns of a kind for every file would take as long as to read their footers.
        of_kind: dict[tuple[int, int, bool, bool], list[int]] = {}
        bitmap_bytes = 0
        for number in paths:
            file, shape = self.files[number], stored[number].shape
            filtered = not self.is_true[file["residual"]]
            key = (shape.number, file["spec_id"], filtered)
            if shape.error is not None or key not in proven:
                proven[key] = self._prove(stored[number], file["spec_id"], filtered=filtered)
            found = proven[key]
            if isinstance(found, str):
                self.reasons[number] = found
                continue
            deleted = bool(file["delete_files"])
            if deleted:
                size = file["record_count"] // 8 + 1
                if bitmap_bytes + size > _MOST_BITMAP_BYTES:
                    self.reasons[number] = "more deletes than are worth sending to every executor"
                    continue
                bitmap_bytes += size
            full_key = (*key, deleted)
            if full_key not in of_kind:
                kind = _Kind(found, filtered=filtered, deleted=deleted)
                of_kind[full_key] = by_kind.setdefault(kind, [])
            of_kind[full_key].append(number)
        made = []
        for kind, numbers in by_kind.items():
            made.extend(self._groups_of(kind, numbers, paths, stored))
        made.sort(key=lambda group: -sum(group.sizes))
        for group in made[_MOST_GROUPS:]:
            self.reasons |= dict.fromkeys(group.numbers, "more kinds of files than are worth a reader each")
        return tuple(made[:_MOST_GROUPS])

    def _groups_of(
        self, kind: _Kind, numbers: list[int], paths: dict[int, str], stored: dict[int, StoredFile]
    ) -> list[FileGroup]:
        """Files of one kind, in groups that have no file twice, and no key twice where keys matter."""
        sizes = {each: stored[each].size for each in numbers}
        own = {each: paths[each] for each in numbers}
        names = {each: path.rpartition("/")[2] for each, path in own.items()}
        matters = kind.deleted or bool(_OF_FILES & set(self.special))
        different: Mapping[int, Hashable] = own
        key = "number" if self.numbers_files else "size"
        if matters and not self.numbers_files and not _differ(sizes):
            if _differ(names) and all(map(_PLAIN_NAME.fullmatch, names.values())):
                key = "name"
            else:
                different = sizes
        return [
            FileGroup(
                kind.columns,
                kind.filtered,
                numbers=tuple(part),
                paths=tuple(paths[each] for each in part),
                sizes=tuple(sizes[each] for each in part),
                key=key,
                keys=_keys(key, part, sizes, names),
                deleted=kind.deleted,
            )
            for part in without_repeats(different)
        ]

    def _prove(self, file: StoredFile, spec_id: int, *, filtered: bool) -> tuple[NativeColumn, ...] | str:
        if filtered and self.untested is not None:
            return self.untested
        try:
            found = native_columns([*self.fields, *(self.extra if filtered else ())], file.shape)
        except Unproven as why:
            return str(why)
        missing = {each.field_id for each in found if each.stored_name is None}
        if missing & self._identity_sources(spec_id):
            return "the value of a column is that of the partition"
        return found

    def _identity_sources(self, spec_id: int) -> set[int]:
        """The fields with identity partitions. Partition values replace columns that a file lacks."""
        return set(dict(self.scan._inner.identity_sources())[spec_id])  # noqa: SLF001 - the package's own


def _is_required_inside(field: NestedField) -> bool:
    """Whether a nested column, or a part of one, is required."""
    parts = _nested_fields(field.field_type)
    return any(each.required or _is_required_inside(each) for each in parts) or (
        bool(parts) and field.required
    )


def _nested_fields(kind: IcebergType) -> tuple[NestedField, ...]:
    """The parts of a type that may be null."""
    if isinstance(kind, StructType):
        return kind.fields
    if isinstance(kind, ListType):
        return (kind.element_field,)
    return (kind.value_field,) if isinstance(kind, MapType) else ()


def _check_partition(kind: StructType) -> None:
    """Checks that Spark can be sent the partitions of files.

    Raises:
        Unproven: It cannot.
    """
    for each in kind.fields:
        if not _IN_PARTITIONS.fullmatch(str(each.field_type)):
            raise Unproven(f"'_partition' has a field {each.name!r} of type {each.field_type}")


def _differ(values: dict[int, Any]) -> bool:
    return len(set(values.values())) == len(values)


def _keys(
    key: str, part: Sequence[int], sizes: dict[int, int], names: dict[int, str]
) -> tuple[int | str, ...]:
    if key == "number":
        return tuple(range(len(part)))
    return tuple(sizes[each] if key == "size" else names[each] for each in part)


def without_repeats(values: Mapping[int, Hashable]) -> list[list[int]]:
    """Files in parts, in each of which all differ.

    Args:
        values: What files must differ in, by their numbers.
    """
    parts: list[list[int]] = []
    seen: Counter[Hashable] = Counter()
    for number, value in values.items():
        if seen[value] == len(parts):
            parts.append([])
        parts[seen[value]].append(number)
        seen[value] += 1
    return parts
