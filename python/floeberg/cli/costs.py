"""How many bytes of a table are live, and what do old snapshots, deletes and orphan files hold?

Invariant: which files go is what a dry run of maintenance says. Sizes are those of the metadata tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.lance import LanceTable

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg.table import Table

__all__ = ["Cost", "costs_of"]


@dataclass(frozen=True)
class Cost:
    """Bytes of one kind.

    Attributes:
        name: What they are.
        files: How many files they are in.
        bytes: How many they are.
        freed_by: What frees them; `None` where they are needed.
    """

    name: str
    files: int
    bytes: int
    freed_by: str | None = None


def costs_of(
    table: Table | LanceTable, older_than: timedelta | None, retain_last: int | None, *, orphans: bool
) -> list[Cost]:
    """The bytes of a table, by kind.

    Args:
        table: The table.
        older_than: The age from which on snapshots expire. By default, what the properties of the table say; of a Lance
            table seven days.
        retain_last: The newest snapshots that stay.
        orphans: Whether orphan files are looked for, which lists all files.

    Raises:
        UnsupportedError: Orphan files of a Lance table are asked for.
    """
    if isinstance(table, LanceTable):
        if orphans:
            raise UnsupportedError(
                "--orphans: files of Lance tables that were never committed are not looked for"
            )
        return _of_lance(table, older_than, retain_last)
    live, every = _sizes(table.inspect.files()), _sizes(table.inspect.all_files())
    given: dict[str, Any] = {} if retain_last is None else {"retain_last": retain_last}
    if older_than is not None:
        given["older_than"] = datetime.now(timezone.utc) - older_than
    expiry: Any = table.maintenance.expire_snapshots(**given, dry_run=True)
    costs = [
        _cost("live data files", _of_content(live, deletes=False)),
        _cost(
            "live delete files",
            _of_content(live, deletes=True),
            "rewrite_data_files, rewrite_position_delete_files",
        ),
        _cost("files of old snapshots", _without(every, live)),
        _cost(
            "of these, files of snapshots that expire",
            _within(every, expiry.deleted_files),
            "expire_snapshots",
        ),
    ]
    if orphans:
        found = table.maintenance.remove_orphan_files(dry_run=True)
        costs.append(
            Cost("orphan files", len(found.orphan_file_locations), found.orphan_bytes, "remove_orphan_files")
        )
    return costs


def _of_lance(table: LanceTable, older_than: timedelta | None, retain_last: int | None) -> list[Cost]:
    import pyarrow.compute as pc  # noqa: PLC0415 - importing floeberg imports nothing large

    files = table.inspect.data_files()
    age = timedelta(days=7) if older_than is None else older_than
    cleanup = table.maintenance.cleanup(older_than=age, retain_last=retain_last, dry_run=True)
    return [
        Cost("live data files", files.num_rows, pc.sum(files["size_bytes"]).as_py() or 0),
        Cost("versions that expire", len(cleanup.files), cleanup.size_bytes, "cleanup"),
    ]


def _sizes(files: pa.Table) -> pa.Table:
    """Each file once, with its size and whether it holds deletes."""
    import pyarrow.compute as pc  # noqa: PLC0415

    named = files.select(["file_path", "content", "file_size_in_bytes"])
    named = named.set_column(1, "deletes", pc.not_equal(named["content"], 0))
    return named.group_by("file_path").aggregate([("deletes", "max"), ("file_size_in_bytes", "max")])


def _of_content(files: pa.Table, *, deletes: bool) -> pa.Table:
    import pyarrow.compute as pc  # noqa: PLC0415

    return files.filter(pc.equal(files["deletes_max"], deletes))


def _without(files: pa.Table, others: pa.Table) -> pa.Table:
    import pyarrow.compute as pc  # noqa: PLC0415

    return files.filter(pc.invert(pc.is_in(files["file_path"], others["file_path"].combine_chunks())))


def _within(files: pa.Table, paths: Any) -> pa.Table:  # noqa: ANN401 - a sequence
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    return files.filter(pc.is_in(files["file_path"], pa.array(list(paths), files["file_path"].type)))


def _cost(name: str, files: pa.Table, freed_by: str | None = None) -> Cost:
    import pyarrow.compute as pc  # noqa: PLC0415

    size = pc.sum(files["file_size_in_bytes_max"]).as_py() or 0
    return Cost(name, files.num_rows, size, freed_by if files.num_rows else None)
