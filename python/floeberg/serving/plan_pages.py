"""How is a plan answered in pages?

In: a plan, as columns. Out: its tasks and their deletes as JSON, so many at a time. Only the files of a page become
objects.
Spec: REST catalog specification, `ScanTasks`, `FileScanTask`, `ContentFile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from floeberg.commit.update_schema import default_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from floeberg.scan.scan import Scan
    from floeberg.table import Table

__all__ = ["PlannedScan"]

_FIELD_ID: Final = b"PARQUET:field_id"
_EQUALITY: Final = 2
"""The content of an equality delete file in metadata tables."""


class PlannedScan:
    """The plan of a scan, which is kept as columns."""

    def __init__(self, table: Table, scan: Scan) -> None:
        """Plans: manifests are read."""
        plan = scan.plan_files()
        self._files = _Files(
            {number: [each.field_id for each in spec.fields] for number, spec in table.specs().items()}
        )
        self._tasks = plan.to_arrow()
        self._names = _names(self._tasks.schema)
        self._deletes = [(each.file_path, each.content_offset) for each in plan.delete_files()]
        self._written = _delete_files(table, scan.snapshot_id, self._files) if self._deletes else {}
        self._residuals = [each.to_json() for each in plan.residuals()]

    def __len__(self) -> int:
        """The number of tasks."""
        return self._tasks.num_rows

    @property
    def bytes(self) -> int:
        """About what is kept in memory."""
        return self._tasks.nbytes + _BYTES_OF_DELETE * len(self._written)

    def page(self, start: int, most: int) -> dict[str, Any]:
        """Some of the tasks, with the deletes that they refer to."""
        numbers: dict[int, int] = {}
        tasks = [
            self._task(row, self._files.of(row, self._names), numbers)
            for row in self._tasks.slice(start, most).to_pylist()
        ]
        deletes = [self._written[self._deletes[number]] for number in numbers]
        return {"file-scan-tasks": tasks, "delete-files": deletes}

    def _task(self, row: dict[str, Any], file: dict[str, Any], numbers: dict[int, int]) -> dict[str, Any]:
        """A task. Deletes get numbers of the page, in the order in which they are named."""
        task: dict[str, Any] = {"data-file": {"content": "data", **file}}
        if row["delete_files"]:
            task["delete-file-references"] = [
                numbers.setdefault(each, len(numbers)) for each in row["delete_files"]
            ]
        if (residual := self._residuals[row["residual"]]) is not True:
            task["residual-filter"] = residual
        return task


_BYTES_OF_DELETE: Final = 1000


@dataclass(frozen=True)
class _Files:
    """Writes what all files have.

    Attributes:
        specs: The ids of the fields of each partition spec, in order.
    """

    specs: Mapping[int, list[int]]

    def of(self, row: dict[str, Any], names: dict[int, str]) -> dict[str, Any]:
        """What a row of a plan or of a metadata table says.

        Args:
            row: The row.
            names: The names of partition fields in it, by field id.
        """
        partition = row["partition"] or {}
        written = {
            "spec-id": row["spec_id"],
            "partition": [default_json(partition[names[each]]) for each in self.specs[row["spec_id"]]],
            "file-path": row["file_path"],
            "file-format": row["file_format"].lower(),
            "file-size-in-bytes": row["file_size_in_bytes"],
            "record-count": row["record_count"],
        }
        optional = {"split-offsets": row["split_offsets"], "first-row-id": row["first_row_id"]}
        return written | {key: value for key, value in optional.items() if value is not None}


def _names(schema: pa.Schema) -> dict[int, str]:
    """The names of the fields of the column `partition`, by field id; none where no spec has fields."""
    place = schema.get_field_index("partition")
    kind = schema.field(place).type if place >= 0 else None
    fields = [] if kind is None else [kind.field(number) for number in range(kind.num_fields)]
    return {int(each.metadata[_FIELD_ID]): each.name for each in fields}


def _delete_files(
    table: Table, snapshot_id: int | None, files: _Files
) -> dict[tuple[str, int | None], dict[str, Any]]:
    """The delete files of a snapshot, by their path and the offset in it."""
    read = table.inspect.delete_files(snapshot_id=snapshot_id)
    names, found = _names(read.schema), {}
    for row in read.to_pylist():
        written = files.of({"partition": None, **row}, names)
        if row["content"] == _EQUALITY:
            written |= {"content": "equality-deletes", "equality-ids": row["equality_ids"]}
        else:
            more = {
                "content-offset": row["content_offset"],
                "content-size-in-bytes": row["content_size_in_bytes"],
                "referenced-data-file": row["referenced_data_file"],
            }
            written |= {
                "content": "position-deletes",
                **{key: value for key, value in more.items() if value is not None},
            }
        found[row["file_path"], row["content_offset"]] = written
    return found
