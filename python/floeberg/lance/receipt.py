"""Which data files has a worker written for a Lance table?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from floeberg.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

__all__ = ["LanceReceipt", "LanceWrite", "checked_receipts"]


@dataclass(frozen=True)
class LanceWrite:
    """What files are written for.

    Args:
        folder: The folder of the table, or of its branch.
        version: The version that the recipe was made of.
        transaction_file: What made this version, which no other table has.
        write_id: The id of the write.
        schema: The columns of the files.
        replaces_columns: Whether the files have other columns than the table, which only an overwrite may have.
        made_at: When this version was made, in microseconds; `None` if nothing says it.
    """

    folder: str
    version: int
    transaction_file: str
    write_id: str
    schema: pa.Schema
    replaces_columns: bool = False
    made_at: int | None = None


class LanceReceipt:
    """Data files that a worker wrote, for the commit. It can be pickled.

    Examples:
        >>> import pyarrow as pa
        >>> made = fb.lance.create_table(f"{folder}/receipts", pa.table({"id": [1]}))
        >>> recipe = made.write_recipe()
        >>> receipt = recipe.write(pa.table({"id": [2, 3]}))
        >>> receipt.rows, len(receipt.locations())
        (2, 1)
        >>> recipe.remove(receipt)
    """

    def __init__(self, write: LanceWrite, files: Iterable[tuple[str, int, int]]) -> None:
        """Use `LanceWriteRecipe.write`."""
        self._write = write
        self._files = tuple(files)
        for name, _, _ in self._files:
            if "/" in name or not name.endswith(".lance"):
                raise InvalidInputError(f"receipt: expected the name of a data file, found {name!r}")

    @property
    def rows(self) -> int:
        """The rows of all files."""
        return sum(rows for _, rows, _ in self._files)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(size for _, _, size in self._files)

    def locations(self) -> list[str]:
        """The locations of the files."""
        return [f"{self._write.folder}/data/{name}" for name, _, _ in self._files]

    @property
    def write(self) -> LanceWrite:
        """What the files were written for."""
        return self._write

    @property
    def files(self) -> tuple[tuple[str, int, int], ...]:
        """Name, rows and bytes of each file."""
        return self._files

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f'LanceReceipt(write_id="{self._write.write_id}", files={len(self)}, rows={self.rows})'

    def __reduce__(self) -> tuple[type[LanceReceipt], tuple[LanceWrite, tuple[tuple[str, int, int], ...]]]:
        return LanceReceipt, (self._write, self._files)


def checked_receipts(receipts: Iterable[LanceReceipt]) -> list[LanceReceipt]:
    """The receipts, each once.

    Raises:
        InvalidInputError: One is not a receipt, or a file is in two of them.
    """
    found = list(receipts)
    names: set[str] = set()
    for each in found:
        if not isinstance(each, LanceReceipt):
            raise InvalidInputError(
                f"receipts: expected LanceReceipts, found an object of type {type(each).__name__}"
            )
        for name, _, _ in each.files:
            if name in names:
                raise InvalidInputError(f"receipts: the data file {name!r} is in two of them")
            names.add(name)
    return found
