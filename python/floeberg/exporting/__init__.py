"""How does a table leave: as plain Parquet files with a list of their checksums?"""

from floeberg.exporting.checksums import ExportCheck, verify_export
from floeberg.exporting.exporting import ExportResult, export_table

__all__ = ["ExportCheck", "ExportResult", "export_table", "verify_export"]
