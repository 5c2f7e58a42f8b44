"""Which step of reaching a catalog and its store fails, and what helps?"""

from floeberg.catalog.check.result import CatalogCheck, CatalogCheckStep
from floeberg.catalog.check.steps import Check

__all__ = ["CatalogCheck", "CatalogCheckStep", "Check"]
