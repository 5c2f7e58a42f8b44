"""Which other libraries' filters are taken?

A library is imported by nobody but the user: what is of its module is looked at by the one that knows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from floeberg.errors import LimitExceededError
from floeberg.expressions._polars import from_polars
from floeberg.expressions._pyarrow import from_pyarrow
from floeberg.expressions._pyiceberg import from_pyiceberg

if TYPE_CHECKING:
    from floeberg.expressions._logic import Expression

_READERS = {
    ("pyiceberg", None): from_pyiceberg,
    ("pyarrow", "Expression"): from_pyarrow,
    ("polars", "Expr"): from_polars,
}


def foreign_filter(given: object) -> Expression | None:
    """The filter that an expression of another library says, or `None` where it is of none that is known.

    Raises:
        UnsupportedError: It says what no filter of here can.
        LimitExceededError: It is nested too deep.
    """
    kind = type(given)
    library = kind.__module__.partition(".")[0]
    reader = _READERS.get((library, None)) or _READERS.get((library, kind.__name__))
    if reader is None:
        return None
    try:
        return reader(given)
    except RecursionError:
        raise LimitExceededError(f"a filter of {library} is nested too deep") from None
