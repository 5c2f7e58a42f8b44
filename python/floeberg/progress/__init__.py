"""How far is long work?

Whoever does such work hands its numbers to a `Reporter`, which calls a function of the user with reports.
"""

from floeberg.progress.report import ProgressCallback, ProgressReport

__all__ = ["ProgressCallback", "ProgressReport"]
