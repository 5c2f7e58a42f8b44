"""MERGE, DELETE, UPDATE, appends and streams through PySpark, beside Iceberg Java on Spark 4.0, in turn.

Both have one session of two cores, and each run a branch or a table of its own. Times are those of the clock and of the
processor: of all processes, the JVM and its Python workers.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from argparse import ArgumentParser
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow.parquet as pq
from append_rows import BATCH, batch
from delete_rows import delete_table
from goals import Goal
from iceberg_java import VERSION, iceberg_java
from measure import folder
from spark_writes import BATCHES, FEWEST, file_of_batch
from upsert_rows import batch as rows_of_stream
from upsert_rows import for_java, upsert_table

MERGED, CHANGED, APPENDED, STREAMED = 10_000_000, 20_000_000, 10_000_000, 1_000
BATCH_ROWS = 100
FILES = 8
SUBJECTS = ("merge", "append", "append_cut", "delete", "delete_computed", "update", "stream")


class Child:
    """A session of Spark in a process group of its own.

    Args:
        python: A Python that has PySpark.
        module: What it runs.
        place: Where it makes tables.
        more: More of its environment.
    """

    def __init__(self, python: str, module: str, place: Path, **more: str) -> None:
        loopback = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python}
        self._process = subprocess.Popen(
            [python, f"{module}.py", str(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | loopback | more,
            cwd=Path(__file__).parent,
            start_new_session=True,
        )

    def run(self, subject: str, place: Path, rows: int) -> dict[str, Any]:
        """Runs a subject once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(
            json.dumps({"subject": subject, "place": str(place), "rows": rows}),
            file=self._process.stdin,
            flush=True,
        )
        answer = self._process.stdout.readline()
        if not answer:
            sys.exit(f"{subject} failed: see above")
        facts: dict[str, Any] = json.loads(answer)
        return facts

    def close(self) -> None:
        """Ends the session."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Measured:
    """The runs of a subject on both sides."""

    ours: list[dict[str, Any]]
    theirs: list[dict[str, Any]]

    def ratio(self, what: str) -> float:
        """Ours over theirs; medians."""
        return _median(self.ours, what) / _median(self.theirs, what) if self.theirs else float("nan")

    def show(self, title: str) -> None:
        """Print a table."""
        print(f"\n{title}")
        for name, runs in (("floeberg", self.ours), (f"Iceberg Java {VERSION}", self.theirs)):
            if runs:
                clock, processor = (_spread(runs, what) for what in ("seconds", "processor"))
                print(f"  {name:<22} clock {clock:<26} processor {processor}", flush=True)
        print(
            f"  {'ratio':<22} clock {self.ratio('seconds'):<26.3g} processor {self.ratio('processor'):.3g}",
            flush=True,
        )


def _median(runs: list[dict[str, Any]], what: str) -> float:
    return median(each[what] for each in runs)


def _spread(runs: list[dict[str, Any]], what: str) -> str:
    values = [each[what] for each in runs]
    return f"{median(values):.3g} s ({min(values):.3g}-{max(values):.3g})"


def main(scale: float, runs: int, subjects: list[str], *, java: bool) -> None:
    """Make the tables when they are not there, then measure."""
    places = {name: _made(name, scale) for name in subjects}
    own = folder() / "spark-writes"
    own.mkdir(parents=True, exist_ok=True)
    children = [Child(sys.executable, "spark_writes_floeberg", own)]
    if java:
        found = iceberg_java(folder())
        if isinstance(found, str):
            sys.exit(f"Iceberg Java cannot be had here: {found}")
        children.append(Child(str(found[0]), "spark_writes_java", own, ICEBERG_JAR=str(found[1])))
    goals = []
    for name in subjects:
        measured = _measured(children, name, places[name], scale, runs)
        measured.show(f"spark/{name}/scale {scale:g}")
        goals += _goals(name, measured)
    for child in children:
        child.close()
    for made in own.glob("*/db/run_*"):
        shutil.rmtree(made)
    for goal in goals if java else ():
        print(goal)


def _measured(children: list[Child], name: str, place: Path, scale: float, runs: int) -> Measured:
    found: list[list[dict[str, Any]]] = [[], []]
    batches = max(FEWEST, int(STREAMED * scale))
    # The JVM compiles what has run for some seconds.
    before = 1 if name == "stream" else 2
    for run in range(2 if name == "stream" else runs + before):
        rows = batches if run >= before else FEWEST
        for at, child in enumerate(children):
            facts = child.run(name, place, rows)
            if run >= before:
                found[at].append(facts)
    counts = {tuple(each["count"]) for side in found for each in side}
    assert len(counts) == 1, (name, counts)
    assert min(next(iter(counts))) >= 0, (name, counts)
    return Measured(*found)


def _goals(name: str, measured: Measured) -> list[Goal]:
    for runs in (measured.ours, measured.theirs):
        if runs and "sizes" in runs[0]:
            sizes = runs[0]["sizes"]
            print(f"  {len(sizes)} files of {min(sizes) / 2**20:.3g} to {max(sizes) / 2**20:.3g} MiB")
        if runs and "milliseconds" in runs[0]:
            _show_batches(runs[0]["milliseconds"])
    bounds = {"stream": 1.5, "append": 1 / 1.3, "append_cut": 1 / 1.3}
    return [
        Goal(f"spark/{name}/floeberg over Iceberg Java/{word}", measured.ratio(what), "x", bound, bound)
        for what, word in (("seconds", "clock"), ("processor", "processor"))
        for bound in (bounds.get(name, 1.0),)
    ]


def _show_batches(durations: list[list[int]]) -> None:
    """The milliseconds of batches, those of the first and of the last tenth, and what they are made of."""
    tenth = max(1, len(durations) // 10)
    for word, part in (
        ("all", durations),
        ("the first tenth", durations[:tenth]),
        ("the last", durations[-tenth:]),
    ):
        middle = [median(each[at] for each in part) for at in range(len(part[0]))]
        print(
            f"  batches, {word:<16} {middle[0]:>6.5g} ms; addBatch {middle[1]:.5g}, planning {middle[2]:.5g}, "
            f"logs {middle[3] + middle[4]:.5g}"
        )


def _made(name: str, scale: float) -> Path:
    if name == "merge":
        place = upsert_table(folder(), int(MERGED * scale), 3)
        for_java(place)
        return place
    if name.startswith("append"):
        return _append_rows(folder(), int(APPENDED * scale))
    if name == "stream":
        return _stream_files(folder(), max(FEWEST, int(STREAMED * scale)))
    return delete_table(folder(), int(CHANGED * scale), 3)


def _append_rows(place: Path, rows: int) -> Path:
    """Rows in files of Parquet."""
    made = place / f"spark-append-{rows}"
    if not (made / "done").exists():
        shutil.rmtree(made, ignore_errors=True)
        (made / "rows").mkdir(parents=True)
        for number, first in enumerate(range(0, rows, -(-rows // FILES))):
            end = min(rows, first + -(-rows // FILES))
            with pq.ParquetWriter(made / "rows" / f"{number}.parquet", batch(0, 1).schema) as writer:
                for start in range(first, end, BATCH):
                    writer.write_batch(batch(start, min(BATCH, end - start)))
        (made / "done").touch()
    return made


def _stream_files(place: Path, batches: int) -> Path:
    """Small files, one for each batch of a stream."""
    import numpy as np

    made = place / f"spark-stream-{batches}"
    if not (made / "done").exists():
        shutil.rmtree(made, ignore_errors=True)
        (made / BATCHES).mkdir(parents=True)
        for number in range(batches):
            ids = np.arange(number * BATCH_ROWS, (number + 1) * BATCH_ROWS, dtype=np.int64)
            pq.write_table(rows_of_stream(ids, number), made / BATCHES / file_of_batch(number))
        (made / "done").touch()
    return made


if __name__ == "__main__":
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1, help="of the rows and the batches")
    parser.add_argument("--runs", type=int, default=3, help="of each, after two that do not count")
    parser.add_argument(
        "--subjects",
        type=lambda text: text.split(","),
        default=list(SUBJECTS),
        help="which ones: " + ",".join(SUBJECTS),
    )
    parser.add_argument("--no-java", dest="java", action="store_false", help="without Iceberg Java")
    main(**vars(parser.parse_args()))
