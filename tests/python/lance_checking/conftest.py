"""A sound table, of which tests break copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .planting import write_sound

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def sound_lance(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound table that pylance wrote."""
    place = tmp_path_factory.mktemp("sound") / "t.lance"
    write_sound(place)
    return place
