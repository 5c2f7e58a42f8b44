"""A Python with packages that must not be in ours: peers of other versions, each in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from one_at_a_time import one_at_a_time


def environment(folder: Path, packages: dict[str, str]) -> Path:
    """Make an environment with these packages, by name and version, where it is not there; return its Python.

    The first package names the environment, and others than it has make it anew.

    Raises:
        subprocess.CalledProcessError: A package cannot be had.
    """
    name, version = next(iter(packages.items()))
    venv = folder / f"{name}-{version}"
    python, stamp = venv / "bin" / "python", venv / ".made"
    wanted = [f"{name}=={version}" for name, version in packages.items()]
    with one_at_a_time(folder):
        if not stamp.exists() or stamp.read_text().split() != wanted:
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
            pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *wanted], check=True)
            stamp.write_text("\n".join(wanted))
    return python
