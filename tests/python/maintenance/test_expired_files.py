"""What other processes do to find the files that expired snapshots alone needed, without these processes."""

from __future__ import annotations

import pyarrow as pa
import pytest

from floeberg import _native
from floeberg.errors import InvalidInputError
from maintenance.disk import EVER, named, on_disk, rows


class OtherProcesses:
    """See `Workers`: tasks run one after the other, and places are compared here."""

    def __init__(self):
        self.tasks = []
        self.expired = None

    def unneeded_files(self, before, after):
        self.expired = _native.ExpiredFiles.of(before, after)
        self.tasks = self.expired.tasks(3)
        places = {}
        for each in pa.record_batch(self.expired.places()).to_pylist():
            places.setdefault((each["prefix"], each["path"]), []).append(each["number"])
        needed = []
        for task in self.tasks:
            found = _native.named_places(
                task, threads=1, storage_options={}, equal_schemes={}, equal_authorities={}
            )
            for each in pa.record_batch(found).to_pylist():
                needed += places.get((each["prefix"], each["path"]), [])
        return self.expired.unneeded(needed)


@pytest.fixture
def table(make):
    """A table of many manifests, of which snapshots of a branch need some files that `main` does not."""
    made = make(**{"commit.manifest-merge.enabled": "false"})
    for number in range(20):
        made.append(rows(number, part=f"p{number % 3}"))
    with made.manage_snapshots() as snapshots:
        snapshots.create_branch(None, "dev")
    made.delete("part = 'p1'")
    made.delete("id = 3", mode="merge-on-read")
    made.overwrite(rows(100), overwrite_filter="part = 'p2'")
    # Old manifests name files that new ones name, too.
    made.maintenance.rewrite_manifests()
    for number in range(10):
        made.append(rows(200 + number))
    return made


@pytest.mark.parametrize("keeps_branch", [True, False])
def test_tasks_find_what_is_found_at_once(table, keeps_branch):
    if not keeps_branch:
        with table.manage_snapshots() as snapshots:
            snapshots.remove_branch("dev")
    here = table.maintenance.expire_snapshots(older_than=EVER, dry_run=True)
    others, maintenance = OtherProcesses(), table.maintenance
    maintenance._workers = others
    planned = maintenance.expire_snapshots(older_than=EVER, dry_run=True)
    assert planned.deleted_files == here.deleted_files
    assert len(others.tasks) > 1
    assert (planned.deleted_data_files_count > 0) != keeps_branch
    files = pa.record_batch(others.expired.places()).num_rows
    # Some files stay, since snapshots name them that stay.
    assert files > planned.deleted_data_files_count
    assert maintenance.expire_snapshots(older_than=EVER).deleted_files
    assert on_disk(table.location()) == named(table)


def test_numbers_are_those_of_files(table):
    with table.manage_snapshots() as snapshots:
        snapshots.remove_branch("dev")
    others, maintenance = OtherProcesses(), table.maintenance
    maintenance._workers = others
    planned = maintenance.expire_snapshots(older_than=EVER, dry_run=True)
    numbers = pa.record_batch(others.expired.places())["number"].to_pylist()
    assert numbers == list(range(len(numbers)))
    data = {location for kind, location in others.expired.unneeded(numbers) if kind == "data"}
    assert data == set()
    assert len(others.expired.unneeded([])) == len(planned.deleted_files) + len(numbers) - sum(
        kind in {"data", "position deletes"} for kind, _ in others.expired.unneeded()
    )
    for wrong in (len(numbers), -1):
        with pytest.raises(InvalidInputError, match=f"expected the number of one of {len(numbers)} files"):
            others.expired.unneeded([wrong])


def test_nothing_expired_is_nothing_to_read(table):
    same = _native.ExpiredFiles.of(table._inner, table._inner)
    assert same.tasks(3) == []
    assert same.unneeded() == same.unneeded([]) == []
