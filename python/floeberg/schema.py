"""What are the columns of a table? The names of `floeberg.types`, where PyIceberg has them."""

from floeberg.types import Schema

__all__ = ["Schema"]
