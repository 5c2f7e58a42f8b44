"""What a check of a Lance table is, whichever rules it has."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import lance
import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg.errors import InvalidInputError, NotFoundError

from .planting import Planted, rows

if TYPE_CHECKING:
    from pathlib import Path

# A process of its own: a decoder that dies must not take the tests with it.
WORKER = """
import sys
import floeberg as fb
for place in sys.argv[1:]:
    found = list(fb.check(place, "rows", all_snapshots=True))
    print(len(found), flush=True)
"""


def copy(sound: Path, tmp_path: Path) -> Planted:
    shutil.copytree(sound, tmp_path / "t.lance")
    return Planted(tmp_path / "t.lance")


def test_a_sound_table_is_sound_at_every_level(sound_lance: Path) -> None:
    table = fb.open_table(sound_lance)
    for level in ("metadata", "manifests", "files", "rows"):
        check = table.check(level)
        assert check.is_sound()
        assert check.to_arrow().num_rows == sum(check.counts().values()) == 0
    assert repr(table.check()) == f"Check({table.location!r}, 'manifests')"


def test_findings_are_of_versions_and_come_as_rows(sound_lance: Path, tmp_path: Path) -> None:
    planted = copy(sound_lance, tmp_path)
    planted.data_file(0).unlink()
    table = fb.open_table(planted.place)
    found = table.check("files").to_arrow().to_pylist()
    assert [(each["rule"], each["level"], each["snapshot_id"]) for each in found] == [
        ("lance-file-there", "files", table.version)
    ]
    assert table.check().is_sound()
    assert table.check("files").counts()["wrong-data"] == 1
    assert [each.snapshot_id for each in table.check("files", all_versions=True)] == [1]


def test_versions_are_chosen(sound_lance: Path, tmp_path: Path) -> None:
    planted = copy(sound_lance, tmp_path)
    table = fb.open_table(planted.place)
    newest = table.version
    planted.data_file(3).unlink()
    dataset = lance.dataset(planted.place)
    numbers = [each["version"] for each in dataset.versions()]
    first = min(each for each in numbers if len(dataset.checkout_version(each).get_fragments()) > 3)
    assert table.check("files", version=first - 1).is_sound()
    assert not table.check("files", version=first).is_sound()
    assert [each.snapshot_id for each in table.check("files", since=first - 1)] == [first]
    assert table.check("files", since=first).is_sound()
    assert table.check("files", version=newest - 1, since=newest - 1).is_sound()
    assert list(fb.check(planted.place, "files", snapshot_id=1)) == []
    assert [each.snapshot_id for each in fb.check(planted.place, "files", since=1, snapshot_id=newest)] == [
        first
    ]
    with pytest.raises(NotFoundError, match="no version 99"):
        list(table.check(version=99))
    with pytest.raises(NotFoundError, match="no version"):
        list(fb.check(planted.place, snapshot_id=-1))
    with pytest.raises(InvalidInputError, match="since: expected a version up to 1"):
        list(table.check(version=1, since=2))


def test_an_open_table_is_checked_at_its_version(sound_lance: Path, tmp_path: Path) -> None:
    planted = copy(sound_lance, tmp_path)
    old = fb.open_table(planted.place, version=1)
    planted.edit(lambda manifest: manifest.put(14, 1))
    assert old.check().is_sound()
    assert not fb.check(planted.place).is_sound()


def test_a_sample_opens_the_same_part_each_time(tmp_path: Path) -> None:
    place = tmp_path / "t.lance"
    lance.write_dataset(rows(0, 60), place, max_rows_per_file=1)
    for file in (place / "data").iterdir():
        file.unlink()
    check = fb.open_table(place).check("files", sample=0.3)
    found = [each.location for each in check]
    assert 3 < len(found) < 40
    assert [each.location for each in check] == found


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"level": "all"}, "level: expected one of"),
        ({"sample": 0}, "sample: expected a part above 0"),
        ({"sample": "x"}, "sample: expected a number"),
        ({"version": -1}, "version"),
        ({"since": "a"}, "since"),
        ({"all_versions": True, "version": 1}, "all_versions: expected neither version nor since"),
        ({"all_versions": 1}, "all_versions"),
    ],
)
def test_mistaken_arguments_are_named(sound_lance: Path, arguments: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        fb.open_table(sound_lance).check(**arguments)


def test_what_is_left_of_a_table_is_checked(sound_lance: Path, tmp_path: Path) -> None:
    planted = copy(sound_lance, tmp_path)
    for manifest in (planted.place / "_versions").iterdir():
        manifest.unlink()
    rules = [each.rule.id for each in fb.check(planted.place)]
    assert rules == ["lance-versions", "lance-tag-version", "lance-tag-version", "lance-branch-parent"]
    (planted.place / "_versions" / "1.manifest").write_bytes(b"LANC")
    assert "lance-manifest-readable" in {each.rule.id for each in fb.check(planted.place)}


def test_other_versions_are_checked_beside_a_broken_one(sound_lance: Path, tmp_path: Path) -> None:
    planted = copy(sound_lance, tmp_path)
    planted.manifest(2).write_bytes(b"")
    planted.data_file(3).unlink()
    found = {
        (each.rule.id, each.snapshot_id) for each in fb.check(planted.place, "files", all_snapshots=True)
    }
    assert ("lance-manifest-readable", 2) in found
    assert any(rule == "lance-file-there" for rule, _ in found)


def test_blobs_of_version_2_are_passed_over() -> None:
    case = lance_lent("lance_legacy")
    assert list(fb.check(case.location, "rows", all_snapshots=True)) == []


@pytest.mark.timeout(600)
def test_damaged_tables_end_in_findings(sound_lance: Path, tmp_path: Path) -> None:
    """Bits are flipped, files cut and filled at random: no panic, no exception, and no endless work."""
    places = []
    for seed in range(120):
        draw = random.Random(seed)
        place = tmp_path / str(seed)
        shutil.copytree(sound_lance, place)
        files = sorted(path for path in place.rglob("*") if path.is_file())
        path = draw.choice(files)
        content = bytearray(path.read_bytes())
        at = (
            draw.randrange(len(content))
            if draw.random() < 0.5
            else -draw.randrange(1, min(200, len(content)) + 1)
        )
        match draw.choice(["flip", "flip", "cut", "fill"]):
            case "flip":
                content[at] ^= 1 << draw.randrange(8)
            case "cut":
                del content[at:]
            case "fill":
                content[at : at + 8] = b"\xff" * len(content[at : at + 8])
        path.write_bytes(bytes(content))
        places.append(str(place))
    done = subprocess.run(
        [sys.executable, "-c", WORKER, *places], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    counts = [int(line) for line in done.stdout.split()]
    assert len(counts) == len(places)
    assert sum(count > 0 for count in counts) > 60
