"""iceberg-go looks after tables as Floeberg does: the same files go."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from iceberg_go import iceberg_go
from looked_after import EVER, HISTORIES, content, kinds, made
from peers.environments import FOLDER

pytestmark = pytest.mark.timeout(1800)


@pytest.fixture(scope="session")
def go():
    """Runs a command of iceberg-go on a table: its lines."""
    program = iceberg_go(FOLDER)
    if isinstance(program, str):
        pytest.skip(f"iceberg-go cannot be had here: {program}")

    def run(command: str, warehouse: Path, *words: str) -> list[str]:
        done = subprocess.run(
            [program, command, str(warehouse), "ns", "t", *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.mark.unchecked_tables("iceberg-go removes files of states that this process committed")
@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("last", [1, 3])
def test_the_same_files_go(tmp_path, go, history, version, last):
    ours = made(tmp_path / "ours", history, version)
    theirs = made(tmp_path / "theirs", history, version)
    go("expire", tmp_path / "theirs", str(last))
    ours.maintenance.expire_snapshots(older_than=EVER, retain_last=last)
    theirs.refresh()
    assert kinds(tmp_path / "ours") == kinds(tmp_path / "theirs")
    assert sorted(ours.refs()) == sorted(theirs.refs())
    assert content(ours) == content(theirs)
    for name in ("data/lost.parquet", "metadata/lost-m0.avro", "deep/er/lost"):
        lost = tmp_path / "ours" / "ns" / "t" / name
        lost.parent.mkdir(parents=True, exist_ok=True)
        lost.write_bytes(b"x")
    found = ours.maintenance.remove_orphan_files(older_than=EVER, allow_recent=True, dry_run=True)
    orphans = {path.removeprefix("file://") for path in found.orphan_file_locations}
    assert len(orphans) == 3
    assert {path.removeprefix("file://") for path in go("orphans", tmp_path / "ours")} == orphans
