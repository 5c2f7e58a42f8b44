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
STAMP = BIN.parent / ".wheel"


def content(wheel: Path) -> str:
    """Return the hash of a wheel's files, without the times of its archive."""
    digest = hashlib.sha256()
    with zipfile.ZipFile(wheel) as archive:
        for entry in sorted(archive.infolist(), key=lambda entry: entry.filename):
            digest.update(f"{entry.filename}\0{entry.CRC}\0{entry.file_size}\n".encode())
    return digest.hexdigest()


def main() -> None:
    """Build, compare, install."""
    # Not in the checkout: a wheel of the dev profile is nothing to keep.
    wheels = (
        Path(os.environ["CARGO_TARGET_DIR"])
        / "dev-wheels"
        / hashlib.sha256(str(ROOT).encode()).hexdigest()[:16]
    )
    wheels.mkdir(parents=True, exist_ok=True)
    for old in wheels.glob("*.whl"):
        old.unlink()
    build = [BIN / "maturin", "build", "--quiet", "--locked", "--profile", "dev", "--compatibility", "linux"]
    if sys.platform != "linux":
        build = build[:-2]
    subprocess.run([*build, "--out", wheels, "--interpreter", sys.executable], check=True, cwd=ROOT)
    (wheel,) = wheels.glob("*.whl")
    built = content(wheel)
    if not STAMP.exists() or STAMP.read_text() != built:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--force-reinstall", "--no-deps", wheel], check=True)
        STAMP.write_text(built)


if __name__ == "__main__":
    main()
