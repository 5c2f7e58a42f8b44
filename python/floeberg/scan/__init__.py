"""Which rows to read: scans, their plans, and what planning did."""

from floeberg.scan.scan import Scan

__all__ = ["Scan"]
