"""Which files has a writer written?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg import _native
from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Receipt"]


class Receipt:
    """Files that a worker wrote, for the commit. It can be pickled.

    Examples:
        >>> recipe = orders.write_recipe()
        >>> receipt = recipe.write(pa.table({"id": [1, 2]}), task="doc")
        >>> receipt.rows, len(receipt.locations())
        (2, 1)
        >>> recipe.remove(receipt)
    """

    _inner: _native.Receipt

    def __init__(self, native: _native.Receipt) -> None:
        """Use `WriteRecipe.write`."""
        self._inner = native

    @property
    def rows(self) -> int:
        """The rows of all files."""
        return self._inner.rows

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return self._inner.size

    def locations(self) -> list[str]:
        """The locations of the files."""
        return self._inner.locations()

    @staticmethod
    def concat(receipts: Sequence[Receipt]) -> Receipt:
        """The files of several receipts, in their order.

        Raises:
            InvalidInputError: One is not a receipt.
        """
        for each in receipts:
            if not isinstance(each, Receipt):
                raise InvalidInputError(
                    f"receipts: expected Receipts, found an object of type {type(each).__name__}"
                )
        return Receipt(_native.Receipt.concat([each.native() for each in receipts]))

    def native(self) -> _native.Receipt:
        """The receipt of the binary."""
        return self._inner

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[Receipt], tuple[_native.Receipt]]:
        return Receipt, (self._inner,)
