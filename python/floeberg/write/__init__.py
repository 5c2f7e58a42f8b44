"""From rows to files that no table has yet: recipes, receipts, and the rows of other libraries."""

from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe

__all__ = ["Receipt", "WriteRecipe"]
