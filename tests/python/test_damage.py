"""Whatever happens to a file, reading ends in right rows or in an error that names a file.

No panic, no foreign exception, no hang, no allocation beyond a limit. `damage.targets` says where a format holds
nothing to notice damage by, so that rows may differ. A failure prints its seed, which
`python -m damage.worker FOLDER SEED SEED+1 1` runs alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import pytest

SEEDS = int(os.environ.get("FLOEBERG_DAMAGES", "1500"))
WORKERS = 2
PATIENCE_SECONDS = 30
PEAK_MB = 1024
MEMORY_FOLDER = Path("/dev/shm")


@pytest.mark.timeout(600)
def test_damaged_tables_read_right_or_say_which_file_is_damaged() -> None:
    here = MEMORY_FOLDER if MEMORY_FOLDER.is_dir() else None
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(dir=here) as folder:
        places = [Path(folder, str(number)) for number in range(WORKERS)]
        threads = [
            threading.Thread(target=work, args=(place, number, results))
            for number, place in enumerate(places)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    bad = [result for result in results if result["outcome"] not in ("right", "error", "differs")]
    assert not bad, f"{len(bad)} of {len(results)}:\n" + "\n".join(map(json.dumps, bad[:40]))
    assert len(results) == SEEDS
    assert max(result["peak_mb"] for result in results) < PEAK_MB
    # The damages must reach all that reading opens, and most must be noticed.
    outcomes = Counter((result["kind"], result["outcome"]) for result in results)
    for kind in ("metadata", "manifest list", "manifest", "data", "deletes", "vector"):
        assert outcomes[kind, "error"] > SEEDS // 25, outcomes
    assert sum(count for (_, outcome), count in outcomes.items() if outcome == "error") > SEEDS // 2, outcomes


def work(folder: Path, number: int, results: list[dict[str, Any]]) -> None:
    """Run one worker; what it was at when it died or hung becomes a result too."""
    folder.mkdir()
    command = [sys.executable, "-m", "damage.worker", str(folder), str(number), str(SEEDS), str(WORKERS)]
    environment = os.environ | {"FLOEBERG_THREADS": "2"}
    last: dict[str, Any] = {"kind": "", "outcome": "", "seed": None, "peak_mb": 0}
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command,
            cwd=Path(__file__).parent,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        lines: Queue[str | None] = Queue()
        reader = threading.Thread(target=follow, args=(process, lines))
        reader.start()
        try:
            while (text := lines.get(timeout=PATIENCE_SECONDS)) is not None:
                last = json.loads(text)
                if "outcome" in last:
                    results.append(last)
        except Empty:
            process.kill()
            results.append(last | {"outcome": f"no answer within {PATIENCE_SECONDS} s", "peak_mb": 0})
        reader.join()
        if process.wait() != 0:
            errors.seek(0)
            said = errors.read()[-2000:]
            results.append(last | {"outcome": f"died ({process.returncode}): {said}", "peak_mb": 0})


def follow(process: subprocess.Popen[str], lines: Queue[str | None]) -> None:
    """Hand on what a process prints, and None at its end."""
    assert process.stdout is not None
    for text in process.stdout:
        lines.put(text)
    lines.put(None)
