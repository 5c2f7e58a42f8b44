"""How do tests ask a peer?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import IO, Any

PROGRAMS = Path(__file__).parent


class Refused(Exception):  # noqa: N818 - it is an answer
    """What a peer says instead of an answer.

    Attributes:
        kind: The class of its error.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind


class Peer:
    """A peer that waits for calls."""

    def __init__(self, python: Path, program: str, log: Path, **environment: str) -> None:
        """Start `program` of this folder under `python`; what it prints goes to `log`."""
        self._log = log
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [python, PROGRAMS / program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                text=True,
                env=os.environ | environment,
            )

    def __call__(self, call: str, **arguments: Any) -> Any:
        """Ask, and wait for the answer.

        Raises:
            Refused: The peer cannot do it.
        """
        questions, answers = self._process.stdin, self._process.stdout
        assert questions is not None
        assert answers is not None
        questions.write(json.dumps({"call": call, "arguments": arguments}) + "\n")
        questions.flush()
        return self._answer(answers)

    def _answer(self, answers: IO[str]) -> Any:
        line = answers.readline()
        assert line, f"the peer ended with {self._process.wait()}: {self._log.read_text()[-2000:]}"
        said = json.loads(line)
        if "error" in said:
            raise Refused(*said["error"])
        return said["answer"]

    def stop(self) -> None:
        """Let it end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
