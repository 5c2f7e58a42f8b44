"""Is the store that the tests here rely on an S3, and does it count right?"""

from __future__ import annotations

import http.client
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import pyarrow as pa
import pytest

import far_store_faults as faults

BODY = bytes(range(256)) * 4096


def ask(far, verb: str, path: str, body: bytes | None = None, **headers: str):
    """A request without our own code; the status, the headers and the body."""
    connection = http.client.HTTPConnection(urlsplit(far.url).netloc, timeout=20)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(connection):
        connection.request(verb, f"/bucket/{path}", body, names)
        with closing(connection.getresponse()) as answer:
            return answer.status, dict(answer.headers), answer.read()


@pytest.fixture
def key(far) -> str:
    ask(far, "PUT", "k/one", BODY)
    return "k/one"


def test_parts_of_objects(far, key):
    size = len(BODY)
    for asked, start, end in [
        ("bytes=5-9", 5, 10),
        (f"bytes={size - 3}-{size + 9}", size - 3, size),
        ("bytes=1000000-", 1000000, size),
        ("bytes=-7", size - 7, size),
    ]:
        status, headers, body = ask(far, "GET", key, Range=asked)
        assert (status, body) == (206, BODY[start:end])
        assert headers["Content-Range"] == f"bytes {start}-{end - 1}/{size}"
    assert ask(far, "GET", key)[2] == BODY
    assert ask(far, "GET", key, Range=f"bytes={size}-")[0] == 416
    status, headers, _ = ask(far, "HEAD", key)
    assert (status, int(headers["Content-Length"])) == (200, size)
    status, _, body = ask(far, "GET", "k/none")
    assert status == 404 and b"<Code>NoSuchKey</Code>" in body


def test_an_etag_is_that_of_one_content(far, key):
    etag = ask(far, "HEAD", key)[1]["ETag"]
    assert ask(far, "GET", key, If_Match=etag)[0] == 200
    assert ask(far, "PUT", key, BODY, If_None_Match="*")[0] == 412
    assert ask(far, "PUT", key, BODY, If_Match=etag)[0] == 200
    assert ask(far, "GET", key, If_Match=etag)[0] == 412
    assert ask(far, "PUT", key, BODY, If_Match=etag)[0] == 412
    assert ask(far, "DELETE", key)[0] == 204
    assert ask(far, "PUT", key, BODY, If_None_Match="*")[0] == 200


def test_one_of_many_puts_is_the_first(far):
    with ThreadPoolExecutor(16) as many:
        found = [many.submit(ask, far, "PUT", "k/first", BODY, If_None_Match="*") for _ in range(16)]
    assert sorted(each.result()[0] for each in found) == [200] + [412] * 15
    ask(far, "DELETE", "k/first")


def test_lists_have_pages(far):
    names = [f"l/{folder}/{name}" for folder in "ab" for name in "xyz"]
    for name in names:
        ask(far, "PUT", name, b"")
    far.s3.page = 2
    seen, token, pages = [], "", 0
    while token is not None:
        _, _, body = ask(far, "GET", f"?list-type=2&prefix=l/{token}")
        text = body.decode()
        seen += [each.partition("</Key>")[0] for each in text.split("<Key>")[1:]]
        pages += 1
        follows = text.partition("<NextContinuationToken>")[2].partition("<")[0]
        token = f"&continuation-token={follows}" if follows else None
    assert (seen, pages) == (names, 3)
    far.s3.page = 1000
    text = ask(far, "GET", "?list-type=2&prefix=l/&delimiter=/")[2].decode()
    assert text.count("<CommonPrefixes>") == 2 and "<Contents>" not in text


def test_a_request_is_deeper_than_those_that_were_answered(far, key):
    far.milliseconds = 50
    with far.counted() as counts, ThreadPoolExecutor(3) as many:
        for _ in range(2):
            list(many.map(lambda _: ask(far, "GET", key, Range="bytes=0-9"), range(3)))
    assert (counts.rounds, counts.most_at_once, counts.total) == (2, 3, 6)
    assert (counts.bytes_out, counts.verbs["GET"]) == (60, 6)
    assert [each.depth for each in counts.requests] == [1, 1, 1, 2, 2, 2]
    assert all(each.ended - each.started > 0.04 for each in counts.requests)


def test_in_step_a_late_request_is_of_the_same_round(far, key):
    far.step = 0.2

    def late(number: int) -> None:
        time.sleep(number * 0.1)
        ask(far, "GET", key)

    with far.counted() as counts, ThreadPoolExecutor(3) as many:
        list(many.map(late, range(3)))
        ask(far, "GET", key)
    assert (counts.rounds, counts.total) == (2, 4)


def test_counts_are_read_by_other_processes_too(far, key):
    with far.counted():
        ask(far, "GET", key)
        with urllib.request.urlopen(f"{far.url}/_counts") as answer:
            assert b'"requests": 1' in answer.read()
        assert far.clock.counts.total == 0


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (faults.closed_before(), http.client.RemoteDisconnected),
        (faults.reset_before(), ConnectionResetError),
        (faults.closed_halfway(), http.client.IncompleteRead),
        (faults.reset_halfway(), ConnectionResetError),
        (faults.length_too_long(), http.client.IncompleteRead),
        (faults.never(0.1), http.client.RemoteDisconnected),
    ],
)
def test_answers_that_break_off(far, key, how, error):
    far.misbehave(how, verb="GET", key="k/*")
    with pytest.raises(error):
        ask(far, "GET", key)
    assert ask(far, "GET", key)[2] == BODY


def test_answers_that_are_wrong(far, key):
    far.misbehave(faults.refused(503, "SlowDown", retry_after=3), key="k/*")
    status, headers, body = ask(far, "GET", key)
    assert (status, headers["Retry-After"]) == (503, "3") and b"SlowDown" in body
    far.misbehave(faults.more_bytes(), key="k/*")
    assert ask(far, "GET", key, Range="bytes=0-9")[2] == BODY[:10] + bytes(10)
    far.misbehave(faults.whole_object(), key="k/*")
    assert ask(far, "GET", key, Range="bytes=0-9")[::2] == (200, BODY)
    far.misbehave(faults.length_too_short(), key="k/*")
    assert ask(far, "GET", key)[2] == BODY[:-10]
    far.misbehave(faults.other_etag(), key="k/*", skip=1, every=2)
    assert [ask(far, "GET", key)[1]["ETag"] == '"another"' for _ in range(4)] == [False, False, True, False]


def test_a_client_that_goes_away_is_noticed(far, key):
    far.milliseconds = 20_000
    before = far.in_flight
    connection = http.client.HTTPConnection(urlsplit(far.url).netloc)
    connection.request("GET", f"/bucket/{key}")
    deadline = time.monotonic() + 5
    while far.in_flight == before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert far.in_flight == before + 1
    connection.close()
    while far.in_flight > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert far.in_flight == before


def test_a_key_may_end_with_a_slash(far):
    ask(far, "PUT", "m/folder/", b"")
    ask(far, "PUT", "m/folder/one", BODY)
    assert ask(far, "HEAD", "m/folder/")[0] == 200
    text = ask(far, "GET", "?list-type=2&prefix=m/folder/&delimiter=/")[2].decode()
    assert "<Key>m/folder/</Key>" in text and "<Key>m/folder/one</Key>" in text
    ask(far, "DELETE", "m/folder/")
    assert ask(far, "HEAD", "m/folder/")[0] == 404


def test_an_analysis_counts_what_the_store_sent(place, far):
    table = place.catalog().create_table("db.analyzed", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": range(10_000)}))
    loaded = place.catalog().load_table("db.analyzed")
    with far.counted() as counts:
        analysis = loaded.scan(row_filter="id > 9000").explain(analyze=True).analysis
    assert analysis.reading.rows == 999
    (file,) = (each for each in counts.requests if each.key.endswith(".parquet"))
    first, last = map(int, file.range.removeprefix("bytes=").split("-"))
    assert analysis.planning.bytes_read == counts.bytes_out - (last - first + 1)
    # A small file comes whole with its footer. Its columns are read from memory, and count again.
    assert analysis.reading.bytes_read > last - first + 1
    assert analysis.reading.waiting_seconds > 0
