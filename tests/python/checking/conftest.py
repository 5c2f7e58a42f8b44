"""Sound tables, in which violations are planted by code that the check does not know."""

from __future__ import annotations

from conformance_checking.conftest import sound
from conformance_checking.test_delete_rules import deleted

__all__ = ["deleted", "sound"]
