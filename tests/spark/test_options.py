"""Do options mean what they say, and are the others told?"""

from __future__ import annotations

import json

import pytest

from floeberg.errors import FloebergError, InvalidInputError, NotFoundError, UnsupportedError
from floeberg.spark.options.table_locator import TableLocator
from floeberg.spark.read.options import ReadSettings, ScanOptions, read_options, scan_token
from lifecycle import loaded, options_of, read


def columns(text):
    return read_options({"path": "/t", "columns": text})[0].columns


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("id", ("id",)),
        (" id , point.x,cat ", ("id", "point.x", "cat")),
        ('`a,b`, "c,d" ,e f', ("a,b", "c,d", "e f")),
        ('`a``b`, "c""d"', ("a`b", 'c"d')),
        ("` a `", (" a ",)),
        ('["a,b", "c`d", " e"]', ("a,b", "c`d", " e")),
        ("ünï🐢", ("ünï🐢",)),
    ],
)
def test_columns_are_names_between_commas_or_a_list_of_json(text, names):
    assert columns(text) == names


@pytest.mark.parametrize(
    "text", ["", " ", "a,,b", "a,", "`a", '"a', "a`b", "`a`b", "[]", "[1]", '["a"', '{"a": 1}', '[""]']
)
def test_columns_that_are_none_are_refused(text):
    with pytest.raises(InvalidInputError, match="the option 'columns': expected"):
        columns(text)


def test_keys_are_read_in_any_case_and_values_as_what_they_stand_for():
    wanted, handling = read_options(
        {
            "PATH": "/t",
            "Snapshot-ID": " 12 ",
            "Split-Size": "1000",
            "partitions": "3",
            "threads": "2",
            "Truncate-Nanoseconds": "TRUE",
            "case-sensitive": "true",
            "relocate": '{"/A": "/B"}',
            "s3.region": "here",
            "AWS_REGION": "there",
            "filter": "x = 'A'",
        }
    )
    storage = {"s3.region": "here", "aws_region": "there"}
    place = TableLocator(path="/t", relocate={"/A": "/B"}, storage=storage)
    assert wanted == ScanOptions(place, filter="x = 'A'", snapshot_id=12)
    assert handling == ReadSettings(1000, 3, 2, truncate_nanoseconds=True, case_sensitive=True)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("snapshot-id", "main", "the option 'snapshot-id': expected an integer, found 'main'"),
        ("snapshot-id", str(2**63), "expected an integer of 64 bits"),
        ("split-size", "0", "the option 'split-size': expected an integer of at least 1 of 64 bits, found 0"),
        ("split-size", "128MB", "expected an integer of at least 1, found '128MB'"),
        ("partitions", "-1", "the option 'partitions'"),
        ("threads", "1.5", "the option 'threads'"),
        ("threads", "1_000", "the option 'threads'"),
        ("case-sensitive", "yes", "the option 'case-sensitive': expected true or false, found 'yes'"),
        ("truncate-nanoseconds", "", "expected true or false"),
        ("as-of-timestamp", "yesterday", "expected milliseconds, or an ISO 8601 time with a zone"),
        ("as-of-timestamp", "2026-01-01T00:00:00", "has no time zone"),
        ("as-of-timestamp", "9" * 30, "as-of-timestamp"),
        ("relocate", "/a=/b", "the option 'relocate': expected a JSON object"),
        ("relocate", '["/a"]', "expected a JSON object"),
        ("relocate", '{"/a": 1}', "expected a JSON object"),
        ("colums", "id", "unknown option 'colums'; near matches: 'columns'"),
        ("snapshotid", "1", "near matches: 'snapshot-id'"),
        ("s3.regoin", "x", "near matches: 's3.region'"),
        ("qqqqqq", "1", "known options: snapshot-id, version, branch, tag"),
        ("fs.s3a.access.key", "x", "is a Hadoop option"),
        ("scan-token", "!", "path cannot be combined with a scan"),
    ],
)
def test_what_is_wrong_is_told_with_what_was_expected(key, value, message):
    with pytest.raises(InvalidInputError, match=message):
        read_options({"path": "/t", key: value})


@pytest.mark.parametrize("text", ["!", "aGVsbG8=", scan_token(b"nothing"), scan_token(b"FLBGScan\0\1\0{}")])
def test_a_scan_that_nobody_made_is_refused(text):
    with pytest.raises(InvalidInputError):
        read({"scan-token": text})


@pytest.mark.parametrize(
    "key", ["paths", "versionAsOf", "start-snapshot-timestamp", "async-micro-batch-planning-enabled"]
)
def test_what_other_readers_know_says_what_to_use(key):
    with pytest.raises(UnsupportedError, match=f"the option '{key.lower()}' is not supported: "):
        read_options({"path": "/t", key: "1"})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"end-snapshot-id": "2"}, "'end-snapshot-id' needs 'start-snapshot-id'"),
        ({"start-snapshot-id": "1", "snapshot-id": "2"}, "'snapshot-id' cannot be combined with a range"),
        ({"start-snapshot-id": "1", "tag": "t"}, "'tag' cannot be combined with a range"),
        ({"start-snapshot-id": "1", "as-of-timestamp": "1"}, "'as-of-timestamp' cannot be combined with"),
        (
            {"start-snapshot-id": "1", "end-snapshot-id": "2", "branch": "b"},
            "'branch' cannot be combined with",
        ),
        ({"start-snapshot-id": "x"}, "'start-snapshot-id': expected an integer"),
    ],
)
def test_a_range_of_snapshots_has_a_start_and_one_end(options, reason):
    with pytest.raises(InvalidInputError, match=reason):
        read_options({"path": "/t", **options})


def test_one_snapshot_is_chosen():
    with pytest.raises(InvalidInputError, match="choose one snapshot: the options snapshot-id and tag"):
        read_options({"path": "/t", "tag": "t", "snapshot-id": "1"})


def test_a_table_is_named():
    for nothing in ({}, {"path": ""}):
        with pytest.raises(
            InvalidInputError, match=r"give load\(\) a table directory.*CREATE TEMPORARY VIEW"
        ):
            read_options(nothing)
    with pytest.raises(UnsupportedError, match="CREATE TABLE .. USING floeberg is not supported"):
        read_options({"path": "/t", "owner": "me", "provider": "floeberg"})


def test_values_of_the_store_are_in_no_repr_and_in_no_error():
    wanted, _ = read_options({"path": "/t", "s3.secret-access-key": "hunter2hunter2"})
    assert wanted.locator.storage == {"s3.secret-access-key": "hunter2hunter2"}
    assert "hunter2" not in repr(wanted)
    for wrong in ({"s3.secret-acess-key": "hunter2hunter2"}, {"filter": "id ==="}, {"columns": "nothing"}):
        with pytest.raises(FloebergError) as caught:
            read({"path": "/nowhere", "s3.secret-access-key": "hunter2hunter2"} | wrong)
        assert "hunter2" not in str(caught.value)


class TestTimeTravel:
    """Each option reads what the table gives for it."""

    def test_by_snapshot(self, refs):
        first = refs.open().snapshots()[0]
        assert read(options_of(refs, snapshot_id=str(first.snapshot_id))).num_rows == 4

    def test_by_branch_and_tag(self, refs):
        assert read(options_of(refs, branch="dev")).num_rows == refs.open().scan().use_ref("dev").count() == 6
        assert read(options_of(refs, tag="first")).num_rows == 4

    def test_a_tag_is_no_branch(self, refs):
        with pytest.raises(InvalidInputError, match="the option 'branch': 'first' is a tag"):
            read(options_of(refs, branch="first"))
        with pytest.raises(InvalidInputError, match="the option 'tag': 'dev' is a branch"):
            read(options_of(refs, tag="dev"))
        with pytest.raises(NotFoundError):
            read(options_of(refs, tag="nothing"))

    def test_by_moment(self, refs):
        entry = refs.open().history()[1]
        expected = refs.open().scan().as_of(entry.timestamp_ms).count()
        assert read(options_of(refs, as_of_timestamp=str(entry.timestamp_ms))).num_rows == expected
        import datetime

        moment = datetime.datetime.fromtimestamp(entry.timestamp_ms / 1000 + 0.001, datetime.timezone.utc)
        assert read(options_of(refs, as_of_timestamp=moment.isoformat())).num_rows == expected


class TestFilters:
    """The option `filter`, and names in it and in `columns`."""

    def test_keeps_the_rows_that_the_scan_keeps(self, refs):
        row_filter = "cat IN ('a', 'b') OR v > 60"
        table = read(options_of(refs, filter=row_filter, columns="id"))
        assert (
            table.to_pydict()
            == refs.open().scan(row_filter=row_filter, selected_fields=("id",)).to_arrow().to_pydict()
        )

    def test_finds_nested_names(self, nested):
        whole = read(options_of(nested))["st"].to_pylist()
        expected = [row["b"] for row in whole if row and row["b"] is not None and row["b"] > 5]
        found = read(options_of(nested, filter="st.b > 5", columns="st.b"))
        assert [row["b"] for row in found["st"].to_pylist()] == expected
        assert 0 < len(expected) < len(whole)

    def test_finds_names_without_regard_to_case_until_told_otherwise(self, refs):
        options = options_of(refs, filter="CAT = 'a'", columns="Id")
        assert read(options).column_names == ["id"]
        with pytest.raises(InvalidInputError, match="no column is named"):
            read(options | {"case-sensitive": "true"})

    def test_finds_names_with_dots_and_spaces(self, odd_names):
        options = options_of(odd_names, columns=json.dumps(["a.b", "with space"]), filter='"a.b" IS NOT NULL')
        source, schema = loaded(options)
        assert schema.names == ["a.b", "with space"]
        assert source.reader(schema=schema).partitions()

    def test_takes_ten_thousand_literals(self, refs):
        numbers = ", ".join(map(str, range(3, 10_003)))
        assert read(options_of(refs, filter=f"id IN ({numbers})")).num_rows == 6

    def test_says_what_is_wrong_with_one(self, refs):
        with pytest.raises(InvalidInputError, match="the filter is wrong at position 6"):
            read(options_of(refs, filter="id = "))
        with pytest.raises(InvalidInputError, match='no column is named "catt"; near matches: "cat"'):
            read(options_of(refs, filter="catt = 'a'"))
