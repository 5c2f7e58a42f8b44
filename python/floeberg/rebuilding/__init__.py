"""Tables that no longer open, made anew of the files that are left of them."""

from floeberg.rebuilding.rebuilding import rebuild, rebuild_candidates
from floeberg.rebuilding.result import LeftContent, LeftFile, PassedOverFile, RebuildResult, RebuildSource

__all__ = [
    "LeftContent",
    "LeftFile",
    "PassedOverFile",
    "RebuildResult",
    "RebuildSource",
    "rebuild",
    "rebuild_candidates",
]
