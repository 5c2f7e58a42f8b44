"""How rows become files before a commit: recipes, receipts, and the rows of other libraries."""

from floeberg.write.receipt import Receipt
from floeberg.write.recipe import WriteRecipe

__all__ = ["Receipt", "WriteRecipe"]
