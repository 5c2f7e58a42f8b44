"""What does a call say whose keyword the method does not have?

Python names the class that defines the method, which is a part of `Table` that nobody knows, and no near match. Here
the error names the method as the user wrote it, and the keyword that means the same.
"""

from __future__ import annotations

import functools
import inspect
import re
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["says_keywords", "says_keywords_of_methods"]

Kind = TypeVar("Kind", bound=type)
Function = TypeVar("Function", bound="Callable[..., Any]")

_SAME = (
    (
        "row_filter",
        "delete_filter",
        "overwrite_filter",
        "filter",
        "predicate",
        "where",
        "condition",
        "cond",
        "expr",
    ),
    ("join_cols", "on", "keys", "key", "by", "join_columns", "primary_key"),
    ("df", "data", "source", "changes", "rows", "table", "frame", "records"),
    ("selected_fields", "columns", "select", "fields", "cols"),
    ("updates", "set", "values", "assignments", "new_values"),
    ("as_of", "timestamp", "time", "timestamp_ms", "at"),
    ("snapshot_id", "snapshot", "version", "version_as_of"),
    ("schema_mode", "merge_schema", "mergeSchema", "schema_evolution"),
    ("limit", "n", "head", "num_rows"),
    ("path", "name", "column", "column_name", "source_column_name"),
    ("field_type", "type", "dtype", "data_type"),
    ("options", "storage_options", "properties", "conf"),
    ("partition_spec", "partition_by", "partitioned_by", "partitioning", "partitions"),
    ("sort_order", "sort_by", "order_by", "write_order"),
    ("snapshot_properties", "properties", "commit_properties", "summary"),
    ("delete_ratio_threshold", "deletions"),
    ("retain_last", "retain", "min_snapshots_to_keep"),
)
"""Words that libraries have for the same argument. The first that a method has is the one that is meant."""
_UNPACKED = re.compile(r"Unpack\[(\w+)\]")
_UNKNOWN = re.compile(r"got an unexpected keyword argument '(.*?)'")


def says_keywords_of_methods(kind: Kind) -> Kind:
    """Lets the public methods of a class name themselves and near matches where a call does not fit them."""
    for name in {each for base in kind.__mro__ for each in vars(base) if not each.startswith("_")}:
        function = inspect.getattr_static(kind, name)
        if inspect.isfunction(function) and not getattr(function, "__isabstractmethod__", False):
            setattr(kind, name, _saying(f"{kind.__name__}.{name}", function))
    return kind


def says_keywords(function: Function) -> Function:
    """The same for a function."""
    return _saying(function.__name__, function)


def _saying(name: str, function: Any) -> Any:  # noqa: ANN401 - a function and its like
    signature = _with_options(function)
    known = signature and frozenset(signature.parameters)

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:  # noqa: ANN401 - those of the function
        try:
            if known and not known.issuperset(keywords):
                unknown = next(each for each in keywords if each not in known)
                raise TypeError(f"{name}() got an unexpected keyword argument {unknown!r}")  # noqa: TRY301
            return function(*args, **keywords)
        except TypeError as error:
            # A call that does not fit raises here, and not inside of the function.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            said = str(error).replace(f"{function.__qualname__}()", f"{name}()")
            raise TypeError(said + _way_out(said, signature or inspect.signature(function))) from None

    if signature:
        call.__signature__ = signature  # type: ignore[attr-defined] # `inspect.signature` asks for it
    return call


def _with_options(function: Any) -> inspect.Signature | None:  # noqa: ANN401 - a function
    """The signature of a function whose keywords a `TypedDict` describes, with these; `None` of another one.

    Such a function takes `**name: Unpack[Options]`, and its module imports `Options`.
    """
    options = _UNPACKED.fullmatch(_keyword_annotation(function))
    if options is None:
        return None
    signature = inspect.signature(function)
    described = function.__globals__[options[1]].__annotations__
    more = [
        inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None if "None" in text else False, annotation=text
        )
        for name, annotation in described.items()
        for text in (getattr(annotation, "__forward_arg__", annotation),)
    ]
    own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
    return signature.replace(parameters=[*own, *more])


def _keyword_annotation(function: Any) -> str:  # noqa: ANN401 - a function
    """How the `**` argument of a function is annotated; empty if it has none."""
    code = function.__code__
    if not code.co_flags & inspect.CO_VARKEYWORDS:
        return ""
    number = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    annotation = function.__annotations__.get(code.co_varnames[number])
    return annotation if isinstance(annotation, str) else ""


def _way_out(said: str, signature: inspect.Signature) -> str:
    unknown = _UNKNOWN.search(said)
    if unknown is None:
        return ""
    from difflib import get_close_matches  # noqa: PLC0415 - only errors need it

    known = [
        each.name
        for each in signature.parameters.values()
        if each.name != "self" and each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    meant = [each for words in _SAME if unknown[1] in words for each in words if each in known]
    near = meant[:1] or get_close_matches(unknown[1], known, n=1, cutoff=0.7)
    if near:
        return f": did you mean {near[0]!r}?"
    return f": its arguments are {', '.join(known)}" if known else ""
