"""Faults that a check found, mended: repairs, and what they did."""

from floeberg.repairing.folder import DamagedVersion, FolderRepairResult, LostSnapshot, repair
from floeberg.repairing.result import LostFile, RepairResult, RowsProof

__all__ = [
    "DamagedVersion",
    "FolderRepairResult",
    "LostFile",
    "LostSnapshot",
    "RepairResult",
    "RowsProof",
    "repair",
]
