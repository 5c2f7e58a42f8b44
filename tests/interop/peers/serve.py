"""How does a peer answer? Runs in the peer's environment; nothing but the standard library is imported here.

A line of JSON comes in: `{"call": name, "arguments": {...}}`. One goes out: `{"answer": ...}`, or
`{"error": [class, message]}`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any


def serve(calls: dict[str, Callable[..., Any]]) -> None:
    """Answer calls until there are no more."""
    # What libraries print must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            said = {"answer": calls[asked["call"]](**asked["arguments"])}
        except BaseException as error:  # noqa: BLE001 - panics of Rust too: what a peer refuses is for the tests to judge
            said = {"error": [type(error).__name__, str(error)]}
        answers.write(json.dumps(said) + "\n")
        answers.flush()
