"""A report of a table: one HTML file that says what a person wants to know first."""

from floeberg.report.report import Report

__all__ = ["Report"]
