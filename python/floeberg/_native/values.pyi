"""Filters, casts, partition transforms and variants.

A filter crosses as a tree of tuples: `("true",)`, `("false",)`, `("and", [tree, ...])`, `("or", [tree, ...])`,
`("not", tree)`, `("sql", text)` for a condition of values, or a test
`(operator, column, transform or None, [literal, ...])`. Operators are spelled as in the expressions of the REST catalog
specification. A literal is `(kind, value)`.

Rust: `rust/floeberg-python/src/values/`.
"""

from typing import Any, TypeAlias, final

from floeberg._native.arrow import ArrowSchema, Batch, Column

_Tree: TypeAlias = tuple[Any, ...]
"""A filter. Trees that are nested too deep raise `InvalidInputError`."""

_Literal: TypeAlias = tuple[str, Any]  # noqa: PYI047 - the stub of scans uses it
"""The kind of a literal and its value, as `floeberg.expressions._literals` reads and writes them."""

def parse_expression(text: str) -> _Tree:
    """Parses a SQL filter.

    Raises:
        InvalidInputError: The text is not a filter. The error gives the position and what was expected.
    """

def expression_from_json(text: str, names: dict[int, str] | None = None) -> _Tree:
    """Parses a filter in the JSON form of the REST catalog specification (`Expression`).

    Args:
        text: The JSON.
        names: The columns by their ids, for references by id.

    Raises:
        InvalidInputError: The text is not JSON, or not a filter.
    """

def expression_to_json(tree: _Tree) -> str:
    """The JSON form of a filter, as in the REST catalog specification (`Expression`).

    Raises:
        UnsupportedError: The specification has no JSON form for a literal or a test.
    """

def expression_to_text(tree: _Tree) -> str:
    """The SQL text of a filter. `parse_expression` reads it back."""

def split_json(content: bytes, member: str) -> tuple[str, str] | None:
    """A JSON object without the lists and objects of one of its members, and this member as its own text.

    Returns:
        `None` for bytes that are not a JSON object with such a member.
    """

@final
class SqlExpression:
    """A SQL expression of values that was read."""

    @staticmethod
    def parse(text: str) -> SqlExpression:
        """Reads an expression."""
    @staticmethod
    def check_condition(text: str) -> None:
        """Checks that a text is a condition: true, false or null for each row.

        Raises:
            InvalidInputError: It is no expression, or never a condition, or compares something with NULL.
            UnsupportedError: It has a function or a type that is not known.
        """
    def columns(self) -> list[str]:
        """The dotted names of all columns in the text."""
    def conjuncts(self) -> list[SqlExpression]:
        """The terms that are all true where the expression is."""
    def equal_columns(self) -> tuple[str, str] | None:
        """The two columns whose equality the expression is."""
    def all_of(self, terms: list[SqlExpression]) -> SqlExpression:
        """Terms of this expression, all of which are to be true, in order."""

def value_columns(text: str) -> list[str] | None:
    """The columns that a text names, if it reads as a SQL expression of columns; else `None`."""

def plain_schema(schema: object, *, keeps_dictionaries: bool) -> ArrowSchema:
    """A `pyarrow.Schema` without dictionaries, views and runs, at every depth.

    Args:
        schema: The columns.
        keeps_dictionaries: Whether dictionaries of texts, bytes, numbers and bools stay.
    """

def plain_batch(reader: object, schema: object) -> Batch:
    """The one batch of a `pyarrow.RecordBatchReader`, with the types of a plain `pyarrow.Schema`.

    Raises:
        InvalidInputError: A column cannot be converted.
    """

def check_fits(given: object, schema: object) -> None:
    """Checks whether rows of a `pyarrow.Schema` fit the columns of a table, as far as their types say.

    Raises:
        InvalidInputError: They do not. The error lists every mismatch.
    """

def transform_column(transform: str, reader: object) -> list[Column]:
    """Applies a partition transform to a column. Spec: Partition Transforms, Appendix B.

    Args:
        transform: The transform, as metadata spells it: `bucket[16]`, `truncate[4]`, `day`.
        reader: A `pyarrow.RecordBatchReader` with one column.

    Returns:
        A column for each batch. Nulls stay null.

    Raises:
        InvalidInputError: The transform does not exist, or does not take the type of the column.
    """

def encode_variants(values: list[Any]) -> Column:
    """Encodes Python values as a column of variants. Spec: Variant Encoding of Parquet.

    Args:
        values: A value for each row. `None` is null, not the null of variants.

    Returns:
        A column with the extension type `arrow.parquet.variant`.

    Raises:
        InvalidInputError: A value has no variant type, or is nested too deep.
    """

def encode_variant(value: object) -> tuple[bytes, bytes]:
    """Encodes a Python value as a variant.

    Args:
        value: The value. `None` is the null of variants.

    Returns:
        Its metadata and its value, as bytes.

    Raises:
        InvalidInputError: The value has no variant type, or is nested too deep.
    """
