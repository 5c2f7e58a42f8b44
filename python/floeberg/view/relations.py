"""Which tables and views does a query name, and where are these?

In: the tree of a query, as sqlglot reads it. Out: the places in it that name a table or a view, without those that mean
a common table expression; and for each the whole name, with the catalog and the namespace that the view says.
Spec: View Spec, Versions: `default-catalog`, `default-namespace`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["named_relations", "whole_name"]


def named_relations(tree: Any) -> Iterator[Any]:  # noqa: ANN401 - sqlglot publishes few types
    """The tables and views that a query names, in no order. Functions and common table expressions are left out."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg imports nothing large

    for node in tree.find_all(exp.Table):
        if not isinstance(node.parts[0], exp.Identifier) or node.find_ancestor(exp.Hint) is not None:
            continue
        if len(node.parts) > 1 or not _is_defined(node):
            yield node


def whole_name(
    parts: Sequence[str], catalog: str, namespace: Sequence[str], is_catalog: Callable[[str], bool]
) -> tuple[str, ...]:
    """The whole name of a table or a view in the statement of a view.

    Args:
        parts: The name as the statement has it.
        catalog: The catalog for names without one.
        namespace: The namespace for names of one part.
        is_catalog: Whether a name is that of a catalog.
    """
    if len(parts) == 1:
        return catalog, *namespace, *parts
    return tuple(parts) if is_catalog(parts[0]) else (catalog, *parts)


def _is_defined(node: Any) -> bool:  # noqa: ANN401 - the same
    """Whether a name of one part means a common table expression where it stands.

    One that is not recursive does not see itself: `WITH t AS (SELECT * FROM t)` reads the table `t`.
    """
    from sqlglot import exp  # noqa: PLC0415 - the same

    name = node.name.lower()
    child, above = node, node.parent
    while above is not None:
        if isinstance(above, exp.With):
            at = next(at for at, each in enumerate(above.expressions) if each is child)
            seen = above.expressions[: at + bool(above.args.get("recursive"))]
            if _has(seen, name):
                return True
            # The query that they stand before is not around them.
            child = above.parent
            above = None if child is None else child.parent
            continue
        defined = above.args.get("with_") or above.args.get("with")
        if isinstance(defined, exp.With) and _has(defined.expressions, name):
            return True
        child, above = above, above.parent
    return False


def _has(defined: Sequence[Any], name: str) -> bool:
    return any(each.alias_or_name.lower() == name for each in defined)
