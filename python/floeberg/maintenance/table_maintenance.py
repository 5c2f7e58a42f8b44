"""What keeps an Iceberg table healthy?"""

from __future__ import annotations

from floeberg._keywords import says_keywords_of_methods
from floeberg.maintenance._paths import PathMaintenance
from floeberg.maintenance._planning import PlanningMaintenance
from floeberg.maintenance._statistics import StatisticsMaintenance

__all__ = ["TableMaintenance"]


@says_keywords_of_methods
class TableMaintenance(PlanningMaintenance, StatisticsMaintenance, PathMaintenance):
    """What keeps an Iceberg table healthy. Options have the names of Spark's procedures."""

    def __repr__(self) -> str:
        names = [each for each in dir(self) if not each.startswith("_")]
        return f"TableMaintenance({', '.join(names)})"
