"""Which procedures does CALL run, with which arguments and results?

`CALL catalog.system.procedure(...)`, with the names, arguments and columns that Iceberg's procedures for Spark have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floeberg.errors import InvalidInputError, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame

    from floeberg.spark.sql.queries import Queries
    from floeberg.spark.sql.words import Words
    from floeberg.table import Table

__all__ = ["call"]


@dataclass(frozen=True)
class _Procedure:
    """A procedure.

    Args:
        parameters: Its parameters after `table`, with Spark's type; those with `?` may be left out.
        columns: The columns of its result.
        run: What it does.
    """

    parameters: Mapping[str, str]
    columns: str
    run: Callable[[Table, Mapping[str, Any]], tuple[Any, ...]]


def call(queries: Queries, words: Words) -> DataFrame | None:
    """Runs what follows `CALL`; `None` where the procedure is not one of a catalog of ours.

    Raises:
        UnsupportedError: There is no such procedure.
        InvalidInputError: An argument is missing, unknown or of another type.
    """
    parts = words.name()
    if len(parts) < 2 or parts[-2].lower() != "system":  # noqa: PLR2004 - the namespace of procedures
        return None
    catalog = queries.known.catalog(parts[0]) if len(parts) > 2 else queries.known.default  # noqa: PLR2004
    if catalog is None:
        return None
    name = parts[-1].lower()
    procedure = _PROCEDURES.get(name)
    if procedure is None:
        raise UnsupportedError(
            f"CALL {'.'.join(parts)}: expected one of the procedures {', '.join(sorted(_PROCEDURES))}"
        )
    inside = words.inside()
    words.end()
    given = _arguments(queries, inside, name, {"table": "string", **procedure.parameters})
    levels = tuple(str(given.pop("table")).replace("`", "").split("."))
    if levels[0] == catalog.name and len(levels) > 2:  # noqa: PLR2004 - a catalog before both
        levels = levels[1:]
    row = procedure.run(catalog.load_table(levels), given)
    return queries.spark.createDataFrame([row], procedure.columns)


def _arguments(queries: Queries, inside: Words, name: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """The values of arguments by their names, as Spark evaluates them."""
    texts: dict[str, str] = {}
    names = list(parameters)
    by_name = inside.next(1) == "=>"
    while not inside.is_at_end:
        if by_name:
            key = inside.one_name().lower()
            inside.expect("=>")
        elif len(texts) == len(names):
            raise InvalidInputError(
                f"CALL {name}: expected at most {len(names)} arguments: {', '.join(names)}"
            )
        else:
            key = names[len(texts)]
        if key not in parameters or key in texts:
            raise InvalidInputError(
                f"CALL {name}: the argument {key!r}: expected each of {', '.join(names)} once"
            )
        texts[key] = inside.until(",").text
        if not inside.take(","):
            inside.end()
    missing = [key for key, kind in parameters.items() if not kind.endswith("?") and key not in texts]
    if missing:
        raise InvalidInputError(f"CALL {name}: the argument {missing[0]!r} is missing")
    listed = []
    for key, text in texts.items():
        kind = parameters[key].rstrip("?")
        value = f"CAST({text}\n AS {kind})"
        listed.append(f"unix_millis({value})" if kind == "timestamp" else value)
    row = queries.spark.sql("SELECT " + ", ".join(listed), queries.args).first()
    values = dict(zip(texts, row or (), strict=True))
    for key, value in values.items():
        if value is None and not parameters[key].endswith("?"):
            raise InvalidInputError(f"CALL {name}: the argument {key!r} is null")
    return {key: value for key, value in values.items() if value is not None}


def _current(table: Table) -> int | None:
    found = table.current_snapshot()
    return None if found is None else found.snapshot_id


def _rollback_to_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    table.manage_snapshots().rollback_to_snapshot(given["snapshot_id"]).commit()
    return before, _current(table)


def _rollback_to_timestamp(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    table.manage_snapshots().rollback_to_timestamp(given["timestamp"]).commit()
    return before, _current(table)


def _set_current_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    before = _current(table)
    if len(given) != 1:
        raise InvalidInputError("CALL set_current_snapshot: expected either snapshot_id or ref")
    table.manage_snapshots().set_current_snapshot(given.get("snapshot_id"), given.get("ref")).commit()
    return before, _current(table)


def _cherrypick_snapshot(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    table.manage_snapshots().cherrypick(given["snapshot_id"]).commit()
    return given["snapshot_id"], _current(table)


def _publish_changes(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    staged = [each.snapshot_id for each in table.snapshots() if each.summary.get("wap.id") == given["wap_id"]]
    table.manage_snapshots().publish_changes(given["wap_id"]).commit()
    return staged[0] if staged else None, _current(table)


def _fast_forward(table: Table, given: Mapping[str, Any]) -> tuple[Any, ...]:
    branch = given["branch"]
    before = table.refs()[branch].snapshot_id if branch in table.refs() else None
    table.manage_snapshots().fast_forward(branch, given["to"]).commit()
    return branch, before, table.refs()[branch].snapshot_id


_BOTH = "previous_snapshot_id bigint, current_snapshot_id bigint"
_SOURCE = "source_snapshot_id bigint, current_snapshot_id bigint"
_PROCEDURES = {
    "rollback_to_snapshot": _Procedure({"snapshot_id": "bigint"}, _BOTH, _rollback_to_snapshot),
    "rollback_to_timestamp": _Procedure({"timestamp": "timestamp"}, _BOTH, _rollback_to_timestamp),
    "set_current_snapshot": _Procedure(
        {"snapshot_id": "bigint?", "ref": "string?"}, _BOTH, _set_current_snapshot
    ),
    "cherrypick_snapshot": _Procedure({"snapshot_id": "bigint"}, _SOURCE, _cherrypick_snapshot),
    "publish_changes": _Procedure({"wap_id": "string"}, _SOURCE, _publish_changes),
    "fast_forward": _Procedure(
        {"branch": "string", "to": "string"},
        "branch_updated string, previous_ref bigint, updated_ref bigint",
        _fast_forward,
    ),
}
