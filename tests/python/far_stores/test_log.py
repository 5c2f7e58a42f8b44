"""The log `floeberg.io`: a line for each request, where `logging` asks for it."""

from __future__ import annotations

import logging
import re
import sys
from typing import Any

import pytest

import far_store_faults as faults
import floeberg as fb
from floeberg.errors import FloebergError

LOG = "floeberg.io"
LINE = re.compile(r"(GET|PUT|HEAD|POST|DELETE) 127\.0\.0\.1/\S+( bytes=\S+)?: .*, \d+ ms, attempt \d+")


@pytest.fixture
def lines(caplog):
    """The lines so far."""
    caplog.set_level(logging.DEBUG, LOG)

    def so_far() -> list[str]:
        return [each.getMessage() for each in caplog.records if each.name == LOG]

    return so_far


def test_each_request_is_a_line(far, place, lines):
    table = place.files(count=3)
    before = len(lines())
    with far.counted() as counts:
        table.scan().to_arrow()
    new = lines()[before:]
    assert len(new) == counts.total
    assert all(LINE.fullmatch(each) for each in new), new
    # What is asked for is asked for as a range, of a size that a manifest says.
    data = [each for each in new if "/data/" in each]
    assert len(data) == 3
    assert all(re.search(r" bytes=0-\d+: 206 \d+ bytes, ", each) for each in data), data


def test_an_attempt_has_its_number(far, place, lines):
    place.files(count=1)
    far.misbehave(faults.refused(500), verb="GET", key="*/data/*", times=2)
    place.open().scan().to_arrow()
    data = [each for each in lines() if "GET" in each and "/data/" in each]
    assert [each.rpartition(" ")[2] for each in data] == ["1", "2", "3"]
    assert [each.split(": ")[1][:3] for each in data] == ["500", "500", "206"]


def test_a_connection_that_breaks_is_a_line(far, place, lines):
    place.files(count=1)
    far.misbehave(faults.reset_before(), verb="GET", key="*/data/*")
    place.open().scan().to_arrow()
    first, second = [each for each in lines() if "GET" in each and "/data/" in each]
    assert "206" not in first
    assert "206" in second


def test_the_lines_of_batches_come_with_them(place, lines):
    table = place.files(count=3)
    before = len(lines())
    for _ in table.scan().to_arrow_batch_reader():
        pass
    assert sum("/data/" in each for each in lines()[before:]) == 3


def test_no_secret_is_logged(far, tmp_path, lines):
    from far_store_tables import Place

    secret = {"aws_secret_access_key": "of-a-user", "aws_session_token": "token-of-a-user"}
    Place(far, tmp_path, **secret).files(count=1).scan().to_arrow()
    assert lines()
    assert not [each for each in lines() if "of-a-user" in each or "?" in each]


@pytest.mark.parametrize("level", [logging.INFO, logging.WARNING, logging.CRITICAL])
def test_nothing_is_logged_where_nothing_is_asked_for(place, caplog, level):
    caplog.set_level(level, LOG)
    place.files(count=2).scan().to_arrow()
    assert not [each for each in caplog.records if each.name == LOG]


def test_a_handler_that_raises_stops_no_read(place, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG, LOG)
    raised: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)

    class Broken(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise RuntimeError(record.getMessage())

    logger = logging.getLogger(LOG)
    handler = Broken()
    logger.addHandler(handler)
    try:
        assert place.files(count=2).scan().to_arrow().num_rows == 20
    finally:
        logger.removeHandler(handler)
    assert len(raised) > 10


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_interrupts_a_handler_is_raised(place, caplog, raised):
    class Interrupted(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise raised(record.getMessage())

    table = place.files(count=2)
    caplog.set_level(logging.DEBUG, LOG)
    logger = logging.getLogger(LOG)
    handler = Interrupted()
    logger.addHandler(handler)
    try:
        with pytest.raises(raised):
            [table.scan().to_arrow() for _ in range(3)]
    finally:
        logger.removeHandler(handler)


def test_what_a_handler_reads_is_not_logged(place, caplog):
    table = place.files(count=2)
    caplog.set_level(logging.DEBUG, LOG)
    said: list[str] = []

    class Reading(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(record.getMessage())
            place.open().scan().to_arrow()

    logger = logging.getLogger(LOG)
    handler = Reading()
    logger.addHandler(handler)
    try:
        table.scan().to_arrow()
    finally:
        logger.removeHandler(handler)
    assert 0 < len(said) < 8


def test_an_attempt_that_nobody_waits_for_is_a_line(far, place, lines):
    place.files(count=1)
    far.misbehave(faults.late(30), verb="GET", key="*/data/*")
    place.open(**{"io.hedge-after": "0.2"}).scan().to_arrow()
    data = [each for each in lines() if "GET" in each and "/data/" in each]
    assert sorted(each.rpartition(": ")[2].split(" ")[0] for each in data) == ["206", "not"]


def test_a_long_key_does_not_cut_the_line(far, lines):
    from far_store_tables import BUCKET

    location = f"s3://{BUCKET}/" + "/".join(["k" * 200] * 4) + "/f"
    with pytest.raises(FloebergError):
        fb.open_table(f"{location}.metadata.json", storage_options=far.options)
    assert all(re.search(r", \d+ ms, attempt 1$", each) for each in lines())
    assert lines()
