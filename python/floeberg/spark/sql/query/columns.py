"""Which columns of a table can a query reach?

Invariant: a column that Spark may need is among them. A column is used only where the query writes its name, or where
    something means all columns: a star, a natural join, a pivot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.query.metadata_columns import METADATA_COLUMNS, metadata_columns
from floeberg.spark.sql.text.references import direct_relations, select_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.spark.sql.text.references import TableReference
    from floeberg.spark.sql.text.statement import Statement
    from floeberg.types import Schema

__all__ = ["needed_columns", "reaches_all"]

_CHEAP = ("boolean", "int", "date", "float", "long", "double", "timestamp", "timestamptz")


def needed_columns(
    statement: Statement,
    tree: Any,  # noqa: ANN401 - sqlglot's
    reference: TableReference,
    uses: Sequence[TableReference],
    schema: Schema,
) -> list[str]:
    """The columns to read, by their names in the schema."""
    names = [field.name for field in schema.fields]
    known = set(map(str.lower, names))
    # Changes have no metadata columns.
    special = METADATA_COLUMNS if reference.found.metadata is None else ()
    written = [each for each in special if each in statement.words and each not in known]
    hidden = metadata_columns(tree, reference, uses, written)
    if reaches_all(statement, tree, reference):
        if hidden:
            raise UnsupportedError(
                f"{hidden[0]}: * does not include metadata columns: name the columns of {reference.visible!r} beside it"
            )
        return names
    # What case means for other letters is for Spark to say.
    own = [name for name in names if name.lower() in statement.words or not name.isascii()]
    return own + hidden or [_cheapest(schema)]


def reaches_all(statement: Statement, tree: Any, reference: TableReference) -> bool:  # noqa: ANN401 - the same
    """Whether something in the query may mean all columns of a table."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    select = reference.select
    if statement.hides_columns or select is None or reference.node.args.get("pivots"):
        return True
    if reference.has_alias and reference.node.args["alias"].args.get("columns"):
        return True
    if any(relation.args.get("pivots") for relation, _ in direct_relations(select)):
        return True
    if any(join.args.get("method") for join in select.find_all(exp.Join)):
        return True
    return any(_covers(star, reference) for star in tree.find_all(exp.Star))


def _covers(star: Any, reference: TableReference) -> bool:  # noqa: ANN401 - the same
    from sqlglot import exp  # noqa: PLC0415 - the same

    if isinstance(star.parent, exp.Column):
        return bool(star.parent.parts[-2].name.lower() == reference.visible.lower())
    if select_of(star) is not reference.select:
        return False
    # count(*) counts rows. With another argument Spark looks at all columns.
    if isinstance(star.parent, exp.Count) and star.parent.this is star and not star.parent.expressions:
        return False
    # EXISTS asks for rows alone.
    return not (star.parent is reference.select and isinstance(reference.select.parent, exp.Exists))


def _cheapest(schema: Schema) -> str:
    """The column that is read where rows are only counted."""
    kinds = {str(field.field_type): field.name for field in reversed(schema.fields)}
    return next((kinds[kind] for kind in _CHEAP if kind in kinds), schema.fields[0].name)
