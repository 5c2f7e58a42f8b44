"""Numbers that a user gives are checked before anything is done, and results say at once what was done."""

from datetime import datetime, timedelta, timezone

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError, NotFoundError, UnsupportedError

ROWS = pa.table({"id": [1, 2, 3]})
WRONG = (0, -1, True, 2**63, 2**64, 1.5, "5", float("nan"), b"1", [1])

NUMBERS = {
    "max_rows_per_file": [
        lambda table, value: fb.lance.create_table(f"{table.location}-more", ROWS, max_rows_per_file=value),
        lambda table, value: table.append(ROWS, max_rows_per_file=value),
        lambda table, value: table.overwrite(ROWS, max_rows_per_file=value),
        lambda table, value: table.write_recipe(max_rows_per_file=value),
    ],
    "target_size": [lambda table, value: table.scan().plan_files().split(value)],
    "most_groups": [lambda table, value: table.scan().plan_files().split(most_groups=value)],
    "least_size": [lambda table, value: table.scan().plan_files().split(least_size=value)],
    "target_rows": [lambda table, value: table.maintenance.compact(target_rows=value)],
    "target_rows_per_fragment": [
        lambda table, value: table.maintenance.compact(target_rows_per_fragment=value)
    ],
    "delete_ratio_threshold": [lambda table, value: table.maintenance.compact(delete_ratio_threshold=value)],
    "retain_last": [lambda table, value: table.maintenance.cleanup(retain_last=value)],
    "retain_versions": [lambda table, value: table.maintenance.cleanup(retain_versions=value)],
    "older_than": [lambda table, value: table.maintenance.cleanup(older_than=value)],
    "version": [lambda table, value: table.restore(value)],
    "partitions": [lambda table, value: table.scan().to_spark(None, partitions=value)],
    "split_size": [lambda table, value: table.scan().to_spark(None, split_size=value)],
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_cannot_be_is_named(tmp_path, name):
    table = fb.lance.create_table(f"{tmp_path}/t", ROWS)
    for use in NUMBERS[name]:
        for value in WRONG:
            with pytest.raises(InvalidInputError, match=f"^{name}: expected"):
                use(table, value)
    assert table.refresh().version == 1


def test_numbers_that_are_none_are_named_where_several_are_asked_for(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ROWS)
    for value in (5, "5", 1.5):
        with pytest.raises(InvalidInputError, match="^row_ids: expected"):
            table.take(row_ids=value)
        with pytest.raises(InvalidInputError, match="^addresses: expected"):
            table.blobs("id", addresses=value)
    with pytest.raises(InvalidInputError, match="^limit: expected"):
        table.scan(limit=-1)
    for value in (True, 1.5, "5"):
        with pytest.raises(InvalidInputError, match="^as_of: expected"):
            fb.open_table(table.location, as_of=value)
        with pytest.raises(InvalidInputError, match="^version: expected"):
            fb.open_table(table.location, version=value)
    for index in ("0", 0.0, None):
        with pytest.raises(TypeError):
            table.scan().plan_files()[index]


def test_the_greatest_numbers_are_no_error(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ROWS, max_rows_per_file=2**63 - 1)
    table.append(ROWS)
    assert fb.open_table(table.location, as_of=2**63 - 1).version == 2
    assert table.maintenance.compact(target_rows=2**63 - 1).fragments_after == 1
    assert table.maintenance.cleanup(older_than=timedelta.max, retain_last=2**63 - 1).versions == []
    with pytest.raises(NotFoundError):
        table.take(row_ids=[2**64 - 1])


def test_a_detached_version_is_read_and_not_written(tmp_path):
    lance = pytest.importorskip("lance")
    place = f"{tmp_path}/t"
    lance.write_dataset(pa.table({"a": [1]}), place)
    more = lance.fragment.write_fragments(pa.table({"a": [2]}), place)
    version = lance.LanceDataset.commit(
        place, lance.LanceOperation.Append(more), read_version=1, detached=True
    ).version
    table = fb.open_table(place, version=version)
    assert (table.version, table.scan().to_arrow()["a"].to_pylist()) == (version, [1, 2])
    for write in (
        lambda: table.append(pa.table({"a": [3]})),
        lambda: table.delete("a = 1"),
        table.write_recipe,
    ):
        with pytest.raises(UnsupportedError, match="detached version"):
            write()
    with pytest.raises(InvalidInputError, match="detached version"):
        table.create_tag("t")
    assert fb.open_table(place).version_numbers() == [1]


def test_results_say_what_was_done_and_nothing_else(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", ROWS)
    assert repr(table.delete("id = 3")) == "LanceCommitResult(deleted_rows=1, version=2, operation='Delete')"
    added = repr(table.append(ROWS))
    assert added.startswith("LanceCommitResult(added_rows=3, added_files=1, added_bytes=")
    assert added.endswith("version=3, operation='Append')")
    assert repr(table.delete("id = 9")) == "LanceCommitResult(version=None, operation=None)"
    assert "dry_run=True" in repr(table.delete("id = 1", dry_run=True))
    compacted = repr(table.maintenance.compact())
    assert compacted == "CompactionResult(fragments_before=2, fragments_after=1, rows=5, version=4)"
    table.create_branch("b")
    assert repr(table.branches()["b"]).startswith("LanceBranch(b, from main at version 4, 2")
    versions = table.versions()
    assert versions == list(versions)
    lines = repr(versions).splitlines()
    assert lines[0] == "4 versions"
    assert len(lines) == 5
    assert lines[4].startswith("4 | 2")
    assert "+00:00 | by floeberg" in lines[4]
    assert "<td" in versions._repr_html_()
    assert repr(table.scan(limit=3).explain()).startswith("version 4\ncolumns: id\n")


def test_options_of_maintenance_have_the_names_of_spark_and_those_of_lance(tmp_path):
    table = fb.lance.create_table(f"{tmp_path}/t", pa.table({"id": range(10)}), max_rows_per_file=5)
    table.delete("id = 1")
    for options in ({"delete_ratio_threshold": 0.2}, {"materialize_deletions_threshold": 0.2}):
        assert table.maintenance.compact(**options, target_rows=5, dry_run=True).fragments_before == 1
        assert table.maintenance.compact(**options, target_rows_per_fragment=5).fragments_before == 1
        table.delete("id = 6" if table.version == 3 else "id = 7")
    now = datetime.now(timezone.utc)
    for options in ({"retain_last": 4}, {"retain_versions": 4}):
        kept = table.maintenance.cleanup(older_than=timedelta(0), **options, dry_run=True).versions
        assert kept == table.version_numbers()[:-4]
        assert table.maintenance.cleanup(older_than=now, **options, dry_run=True).versions == kept
    first = table.versions()[0].timestamp
    assert table.maintenance.cleanup(older_than=first, dry_run=True).versions == []
    with pytest.raises(InvalidInputError, match="^retain_last and retain_versions are names of one option"):
        table.maintenance.cleanup(retain_last=1, retain_versions=1)
    with pytest.raises(InvalidInputError, match="^target_rows and target_rows_per_fragment are names of one"):
        table.maintenance.compact(target_rows=5, target_rows_per_fragment=5)
    for moment in (datetime(2020, 1, 1), now + timedelta(days=1)):  # noqa: DTZ001 - it has no time zone
        with pytest.raises(InvalidInputError, match="^older_than: expected"):
            table.maintenance.cleanup(older_than=moment)
