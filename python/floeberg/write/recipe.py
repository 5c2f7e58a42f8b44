"""How do rows become files that a commit can take?

The building blocks of writes, for engines whose workers write: a `WriteRecipe` goes to the workers, `Receipt`s come
back, and `Table.commit_receipts` makes them part of the table, all or none. `Table.append` is made of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from floeberg._arguments import checked_size, checked_text
from floeberg.errors import InvalidInputError
from floeberg.write.input_rows import reader_of, told_as_input
from floeberg.write.receipt import Receipt

if TYPE_CHECKING:
    import pyarrow as pa

    from floeberg import _native

__all__ = ["WriteRecipe"]


class WriteRecipe:
    """How the rows of one write become files of a table, for whoever writes them. It can be pickled.

    It has the table's schema, partition spec, sort order and properties as they were when it was made, and the options
    of its store, secrets among them.

    Examples:
        >>> import pickle
        >>> recipe = pickle.loads(pickle.dumps(orders.write_recipe()))
        >>> receipts = [recipe.write(pa.table({"id": [n]}), task=f"{n}-0", partition=n) for n in (1, 2)]
        >>> _ = orders.commit_receipts(receipts)
        >>> orders.scan().count()
        2
    """

    _inner: _native.WriteRecipe

    def __init__(self, native: _native.WriteRecipe) -> None:
        """Made by `Table.write_recipe`."""
        self._inner = native

    @property
    def write_id(self) -> str:
        """What tells the files of this write from those of others: it is part of their names."""
        return self._inner.write_id

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema of the table's rows.

        Examples:
            >>> orders.write_recipe().arrow_schema().names
            ['id']
        """
        import pyarrow as pa  # noqa: PLC0415 - importing floeberg imports nothing large

        return pa.schema(cast("Any", self._inner.arrow_schema()))

    def check_schema(self, schema: pa.Schema) -> None:
        """Do rows of a schema fit the table? Nothing is written.

        Args:
            schema: The Arrow schema of the rows.

        Raises:
            InvalidInputError: They do not; the error lists every mismatch.

        Examples:
            >>> orders.write_recipe().check_schema(pa.schema({"id": pa.int32()}))
        """
        self._inner.schema_fits(schema)

    def write(self, data: object, *, task: str, partition: int = 0) -> Receipt:
        """Writes rows to files. They are in no table until a commit takes them.

        Args:
            data: The rows, as `Table.append` takes them.
            task: What tells this call from others of the same write, retried ones too: it is part of the names of
                files.
            partition: A number that the names of files begin with.

        Returns:
            The files.

        Raises:
            InvalidInputError: The rows do not fit the schema; the error lists every mismatch. No file is left.
        """
        number = checked_size("partition", partition)
        name = checked_text("task", task)
        with told_as_input(data):
            return Receipt(self._inner.write(reader_of(data, self.arrow_schema), task=name, partition=number))

    def remove(self, receipt: Receipt) -> None:
        """Removes the files of a receipt that no commit took.

        This must not be done after a `CommitStateUnknownError`, when the files may be part of the table, nor after an
        `AlreadyExistsError`, when they are.

        Raises:
            InvalidInputError: They are those of another table, or of another write. None is removed.
        """
        if not isinstance(receipt, Receipt):
            raise InvalidInputError(
                f"receipt: expected a Receipt, found an object of type {type(receipt).__name__}"
            )
        self._inner.remove(receipt.native())

    def __repr__(self) -> str:
        return repr(self._inner)

    def __reduce__(self) -> tuple[type[WriteRecipe], tuple[_native.WriteRecipe]]:
        return WriteRecipe, (self._inner,)
