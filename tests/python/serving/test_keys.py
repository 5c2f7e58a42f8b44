"""Answers are kept for a time, in bounded memory, and a request with a key runs once."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest
from starlette.responses import Response

import floeberg as fb
from floeberg.errors import InvalidInputError
from floeberg.serving import keys
from floeberg.serving.keys import LIFETIME, Answers, checked_key, has_key, with_key

KEY = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"


def counted(status=200, body=b"x"):
    """Something to run, and how often it ran."""
    runs = []

    def run():
        runs.append(1)
        return Response(body, status)

    return run, runs


@pytest.mark.parametrize(
    ("status", "runs"), [(200, 1), (204, 1), (404, 1), (409, 1), (401, 2), (408, 2), (500, 2), (503, 2)]
)
def test_final_answers_are_given_again(status, runs):
    run, ran = counted(status)
    answers = Answers()
    assert [answers.once(KEY, b"a", run).status_code for _ in range(2)] == [status, status]
    assert len(ran) == runs


def test_an_answer_is_forgotten_after_its_time():
    now, (run, ran) = [0.0], counted()
    answers = Answers(lambda: now[0])
    for moment, expected in ((0, 1), (LIFETIME, 1), (LIFETIME + 1, 2)):
        now[0] = moment
        answers.once(KEY, b"a", run)
        assert len(ran) == expected


def test_the_oldest_answers_go_where_they_are_too_many_or_too_large(monkeypatch):
    monkeypatch.setattr(keys, "_MOST", 3)
    run, ran = counted()
    answers = Answers()
    for key in "abcda":
        answers.once(key, b"a", run)
    assert len(ran) == 5
    monkeypatch.setattr(keys, "_MOST_BYTES", 10)
    large, ran = counted(body=b"x" * 6)
    answers = Answers()
    for key in "aabbaab":
        answers.once(key, b"a", large)
    assert answers._bytes <= 18
    assert len(ran) > 2


def test_requests_at_once_run_once():
    started, go, results = threading.Event(), threading.Event(), []

    def slow():
        started.set()
        assert go.wait(30)
        return Response(b"done")

    answers = Answers()
    threads = [
        threading.Thread(target=lambda: results.append(answers.once(KEY, b"a", slow).body)) for _ in range(4)
    ]
    threads[0].start()
    assert started.wait(30)
    for thread in threads[1:]:
        thread.start()
    go.set()
    for thread in threads:
        thread.join()
    assert results == [b"done"] * 4


def test_after_an_exception_the_key_is_free():
    answers, (run, ran) = Answers(), counted()
    with pytest.raises(ZeroDivisionError):
        answers.once(KEY, b"a", lambda: 1 / 0)
    assert answers.once(KEY, b"a", run).status_code == 200
    with pytest.raises(InvalidInputError, match="was sent with another request"):
        answers.once(KEY, b"b", run)
    assert len(ran) == 1


def test_keys_are_uuids():
    assert checked_key(None) is None
    assert checked_key(KEY.upper()) == KEY
    for wrong in ("", "mine", KEY[:-1], KEY + "0", KEY.replace("-", "")):
        with pytest.raises(InvalidInputError, match="expected a UUID"):
            checked_key(wrong)


def test_snapshots_carry_the_key():
    updates = [
        {"action": "set-properties", "updates": {}},
        {"action": "add-snapshot", "snapshot": {"summary": {"operation": "append"}}},
        {"action": "add-snapshot", "snapshot": 7},
    ]
    assert with_key(updates, None) is updates
    marked = with_key(updates, KEY)
    assert [marked[0], marked[2]] == [updates[0], updates[2]]
    assert updates[1]["snapshot"]["summary"] == {"operation": "append"}
    assert marked[1]["snapshot"]["summary"] == {"operation": "append", "floeberg.request-key": KEY}


def test_a_snapshot_is_found_by_its_key():
    catalog = fb.load_catalog("request keys", type="memory")
    catalog.create_namespace("db")
    table = catalog.create_table("db.t", as_select=pa.table({"id": [1]}))
    assert not has_key(table._inner, KEY)
    table.append(pa.table({"id": [2]}), snapshot_properties={"floeberg.request-key": KEY})
    table.append(pa.table({"id": [3]}))
    assert has_key(table._inner, KEY)
    assert not has_key(table._inner, KEY.replace("0", "1"))
    assert not has_key(table._inner, None)
