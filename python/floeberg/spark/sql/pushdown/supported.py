"""Is a part of a tree one whose whole meaning is known here?

Releases of the parser move meaning between parts: one of them says NOT LIKE by an argument of LIKE. So each kind of
part is listed with the arguments that it may have, and what has others is not understood.
"""

from __future__ import annotations

from typing import Any

__all__ = ["is_understood"]

_BOTH = frozenset({"this", "expression"})
_ARGUMENTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("And", "Or", "EQ", "NEQ", "LT", "LTE", "GT", "GTE", "NullSafeEQ", "Is", "Add", "Sub"), _BOTH
    ),
    **dict.fromkeys(("Not", "Paren", "Neg", "Boolean", "HexString"), frozenset({"this"})),
    "Between": frozenset({"this", "low", "high"}),
    "Cast": frozenset({"this", "to"}),
    "Column": frozenset({"this", "table", "db", "catalog"}),
    "DataType": frozenset({"this"}),
    "In": frozenset({"this", "expressions"}),
    "Interval": frozenset({"this", "unit"}),
    "Like": frozenset({"this", "expression", "negate"}),
    "Literal": frozenset({"this", "is_string"}),
    "Null": frozenset(),
    "TryCast": frozenset({"this", "to"}),
    "Var": frozenset({"this"}),
}


def is_understood(node: Any) -> bool:  # noqa: ANN401 - sqlglot publishes few types
    """Whether a part says nothing that is not looked at here. Parts of it are asked for themselves."""
    known = _ARGUMENTS.get(type(node).__name__)
    said = {
        key for key, value in node.args.items() if value is not None and value is not False and value != []
    }
    return known is not None and said <= known
