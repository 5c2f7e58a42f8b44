"""Lance tables: their versions, and how their rows are read.

The table format is Floeberg's own. The pages of data files are decoded by pylance, which `floeberg[lance]` installs.
"""

from floeberg.lance.plan import LancePlan, LanceTaskGroup
from floeberg.lance.scan import LanceScan
from floeberg.lance.table import LanceTable

__all__ = ["LancePlan", "LanceScan", "LanceTable", "LanceTaskGroup"]
