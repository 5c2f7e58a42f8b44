"""What is a table made of, that is to be created?"""

from __future__ import annotations

from typing import TypedDict

__all__ = ["NewTable"]


class NewTable(TypedDict):
    """The parts of a table to create, as `Operation.create_table` takes them."""

    schema_json: str
    spec_json: str | None
    sort_order_json: str | None
    location: str
    properties: dict[str, str]
    format_version: int
