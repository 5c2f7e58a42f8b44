"""A store that has too much to do, or answers late: it is asked for less, and what only reads is asked for again."""

from __future__ import annotations

import threading

import pytest

import far_store_faults as faults
from far_store_tables import Place, drawn

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
    import pyarrow as pa

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


def test_a_footer_is_read_once_by_a_process(far, place):
    table = place.large(count=3)
    table.scan(selected_fields=["c0"]).to_arrow()
    with far.counted() as counts:
        assert table.scan(selected_fields=["c1"]).to_arrow().num_rows == 3 << 18
    # Two row groups of each file.
    assert len(of(counts, "/data/")) == 6, counts.shown()


def test_a_file_that_was_replaced_after_its_footer_was_read_is_an_error(far, place):
    from floeberg.errors import InvalidDataError

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
