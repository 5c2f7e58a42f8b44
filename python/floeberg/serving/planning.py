"""Which files does a scan of a client read?

In: a `PlanTableScanRequest`. Out: the tasks of the plan that the library makes, at once and whole, as JSON. Only files
below the warehouse, or below the table, are named: a manifest may name others.
Spec: REST catalog specification, `PlanTableScanRequest`, `ScanTasks`, `FileScanTask`, `ContentFile`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from floeberg.commit.update_schema import default_json
from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.expressions import ALWAYS_TRUE, from_json
from floeberg.serving.answers import json_answer
from floeberg.serving.names import table_in
from floeberg.table import Table

if TYPE_CHECKING:
    import pyarrow as pa
    from starlette.responses import Response

    from floeberg.scan.scan import Scan
    from floeberg.serving.served import Asked

__all__ = ["plan_scan"]

_FIELD_ID: Final = b"PARQUET:field_id"
_EQUALITY: Final = 2
"""The content of an equality delete file in metadata tables."""


def plan_scan(asked: Asked) -> Response:
    """The files of a scan, with their deletes and what is left of the filter."""
    identifier = table_in(asked.path)
    operations = asked.catalog.table_operations(identifier)
    table = Table(asked.served.load(identifier), operations=operations, listed=(asked.catalog, identifier))
    scan = _scan(table, asked.body)
    _check_manifests(
        asked, table, None if asked.body.get("start-snapshot-id") is not None else scan.snapshot_id
    )
    plan = scan.plan_files()
    files = _Files(
        {number: [each.field_id for each in spec.fields] for number, spec in table.specs().items()}
    )
    deletes = plan.delete_files()
    found = _delete_files(table, scan.snapshot_id, files) if deletes else {}
    residuals = [each.to_json() for each in plan.residuals()]
    tasks = [
        _task(row, files.of(row, names), residuals)
        for batch in plan.iter_batches()
        for names in [_names(batch.schema)]
        for row in batch.to_pylist()
    ]
    answers = [found[each.file_path, each.content_offset] for each in deletes]
    return json_answer({"status": "completed", "file-scan-tasks": tasks, "delete-files": answers})


def _scan(table: Table, body: dict[str, Any]) -> Scan:
    """The scan that a request describes."""
    numbers = [body.get(f"{each}snapshot-id") for each in ("", "start-", "end-")]
    for each in numbers:
        if each is not None and (not isinstance(each, int) or isinstance(each, bool)):
            raise InvalidInputError("expected whole numbers as ids of snapshots")
    chosen, start, end = numbers
    select = body.get("select")
    if select is not None and (
        not isinstance(select, list) or not all(isinstance(one, str) for one in select)
    ):
        raise InvalidInputError("expected a list of names as 'select'")
    columns = ("*",) if select is None else tuple(select)
    wanted = ALWAYS_TRUE if body.get("filter") is None else from_json(body["filter"])
    is_exact = body.get("case-sensitive") is not False
    if start is None and end is None:
        scan = table.scan(wanted, columns, is_exact, snapshot_id=chosen)
    elif chosen is not None or start is None or end is None:
        raise InvalidInputError("expected either snapshot-id, or both start-snapshot-id and end-snapshot-id")
    else:
        scan = table.incremental_append_scan(
            from_snapshot_id_exclusive=start,
            to_snapshot_id_inclusive=end,
            row_filter=wanted,
            selected_fields=columns,
            case_sensitive=is_exact,
        )
    return scan


def _check_manifests(asked: Asked, table: Table, snapshot_id: int | None) -> None:
    """Refuses to read manifests of elsewhere. The name of each is checked, and no manifest is read for it."""
    if any(name.startswith("encryption.") for name in table.properties):
        raise UnsupportedError("the table is encrypted: its clients plan scans themselves")
    if not table.snapshots():
        return
    read = (
        table.inspect.all_manifests()
        if snapshot_id is None
        else table.inspect.manifests(snapshot_id=snapshot_id)
    )
    for path in read["path"].to_pylist():
        asked.served.places.check(path, "a manifest of the table", [table.location()])


@dataclass(frozen=True)
class _Files:
    """Writes what all files have.

    Attributes:
        specs: The ids of the fields of each partition spec, in order.
    """

    specs: dict[int, list[int]]

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


def _task(row: dict[str, Any], file: dict[str, Any], residuals: list[Any]) -> dict[str, Any]:
    task: dict[str, Any] = {"data-file": {"content": "data", **file}}
    if row["delete_files"]:
        task["delete-file-references"] = row["delete_files"]
    if (residual := residuals[row["residual"]]) is not True:
        task["residual-filter"] = residual
    return task


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
