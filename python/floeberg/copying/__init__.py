"""How are the rows of a table copied to another table, of the same format or of the other one?"""

from floeberg.copying.copying import copy
from floeberg.copying.result import CopyResult

__all__ = ["CopyResult", "copy"]
