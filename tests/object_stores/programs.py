"""Where do the emulators of object stores come from, each in one version, downloaded or built once?"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from one_at_a_time import one_at_a_time
from s3_server import FOLDER

__all__ = ["azurite", "fake_gcs", "versitygw"]

AZURITE = "3.37.0"
VERSITYGW = ("github.com/versity/versitygw/cmd/versitygw", "v1.8.0")
FAKE_GCS = ("github.com/fsouza/fake-gcs-server", "v1.56.1")
SECONDS = 1_500
"""Neither npm nor a build by Go takes longer."""


def azurite() -> list[str]:
    """The command of Azurite's server of blobs; the test is skipped where it cannot be had."""
    node = _program("node", "Azurite, the emulator of Azure Blob Storage")
    place = FOLDER / f"azurite-{AZURITE}"
    main = place / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    with one_at_a_time(FOLDER):
        if not (place / ".made").exists():
            npm = _program("npm", "the download of Azurite")
            asked = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--ignore-scripts"]
            _made([*asked, "--prefix", str(place), f"azurite@{AZURITE}"])
            (place / ".made").touch()
    return [node, str(main)]


def versitygw() -> str:
    """The program of versitygw; the test is skipped where it cannot be had."""
    return _built(*VERSITYGW)


def fake_gcs() -> str:
    """The program of fake-gcs-server; the test is skipped where it cannot be had."""
    return _built(*FAKE_GCS)


def _built(module: str, version: str) -> str:
    """A program that Go builds."""
    name = module.rpartition("/")[2]
    folder = FOLDER / "go" / version
    with one_at_a_time(FOLDER):
        if not (folder / name).exists():
            go = _program("go", f"{name}, which is built from its source")
            # One after the other, since each compiler takes much memory.
            _made([go, "install", "-p", "1", f"{module}@{version}"], GOBIN=str(folder))
    return str(folder / name)


def _program(name: str, needed_by: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: {needed_by} needs it")
    return found


def _made(command: list[str], **environment: str) -> None:
    done = subprocess.run(
        command,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        cwd=Path.home(),
    )
    if done.returncode != 0:
        pytest.skip(f"{command[0]} {command[1]} failed: {done.stderr[-500:]}")
