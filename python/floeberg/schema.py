"""Schemas of `floeberg.types`, in the module where PyIceberg has them."""

from floeberg.types import Schema

__all__ = ["Schema"]
