"""Whatever became of the bytes of a file, a check ends with findings and not with an error."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import floeberg as fb
from conformance_checking.planting import Planted, path_of
from damage.kinds import DAMAGES, LOSSES

SEEDS = 3


def files_of(table: Planted) -> dict[str, list[Path]]:
    """Files of each kind."""
    statistics = [*table.metadata["statistics"], *table.metadata["partition-statistics"]]
    return {
        "metadata": [table.place],
        "log": [path_of(each["metadata-file"]) for each in table.metadata["metadata-log"]],
        "lists": table.lists(),
        "manifests": table.manifests(),
        "data": table.data_files(),
        "statistics": [path_of(each["statistics-path"]) for each in statistics],
    }


@pytest.mark.parametrize("kind", ["metadata", "log", "lists", "manifests", "data", "statistics"])
def test_a_damaged_file_ends_no_check(sound, kind):
    for number, damage in enumerate(DAMAGES):
        for seed in range(SEEDS):
            with sound(3) as table:
                random = Random(100 * number + seed)
                path = random.choice(files_of(table)[kind])
                damaged = damage(random, path.read_bytes())
                if damaged is None:
                    path.unlink()
                else:
                    path.write_bytes(damaged)
                found = list(fb.check(table.place, "rows", all_snapshots=True))
                # Other damage may leave the meaning as it was.
                assert found or damage not in LOSSES, (kind, damage.__name__, seed)


@pytest.mark.unchecked_tables("files are damaged")
def test_damaged_delete_files_end_no_check(deleted):
    table = deleted(3)
    paths = list(table.place.parents[1].rglob("*.puffin"))
    assert paths
    whole = {path: path.read_bytes() for path in paths}
    for number, damage in enumerate(DAMAGES):
        for path, content in whole.items():
            damaged = damage(Random(number), content)
            if damaged is None:
                path.unlink()
            else:
                path.write_bytes(damaged)
            found = list(fb.check(table.place, "rows", all_snapshots=True))
            assert found or damage not in LOSSES, damage.__name__
            path.write_bytes(content)
