"""Which filters of other libraries are accepted?

No library is imported: its objects are recognised by the names of their modules.
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
    """Converts an expression of another library; `None` for an object of an unknown one.

    Raises:
        UnsupportedError: It has no equivalent here.
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
