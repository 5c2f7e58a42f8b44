"""What is measured of files that may go: a table of many files and a hundred snapshots more, and a folder of its files.

A subject returns how many files it looked at. Nothing is removed.
"""

from __future__ import annotations

import csv
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from programs import planning_table

SNAPSHOTS = 100
EVER = "2100-01-01T00:00Z"
DAYS = 9 * 24 * 60 * 60


def removal_table(folder: Path, files: int) -> Path:
    """The table to plan in a folder of its own, some days old, and a hundred snapshots of files that come and go."""
    import pyarrow as pa

    import floeberg as fb

    place = folder / f"removal-{files}"
    if (place / "made").exists():
        return place
    shutil.rmtree(place, ignore_errors=True)
    source = planning_table(folder, files).parent.parent
    moved = fb.open_table(str(source)).maintenance.rewrite_table_path(
        str(source), str(place), staging_location=str(place / "staged"), create_file_list=True
    )
    (place / "metadata").mkdir()
    with Path(moved.file_list_location.removeprefix("file://")).open(newline="", encoding="utf-8") as file:
        staged = [pair for pair in csv.reader(file) if pair[1].startswith(str(place / "metadata"))]
    for written, target in staged:
        at = Path(written.removeprefix("file://")).rename(target)
        os.utime(at, (at.stat().st_atime - DAYS, at.stat().st_mtime - DAYS))
    shutil.rmtree(place / "staged")
    table = fb.open_table(str(place))
    table.set_properties({"commit.manifest-merge.enabled": "false"})
    rows = pa.table({"id": pa.array([-1], pa.int64())})
    for _ in range(SNAPSHOTS // 2):
        table.append(rows)
        table.delete("id = -1")
    table.append(rows)
    (place / "made").touch()
    return place


@contextmanager
def files_on_disk(place: Path) -> Iterator[None]:
    """Empty files where the table has its data files, and a thousand more; only while they are needed."""
    import floeberg as fb

    written = set(place.glob("data/**/*.parquet"))
    made: list[Path] = []
    folders: set[Path] = set()
    try:
        for batch in fb.open_table(str(place)).inspect.to_arrow_batch_reader("data_files"):
            paths = map(Path, batch.column("file_path").to_pylist())
            made.extend(path for path in paths if path not in written)
        made += [each.with_name(f"lost-{each.name}") for each in made[:1000]]
        for path in made:
            if path.parent not in folders:
                path.parent.mkdir(parents=True, exist_ok=True)
                folders.add(path.parent)
            path.touch()
        yield
    finally:
        for path in made:
            path.unlink(missing_ok=True)


def floeberg_plan(location: Path) -> Callable[[], int]:
    """Plan all files."""
    import floeberg as fb

    return lambda: len(fb.open_table(str(location)).scan().plan_files())


def floeberg_expire(location: Path) -> Callable[[], int]:
    """Find the files of a hundred snapshots that expire."""
    import floeberg as fb

    def run() -> int:
        planned = fb.open_table(str(location)).maintenance.expire_snapshots(
            older_than=EVER, retain_last=1, dry_run=True
        )
        return len(planned.snapshot_ids)

    return run


def floeberg_expire_with_tag(location: Path) -> Callable[[], int]:
    """The same where all manifests are read: the first snapshot stays too, as if it had a tag."""
    import floeberg as fb

    def run() -> int:
        table = fb.open_table(str(location))
        ids = [each.snapshot_id for each in table.snapshots()]
        planned = table.maintenance.expire_snapshots(snapshot_ids=ids[1:-1], dry_run=True)
        return len(planned.snapshot_ids)

    return run


def floeberg_orphans(location: Path) -> Callable[[], int]:
    """List all files of the folder, and compare them with those that the table names."""
    import floeberg as fb

    def run() -> int:
        found = fb.open_table(str(location)).maintenance.remove_orphan_files(
            older_than=EVER, allow_recent=True, dry_run=True
        )
        return len(found.orphan_file_locations)

    return run
