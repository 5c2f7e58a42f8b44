"""The compiled half of Floeberg. Use `floeberg`, not this."""

from typing import Final

__version__: Final[str]
__all__ = ["__version__"]
