"""What waits for a store that is far: how many requests at once, how much memory, and what ends the wait."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import far_store_faults as faults
from far_store import FarStore
from far_store_tables import BUCKET, Place
from floeberg.errors import InvalidInputError
from forked import check_in_a_child

FORKS = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
REQUESTS = "FLOEBERG_REQUESTS"
ONCE = {"io.retries": "0"}

# What is not given up ends with an error of its own, after half a minute.
pytestmark = pytest.mark.timeout(100)


@pytest.mark.parametrize("most", [1, 4, 32, None])
def test_no_more_requests_than_allowed_are_made_at_once(far, place, monkeypatch, most):
    table = place.files()
    if most is None:
        monkeypatch.delenv(REQUESTS, raising=False)
    else:
        monkeypatch.setenv(REQUESTS, str(most))
    far.milliseconds = 50
    with far.counted() as counts:
        assert table.scan().to_arrow().num_rows == 400
    assert counts.most_at_once <= (most or 32)
    # So many that a store which is far is hardly waited for.
    assert counts.most_at_once > min((most or 32) - 1, 8)


def test_writes_are_made_at_once_too(far, place):
    table = place.files()
    far.milliseconds = 50
    with far.counted() as counts:
        table.append(table.scan().to_arrow())
    writes = [each for each in counts.requests if each.verb == "PUT" and each.key.endswith(".parquet")]
    assert len(writes) == 40
    assert 4 < at_once(writes) <= 32


def at_once(requests: list) -> int:
    """The most of these at one time."""
    steps = sorted([(each.started, 1) for each in requests] + [(each.ended, -1) for each in requests])
    open_now, most = 0, 0
    for _, step in steps:
        open_now += step
        most = max(most, open_now)
    return most


@pytest.mark.parametrize("wrong", ["0", "x", "", "-1", "1.5"])
def test_a_number_of_requests_that_is_none_is_refused(place, monkeypatch, wrong):
    table = place.files(count=2)
    monkeypatch.setenv(REQUESTS, wrong)
    with pytest.raises(InvalidInputError, match=REQUESTS):
        table.scan().to_arrow()


def test_a_taker_that_is_slow_holds_the_readers_back(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_MEMORY", "8M")
    monkeypatch.setenv(REQUESTS, "4")
    table = place.large(count=24, columns=2, rows=1 << 17, groups=1)
    with far.counted() as counts:
        reader = table.scan().to_arrow_batch_reader()
        taken = reader.read_next_batch().num_rows
        time.sleep(2)
        asked = [each for each in counts.requests if each.key.endswith(".parquet")]
        # Of 48 MiB in 24 files: what may wait, and what is being asked for.
        assert counts.bytes_out < 26 << 20
        assert len({each.key for each in asked}) < 13
        taken += sum(batch.num_rows for batch in reader)
    assert taken == 24 << 17


PEAK = """
import sys, time
import floeberg as fb
from pathlib import Path

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024

location, options = sys.argv[1], dict(word.split("=", 1) for word in sys.argv[2:])
table = fb.open_table(location, storage_options=options)
assert table.scan(limit=1).to_arrow().num_rows == 1
before, rows = peak(), 0
for batch in table.scan().to_arrow_batch_reader():
    rows += batch.num_rows
    time.sleep(0.01)
print(rows, peak() - before)
"""


def test_memory_is_bounded_where_many_large_files_are_asked_for(far, place, monkeypatch):
    monkeypatch.setenv("FLOEBERG_MEMORY", "16M")
    table = place.large(count=24, columns=8, rows=1 << 17, groups=1)
    far.milliseconds = 20
    child = python(PEAK, table.metadata_location, *(f"{key}={value}" for key, value in place.options.items()))
    out, _ = child.communicate(timeout=120)
    rows, megabytes = map(int, out.split())
    assert rows == 24 << 17
    # The files have 192 MiB.
    assert megabytes < 144


def python(program: str, *arguments: str) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
    )


def holds_within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def workers() -> list[str]:
    """The threads of scans; those of the connections stay for the next scan."""
    names = []
    for each in Path("/proc/self/task").iterdir():
        try:
            names.append((each / "comm").read_text().strip())
        except OSError:
            continue
    return [name for name in names if name.startswith("floeberg") and not name.startswith("floeberg-io")]


def test_a_reader_that_is_dropped_leaves_no_thread_and_no_request(far, place):
    table = place.large(count=20, columns=1, rows=1 << 17, groups=1)
    # The third file of the plan: a reader asks for it before its first batch is taken, however many threads it has.
    late = table.scan().plan_files()[2].file.file_path.rpartition("/")[2]
    far.misbehave(faults.late(25), verb="*", key=f"*{late}", times=None)
    reader = place.open(**ONCE).scan().to_arrow_batch_reader()
    # A reader may cross a fork before its first batch, so it asks for nothing until then.
    assert far.in_flight == 0
    assert reader.read_next_batch().num_rows > 0
    assert holds_within(5, lambda: far.in_flight > 0)
    before = time.monotonic()
    del reader
    assert time.monotonic() - before < 2
    assert holds_within(2, lambda: far.in_flight == 0), f"{far.in_flight} requests are not given up"
    assert holds_within(2, lambda: not workers()), workers()


@pytest.mark.timeout(40)
def test_a_limit_gives_up_what_it_does_not_need(far, place):
    place.files()
    far.misbehave(faults.late(25), verb="*", key="*.parquet", skip=8, times=None)
    began = time.monotonic()
    assert place.open(**ONCE).scan(limit=5).to_arrow().num_rows == 5
    assert time.monotonic() - began < 5
    assert holds_within(2, lambda: far.in_flight == 0)
    assert holds_within(2, lambda: not workers()), workers()


def test_an_error_gives_up_what_others_wait_for(far, place):
    place.files()
    far.misbehave(faults.refused(403, "AccessDenied"), verb="*", key="*/part=5/*.parquet", times=None)
    far.misbehave(faults.late(25), verb="*", key="*/part=[67]/*.parquet", times=None)
    began = time.monotonic()
    with pytest.raises(PermissionError):
        place.open(**ONCE).scan().to_arrow()
    assert time.monotonic() - began < 5
    assert holds_within(2, lambda: far.in_flight == 0)


@FORKS
def test_a_forked_child_reads_after_its_parent_has_read(far, place):
    table = place.files()
    far.milliseconds = 10
    assert table.scan().to_arrow().num_rows == 400
    check_in_a_child(lambda: table.scan().to_arrow().num_rows == 400)
    check_in_a_child(lambda: place.open().scan().to_arrow().num_rows == 400)
    assert table.scan().to_arrow().num_rows == 400


@FORKS
def test_a_child_that_is_forked_while_its_parent_waits_reads_too(far, place):
    table = place.files()
    far.milliseconds = 10
    reader = table.scan().to_arrow_batch_reader()
    rows = reader.read_next_batch().num_rows
    check_in_a_child(lambda: place.open().scan().to_arrow().num_rows == 400)
    assert rows + sum(batch.num_rows for batch in reader) == 400


def _rows(table, answers) -> None:
    answers.put(table.scan().to_arrow().num_rows)


@FORKS
def test_processes_of_multiprocessing_read(far, place):
    table = place.files()
    far.milliseconds = 10
    assert table.scan().to_arrow().num_rows == 400
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    children = [context.Process(target=_rows, args=(table, answers)) for _ in range(3)]
    for each in children:
        each.start()
    for each in children:
        each.join(30)
    assert [each.exitcode for each in children] == [0, 0, 0]
    assert [answers.get() for _ in children] == [400] * 3


INTERRUPTED = """
import os, sys
import floeberg as fb

what, location, options = sys.argv[1], sys.argv[2], dict(word.split("=", 1) for word in sys.argv[3:])
table = fb.open_table(location, storage_options=options)
scan = table.scan()
print("waiting", flush=True)
try:
    if what == "count":
        table.scan(row_filter="id > 2").count()
    elif what == "batches":
        scan.to_arrow_batch_reader().read_all()
    elif what == "delete":
        table.delete("id = 3")
    else:
        scan.to_arrow()
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("what", ["rows", "batches", "count"])
def test_ctrl_c_ends_a_scan_that_waits(far, place, what):
    location = place.files().metadata_location
    options = [f"{key}={value}" for key, value in place.options.items()]
    far.misbehave(faults.late(25), verb="*", key="*.parquet", times=None)
    child = python(INTERRUPTED, what, location, *options)
    try:
        assert child.stdout.readline() == "waiting\n"
        assert holds_within(10, lambda: far.in_flight > 0)
        time.sleep(0.2)
        began = time.monotonic()
        child.send_signal(signal.SIGINT)
        assert child.communicate(timeout=20)[0] == "interrupted\n"
        assert time.monotonic() - began < 3
    finally:
        child.kill()
        child.wait()


def test_what_ctrl_c_left_behind_holds_up_nobody(far, place):
    table = place.files()
    far.misbehave(faults.late(40), verb="GET", key="*.parquet", times=None)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        table.scan().to_arrow()
    far.behave()
    before = time.monotonic()
    assert place.open().scan().to_arrow().num_rows == 400
    assert table.scan().to_arrow().num_rows == 400
    assert time.monotonic() - before < 10
    assert holds_within(2, lambda: far.in_flight == 0)


@pytest.mark.unchecked_tables("one of the stores has ended by then")
def test_a_store_that_does_not_answer_holds_up_no_other(far, place, tmp_path):
    place.files()
    far.misbehave(faults.late(8), verb="GET", key="*.parquet", times=None)
    asking = threading.Thread(target=tried, args=(place.open().scan().to_arrow,), daemon=True)
    asking.start()
    assert holds_within(5, lambda: far.in_flight > 8)
    other = FarStore(tmp_path / "other").start()
    try:
        other.objects.make_bucket(BUCKET)
        (tmp_path / "catalog").mkdir()
        elsewhere = Place(other, tmp_path / "catalog")
        before = time.monotonic()
        assert elsewhere.files().scan().to_arrow().num_rows == 400
        assert time.monotonic() - before < 6
        assert asking.is_alive()
    finally:
        other.stop()
    far.behave()
    asking.join(timeout=60)


def tried(action: Callable[[], object]) -> object:
    """What it returns, or the error."""
    try:
        return action()
    except Exception as error:  # noqa: BLE001 - the test goes on
        return error
