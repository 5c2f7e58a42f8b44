"""Which column of a table does a condition name?

Invariant: a name that may be a column of another relation is not taken for a column of the table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.spark.session.names import folding
from floeberg.spark.sql.pushdown.supported import is_understood
from floeberg.spark.sql.text.references import direct_relations

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from floeberg.scan import Scan
    from floeberg.spark.sql.text.references import TableReference
    from floeberg.spark.sql.text.targets import ChangedTable
    from floeberg.types import NestedField

__all__ = ["Columns"]


class Columns:
    """The columns of one table, as conditions name them.

    Args:
        fields: The columns.
        full: The name of the table with those before it, by which columns may be qualified; empty for none.
        case_sensitive: Whether the case of names counts.
        merged: Columns that USING makes one of with those of another relation.
    """

    def __init__(
        self,
        fields: Iterable[NestedField],
        full: Sequence[str],
        *,
        case_sensitive: bool,
        merged: Iterable[str] = (),
    ) -> None:
        self._fold = folding(case_sensitive=case_sensitive)
        self._kinds: dict[str, tuple[str, str] | None] = {}
        for field in fields:
            key = self._fold(field.name)
            # Of two that differ in case alone, and of what is not ASCII, Spark knows more.
            unclear = key in self._kinds or not field.name.isascii()
            self._kinds[key] = None if unclear else (field.name, str(field.field_type))
        self._full = tuple(map(self._fold, full))
        self._merged = set(map(self._fold, merged))

    @classmethod
    def of_use(cls, reference: TableReference, scan: Scan, *, case_sensitive: bool) -> Columns:
        """Those of a table that a query uses.

        Args:
            reference: The table's use.
            scan: What is read of it.
            case_sensitive: Whether the case of names counts.
        """
        fold, relations = folding(case_sensitive=case_sensitive), direct_relations(reference.select)
        names = [fold(relation.alias_or_name) for relation, _ in relations]
        full = (reference.visible,) if reference.has_alias else reference.found.full
        merged = [
            each.name for _, join in relations if join is not None for each in join.args.get("using") or ()
        ]
        return cls(
            scan.schema().fields,
            full if names.count(fold(reference.visible)) == 1 else (),
            case_sensitive=case_sensitive,
            merged=merged,
        )

    @classmethod
    def of_target(cls, changed: ChangedTable, beside: str | None = None) -> Columns:
        """Those of a table that a statement changes.

        Args:
            changed: The table.
            beside: What columns of the source are qualified with.
        """
        fold = folding(case_sensitive=changed.case_sensitive)
        is_one = beside is None or fold(beside) != fold(changed.target.visible)
        return cls(
            changed.scan.schema().fields,
            changed.full if is_one else (),
            case_sensitive=changed.case_sensitive,
        )

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
