"""Reads and plans Apache Iceberg tables: a Rust core, a thin Python package, Arrow in between.

Importing this package imports neither pyarrow nor any other large one: what a call returns decides that.
"""

from floeberg import _native, errors
from floeberg.errors import FloebergError

__all__ = ["FloebergError", "errors"]

__version__ = _native.__version__
