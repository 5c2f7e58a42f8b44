"""Views: what they say, how they change, and the contract for catalogs that store them.

A catalog of your own implements this contract, `ViewOperations`, or the methods of `MetastoreCatalog` that are about
views.
"""

from floeberg.view.opening import open_view
from floeberg.view.operations import OpenedView, ViewAttempt, ViewOperations, view_from_metadata
from floeberg.view.scan import ViewScan
from floeberg.view.versions import SQLViewRepresentation, ViewHistoryEntry, ViewVersion
from floeberg.view.view import View

__all__ = [
    "OpenedView",
    "SQLViewRepresentation",
    "View",
    "ViewAttempt",
    "ViewHistoryEntry",
    "ViewOperations",
    "ViewScan",
    "ViewVersion",
    "open_view",
    "view_from_metadata",
]
