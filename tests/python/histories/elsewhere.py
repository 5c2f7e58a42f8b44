"""The other process, seen from here."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa

import floeberg as fb


class Elsewhere:
    """A process that writes files."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def write(self, recipe: fb.WriteRecipe, rows: pa.Table, task: str) -> fb.Receipt:
        """Have it write rows."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, Path(__file__).with_name("worker.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        question = pickle.dumps((recipe, rows, task))
        process.stdin.write(struct.pack("<Q", len(question)) + question)
        process.stdin.flush()
        answer: fb.Receipt = pickle.loads(process.stdout.read(struct.unpack("<Q", process.stdout.read(8))[0]))
        return answer

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            assert self._process.stdin is not None and self._process.stdout is not None
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
