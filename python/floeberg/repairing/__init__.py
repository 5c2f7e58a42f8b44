"""Faults that a check found, mended: repairs, and what they did."""

from floeberg.repairing.result import LostFile, RepairResult

__all__ = ["LostFile", "RepairResult"]
