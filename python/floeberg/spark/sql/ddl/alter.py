"""How is ALTER TABLE run: columns, properties, partitions, write order, branches and tags, identifier fields?

Invariant: a statement is read to its end before anything changes, and changes are one commit.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from floeberg.errors import InvalidInputError, UnsupportedError
from floeberg.spark.sql.ddl.ddl_clauses import (
    NewColumn,
    applied,
    keys,
    new_column,
    properties,
    sort_field,
    transform,
)
from floeberg.spark.sql.text.column_types import check_new_names, type_of
from floeberg.spark.sql.text.dialect import dialect
from floeberg.spark.sql.text.token_reader import TokenReader

if TYPE_CHECKING:
    from collections.abc import Callable

    from floeberg.spark.sql.query.queries import Queries
    from floeberg.table import Table

    Change: TypeAlias = Callable[[Table], object]

__all__ = ["alter"]

_MILLISECONDS = {"DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000}
_DISTRIBUTION = "write.distribution-mode"


def alter(queries: Queries, words: TokenReader, parts: tuple[str, ...]) -> None:
    """Runs what follows `ALTER TABLE name`.

    Args:
        queries: The session and the tables.
        words: The words after the name.
        parts: The name.
    """
    found = queries.known.find(parts)
    if found is None or not found.is_whole:
        raise InvalidInputError(f"ALTER TABLE: {'.'.join(parts)!r} is not a table of the catalog")
    change = _change(words, found.full)
    words.end()
    change(found.table)


def _change(words: TokenReader, full: tuple[str, ...]) -> Change:  # noqa: C901, PLR0911, PLR0912 - one return a form
    if words.take("RENAME", "TO"):
        return _renamed(words.name(), full)
    if words.take("RENAME", "COLUMN"):
        old = words.name()
        words.expect("TO")
        new = words.one_name()
        return lambda table: _rename_column(table, old, new)
    if words.take("SET", "TBLPROPERTIES"):
        wanted = properties(words)
        return lambda table: table.set_properties(wanted)
    if words.take("UNSET", "TBLPROPERTIES"):
        words.take("IF", "EXISTS")
        gone = keys(words)
        return lambda table: table.remove_properties(*gone)
    if words.take("SET", "LOCATION"):
        place = words.string()
        return lambda table: table.update_location(place)
    if words.next() in {"ADD", "DROP", "REPLACE"} and words.next(1) == "PARTITION":
        return _partition(words)
    if words.next() in {"SET", "DROP"} and words.next(1) == "IDENTIFIER":
        return _identifiers(words)
    if words.take("WRITE"):
        return _write_order(words)
    if words.next() in {"CREATE", "REPLACE", "DROP"}:
        reference = _reference(words)
        if reference is not None:
            return reference
    if words.take("ADD"):
        return _added(words)
    if words.take("DROP"):
        return _dropped(words)
    if words.take("ALTER"):
        return _altered(words)
    if words.take("CHANGE"):
        return _changed_column(words)
    return words.unexpected("what to change")


def _renamed(new: tuple[str, ...], full: tuple[str, ...]) -> Change:
    levels = new[1:] if len(new) > 2 and new[0] == full[0] else new  # noqa: PLR2004 - a catalog before both
    # A name alone stays in the namespace.
    to = (*full[1:-1], *levels) if len(levels) == 1 else levels

    def change(table: Table) -> None:
        catalog: Any = table.catalog
        if catalog is None:
            raise UnsupportedError("ALTER TABLE: the table has no catalog that renames it")
        catalog.rename_table(full[1:], to)

    return change


def _rename_column(table: Table, old: tuple[str, ...], new: str) -> None:
    names = table.schema().column_names
    known = next((name for name in names if name.lower() == ".".join(old).lower()), "")
    check_new_names(table.schema(), [(*old[:-1], new)], own=known.rpartition(".")[2])
    table.update_schema(case_sensitive=dialect().case_sensitive).rename_column(".".join(old), new).commit()


def _added(words: TokenReader) -> Change:
    if not words.take("COLUMNS"):
        words.expect("COLUMN")
    inside = words.inside() if words.follows("(") else words
    columns = inside.all_listed(new_column)

    def change(table: Table) -> None:
        check_new_names(table.schema(), [each.parts for each in columns])
        update = table.update_schema(case_sensitive=dialect().case_sensitive)
        for each in columns:
            _add(update, each)
        update.commit()

    return change


def _add(update: Any, column: NewColumn) -> None:  # noqa: ANN401 - `UpdateSchema`
    kind, _ = type_of(column.kind, column.parts[-1])
    name = ".".join(column.parts)
    update.add_column(column.parts, kind, doc=column.comment, required=column.required)
    _move(update, name, first=column.first, after=column.after)


def _move(update: Any, name: str, *, first: bool, after: str | None) -> None:  # noqa: ANN401 - the same
    if first:
        update.move_first(name)
    elif after is not None:
        above, _, _ = name.rpartition(".")
        update.move_after(name, f"{above}.{after}" if above else after)


def _set_column(update: Any, *, name: str, **given: Any) -> None:  # noqa: ANN401 - the same
    update.update_column(name, **given)


def _dropped(words: TokenReader) -> Change:
    if not words.take("COLUMNS"):
        words.expect("COLUMN")
    lenient = words.take("IF", "EXISTS")
    inside = words.inside() if words.follows("(") else words
    names = [".".join(each) for each in inside.all_listed(TokenReader.name)]

    def change(table: Table) -> None:
        update = table.update_schema(case_sensitive=dialect().case_sensitive)
        known = {name.lower() for name in table.schema().column_names}
        for name in names:
            if not lenient or name.lower() in known:
                update.delete_column(name)
        update.commit()

    return change


def _changed_column(words: TokenReader) -> Change:
    """What Hive writes: `CHANGE COLUMN old new type COMMENT '..' FIRST`; or the same as after ALTER."""
    words.take("COLUMN")
    parts = words.name()
    if words.follows("TYPE") or (words.follows("COMMENT") and words.is_string(1)) or words.next(1) == "NOT":
        return _altered_column(words, ".".join(parts))
    if words.next() in {"FIRST", "AFTER"} and (words.is_end(1) or words.is_end(2)):
        return _altered_column(words, ".".join(parts))
    new = words.name()
    column = new_column(words, (*parts[:-1], new[-1]) if len(new) == 1 else new)
    if column.parts[:-1] != parts[:-1]:
        raise InvalidInputError(
            f"ALTER TABLE: CHANGE COLUMN {'.'.join(parts)} {'.'.join(new)}: a column stays where it is: give the new "
            "name alone"
        )
    if column.required:
        raise InvalidInputError("ALTER TABLE: CHANGE COLUMN: NOT NULL: write ALTER COLUMN .. SET NOT NULL")
    return lambda table: _change_column(table, ".".join(parts), column)


def _change_column(table: Table, old: str, column: NewColumn) -> None:
    from floeberg.spark.read.types import spark_type  # noqa: PLC0415 - it imports PySpark

    is_exact = dialect().case_sensitive
    update = table.update_schema(case_sensitive=is_exact)
    known = table.schema().column_names
    name = next(
        (each for each in known if each == old or (not is_exact and each.lower() == old.lower())), None
    )
    if name is None:
        raise InvalidInputError(f"ALTER TABLE: the table has no column {old!r}")
    field = table.schema().find_field(name)
    have = spark_type(field.field_type, truncate_nanoseconds=True, name=old)
    kind, _ = type_of(column.kind, old)
    if spark_type(kind, truncate_nanoseconds=True, name=old).simpleString() != have.simpleString():
        update.update_column(old, field_type=kind)
    if column.comment is not None:
        update.update_column(old, doc=column.comment)
    _move(update, old, first=column.first, after=column.after)
    if field.name != column.parts[-1]:
        check_new_names(table.schema(), [column.parts], own=field.name)
        update.rename_column(old, column.parts[-1])
    update.commit()


def _altered(words: TokenReader) -> Change:
    words.take("COLUMN")
    return _altered_column(words, ".".join(words.name()))


def _altered_column(words: TokenReader, name: str) -> Change:  # noqa: C901 - one branch a change
    steps: list[Callable[[Any], object]] = []
    if words.is_at_end:
        words.unexpected("TYPE, COMMENT, FIRST, AFTER, SET NOT NULL or DROP NOT NULL")
    while not words.is_at_end:
        if words.take("TYPE"):
            kind, _ = type_of(words.type_text("COMMENT", "FIRST", "AFTER"), name)
            steps.append(partial(_set_column, name=name, field_type=kind))
        elif words.take("COMMENT"):
            doc = words.string()
            steps.append(partial(_set_column, name=name, doc=doc))
        elif words.take("FIRST"):
            steps.append(partial(_move, name=name, first=True, after=None))
        elif words.take("AFTER"):
            after = words.one_name()
            steps.append(partial(_move, name=name, first=False, after=after))
        elif words.take("DROP", "NOT", "NULL"):
            steps.append(lambda update: update.make_column_optional(name))
        elif words.take("SET", "NOT", "NULL"):
            steps.append(lambda update: update.require_column(name))
        else:
            words.unexpected("TYPE, COMMENT, FIRST, AFTER, SET NOT NULL or DROP NOT NULL")

    def change(table: Table) -> None:
        update = table.update_schema(case_sensitive=dialect().case_sensitive)
        for step in steps:
            step(update)
        update.commit()

    return change


def _partition(words: TokenReader) -> Change:
    word = words.take_word().upper
    words.expect("PARTITION", "FIELD")
    if word == "ADD":
        column, how = transform(words)
        name = words.one_name() if words.take("AS") else None
        return lambda table: (
            table.update_spec(case_sensitive=dialect().case_sensitive).add_field(column, how, name).commit()
        )
    column, how = transform(words)
    # A field is removed by its name, or as it was declared.
    old = column if how == "identity" else applied(how, column)
    if word == "DROP":
        return lambda table: (
            table.update_spec(case_sensitive=dialect().case_sensitive).remove_field(old).commit()
        )
    words.expect("WITH")
    column, how = transform(words)
    name = words.one_name() if words.take("AS") else None
    return lambda table: (
        table.update_spec(case_sensitive=dialect().case_sensitive)
        .remove_field(old)
        .add_field(column, how, name)
        .commit()
    )


def _identifiers(words: TokenReader) -> Change:
    drops = words.take("DROP")
    if not drops:
        words.expect("SET")
    words.expect("IDENTIFIER", "FIELDS")
    names = [".".join(each) for each in words.listed(TokenReader.name)]

    def change(table: Table) -> None:
        update = table.update_schema(case_sensitive=dialect().case_sensitive)
        if not drops:
            update.set_identifier_fields(*names).commit()
            return
        known = table.schema().identifier_field_names()
        for name in names:
            if name not in known:
                raise InvalidInputError(f"ALTER TABLE: {name!r} is not an identifier field")
        update.set_identifier_fields(*sorted(known - set(names))).commit()

    return change


def _write_order(words: TokenReader) -> Change:
    mode, fields = None, list[dict[str, Any]]()
    if words.take("DISTRIBUTED", "BY", "PARTITION"):
        mode = "hash"
    if words.take("UNORDERED"):
        mode = mode or "none"
    elif mode is None or not words.is_at_end:
        locally = words.take("LOCALLY")
        words.expect("ORDERED", "BY")
        mode = mode or ("none" if locally else "range")
        fields = words.listed(sort_field)

    def change(table: Table) -> None:
        with table.transaction() as transaction:
            with transaction.update_sort_order(case_sensitive=dialect().case_sensitive) as update:
                for each in fields:
                    add = update.desc if each["descending"] else update.asc
                    add(each["column"], each["transform"], each["null_order"])
            transaction.set_properties({_DISTRIBUTION: str(mode)})

    return change


def _reference(words: TokenReader) -> Change | None:  # noqa: C901 - one branch a word
    """Branches and tags; `None` for what else begins so."""
    creates = words.follows("CREATE")
    ahead = 3 if words.follows("CREATE", "OR", "REPLACE") else 1
    if words.next(ahead) not in {"BRANCH", "TAG"}:
        return None
    word = words.take_word().upper
    replaces = word == "REPLACE" or words.take("OR", "REPLACE")
    kind = words.take_word().upper
    if word == "DROP":
        lenient = words.take("IF", "EXISTS")
        gone = words.one_name()
        return _drop_reference(gone, kind, lenient=lenient)
    keeps = words.take("IF", "NOT", "EXISTS")
    name, snapshot_id = words.one_name(), None
    if words.take("AS", "OF", "VERSION"):
        snapshot_id = words.integer()
    ref_age = _duration(words) if words.take("RETAIN") else None
    least, snapshot_age = _retention(words) if kind == "BRANCH" else (None, None)

    def change(table: Table) -> None:
        exists = name in table.refs()
        if exists and keeps:
            return
        manage = table.manage_snapshots()
        if exists and replaces:
            current = table.current_snapshot()
            to = snapshot_id if snapshot_id is not None or current is None else current.snapshot_id
            if to is None:
                raise InvalidInputError(f"ALTER TABLE: the table has no snapshot for {name!r}")
            (manage.replace_branch if kind == "BRANCH" else manage.replace_tag)(name, to)
            if least is not None:
                manage.set_min_snapshots_to_keep(name, least)
            if snapshot_age is not None:
                manage.set_max_snapshot_age_ms(name, snapshot_age)
            if ref_age is not None:
                manage.set_max_ref_age_ms(name, ref_age)
        elif not creates:
            raise InvalidInputError(f"ALTER TABLE: there is no {kind.lower()} {name!r} to replace")
        elif kind == "BRANCH":
            manage.create_branch(snapshot_id, name, ref_age, snapshot_age, least)
        else:
            manage.create_tag(snapshot_id, name, ref_age)
        manage.commit()

    return change


def _drop_reference(name: str, kind: str, *, lenient: bool) -> Change:
    def change(table: Table) -> None:
        if lenient and name not in table.refs():
            return
        manage = table.manage_snapshots()
        (manage.remove_branch if kind == "BRANCH" else manage.remove_tag)(name).commit()

    return change


def _retention(words: TokenReader) -> tuple[int | None, int | None]:
    """How many snapshots of a branch stay, and for how many milliseconds."""
    if not words.take("WITH"):
        return None, None
    words.expect("SNAPSHOT", "RETENTION")
    least = age = None
    if words.next(1) in {"SNAPSHOT", "SNAPSHOTS"}:
        least = words.integer()
        words.take_word()
    if not words.is_at_end:
        age = _duration(words)
    return least, age


def _duration(words: TokenReader) -> int:
    number = words.integer()
    unit = words.next().removesuffix("S")
    if unit not in _MILLISECONDS:
        words.unexpected("DAYS, HOURS or MINUTES")
    words.take_word()
    return number * _MILLISECONDS[unit]
