"""Forks, signals, threads and memory: the library among others in one process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import floeberg as fb
from forked import check_in_a_child

POSIX = pytest.mark.skipif(os.name != "posix", reason="forks and named pipes are POSIX")


@POSIX
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_reads_what_its_parent_has_read(deletes):
    table = deletes.open()
    assert table.scan().count() == 23
    check_in_a_child(lambda: table.scan().to_arrow().num_rows == 23)


@POSIX
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_children_that_are_forked_while_threads_read_read_too(deletes):
    """An allocator whose locks another thread held would let a child hang."""
    is_over = threading.Event()

    def read() -> bool:
        return deletes.open().scan().to_arrow().num_rows == 23

    def read_on() -> None:
        while not is_over.is_set():
            assert read()

    threads = [threading.Thread(target=read_on) for _ in range(4)]
    for each in threads:
        each.start()
    try:
        for _ in range(30):
            check_in_a_child(read)
    finally:
        is_over.set()
        for each in threads:
            each.join()


def endless_parquet() -> bytes:
    """A small file of 10,000 row groups of a million rows each, all of them the same bytes, without statistics."""
    columns = [("id", pa.int64(), 1), ("cat", pa.string(), 2), ("v", pa.int32(), 3)]
    fields = [
        pa.field(name, kind, metadata={"PARQUET:field_id": str(field)}) for name, kind, field in columns
    ]
    rows = pa.repeat(0, 1_000_000)
    table = pa.table([rows.cast(kind) for _, kind, _ in columns], schema=pa.schema(fields))
    whole = pa.BufferOutputStream()
    pq.write_table(table, whole, row_group_size=len(rows), write_statistics=False)
    written = whole.getvalue().to_pybytes()
    one = pq.read_metadata(pa.BufferReader(written))
    groups = pq.read_metadata(pa.BufferReader(written))
    for _ in range(9_999):
        groups.append_row_groups(one)
    footer = pa.BufferOutputStream()
    groups.write_metadata_file(footer)
    length = int.from_bytes(written[-8:-4], "little")
    return written[: -8 - length] + footer.getvalue().to_pybytes()[4:]


@pytest.fixture(scope="session")
def endless(refs, tmp_path_factory):
    """A copy whose first data file takes minutes to read, and holds nothing that `v != 0` keeps."""
    location = tmp_path_factory.mktemp("endless") / "table"
    shutil.copytree(refs.folder / "table", location)
    relocate = {refs.expected["original_dir"]: str(location)}
    victim = fb.open_table(location, relocate=relocate).scan().plan_files()[0].file.location
    Path(victim.removeprefix("file://")).write_bytes(endless_parquet())
    return location, relocate


def run(program: str, *arguments: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program), *arguments], stdout=subprocess.PIPE, text=True
    )


@POSIX
@pytest.mark.parametrize("read", ["to_arrow()", "count()", "to_arrow_batch_reader().read_all()"])
def test_ctrl_c_ends_a_call_that_waits(endless, read):
    location, ((written, moved),) = endless[0], endless[1].items()
    process = run(
        f"""
        import os, sys, floeberg as fb
        scan = fb.open_table(sys.argv[1], relocate={{sys.argv[2]: sys.argv[3]}}).scan(row_filter="v != 0")
        print("waiting", flush=True)
        try:
            scan.{read}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            os._exit(0)
        """,
        str(location),
        written,
        moved,
    )
    assert process.stdout.readline() == "waiting\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    assert process.communicate(timeout=20)[0] == "interrupted\n"
    assert time.monotonic() - began < 5


@POSIX
def test_other_threads_run_while_a_call_waits(endless):
    location, relocate = endless
    scan = fb.open_table(location, relocate=relocate).scan(row_filter="v != 0")
    waiting = threading.Thread(target=scan.count, daemon=True)
    waiting.start()
    began = time.monotonic()
    steps = 0
    while time.monotonic() - began < 0.5:
        steps += 1
        time.sleep(0.001)
    assert waiting.is_alive()
    assert steps > 50


def test_planning_makes_no_python_object_per_file(many, refs):
    small, large = refs.open().scan(), many.open().scan()
    assert (len(small.plan_files()), len(large.plan_files())) == (3, 40)

    def blocks(scan: fb.Scan) -> int:
        tracemalloc.start()
        plan = scan.plan_files()
        (group,) = plan.split(open_file_cost=0)
        taken = tracemalloc.take_snapshot()
        tracemalloc.stop()
        assert len(group) == len(plan)
        return sum(each.count for each in taken.statistics("filename"))

    # What is loaded and kept at the first use counts for neither, nor what threads of other tests leave behind.
    least = {scan: min(blocks(scan) for _ in range(4)) for scan in (large, small)}
    assert abs(least[large] - least[small]) < 10


@POSIX
def test_a_reader_that_was_begun_before_a_fork_is_refused_in_the_child(refs):
    process = run(
        """
        import os, sys, floeberg as fb
        reader = fb.open_table(sys.argv[1], relocate={sys.argv[2]: sys.argv[3]}).scan()._inner.stream()
        reader.next_batch()
        if os.fork() == 0:
            try:
                reader.next_batch()
            except fb.errors.UnsupportedError as error:
                print(error, flush=True)
            del reader
            os._exit(0)
        os.wait()
        """,
        str(refs.folder / "table"),
        *next(iter(refs.relocate.items())),
    )
    assert "start it again after the fork" in process.communicate(timeout=20)[0]
