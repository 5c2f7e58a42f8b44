"""The parser of `floeberg.expressions`, in the module where PyIceberg has it."""

from floeberg.expressions._parsing import parse

__all__ = ["parse"]
