"""Which filter does a text say? The function of `floeberg.expressions`, where PyIceberg has it."""

from floeberg.expressions._reading import parse

__all__ = ["parse"]
