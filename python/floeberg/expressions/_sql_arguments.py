"""Which parts of a SQL expression are understood?

Invariant: an argument that changes what an expression means is understood, or an error. It is never ignored.
"""

from __future__ import annotations

from typing import Any

from floeberg.errors import UnsupportedError

__all__ = ["check_arguments"]

_ONE = ("this",)
_TWO = ("this", "expression")
_UNDERSTOOD = {
    "Paren": _ONE,
    "Identifier": ("this", "quoted"),
    "Column": ("this", "table", "db", "catalog"),
    "Dot": _TWO,
    "Literal": ("this", "is_string"),
    "Boolean": _ONE,
    "Null": (),
    "Neg": _ONE,
    "Not": _ONE,
    "And": _TWO,
    "Or": _TWO,
    "Is": _TWO,
    "EQ": _TWO,
    "NEQ": _TWO,
    "LT": _TWO,
    "LTE": _TWO,
    "GT": _TWO,
    "GTE": _TWO,
    "NullSafeEQ": _TWO,
    "NullSafeNEQ": _TWO,
    "In": ("this", "expressions"),
    "Between": ("this", "low", "high"),
    "Like": ("this", "expression", "negate"),
    "Case": ("this", "ifs", "default"),
    "If": ("this", "true", "false"),
    "Coalesce": ("this", "expressions", "is_nvl", "is_null"),  # The last two say how it was written.
    "Nullif": _TWO,
    "DPipe": ("this", "expression", "safe"),  # Whether numbers are joined too, which they are.
    "Concat": ("expressions", "safe"),
    "Add": _TWO,
    "Sub": _TWO,
    "Mul": _TWO,
    "Div": _TWO,
    "Mod": _TWO,
    "Round": ("this", "decimals"),
    "Substring": ("this", "start", "length"),
    "Cast": ("this", "to"),
    "DataType": ("this", "expressions"),
    "DataTypeParam": _ONE,
    "Upper": _ONE,
    "Lower": _ONE,
    "Length": _ONE,
    "Trim": ("this", "position"),
    "Abs": _ONE,
    "Floor": _ONE,
    "Ceil": _ONE,
}
"""The arguments of each node of sqlglot that mean something here."""


def check_arguments(shown: str, tree: Any) -> None:  # noqa: ANN401 - of sqlglot, which is an extra
    """Checks that every part of a tree is understood.

    Args:
        shown: The expression, for errors.
        tree: The tree.

    Raises:
        UnsupportedError: A part is not understood, or one of its arguments.
    """
    for node in tree.walk():
        known = _UNDERSTOOD.get(type(node).__name__)
        others = (
            []
            if known is None
            else [name for name, value in node.args.items() if value and name not in known]
        )
        if known is None or others:
            raise UnsupportedError(
                f"the SQL expression {shown} has {node.sql()!r}, which is not supported: use a pyarrow.compute "
                "expression or a function"
            )
