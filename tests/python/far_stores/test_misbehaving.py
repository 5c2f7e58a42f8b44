"""A store that misbehaves: rows are right, or an error names the object. Never are rows wrong, and nothing hangs."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest

import far_store_faults as faults
from far_store_faults import Fault
from far_store_tables import Place
from floeberg.errors import CommitStateUnknownError, FloebergError

pytestmark = pytest.mark.timeout(120)

TIMEOUT = 0.4
HASTE = {"io.request-timeout": str(TIMEOUT), "io.retries": "2"}
OF_LARGE_FILES = HASTE | {"io.request-timeout": "2"}
ONE_RETRY = HASTE | {"io.retries": "1"}

PASSING: dict[str, Fault] = {
    "late": faults.late(0.1),
    "too late": faults.late(4 * TIMEOUT),
    "never": faults.never(),
    "never ends": faults.never_ends(),
    "closed before": faults.closed_before(),
    "closed halfway": faults.closed_halfway(),
    "reset before": faults.reset_before(),
    "reset halfway": faults.reset_halfway(),
    "500": faults.refused(500),
    "503": faults.refused(503, "ServiceUnavailable"),
    "503 with a time": faults.refused(503, "ServiceUnavailable", retry_after=1),
    "429": faults.refused(429, "TooManyRequests"),
    "slow down": faults.slow_down(),
}
"""A reader that asks again has the rows, if this does not happen again."""
LYING: dict[str, Fault] = {
    "length too long": faults.length_too_long(),
    "length too short": faults.length_too_short(),
    "another range": faults.other_range(),
    "another ETag": faults.other_etag(),
    "more bytes": faults.more_bytes(),
    "the whole object": faults.whole_object(),
    "a refusal": faults.refused(403, "AccessDenied"),
    "gone": faults.refused(404, "NoSuchKey"),
}
"""A reader may believe it, where the rows are right all the same."""
EVERY = PASSING | LYING
HARMLESS = {"late"}

OBJECTS = {
    "data": "*/data/*.parquet",
    "manifest": "*-m[0-9].avro",
    "manifest list": "*/snap-*.avro",
    "metadata": "*.metadata.json",
}


ROWS = list(range(40))


@pytest.fixture(scope="module")
def shared(started, tmp_path_factory) -> Place:
    """A table of four small files that is only read."""
    place = Place(started, tmp_path_factory.mktemp("shared"))
    place.files(count=4)
    return place


def ids(place, options: dict[str, str] = HASTE) -> list[int]:
    """What a reader that remembers nothing finds."""
    return sorted(place.open(**options).scan().to_arrow()["id"].to_pylist())


def tried(action: Callable[[], object]) -> object:
    """What it returns, or the error."""
    try:
        return action()
    except FloebergError as error:
        return error


def names_an_object(error: object, far, kind: str) -> bool:
    """Is it an error that names an object of the kind?"""
    ending = {"data": ".parquet", "manifest": ".avro", "manifest list": ".avro", "metadata": ".json"}[kind]
    asked = {each.key.rpartition("/")[2] for each in far.clock.counts.requests}
    return isinstance(error, FloebergError) and any(
        name.endswith(ending) and name in str(error) for name in asked
    )


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("name", EVERY)
def test_what_happens_once_leaves_the_rows_right_or_is_an_error(far, shared, name, kind):
    rule = far.misbehave(EVERY[name], verb="GET", key=OBJECTS[kind])
    found = tried(lambda: ids(shared))
    assert found == ROWS or (name in LYING and names_an_object(found, far, kind)), found
    assert rule.done == 1


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("name", EVERY)
def test_what_always_happens_leaves_the_rows_right_or_is_an_error(far, shared, name, kind):
    rule = far.misbehave(EVERY[name], verb="GET", key=OBJECTS[kind], times=None)
    found = tried(lambda: ids(shared, ONE_RETRY))
    if found == ROWS:
        assert name in LYING or name in HARMLESS
    else:
        assert name not in HARMLESS and names_an_object(found, far, kind), found
    assert rule.done
    far.behave()
    assert ids(shared, {}) == ROWS


def test_one_answer_in_three_that_is_lost_costs_no_row(far, shared):
    rule = far.misbehave(faults.closed_halfway(), verb="GET", times=None, every=3)
    assert ids(shared, {"io.retries": "5"}) == ROWS
    assert rule.done > 1


@pytest.mark.parametrize("name", EVERY)
def test_large_files_have_the_right_rows_or_none(far, place, name):
    expected = place.large(count=1).scan().to_arrow()
    far.misbehave(EVERY[name], verb="GET", key=OBJECTS["data"], times=2, skip=1)
    found = tried(lambda: place.open(**OF_LARGE_FILES).scan().to_arrow())
    if isinstance(found, pa.Table):
        assert found.equals(expected)
    else:
        assert name in LYING and names_an_object(found, far, "data"), found


WRITES: dict[str, Fault] = {
    "late": faults.late(0.1),
    "too late": faults.late(4 * TIMEOUT),
    "never": faults.never(),
    "never, but done": faults.never(does=True),
    "closed before": faults.closed_before(),
    "closed before, but done": faults.closed_before(does=True),
    "reset before": faults.reset_before(),
    "reset before, but done": faults.reset_before(does=True),
    "500": faults.refused(500),
    "503 with a time": faults.refused(503, "ServiceUnavailable", retry_after=1),
    "429": faults.refused(429, "TooManyRequests"),
    "slow down": faults.slow_down(),
    "a refusal": faults.refused(403, "AccessDenied"),
}


@pytest.mark.parametrize(
    ("kind", "times"), [*((kind, 1) for kind in OBJECTS), ("data", None), ("metadata", None)]
)
@pytest.mark.parametrize("name", WRITES)
def test_an_append_happens_or_does_not(far, place, name, kind, times):
    place.files(count=4)
    opened = place.open(**ONE_RETRY)
    rule = far.misbehave(WRITES[name], verb="PUT", key=OBJECTS[kind], times=times)
    rows = pa.table({"id": [1000], "part": pa.array([0], pa.int32()), "s": ["new"]})
    done = tried(lambda: opened.append(rows))
    assert not isinstance(done, FloebergError) or names_an_object(done, far, kind), done
    assert rule.done
    far.behave()
    assert ids(place, {}) in possible(done, ROWS, [*ROWS, 1000])
    settle(place)


def settle(place) -> None:
    """What was written is checked afterwards, with the options of the last commit, which are to have no haste."""
    place.open().set_properties({"settled": "true"})


def possible(done: object, before: object, after: object) -> list[object]:
    """What may be there after a change that was tried."""
    if isinstance(done, CommitStateUnknownError):
        return [before, after]
    return [before] if isinstance(done, FloebergError) else [after]


@pytest.mark.parametrize("name", WRITES)
def test_a_file_of_many_parts_is_written_or_is_not(far, place, name):
    before = place.large(count=1, rows=1 << 16).scan().count()
    data = pa.table({f"c{each}": pa.array(range(each, each + (1 << 20))) for each in range(3)})
    opened = place.open(**OF_LARGE_FILES)
    opened.set_properties({"write.parquet.compression-codec": "uncompressed"})
    rule = far.misbehave(WRITES[name], verb="P*", key=OBJECTS["data"], times=2, skip=1)
    done = tried(lambda: opened.append(data))
    assert not isinstance(done, FloebergError) or names_an_object(done, far, "data"), done
    assert rule.done
    far.behave()
    assert place.open().scan().count() in possible(done, before, before + data.num_rows)
    settle(place)


@pytest.mark.parametrize("request_number", range(5))
@pytest.mark.unchecked_tables("a data file is replaced")
def test_a_file_that_is_replaced_under_a_scan_is_no_mix_of_two(far, place, request_number):
    columns = ("c0", "c1")
    schema = pa.schema(dict.fromkeys(columns, pa.int64()))
    properties = {
        "write.parquet.row-group-limit": str(1 << 17),
        "write.parquet.compression-codec": "uncompressed",
    }
    contents = {}
    for name, sign in (("old", 1), ("new", -1)):
        table = place.catalog().create_table(f"db.{name}", schema, properties=properties)
        values = pa.array([sign * (each * 2**32 + each) for each in range(1 << 19)])
        table.append(pa.table([values, values], schema=schema))
        (task,) = table.scan().plan_files()
        contents[name] = task.file.location.removeprefix("s3://").partition("/")[2]
    with far.objects.open("bucket", contents["new"]).file as file:
        new = file.read()
    with far.objects.open("bucket", contents["old"]).file as file:
        assert len(file.read()) == len(new)
    replaced = faults.after(lambda: far.objects.put("bucket", contents["old"], [new]))
    far.misbehave(replaced, key=contents["old"], skip=request_number)
    found = tried(lambda: place.open("old").scan().to_arrow())
    if isinstance(found, pa.Table):
        assert found.num_rows == 1 << 19
        signs = {row > 0 for name in columns for row in found[name].to_pylist() if row}
        assert len(signs) == 1, "values of two files"
    else:
        assert names_an_object(found, far, "data"), found
