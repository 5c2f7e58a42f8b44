"""What keeps an Iceberg table healthy?"""

from __future__ import annotations

from floeberg._keywords import says_keywords_of_methods
from floeberg.maintenance._metadata import MetadataMaintenance
from floeberg.maintenance._removing import RemovingMaintenance
from floeberg.maintenance._rewriting import RewritingMaintenance

__all__ = ["TableMaintenance"]


@says_keywords_of_methods
class TableMaintenance(RewritingMaintenance, MetadataMaintenance, RemovingMaintenance):
    """What keeps an Iceberg table healthy. Options have the names of Spark's procedures."""

    def __repr__(self) -> str:
        names = [each for each in dir(self) if not each.startswith("_")]
        return f"TableMaintenance({', '.join(names)})"
