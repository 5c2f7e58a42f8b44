"""The conformance corpus for the tests in Python: its cases, its encoding of rows, its list of known failures."""

from corpus.cases import Case, cases
from corpus.fixtures import lance_lent, lent
from corpus.known import Failure, known_failures
from corpus.lance import LanceCase, lance_cases
from corpus.rows import checksum, encode

__all__ = [
    "Case",
    "Failure",
    "LanceCase",
    "cases",
    "checksum",
    "encode",
    "known_failures",
    "lance_cases",
    "lance_lent",
    "lent",
]
