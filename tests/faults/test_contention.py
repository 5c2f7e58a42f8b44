"""Many writers commit to one table at once. Nearly all succeed, and nothing is lost."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
from audit import check
from children import Appender
from faulted import ROWS, SCHEMA, Place, batch

import floeberg as fb

WRITERS, COMMITS = 8, 50
ENOUGH = 395


@pytest.mark.parametrize("kind", ["filesystem", "sql"])
@pytest.mark.timeout(900)
def test_eight_processes_commit_to_one_table(tmp_path, kind, report) -> None:
    place = Place(kind, tmp_path / kind)
    place.create()
    children = [Appender(place, writer, 0, COMMITS) for writer in range(WRITERS)]
    for child in children:
        child.go()
    ends = [child.wait() for child in children]
    assert ends == [0] * WRITERS
    acknowledged = {(child.writer, number) for child in children for number in child.done}
    failed = [line for child in children for line in child.failed]
    report(f"{kind}: {len(acknowledged)} of {WRITERS * COMMITS} commits acknowledged, {len(failed)} gave up")
    table = check(
        place, {}, acknowledged, {(child.writer, number) for child in children for number in child.begun}
    )
    assert len(acknowledged) >= ENOUGH, failed[:5]
    assert len(table.snapshots()) >= len(acknowledged)


@pytest.mark.timeout(900)
def test_eight_threads_commit_to_one_table_in_memory(report) -> None:
    catalog = fb.load_catalog("contended", type="memory", warehouse="memory://contended")
    catalog.create_namespace("ns")
    catalog.create_table("ns.t", SCHEMA)
    done: list[tuple[int, int]] = []
    failed: list[str] = []

    def append(writer: int) -> None:
        table = catalog.load_table("ns.t")
        for number in range(COMMITS):
            try:
                table.append(batch(writer, number))
                done.append((writer, number))
            except fb.FloebergError as error:
                failed.append(str(error))

    threads = [threading.Thread(target=append, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    report(f"memory: {len(done)} of {WRITERS * COMMITS} commits acknowledged, {len(failed)} gave up")
    rows = catalog.load_table("ns.t").scan(selected_fields=("writer", "number")).to_arrow()
    there = Counter(zip(rows["writer"].to_pylist(), rows["number"].to_pylist(), strict=True))
    assert there == dict.fromkeys(done, ROWS)
    assert len(done) >= ENOUGH, failed[:5]
