"""Which column of a table does a condition name?

Invariant: a name that may be a column of another relation is not taken for a column of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.spark.session.names import folding
from floeberg.spark.sql.pushdown.supported import is_understood
from floeberg.spark.sql.text.references import direct_relations

if TYPE_CHECKING:
    from floeberg.scan import Scan
    from floeberg.spark.sql.text.references import Reference

__all__ = ["Columns"]


class Columns:
    """The columns of one table, as the conditions of its SELECT name them.

    Args:
        reference: The table's use.
        scan: What is read of it.
        case_sensitive: Whether the case of names counts.
    """

    def __init__(self, reference: Reference, scan: Scan, *, case_sensitive: bool) -> None:
        self._fold = folding(case_sensitive=case_sensitive)
        self._kinds: dict[str, tuple[str, str] | None] = {}
        for field in scan.schema().fields:
            key = self._fold(field.name)
            # Of two that differ in case alone, and of what is not ASCII, Spark knows more.
            unclear = key in self._kinds or not field.name.isascii()
            self._kinds[key] = None if unclear else (field.name, str(field.field_type))
        relations = direct_relations(reference.select)
        names = [self._fold(relation.alias_or_name) for relation, _ in relations]
        visible = self._fold(reference.visible)
        full = (visible,) if reference.has_alias else tuple(map(self._fold, reference.found.full))
        self._full = full if names.count(visible) == 1 else ()
        joined = [join for _, join in relations if join is not None]
        self._merged = {self._fold(each.name) for join in joined for each in join.args.get("using") or ()}

    def find(self, node: Any) -> tuple[str, str] | None:  # noqa: ANN401 - sqlglot's
        """The name and the type of a column; `None` where it is another's, or may be."""
        from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

        if not isinstance(node, exp.Column) or not is_understood(node):
            return None
        parts = [self._fold(part.name) for part in node.parts]
        if len(parts) == 1:
            # Where another relation has it too, Spark takes neither.
            return None if parts[0] in self._merged else self._kinds.get(parts[0])
        is_own = tuple(parts[:-1]) == self._full[-len(parts[:-1]) :]
        return self._kinds.get(parts[-1]) if is_own else None
