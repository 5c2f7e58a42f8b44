"""What tests of key management share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from encryption.key_service import KeyService


@pytest.fixture(autouse=True)
def nobody_else_has_keys(monkeypatch) -> None:
    """No variable of the machine is one of these tests."""
    for name in list(os.environ):
        if name.startswith(("VAULT_", "FLOEBERG_ENCRYPTION", "AWS_")):
            monkeypatch.delenv(name)


@pytest.fixture
def service() -> Iterator[KeyService]:
    """A key service."""
    made = KeyService()
    yield made
    made.stop()
