"""What did a commit to a Lance table do?"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from floeberg._display import bytes_shown, result_html

__all__ = ["CleanupResult", "CompactionResult", "LanceCommitResult"]


@dataclass(frozen=True, repr=False)
class LanceCommitResult:
    """What a commit did, or which earlier commit did it.

    Attributes:
        version: The version that it made; `None` if nothing had to change.
        operation: The operation in the words of the format, such as `"Append"`; `None` without a version.
        already_committed: Whether an earlier commit with the same idempotency key did it. Then nothing was done now.
        added_rows: The rows that were added, or written with new values.
        added_files: The data files that were added.
        added_bytes: Their bytes.
        deleted_rows: The rows that were deleted or replaced. An overwrite does not count them.
        updated_rows: The rows that got new values. They count as added and as deleted rows too.
        inserted_rows: The rows that an upsert or a merge inserted. They count as added rows too.
        keeps_row_ids: Whether the updated rows kept their values of `_rowid`: with stable row ids.
        dry_run: Whether nothing was done: the counts say what would be.
    """

    version: int | None
    operation: str | None
    already_committed: bool = False
    added_rows: int = field(default=0, compare=False)
    added_files: int = field(default=0, compare=False)
    added_bytes: int = field(default=0, compare=False)
    deleted_rows: int = field(default=0, compare=False)
    updated_rows: int = field(default=0, compare=False)
    inserted_rows: int = field(default=0, compare=False)
    keeps_row_ids: bool = field(default=False, compare=False)
    dry_run: bool = False

    def __repr__(self) -> str:
        return _shown(self, "version", "operation")

    def _repr_html_(self) -> str:
        return result_html(self)

    @property
    def rows_updated(self) -> int:
        """`updated_rows`, as the result of an upsert of Iceberg tables has it."""
        return self.updated_rows

    @property
    def rows_inserted(self) -> int:
        """`inserted_rows`, as the result of an upsert of Iceberg tables has it."""
        return self.inserted_rows


@dataclass(frozen=True, repr=False)
class CompactionResult:
    """What a compaction did, or would do.

    Attributes:
        version: The version that it made; `None` if nothing was to do, or nothing was done.
        fragments_before: The fragments that were replaced.
        fragments_after: The fragments that replace them; 0 with `dry_run`.
        rows: Their rows.
        dry_run: Whether nothing was done.
    """

    version: int | None
    fragments_before: int
    fragments_after: int
    rows: int
    dry_run: bool = False

    @property
    def rewritten_data_files_count(self) -> int:
        """`fragments_before`, by the name that Iceberg has for it."""
        return self.fragments_before

    @property
    def added_data_files_count(self) -> int:
        """`fragments_after`, by the name that Iceberg has for it."""
        return self.fragments_after

    def __repr__(self) -> str:
        return _shown(self, "version")

    def _repr_html_(self) -> str:
        return result_html(self)


@dataclass(frozen=True, repr=False)
class CleanupResult:
    """What a cleanup removed, or would remove.

    Attributes:
        versions: The versions.
        files: The locations of data files, deletion files and transactions that only these versions named.
        size_bytes: The bytes of their manifests and data files.
        dry_run: Whether nothing was removed.
    """

    versions: list[int]
    files: list[str]
    size_bytes: int
    dry_run: bool = False

    @property
    def snapshot_ids(self) -> list[int]:
        """`versions`, by the name that Iceberg has for them."""
        return self.versions

    @property
    def deleted_files(self) -> list[str]:
        """`files`, by the name that Iceberg has for them."""
        return self.files

    def __repr__(self) -> str:
        state = ", dry_run=True" if self.dry_run else ""
        numbers = f"{self.versions[0]} to {self.versions[-1]}" if self.versions else "none"
        return (
            f"CleanupResult({len(self.versions)} versions ({numbers}), {len(self.files)} files, "
            f"{bytes_shown(self.size_bytes)}{state})"
        )

    def _repr_html_(self) -> str:
        return result_html(self)


def _shown(result: Any, *last: str) -> str:  # noqa: ANN401 - any of these dataclasses
    """A result in one line: counts first, and what was done. What is zero or false is left out."""
    values = {each.name: getattr(result, each.name) for each in fields(result)}
    ends = [(name, values.pop(name)) for name in last]
    parts = []
    for name, value in values.items():
        if value:
            shown = bytes_shown(value) if name.endswith("_bytes") else repr(value)
            parts.append(f"{name}={shown}")
    parts += [f"{name}={value!r}" for name, value in ends]
    return f"{type(result).__name__}({', '.join(parts)})"
