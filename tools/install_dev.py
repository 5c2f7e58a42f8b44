"""Build the development wheel and install it into the running environment, when something changed.

Cargo decides whether anything is to be compiled; the wheel is installed again only when its content differs from the
one installed last.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent


def content(wheel: Path) -> str:
    """Return the hash of a wheel's files, without the times of its archive."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            digest.update(f"{entry.filename}\0{entry.CRC}\0{entry.file_size}\n".encode())
    return digest.hexdigest()


def build() -> Path:
    """Return the wheel of the dev profile."""
    # Not in the checkout: a wheel of the dev profile is nothing to keep.
    checkout = hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]
    wheels = Path(os.environ["CARGO_TARGET_DIR"]) / "dev-wheels" / checkout
    wheels.mkdir(parents=True, exist_ok=True)
    for old in wheels.glob("*.whl"):
        old.unlink()
    command = [BIN / "maturin", "build", "--quiet", "--locked", "--profile", "dev"]
    if sys.platform == "linux":
        command += ["--compatibility", "linux"]
    subprocess.run([*command, "--out", wheels, "--interpreter", sys.executable], check=True, cwd=ROOT)
    (wheel,) = wheels.glob("*.whl")
    return wheel


def main() -> None:
    """Build, compare, install."""
    wheel = build()
    built = content(wheel)
    stamp = BIN.parent / ".wheel"
    if not stamp.exists() or stamp.read_text() != built:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
        subprocess.run([*pip, "--force-reinstall", wheel], check=True)
        stamp.write_text(built)


if __name__ == "__main__":
    main()
