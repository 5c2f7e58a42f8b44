"""Whether tables and views are what the specification says: rules, findings, and checks."""

from floeberg.checking.checks import Check, Level, check
from floeberg.checking.finding import Finding, Rule, Severity, rules

__all__ = ["Check", "Finding", "Level", "Rule", "Severity", "check", "rules"]
