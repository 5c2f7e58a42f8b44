"""The conformance corpus for the tests in Python: its cases, its encoding of rows, its list of known failures."""

from corpus.cases import Case, cases
from corpus.fixtures import lent
from corpus.known import Failure, known_failures
from corpus.rows import checksum, encode

__all__ = ["Case", "Failure", "cases", "checksum", "encode", "known_failures", "lent"]
