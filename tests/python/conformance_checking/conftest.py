"""Sound tables, in which violations are planted."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from conformance_checking.planting import Planted
from conformance_checking.sound import sound_table


@pytest.fixture(scope="session")
def sound(tmp_path_factory) -> Callable[[int], AbstractContextManager[Planted]]:
    """Lends a sound table of a version, and makes it sound again afterwards, whatever became of it."""
    made: dict[int, Planted] = {}

    @contextmanager
    def lent(version: int) -> Iterator[Planted]:
        if version not in made:
            folder = tmp_path_factory.mktemp("sound")
            made[version] = sound_table(folder / "now", version)
            shutil.copytree(folder / "now", folder / "then")
        table = made[version]
        now = table.place.parents[3]
        try:
            yield table
        finally:
            shutil.rmtree(now)
            shutil.copytree(now.with_name("then"), now)

    return lent
