"""What is in the Cargo workspace, for the checks beside this file."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def load() -> dict[str, Any]:
    """Return the output of `cargo metadata` for the members of the workspace, without their dependencies' own."""
    command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    loaded: dict[str, Any] = json.loads(output)
    return loaded


def is_test(path: Path) -> bool:
    """Tell whether a source file holds tests or what serves only them."""
    return path.stem in ("tests", "testing") or any(
        part in ("tests", "testing", "benches") for part in path.parts
    )


def strip_comments(source: str) -> str:
    """Return Rust source without comments and without the content of string literals; lines keep their numbers."""

    def blank(match: re.Match[str]) -> str:
        text = match.group(0)
        return "\n" * text.count("\n") if text.startswith("/") else '"' + "\n" * text.count("\n") + '"'

    # Raw strings, strings, comments, in one pass, so that none is looked for inside another. Characters such as '"'
    # are kept out of the way.
    tokens = r"""r(#*)".*?"\1|'(?:\\.|[^\\'])'|"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/"""
    return re.sub(
        tokens,
        lambda match: match.group(0) if match.group(0).startswith("'") else blank(match),
        source,
        flags=re.DOTALL,
    )
