#!/usr/bin/env python3
"""Make or update the virtual environment of this checkout.

    make_venv.py VENV NAME

installs requirements/NAME.txt into VENV, which is made when absent, and leaves a stamp VENV/.NAME that holds the hash
of what was installed. Nothing is done when the stamp is right. The interpreter is the first of `python3` and newer
named ones that is at least 3.10.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 10)
CANDIDATES = ("python3", "python3.13", "python3.12", "python3.11", "python3.10", "python3.14", "python")
PYENV = Path.home() / ".pyenv" / "versions"


def interpreter() -> str:
    """Return a Python that is new enough.

    Raises:
        SystemExit: none is found; the message lists what was tried.
    """
    named = [path for name in CANDIDATES if (path := shutil.which(name))]
    pyenv = [str(path) for path in sorted(PYENV.glob("3.*/bin/python3"), reverse=True)]
    for path in named + pyenv:
        # A shim of a version manager may be found and still not run.
        program = f"import sys, venv, ensurepip; sys.exit(sys.version_info[:2] < {OLDEST})"
        if subprocess.run([path, "-c", program], capture_output=True, check=False).returncode == 0:
            return path
    sys.exit(
        f"no Python >= {OLDEST[0]}.{OLDEST[1]} with venv found; tried: {', '.join(named + pyenv) or 'none'}"
    )


def main(venv: Path, name: str) -> None:
    """Bring `venv` up to date with requirements/`name`.txt."""
    requirements = Path(__file__).parent.parent / "requirements" / f"{name}.txt"
    stamp = venv / f".{name}"
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    python = venv / "bin" / "python"
    # A folder without a working interpreter (moved, or its Python removed) is made anew.
    if (
        subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode
        if python.exists()
        else 1
    ):
        subprocess.run([interpreter(), "-m", "venv", "--clear", str(venv)], check=True)
    if not stamp.exists() or stamp.read_text() != wanted:
        command = [
            python,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
            requirements,
        ]
        subprocess.run(command, check=True)
    stamp.write_text(wanted)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
