"""A store that has too much to do, or answers late: it is asked for less, and what only reads is asked for again."""

from __future__ import annotations

import os
import threading
import time

import pyarrow as pa
import pytest

import far_store_faults as faults
import floeberg as fb
from far_store_tables import Place, drawn, fresh
from floeberg.errors import InvalidDataError, InvalidInputError, StorageError

pytestmark = pytest.mark.timeout(120)

DATA = "*/data/*.parquet"
NEVER_TWICE = {"io.hedge-after": "0"}


def of(counts, key: str, verb: str = "GET") -> list:
    """The requests for objects whose key contains the text."""
    return [each for each in counts.requests if each.verb == verb and key in each.key]


def ids(place: Place, **options: str) -> list[int]:
    return sorted(place.open(**options).scan().to_arrow()["id"].to_pylist())


def test_a_store_that_has_too_much_to_do_is_asked_for_less_at_once(far, place):
    place.files(count=120)
    far.milliseconds = 30
    far.misbehave(faults.busy(6), verb="GET", key=DATA, times=None)
    with far.counted() as counts:
        assert ids(place, **NEVER_TWICE | {"io.retries": "50"}) == list(range(1200))
    refused = [each for each in of(counts, "/data/") if each.status == 503]
    # Without fewer requests each file is refused nearly twice.
    assert 0 < len(refused) < 110, len(refused)


def test_a_store_that_recovers_is_asked_for_as_much_as_before(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_REQUESTS", "8")
    table = place.files(count=200)
    far.milliseconds = 20
    # It refuses whom it has asked to come one by one, and then nobody.
    far.misbehave(faults.slow_down(), verb="GET", key=DATA, times=8)
    with far.counted() as counts:
        assert table.scan().to_arrow().num_rows == 2000
    late = of(counts, "/data/")[-60:]
    assert max(sum(each.started <= other.started < each.ended for other in late) for each in late) >= 7


def test_a_store_is_left_alone_for_as_long_as_it_says(far, place):
    place.files(count=1)
    far.misbehave(faults.refused(503, "SlowDown", retry_after=2), verb="GET", key=DATA)
    with far.counted() as counts:
        assert ids(place) == list(range(10))
    first, second = of(counts, "/data/")
    assert second.started - first.started >= 2


def test_an_answer_that_is_late_is_asked_for_twice(far, place):
    place.files(count=4)
    far.misbehave(faults.late(60), verb="GET", key=DATA)
    with far.counted() as counts:
        assert ids(place, **{"io.hedge-after": "0.3"}) == list(range(40))
    assert len(of(counts, "/data/")) == 5
    # The other answer is not waited for.
    assert far.in_flight == 0


def test_an_answer_that_is_late_is_waited_for_where_it_may_not_be_asked_for_twice(far, place):
    place.files(count=4)
    far.misbehave(faults.late(1), verb="GET", key=DATA)
    with far.counted() as counts:
        assert ids(place, **NEVER_TWICE) == list(range(40))
    assert len(of(counts, "/data/")) == 4


def test_the_second_answer_may_fail(far, place):
    place.files(count=1)
    far.misbehave(faults.late(1.5), verb="GET", key=DATA)
    rule = far.misbehave(faults.closed_before(), verb="GET", key=DATA)
    with far.counted() as counts:
        assert ids(place, **{"io.hedge-after": "0.2"}) == list(range(10))
    assert (len(of(counts, "/data/")), rule.done) == (2, 1)


@pytest.mark.parametrize(
    "fault",
    [
        faults.refused(503, retry_after=20),
        faults.refused(500),
        faults.refused(404, "NoSuchKey"),
        faults.refused(403),
    ],
)
def test_a_refusal_does_not_win_over_a_late_answer(far, place, fault):
    place.files(count=1)
    far.misbehave(faults.late(1.2), verb="GET", key=DATA)
    rule = far.misbehave(fault, verb="GET", key=DATA)
    began = time.monotonic()
    assert ids(place, **{"io.hedge-after": "0.2", "io.retries": "0"}) == list(range(10))
    assert rule.done == 1
    assert time.monotonic() - began < 15


def test_a_time_that_is_given_is_the_time(far, place):
    table = place.files(count=60)
    far.milliseconds = 150
    options = {"io.hedge-after": "0.4"}
    place.open(**options).scan().to_arrow()
    table = place.open(**options)
    far.misbehave(faults.late(60), verb="GET", key=DATA)
    began = time.monotonic()
    assert table.scan().to_arrow().num_rows == 600
    assert time.monotonic() - began < 30


def test_the_last_refusal_is_not_waited_for(far, place):
    place.files(count=1)
    far.misbehave(faults.refused(503, "SlowDown", retry_after=30), verb="GET", key=DATA, times=None)
    began = time.monotonic()
    with pytest.raises(StorageError):
        ids(place, **{"io.retries": "0"})
    assert time.monotonic() - began < 15


def test_writes_of_parts_take_their_turns(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_REQUESTS", "1")
    table = place.catalog().create_table(
        "db.t", pa.schema({"a": pa.int64(), "p": pa.int64()}), partition_spec=["p"]
    )
    rows = drawn(pa.schema({"a": pa.int64()}), 3 << 20, 1)
    far.milliseconds = 5
    with far.counted() as counts:
        table.append(rows.append_column("p", pa.array([each % 2 for each in range(rows.num_rows)])))
    assert any(each.verb == "POST" for each in counts.requests)
    assert counts.most_at_once == 1


@pytest.mark.parametrize("change", ["append", "set_properties", "delete"])
def test_a_write_that_is_given_up_is_not_sent_again(far, place, change):
    """The store refused it, and was to be asked again later. Who asks for the change again would have it twice."""
    import signal

    made = place.files(count=1)
    folder = far.folder / made.location().removeprefix("s3://") / "metadata"
    newest = max(folder.glob("*.metadata.json"))
    newest.rename(folder / "v1.metadata.json")
    for each in folder.glob("0*.metadata.json"):
        each.unlink()
    table = fb.open_table(made.location(), storage_options=place.options | fresh())
    rows, before = table.scan().to_arrow(), set(folder.glob("v*.metadata.json"))
    refused = faults.refused(503, "SlowDown", retry_after=4)
    rule = far.misbehave(refused, verb="PUT", key="*/v*.metadata.json", times=None)
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    changes = {
        "append": lambda: table.append(rows),
        "set_properties": lambda: table.set_properties({"a": "b"}),
        "delete": lambda: table.delete("id = 3"),
    }
    with pytest.raises(KeyboardInterrupt):
        changes[change]()
    assert time.monotonic() - began < 4
    far.behave()
    time.sleep(5)
    assert rule.done == 1
    assert set(folder.glob("v*.metadata.json")) == before


def test_a_write_of_data_that_is_given_up_ends(far, place):
    import signal

    table = place.files(count=1)
    rows = table.scan().to_arrow()
    far.misbehave(faults.refused(503, "SlowDown", retry_after=30), verb="PUT", key=DATA, times=None)
    threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        table.append(rows)
    assert time.monotonic() - began < 10


def test_what_writes_is_never_sent_twice_because_it_is_late(far, place):
    table = place.files(count=1)
    far.misbehave(faults.late(1), verb="PUT", times=None)
    table = place.open(**{"io.hedge-after": "0.1"})
    with far.counted() as counts:
        table.append(table.scan().to_arrow())
    written = [each.key for each in counts.requests if each.verb == "PUT"]
    assert len(written) == len(set(written)) >= 4


def test_a_late_answer_is_not_asked_for_twice_where_others_wait_for_their_turn(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_REQUESTS", "2")
    place.files(count=8)
    far.misbehave(faults.late(1), verb="GET", key=DATA, times=None)
    with far.counted() as counts:
        assert ids(place, **{"io.hedge-after": "0.2"}) == list(range(80))
    assert counts.most_at_once <= 2


def wide(place: Place, count: int = 4):
    """A table of files of some megabytes, whose footers are larger than those of other tables."""
    columns = 1200
    schema = pa.schema({f"c{each}": pa.int64() for each in range(columns)})
    table = place.catalog().create_table("db.t", schema)
    for number in range(count):
        table.append(drawn(schema, 600, number))


def test_a_long_footer_is_expected_of_the_next_file(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_REQUESTS", "1")
    monkeypatch.setenv("FLOEBERG_THREADS", "1")
    wide(place)
    table = place.open()
    len(table.scan().plan_files())
    with far.counted() as counts:
        assert table.scan(selected_fields=["c7"]).to_arrow().num_rows == 2400
    # Of the first file its end, its footer and the column; of the others the end and the column.
    assert len(of(counts, "/data/")) == 3 + 2 * 3, counts.shown()
    # The first file was kept with less than its footer; from then on no end is asked for.
    for expected in (5, 4):
        with far.counted() as counts:
            assert table.scan(selected_fields=["c8"]).to_arrow().num_rows == 2400
        assert len(of(counts, "/data/")) == expected, counts.shown()


def test_a_footer_is_read_once_by_a_process(far, place):
    table = place.large(count=3)
    table.scan(selected_fields=["c0"]).to_arrow()
    with far.counted() as counts:
        assert table.scan(selected_fields=["c1"]).to_arrow().num_rows == 3 << 18
    # Two row groups of each file.
    assert len(of(counts, "/data/")) == 6, counts.shown()


def test_a_file_that_was_replaced_after_its_footer_was_read_is_an_error(far, place):
    table = place.large(count=1)
    before = table.scan().to_arrow()
    (path,) = (task.file.file_path for task in table.scan().plan_files())
    file = far.folder / path.removeprefix("s3://")
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    with pytest.raises(InvalidDataError, match="replaced"):
        table.scan().to_arrow()
    # Its footer is read again, and its pages belong to it.
    assert not table.scan().to_arrow().equals(before)


@pytest.mark.unchecked_tables("a data file is damaged")
@pytest.mark.parametrize("tag", [None, 'W/"weak"'])
def test_an_end_that_is_not_right_any_more_is_forgotten_without_etags_too(far, place, tag):
    table = place.large(count=1)
    far.misbehave(faults.other_etag(tag), verb="GET", times=None)
    table.scan().to_arrow()
    (path,) = (task.file.file_path for task in table.scan().plan_files())
    file = far.folder / path.removeprefix("s3://")
    file.write_bytes(file.read_bytes()[:-50_000])
    with pytest.raises(InvalidDataError, match="replaced"):
        table.scan().to_arrow()
    with pytest.raises(InvalidDataError) as raised:
        table.scan().to_arrow()
    assert "replaced" not in str(raised.value)


@pytest.mark.parametrize("name", ["io.request-timeout", "io.read-timeout", "io.connect-timeout"])
@pytest.mark.parametrize("value", ["0", "-1", "nan", "x"])
def test_a_time_that_is_none_is_refused(place, name, value):
    table = place.files(count=1)
    with pytest.raises(InvalidInputError, match=name):
        fb.open_table(table.metadata_location, storage_options=place.options | {name: value})


def test_two_readers_of_one_process_share_the_patience_of_the_store(far, place):
    table = place.files(count=60)
    far.milliseconds = 20
    far.misbehave(faults.busy(6), verb="GET", key=DATA, times=None)
    patient = NEVER_TWICE | {"io.retries": "50"}
    tables = [place.open(**patient) for _ in range(2)]
    found: list[int] = []

    def read(each) -> None:
        found.append(each.scan().to_arrow().num_rows)

    threads = [threading.Thread(target=read, args=(each,)) for each in tables]
    [each.start() for each in threads]
    [each.join() for each in threads]
    assert found == [600, 600]
    assert table.scan().count() == 600
