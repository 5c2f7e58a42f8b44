"""What a stream reads: which snapshots, in which batches, and the same ones again."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

import floeberg as fb
from floeberg.errors import FloebergError, InvalidInputError, NotFoundError, UnsupportedError
from lifecycle import loaded
from streaming import Stream, append, expire, files, forge, rename_operation, rows, table_in


@pytest.fixture
def table(tmp_path) -> fb.Table:
    return table_in(tmp_path)


def test_a_stream_reads_a_table_and_then_what_is_appended(table):
    stream = Stream(table)
    assert stream.batch() is None
    append(table, 1, 2)
    append(table, 3)
    assert stream.ids() == [1, 2, 3]
    assert stream.batch() is None
    append(table, 4)
    assert stream.restart().ids() == [4]
    assert stream.batch() is None


def test_a_batch_that_runs_again_has_the_same_rows(table):
    append(table, 1, 2)
    stream = Stream(table, streaming_max_files_per_micro_batch="2")
    files(table, [3], [4], [5], [6], [7])
    stream.all()
    append(table, 8)
    assert [sorted(row["id"] for row in found) for _, _, found in stream.log] == [[1, 2, 3], [4, 5], [6, 7]]
    stream.restart()
    for start, end, found in stream.log:
        assert stream.between(start, end) == found


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_the_first_batch_is_the_same_again_when_its_first_snapshot_is_not_the_oldest_any_more(table):
    first = append(table, 1)
    append(table, 2)
    stream = Stream(table)
    assert stream.ids() == [1, 2]
    start, end, _ = stream.log[0]
    expire(table, first)
    with pytest.raises(InvalidInputError, match=f"snapshot {first} has expired"):
        stream.restart().between(start, end)


def test_limits_of_files_are_kept_inside_snapshots(table):
    files(table, *([number] for number in range(7)))
    stream = Stream(table, streaming_max_files_per_micro_batch="3")
    sizes = []
    while (found := stream.batch()) is not None:
        sizes.append(len(found))
        stream.restart()
    assert sizes == [3, 3, 1]
    assert sorted(row["id"] for _, _, found in stream.log for row in found) == list(range(7))


@pytest.mark.parametrize(("limit", "sizes"), [("1", [2, 2, 2]), ("2", [2, 2, 2]), ("3", [4, 2]), ("7", [6])])
def test_limits_of_rows_add_whole_files_until_there_are_enough(table, limit, sizes):
    files(table, [1, 2], [3, 4], [5, 6])
    stream = Stream(table, streaming_max_rows_per_micro_batch=limit)
    found = []
    while (more := stream.batch()) is not None:
        found.append(len(more))
    assert found == sizes


def test_both_limits_hold_and_the_first_that_is_reached_counts(table):
    files(table, [1, 2], [3], [4], [5])
    options = {"streaming_max_rows_per_micro_batch": "2", "streaming_max_files_per_micro_batch": "2"}
    stream = Stream(table, **options)
    assert [len(found) for found in iter(stream.batch, None)] == [2, 2, 1]


def test_limits_hold_where_spark_does_not_tell_the_start(table):
    # As before PySpark 4.2: `latestOffset` gets nothing, and the partitions of the last end are asked for at a restart.
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="1")
    reader, start, found = stream.reader, stream.reader.initialOffset(), []
    for _ in range(2):
        end = reader.latestOffset()
        found.append(stream.between(start, end))
        start = end
    stream.restart()
    assert stream.reader.partitions(start, start) == []
    end = stream.reader.latestOffset()
    found.append(stream.between(start, end))
    assert [[row["id"] for row in each] for each in found] == [[1], [2], [3]]
    assert stream.reader.latestOffset() == end


def test_a_filter_may_change_between_parts_of_a_snapshot(table):
    files(table, [1], [2], [3], [4], [5])
    stream = Stream(table, streaming_max_files_per_micro_batch="2", filter="id <> 1")
    assert stream.ids() == [2]
    stream.restart(filter="id > 3")
    assert stream.ids() == [4]
    stream.restart(filter="id > 0")
    assert stream.ids() == [5]


def test_many_small_snapshots_are_read_in_limited_batches(table):
    for number in range(60):
        append(table, number)
    stream = Stream(table, streaming_max_files_per_micro_batch="25")
    found = []
    while (more := stream.batch()) is not None:
        found.append(sorted(row["id"] for row in more))
    assert found == [list(range(25)), list(range(25, 50)), list(range(50, 60))]


@pytest.mark.parametrize(
    ("change", "option"),
    [
        (lambda table: table.delete("id = 1"), "streaming-skip-delete-snapshots"),
        (
            lambda table: table.overwrite(rows(9), overwrite_filter="id = 2"),
            "streaming-skip-overwrite-snapshots",
        ),
    ],
)
def test_deletes_and_overwrites_are_errors_or_skipped(table, change, option):
    append(table, 1)
    append(table, 2)
    stream = Stream(table)
    assert stream.ids() == [1, 2]
    change(table)
    append(table, 3)
    for _ in range(2):
        with pytest.raises(InvalidInputError, match=f"set {option}=true"):
            stream.batch()
    other = next(
        each
        for each in ("streaming-skip-delete-snapshots", "streaming-skip-overwrite-snapshots")
        if each != option
    )
    with pytest.raises(InvalidInputError, match=f"set {option}=true"):
        stream.restart(**{other: "true"}).batch()
    assert stream.restart(**{option: "true"}).ids() == [3]
    start, end, _ = stream.log[-1]
    with pytest.raises(InvalidInputError, match=f"set {option}=true"):
        stream.restart(**{option: "false"}).between(start, end)


def test_a_compaction_is_skipped(table):
    append(table, 1)
    append(table, 2)
    stream = Stream(table)
    assert stream.ids() == [1, 2]
    done = table.overwrite(rows(1, 2))
    rename_operation(table, done.snapshot_id, "replace")
    assert stream.batch() == []
    append(table, 3)
    assert stream.ids() == [3]


def test_a_compaction_inside_a_batch_changes_nothing(table):
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="2")
    assert stream.ids() == [1, 2]
    done = table.overwrite(rows(1, 2, 3))
    rename_operation(table, done.snapshot_id, "replace")
    append(table, 4)
    assert [sorted(row["id"] for row in found) for found in iter(stream.batch, None)] == [[3, 4]]


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_an_operation_that_is_not_known_is_an_error(table):
    append(table, 1)
    done = append(table, 2)
    rename_operation(table, done, "improve")
    with pytest.raises(UnsupportedError, match="operation 'improve'"):
        Stream(table).batch()


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_a_table_with_deletes_is_read_as_it_is(tmp_path):
    properties = {"format-version": "2", "write.delete.mode": "merge-on-read"}
    table = table_in(tmp_path, properties=properties)
    first = append(table, 1, 2, 3)
    table.delete("id = 2")
    second = table.current_snapshot().snapshot_id
    append(table, 4)
    expire(table, first)
    # The oldest snapshot that is left deletes: its rows are read, and not what it did.
    stream = Stream(table)
    assert stream.ids() == [1, 3, 4]
    start, _, _ = stream.log[0]
    assert start["snapshot_id"] == -1 and stream.log[0][1]["first_snapshot_id"] == second


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_a_stream_begins_at_a_time(table):
    append(table, 1)
    moment = table.current_snapshot().timestamp_ms + 1
    while append(table, 2) and table.current_snapshot().timestamp_ms < moment:
        moment = table.current_snapshot().timestamp_ms + 1
    stream = Stream(table, stream_from_timestamp=str(table.current_snapshot().timestamp_ms))
    assert stream.ids() == [2]
    later = table.current_snapshot().timestamp_ms + 1_000_000
    waiting = Stream(table, stream_from_timestamp=str(later))
    assert waiting.batch() is None
    forge(table, lambda metadata: metadata["snapshots"][-1].update({"timestamp-ms": later}))
    assert waiting.ids() == [2]


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_available_now_with_a_time_leaves_later_snapshots_to_the_next_run(table):
    append(table, 1)
    since = table.current_snapshot().timestamp_ms + 1
    stream = Stream(table, stream_from_timestamp=str(since))
    stream.reader.prepareForTriggerAvailableNow()
    append(table, 2)
    forge(table, lambda metadata: metadata["snapshots"][-1].update({"timestamp-ms": since}))
    assert stream.batch() is None
    stream.restart().reader.prepareForTriggerAvailableNow()
    assert stream.ids() == [2]


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_a_start_that_has_expired_says_what_is_left(table):
    first = append(table, 1)
    since = table.current_snapshot().timestamp_ms
    second = append(table, 2)
    append(table, 3)
    forge(table, lambda metadata: metadata["snapshots"][1].update({"timestamp-ms": since + 1}))
    expire(table, first)
    with pytest.raises(InvalidInputError, match=f"may have expired: the oldest one that is left is {second}"):
        Stream(table, stream_from_timestamp=str(since)).batch()
    assert Stream(table, stream_from_timestamp=str(since + 1)).ids() == [2, 3]
    assert Stream(table).ids() == [1, 2, 3]


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_an_offset_may_expire_once_it_was_read_completely(table):
    first = append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    append(table, 2)
    expire(table, first)
    assert stream.restart().ids() == [2]


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_an_offset_that_has_expired_with_later_ones_is_an_error(table):
    first = append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    second = append(table, 2)
    append(table, 3)
    expire(table, first, second)
    for reader in (stream, stream.restart()):
        with pytest.raises(InvalidInputError, match="rows may be missed.*stream-from-timestamp"):
            reader.batch()


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_a_part_of_a_snapshot_that_has_expired_is_an_error(table):
    first = files(table, [1], [2])
    stream = Stream(table, streaming_max_files_per_micro_batch="1")
    assert stream.ids() == [1]
    append(table, 3)
    expire(table, first)
    with pytest.raises(InvalidInputError, match="has not read all of its files"):
        stream.batch()


def test_a_branch_that_was_rolled_back_is_an_error(table):
    first = append(table, 1)
    append(table, 2)
    stream = Stream(table)
    assert stream.ids() == [1, 2]
    start, end, found = stream.log[0]
    table.manage_snapshots().rollback_to_snapshot(first).commit()
    append(table, 3)
    with pytest.raises(InvalidInputError, match="rolled back"):
        stream.batch()
    # What was begun is read as it was.
    assert stream.restart().between(start, end) == found


def test_a_table_that_was_created_again_is_noticed(tmp_path, table):
    append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    catalog = fb.load_catalog("streams", type="filesystem", warehouse=str(tmp_path))
    catalog.drop_table("db.t")
    other = table_in(tmp_path)
    append(other, 5)
    with pytest.raises(FloebergError, match="(?i)another|again|not found|other"):
        stream.batch()
    with pytest.raises(InvalidInputError, match="checkpoint is that of another table"):
        stream.restart().batch()


def test_branches_are_read(table):
    first = append(table, 1)
    table.manage_snapshots().create_branch(first, "audit").commit()
    append(table, 2)
    table.append(rows(3), branch="audit")
    assert Stream(table, branch="audit").ids() == [1, 3]
    assert Stream(table).ids() == [1, 2]
    table.manage_snapshots().create_tag(first, "named").commit()
    with pytest.raises((InvalidInputError, NotFoundError)):
        Stream(table, branch="named").batch()


def test_columns_that_are_added_later_are_left_out(table):
    append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    table.update_schema().add_column("more", "long").commit()
    table.append(pa.table({"id": [2], "part": ["x"], "more": [5]}))
    assert stream.batch() == [{"id": 2, "part": "x"}]
    append(table, 3)
    assert stream.restart().batch() == [{"id": 3, "part": "0", "more": None}]


def test_columns_of_old_snapshots_have_the_names_of_now(table):
    append(table, 1)
    table.update_schema().add_column("more", "long").rename_column("part", "piece").move_first(
        "more"
    ).commit()
    append_more = pa.table({"id": [2], "piece": ["x"], "more": [5]})
    table.append(append_more)
    assert sorted(Stream(table).batch(), key=lambda row: row["id"]) == [
        {"more": None, "id": 1, "piece": "1"},
        {"more": 5, "id": 2, "piece": "x"},
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda update: update.rename_column("part", "piece"),
        lambda update: update.delete_column("part"),
        lambda update: update.move_first("part"),
    ],
    ids=["renamed", "dropped", "moved"],
)
def test_columns_that_change_are_errors_and_moved_ones_are_not(table, change):
    append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    change(table.update_schema()).commit()
    names = table.schema().column_names
    table.append(
        pa.table({"id": [2], "part": ["x"]}).rename_columns(["id", "piece"])
        if "piece" in names
        else pa.table({"id": [2], "part": ["x"]}).select([each for each in ("id", "part") if each in names])
    )
    if names == ["part", "id"]:
        assert stream.batch() == [{"id": 2, "part": "x"}]
    else:
        with pytest.raises(InvalidInputError, match="column 'part'"):
            stream.batch()


def test_columns_and_a_schema_narrow_a_stream(table):
    append(table, 1, 2)
    assert Stream(table, columns="part").batch() == [{"part": "1"}, {"part": "2"}]


@pytest.mark.parametrize("option", ["snapshot_id", "start_snapshot_id", "as_of_timestamp", "tag"])
def test_options_that_choose_a_snapshot_are_refused(table, option):
    first = append(table, 1)
    table.manage_snapshots().create_tag(first, "t").commit()
    values = {"tag": "t", "as_of_timestamp": str(table.current_snapshot().timestamp_ms)}
    with pytest.raises(InvalidInputError, match="choose a snapshot"):
        Stream(table, **{option: values.get(option, str(first))})
    with pytest.raises(InvalidInputError, match="is for streams, which read what comes"):
        Stream(table, **{option: values.get(option, str(first))}, changelog="true")


def test_options_of_streams_are_refused_by_other_reads(table):
    source, schema = loaded({"path": table.location(), "streaming-max-files-per-micro-batch": "3"})
    with pytest.raises(InvalidInputError, match="use spark.readStream"):
        source.reader(schema=schema)


@pytest.mark.parametrize(
    "offset", [{}, {"version": 1, "snapshot_id": 5, "position": 0, "scan_all_files": False}, {"version": 9}]
)
def test_a_checkpoint_of_another_source_is_an_error(table, offset):
    append(table, 1)
    stream = Stream(table)
    with pytest.raises(InvalidInputError, match="checkpoint"):
        stream.reader.latestOffset(offset, None)


@pytest.mark.parametrize("options", [{}, {"filter": "id > 0"}], ids=["all", "filtered"])
@pytest.mark.parametrize("position", [-1, 4, 2**80])
def test_a_checkpoint_with_files_that_a_snapshot_lacks_is_an_error(table, position, options):
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="1", **options)
    assert stream.ids() == [1]
    first, damaged = stream.reader.initialOffset(), stream.start | {"position": position}
    message = f"offset that Floeberg did not write.*{position}|{position} files .* which has 3"
    with pytest.raises(InvalidInputError, match=message):
        stream.reader.latestOffset(damaged, None)
    for start, end in ((first, damaged), (damaged, stream.start | {"position": 0, "complete": True})):
        with pytest.raises(InvalidInputError, match=message):
            stream.reader.partitions(start, end)


def test_a_batch_that_ends_before_it_begins_is_an_error(table):
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="1")
    stream.all()
    (_, one, _), (_, two, _), _ = stream.log
    with pytest.raises(InvalidInputError, match="from file 2 to file 1"):
        stream.reader.partitions(two, one)
    with pytest.raises(InvalidInputError, match="another table"):
        stream.reader.partitions(one | {"table_uuid": "other"}, two)


@pytest.mark.unchecked_tables("snapshots are expired or changed by hand")
def test_a_batch_whose_end_has_expired_says_so(table):
    append(table, 1)
    stream = Stream(table)
    assert stream.ids() == [1]
    second = append(table, 2)
    start, end = stream.start, stream.reader.latestOffset(stream.start, None)
    table.manage_snapshots().rollback_to_snapshot(start["snapshot_id"]).commit()
    expire(table, second)
    with pytest.raises(
        InvalidInputError, match=f"{second}, up to which a batch of the stream reads, has expired"
    ):
        stream.restart().reader.partitions(start, end)


@pytest.mark.parametrize("options", [{}, {"streaming_max_files_per_micro_batch": "1"}])
def test_lance_tables_are_refused(tmp_path, options):
    fb.lance.create_table(str(tmp_path / "t.lance"), rows(1))
    with pytest.raises(UnsupportedError, match="Lance tables cannot be read as streams"):
        Stream(str(tmp_path / "t.lance"), **options)


def test_what_travels_to_tasks_has_no_secret_and_no_file_list(tmp_path):
    from lifecycle import sent

    table = table_in(tmp_path)
    append(table, 1)
    source, schema = loaded({"path": table.location(), "s3.secret-access-key": "hunter2hunter2"})
    reader = source.streamReader(schema=schema)
    start = reader.initialOffset()
    end = reader.latestOffset(start, None)
    assert "hunter2" not in json.dumps(end) and len(json.dumps(end)) < 400
    assert not hasattr(sent(reader), "_options")


def test_available_now_stops_at_what_there_was(table):
    pytest.importorskip("pyspark.sql.streaming.datasource")
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="2")
    stream.reader.prepareForTriggerAvailableNow()
    append(table, 4)
    limit = stream.reader.getDefaultReadLimit()
    assert sorted(row["id"] for row in stream.batch(limit)) == [1, 2]
    assert [row["id"] for row in stream.batch(limit)] == [3]
    assert stream.batch(limit) is None
    stream.restart().reader.prepareForTriggerAvailableNow()
    assert [row["id"] for row in stream.batch(limit)] == [4]


def test_everything_is_read_where_spark_asks_for_everything(table):
    admission = pytest.importorskip("pyspark.sql.streaming.datasource")
    files(table, [1], [2], [3])
    stream = Stream(table, streaming_max_files_per_micro_batch="2")
    assert len(stream.batch(admission.ReadAllAvailable())) == 3


def test_appends_without_rows_make_batches_without_rows(table):
    append(table, 1)
    stream = Stream(table, streaming_max_files_per_micro_batch="1")
    assert stream.ids() == [1]
    table.append(rows(), {"why": "a snapshot is asked for"})
    assert stream.batch() == []
    table.append(rows(), {"why": "another one"})
    append(table, 2)
    assert stream.ids() == [2]
    assert stream.batch() is None
