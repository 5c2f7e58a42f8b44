"""Which metadata columns does a query mean?

A query may use the word `_pos` for something of its own: an alias, a column of a subquery or of a view. Spark takes a
column of a table before an alias, so that a table has a metadata column only where the query means that.

Invariant: a word that may mean two things is refused where Spark would choose by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import UnsupportedError
from floeberg.spark.sql.text.references import direct_relations, select_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from floeberg.spark.sql.text.references import TableReference

__all__ = ["DELETED", "METADATA_COLUMNS", "metadata_columns"]

DELETED = "_deleted"
"""Brings deleted rows back."""
METADATA_COLUMNS = (
    "_file",
    "_pos",
    DELETED,
    "_spec_id",
    "_partition",
    "_row_id",
    "_last_updated_sequence_number",
)
"""What every table has beside its columns."""

_SORTING = ("order", "sort", "cluster", "distribute")
"""Where Spark takes an alias first."""
_AFTER_ALIASES = ("group", "having", "qualify", "windows")
"""Where Spark takes a column of a table first."""


def metadata_columns(
    tree: Any,  # noqa: ANN401 - sqlglot's
    reference: TableReference,
    uses: Sequence[TableReference],
    words: Sequence[str],
) -> list[str]:
    """The words that mean metadata columns of a table.

    Args:
        tree: The query.
        reference: The table's use.
        uses: All uses of tables of ours.
        words: Names of metadata columns that stand somewhere in the query, and that no column of the table has.

    Raises:
        UnsupportedError: The query uses the word for something of its own beside it.
    """
    return [word for word in words if _is_meant(word, tree, reference, uses)]


def _is_meant(word: str, tree: Any, reference: TableReference, uses: Sequence[TableReference]) -> bool:  # noqa: ANN401 - the same
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    found = {_meaning(word, node, tree, reference, uses) for node in tree.find_all(exp.Column)}
    if True in found and False in found:
        raise UnsupportedError(
            f"{word} is a metadata column of {reference.visible!r} and a name of the query's own: take another name "
            "for that"
        )
    return True in found or _joins_by(word, reference)


def _meaning(
    word: str,
    node: Any,  # noqa: ANN401 - the same
    tree: Any,  # noqa: ANN401 - the same
    reference: TableReference,
    uses: Sequence[TableReference],
) -> bool | None:
    """Whether a column is the metadata column of a table; `None` where the table could not change its meaning."""
    parts = [part.name.lower() for part in node.parts]
    if word not in parts:
        return None
    select = _scope(node, uses)
    if parts[0] != word:
        return True if _is_qualified(parts, word, node, reference) else None
    if select is None or select is not reference.select:
        return None
    place = _place(node, select)
    aliases = [at for at, each in enumerate(select.expressions) if _is_alias(each, word)]
    if aliases and place.arg_key in _SORTING:
        return None
    later = select.expressions[aliases[0] + 1 :] if aliases else ()
    if (aliases and place.arg_key in _AFTER_ALIASES) or any(each is place for each in later):
        return False
    others = len(direct_relations(select)) > 1 or select.args.get("laterals")
    return not (others and _is_named(word, tree))


def _is_qualified(parts: list[str], word: str, node: Any, reference: TableReference) -> bool:  # noqa: ANN401 - the same
    """Whether a column is written with the name of a table before it, in a place that can see the table."""
    select = select_of(node)
    while select is not None and select is not reference.select:
        select = select_of(select)
    if select is None:
        return False
    full = (reference.visible,) if reference.has_alias else reference.found.full
    before = parts[: parts.index(word)]
    return [each.lower() for each in full][-len(before) :] == before


def _scope(node: Any, uses: Sequence[TableReference]) -> Any:  # noqa: ANN401 - the same
    """The innermost SELECT around a column that has a table of ours and that the column can see."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    select = select_of(node)
    selects = [use.select for use in uses if use.found.metadata is None]
    while select is not None and all(each is not select for each in selects):
        around = select.find_ancestor(exp.From, exp.Join, exp.CTE, exp.Lateral, exp.Select)
        # A subquery in FROM sees nothing of its neighbours.
        select = around if isinstance(around, exp.Select) else None
    return select


def _place(node: Any, select: Any) -> Any:  # noqa: ANN401 - the same
    """The part of a SELECT that a column stands in."""
    while node.parent is not select:
        node = node.parent
    return node


def _is_alias(node: Any, word: str) -> bool:  # noqa: ANN401 - the same
    from sqlglot import exp  # noqa: PLC0415 - the same

    return isinstance(node, exp.Alias) and node.alias.lower() == word


def _is_named(word: str, tree: Any) -> bool:  # noqa: ANN401 - the same
    """Whether the query gives a column this name anywhere."""
    from sqlglot import exp  # noqa: PLC0415 - the same

    if any(_is_alias(each, word) for each in tree.find_all(exp.Alias)):
        return True
    listed = (each for alias in tree.find_all(exp.TableAlias) for each in alias.args.get("columns") or ())
    return any(each.name.lower() == word for each in listed)


def _joins_by(word: str, reference: TableReference) -> bool:
    """Whether the table is joined by the column."""
    if reference.select is None:
        return False
    joins = [join for _, join in direct_relations(reference.select) if join is not None]
    return any(each.name.lower() == word for join in joins for each in join.args.get("using") or ())
