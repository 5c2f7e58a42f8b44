"""Which text does Spark run?

The user's own, but for the names of our tables, their time travel, and columns that are qualified with more than the
table's name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.session.names import folding, quoted
from floeberg.spark.sql.text.dialect import PATTERNS
from floeberg.spark.sql.text.edits import Edit
from floeberg.spark.sql.text.references import names_of_columns, select_of, visible_names
from floeberg.spark.sql.text.tokens import closing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from floeberg.spark.sql.text.references import Reference
    from floeberg.spark.sql.text.statement import Name, Statement

__all__ = ["edits", "escaped", "template"]


def edits(
    statement: Statement,
    tree: Any,  # noqa: ANN401 - sqlglot's
    uses: Sequence[Reference],
    *,
    case_sensitive: bool,
) -> list[Edit]:
    """What is changed in the text.

    Raises:
        InvalidInputError: A qualified column may belong to two tables.
        UnsupportedError: A column is qualified with a name that would be a pattern.
    """
    found: list[Edit] = []
    fold = folding(case_sensitive=case_sensitive)
    qualified = list(names_of_columns(statement, tree))
    long = [_owner(name, select, uses, fold) for name, select in qualified]
    renamed = {owner for owner, _ in long if owner is not None and _is_hidden(owner, tree, fold)}
    for at, reference in enumerate(uses):
        found.append(Edit(reference.name.starts[0], reference.name.ends[-1], "", at))
        if reference.time_travel is not None:
            travel = reference.time_travel
            found.append(Edit(travel.start, travel.end, ""))
        if not reference.has_alias:
            place = _after_sample(statement, reference)
            found.append(Edit(place, place, f" AS {quoted(_alias(reference, at, renamed))}"))
    for (name, select), (by_long, length) in zip(qualified, long, strict=True):
        owner = by_long
        if owner is None and renamed:
            by_short = _short_owner(name, select, uses, fold)
            owner = by_short if by_short in renamed else None
        if owner is not None:
            alias = _alias(owner, uses.index(owner), renamed)
            if statement.dialect.patterns_in_backticks and not alias.isidentifier():
                raise UnsupportedError(
                    f"{'.'.join(name.parts)}: {PATTERNS} makes a pattern of the name {alias!r}: give the table an alias"
                )
            found.append(Edit(name.starts[0], name.ends[length - 1], quoted(alias)))
    return list(dict.fromkeys(found))


def template(statement: Statement, changes: Sequence[Edit]) -> str:
    """The text as a format string. `{floeberg_0}` is replaced by the name of the first frame."""
    pieces: list[str] = []
    at = statement.start
    for edit in sorted(changes, key=lambda each: (each.start, each.end)):
        pieces += [escaped(statement.source[at : edit.start]), escaped(edit.text)]
        if edit.frame is not None:
            pieces.append(f"{{floeberg_{edit.frame}}}")
        at = edit.end
    return "".join([*pieces, escaped(statement.source[at : statement.end])])


def escaped(text: str) -> str:
    """A text as a format string that stands for it."""
    return text.replace("{", "{{").replace("}", "}}")


def _owner(
    name: Name,
    select: Any,  # noqa: ANN401 - the same
    uses: Sequence[Reference],
    fold: Callable[[str], str],
) -> tuple[Reference | None, int]:
    """The table that a column is qualified with by more than its last name, and by how many parts."""
    parts = [*map(fold, name.parts)]
    while select is not None:
        for reference in uses:
            if reference.has_alias or reference.select is not select:
                continue
            full = [*map(fold, reference.found.full)]
            # The longest name wins. The parts after it are a column and fields of it, or a star.
            for length in range(min(len(full), len(parts)), 1, -1):
                if full[-length:] == parts[:length] and (length < len(parts) or name.has_star):
                    return reference, length
        select = select_of(select)
    return None, 1


def _short_owner(
    name: Name,
    select: Any,  # noqa: ANN401 - the same
    uses: Sequence[Reference],
    fold: Callable[[str], str],
) -> Reference | None:
    """The table that a column is qualified with by its last name; `None` where it is not ours."""
    first = fold(name.parts[0])
    while select is not None:
        there = [*map(fold, visible_names(select))]
        if first in there:
            own = [use for use in uses if use.select is select and fold(use.visible) == first]
            if there.count(first) == 1:
                return own[0] if own else None
            # Spark takes the only one that has the column.
            having = [use for use in own if name.has_star or _has(use, name.parts[1], fold)]
            if len(having) > 1 or (having and len(own) < there.count(first)):
                raise InvalidInputError(
                    f"{'.'.join(name.parts)}: there are two tables {name.parts[0]!r}: give them aliases"
                )
            return having[0] if having else None
        select = select_of(select)
    return None


def _has(reference: Reference, column: str, fold: Callable[[str], str]) -> bool:
    return fold(column) in map(fold, reference.found.column_names)


def _is_hidden(reference: Reference, tree: Any, fold: Callable[[str], str]) -> bool:  # noqa: ANN401 - the same
    """Whether something else in the query has the table's visible name, so that columns could go astray."""
    from sqlglot import exp  # noqa: PLC0415 - importing floeberg.spark imports nothing large

    visible = fold(reference.visible)
    relations = tree.find_all(exp.Table, exp.Subquery, exp.CTE, exp.Lateral, exp.Values, exp.Unnest)
    return any(each is not reference.node and fold(each.alias_or_name) == visible for each in relations)


def _alias(reference: Reference, at: int, renamed: set[Reference]) -> str:
    return f"{reference.visible}_{at}_of_floeberg" if reference in renamed else reference.visible


def _after_sample(statement: Statement, reference: Reference) -> int:
    """Where an alias may stand: after TABLESAMPLE."""
    end, tokens = reference.place_of_alias, statement.tokens
    at = next(place for place, token in enumerate(tokens) if token.end >= end)
    for word in ("TABLESAMPLE", "REPEATABLE"):
        if [each.upper for each in tokens[at + 1 : at + 3]] == [word, "("]:
            at = closing(tokens, at + 2) or len(tokens) - 1
            end = tokens[at].end
    return end
