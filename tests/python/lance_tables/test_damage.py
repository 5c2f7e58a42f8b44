"""Damaged Lance tables end in right rows, or in an error that names a file; in Lance, data pages have no checksums."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg import errors

SEEDS = int(os.environ.get("FLOEBERG_LANCE_DAMAGES", "250"))
ROLES = ("lance", "lance_stable", "lance_kinds", "lance_nested", "lance_bitmap")
KINDS = {"_versions": "manifest", "_deletions": "deletes", "data": "data"}

# A process of its own: a decoder that dies must not take the tests with it.
WORKER = """
import json, sys
import floeberg as fb
for line in sys.stdin:
    place = line.rstrip("\\n")
    try:
        rows = fb.open_table(place, format="lance").scan(selected_fields=("*", "_rowid")).to_arrow()
        rows.validate(full=True)
        outcome = ["rows", repr(rows.to_pylist())]
    except fb.errors.FloebergError as error:
        outcome = ["error", type(error).__name__, str(error)]
    except BaseException as error:
        outcome = ["foreign", type(error).__name__, str(error)[:500]]
    print(json.dumps(outcome), flush=True)
"""


def damaged(place: Path, seed: int) -> tuple[str, Path]:
    """Damage one file of the newest version by a seed: flip bits, cut it, remove it, write over it, or add to it."""
    draw = random.Random(seed)
    table = fb.open_table(place, format="lance")
    plan = table.scan().plan_files()
    files = [Path(table._inner.manifest_location)]
    files += [Path(file.location) for task in plan for file in task.data_files]
    files += [Path(task.deletion_file) for task in plan if task.deletion_file]
    kind = draw.choice([*KINDS.values()])
    path = draw.choice([file for file in files if KINDS[file.parent.name] == kind] or files)
    content = bytearray(path.read_bytes())
    # Where a file says what is in it is at its end.
    at = (
        draw.randrange(len(content))
        if draw.random() < 0.5
        else -draw.randrange(1, min(200, len(content)) + 1)
    )
    match draw.choice(["flip", "flip", "byte", "cut", "zero", "add", "remove"]):
        case "flip":
            content[at] ^= 1 << draw.randrange(8)
        case "byte":
            content[at] = draw.randrange(256)
        case "cut":
            del content[at:]
        case "zero":
            content[at : at + 16] = bytes(len(content[at : at + 16]))
        case "add":
            content += draw.randbytes(draw.randrange(1, 64))
        case "remove":
            path.unlink()
            return KINDS[path.parent.name], path
    path.write_bytes(content)
    return KINDS[path.parent.name], path


def finish(worker: subprocess.Popen) -> None:
    """End a worker, and close its pipes."""
    worker.stdin.close()
    worker.stdout.close()
    worker.wait()


@pytest.mark.timeout(600)
def test_damaged_tables_read_right_or_say_which_file_is_damaged(tmp_path):
    wanted = {
        role: repr(lance_lent(role).open().scan(selected_fields=("*", "_rowid")).to_arrow().to_pylist())
        for role in ROLES
    }
    counted: dict[tuple[str, str], int] = {}
    bad = []
    worker = None
    for seed in range(SEEDS):
        role = ROLES[seed % len(ROLES)]
        place = tmp_path / str(seed)
        shutil.copytree(lance_lent(role).location, place)
        kind, path = damaged(place, seed)
        if worker is None:
            worker = subprocess.Popen(
                [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        worker.stdin.write(f"{place}\n")
        worker.stdin.flush()
        answer = worker.stdout.readline()
        outcome = json.loads(answer) if answer else ["died", str(worker.wait())]
        if not answer:
            finish(worker)
            worker = None
        told = outcome[0]
        if told == "rows":
            told = "right" if outcome[1] == wanted[role] else "differs"
        counted[kind, told] = counted.get((kind, told), 0) + 1
        if told == "error" and outcome[1] == "InternalError":
            bad.append((seed, kind, outcome))
        elif told == "error" and str(place) not in outcome[2]:
            bad.append((seed, kind, "names no file", outcome))
        elif told in {"foreign", "died"}:
            bad.append((seed, kind, str(path), outcome))
        # Manifests and data files have no checksums; what a deletion file deletes is counted in the manifest.
        shutil.rmtree(place)
    if worker is not None:
        finish(worker)
    assert not bad, (len(bad), bad[:10])
    for kind in KINDS.values():
        assert counted.get((kind, "error"), 0) > SEEDS // 20, counted


def copied(tmp_path, role="lance"):
    place = tmp_path / "t"
    shutil.copytree(lance_lent(role).location, place)
    return place


def test_a_data_file_of_another_size_is_an_error_that_names_it(tmp_path):
    place = copied(tmp_path)
    file = Path(fb.open_table(place).scan().plan_files()[0].data_files[0].location)
    file.write_bytes(file.read_bytes() + b"x")
    with pytest.raises(errors.InvalidDataError, match=f"as the manifest says, found.*{file.name}"):
        fb.open_table(place).scan().to_arrow()


def test_a_data_file_in_the_place_of_another_is_an_error(tmp_path):
    place = copied(tmp_path)
    plan = fb.open_table(place).scan().plan_files()
    first, last = (Path(plan[number].data_files[0].location) for number in (0, 2))
    shutil.copy(last, first)
    with pytest.raises(errors.InvalidDataError, match=f"{first.name}"):
        fb.open_table(place).scan().to_arrow()


def test_files_that_are_gone_are_named(tmp_path):
    place = copied(tmp_path)
    task = fb.open_table(place).scan().plan_files()[0]
    Path(task.deletion_file).unlink()
    with pytest.raises(errors.NotFoundError, match=Path(task.deletion_file).name):
        fb.open_table(place).scan().to_arrow()
    Path(task.data_files[0].location).unlink()
    with pytest.raises(errors.NotFoundError, match=Path(task.data_files[0].location).name):
        fb.open_table(place).scan(selected_fields=("id",)).to_arrow()


def test_a_version_that_is_gone_is_told(tmp_path):
    place = copied(tmp_path)
    table = fb.open_table(place, version=3)
    Path(table._inner.manifest_location).unlink()
    with pytest.raises(errors.NotFoundError, match="no version 3: there are 6 versions from 1 to 7"):
        fb.open_table(place, version=3)


def test_a_tag_that_is_damaged_is_told(tmp_path):
    place = copied(tmp_path, "lance_tags")
    tag = next((place / "_refs" / "tags").iterdir())
    tag.write_text("{")
    with pytest.raises(errors.InvalidDataError, match=tag.name):
        fb.open_table(place, tag=tag.stem)
    with pytest.raises(errors.InvalidDataError, match=tag.name):
        fb.open_table(place).tags()
