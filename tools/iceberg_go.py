"""iceberg-go to compare with: a program of the tests, built where Go is installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from one_at_a_time import one_at_a_time

SOURCE = Path(__file__).parent.parent / "tests" / "interop" / "peers" / "iceberg_go"
FILES = ("main.go", "go.mod", "go.sum")


def iceberg_go(folder: Path) -> Path | str:
    """The program, built where it is not there; or why it cannot be had."""
    source = b"".join((SOURCE / name).read_bytes() for name in FILES)
    program = folder / f"iceberg-go-{hashlib.sha256(source).hexdigest()[:16]}"
    with one_at_a_time(folder):
        if program.exists():
            return program
        go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
        if go is None:
            return "Go is not installed"
        made = program.with_suffix(".new")
        packages = {
            "GOPATH": str(folder / "go"),
            "GOCACHE": str(folder / "go" / "build"),
            "GOTOOLCHAIN": "local",
        }
        try:
            subprocess.run(
                [go, "build", "-trimpath", "-o", str(made), "."],
                check=True,
                cwd=SOURCE,
                env=os.environ | packages,
                capture_output=True,
                text=True,
            )
        except (OSError, subprocess.CalledProcessError) as error:
            return f"{type(error).__name__}: {error} {getattr(error, 'stderr', '')}"
        made.rename(program)
        # Packages and objects take a gigabyte, and only another program would need them.
        subprocess.run([go, "clean", "-modcache", "-cache"], check=False, env=os.environ | packages)
    return program
