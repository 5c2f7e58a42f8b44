"""How does a table take over the files of a source: of plain files, of a Delta table, of a Lance table?"""

from floeberg.takeover.result import SourceFormat, TakeoverResult
from floeberg.takeover.taking_over import migrate_table, snapshot_table

__all__ = ["SourceFormat", "TakeoverResult", "migrate_table", "snapshot_table"]
