"""How does a copy go?

The target is created, brought up to date, or replaced. Rows are streamed, and are one commit together with the marker
that says up to where the source was copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from floeberg._arguments import checked_names, checked_options, checked_path
from floeberg._keywords import says_keywords
from floeberg.catalog import load_catalog
from floeberg.copying.marker import name_of
from floeberg.copying.result import CopyResult
from floeberg.copying.sources import source_of
from floeberg.copying.targets import (
    IcebergTarget,
    LanceTarget,
    NewIcebergTarget,
    NewLanceTarget,
    Rows,
)
from floeberg.errors import (
    CommitConflictError,
    InvalidInputError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from floeberg.lance import LanceTable
from floeberg.progress.reporting import Reporter
from floeberg.table import Table, open_table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from floeberg.catalog import Catalog
    from floeberg.copying.sources import Source
    from floeberg.copying.targets import Target
    from floeberg.progress.report import ProgressCallback

__all__ = ["copy"]

_ATTEMPTS = 10
"""So often another copy may be faster."""


@says_keywords
def copy(  # noqa: PLR0913 - all but the first two are keywords
    source: Table | LanceTable | str | os.PathLike[str],
    target: Table | LanceTable | str | os.PathLike[str],
    *,
    catalog: Catalog | str | None = None,
    mode: Literal["append", "replace"] | None = None,
    columns: Sequence[str] | None = None,
    storage_options: Mapping[str, str] | None = None,
    progress: ProgressCallback | bool | None = None,
) -> CopyResult:
    """Copies the rows of a table to another table, which may have the other format.

    A target that does not exist is created. A target of an earlier copy gets the rows that were appended to the source
    since. If anything else happened to the source, an error says so, and `mode="replace"` copies it whole. Rows and the
    state that they were copied up to are one commit: a copy that was killed is repeated without losing or doubling a
    row.

    Args:
        source: A table, at the state that it is open at, or its location.
        target: A table or its location; or, with a catalog, the name of an Iceberg table. A location without a table
            becomes a Lance table.
        catalog: The catalog of the target, or its name in the configuration.
        mode: For a target that exists: `append` adds the rows of a source that was not copied to it before, and
            `replace` replaces all rows, whatever was copied before. By default, only targets of earlier copies of the
            source are changed.
        columns: The columns to copy. By default, all.
        storage_options: The options of the storage, for locations.
        progress: As with `append`: a function that is called with a `ProgressReport` a few times a second, or `True`
            for a bar. The rows are those that were read from the source.

    Returns:
        What was done.

    Raises:
        InvalidInputError: The target was not copied from this source, and `mode` does not say what to do; or both are
            the same table.
        UnsupportedError: A column has a type that the other format lacks. Or not only appends happened to the source
            since the last copy, or its history is gone.
        InvalidDataError: A value does not fit the type of its column in the other format.
        NoSuchTableError: The source does not exist.
        CommitConflictError: Others changed the target, again and again.
        NotInstalledError: pylance is not installed, which rows of Lance tables need.

    Examples:
        >>> import pyarrow as pa
        >>> _ = orders.append(pa.table({"id": [1, 2]}))
        >>> copied = fb.copy(orders, f"{folder}/orders.lance")
        >>> copied.action, copied.rows
        ('created', 2)
        >>> _ = orders.append(pa.table({"id": [3]}))
        >>> again = fb.copy(orders, f"{folder}/orders.lance")
        >>> again.action, again.rows, again.table.scan().count()
        ('appended', 1, 3)
    """
    if mode not in (None, "append", "replace"):
        raise InvalidInputError(f"mode: expected 'append', 'replace' or None, found {mode!r}")
    options = checked_options("storage_options", storage_options)
    names = None if columns is None else checked_names("columns", columns)
    opened = (
        source if isinstance(source, (Table, LanceTable)) else open_table(source, storage_options=options)
    )
    begun = source_of(opened, names)
    reporter = Reporter(progress)
    with reporter.ending():
        return _copied(begun, target, catalog, mode, options, reporter)


def _copied(  # noqa: PLR0913, PLR0917 - what a copy was asked for
    begun: Source,
    target: Table | LanceTable | str | os.PathLike[str],
    catalog: Catalog | str | None,
    mode: str | None,
    options: dict[str, str],
    reporter: Reporter,
) -> CopyResult:
    for attempt in range(_ATTEMPTS):
        found = _target(target, catalog, options)
        try:
            if isinstance(found, (NewIcebergTarget, NewLanceTarget)):
                return _create(begun, found, reporter)
            found.refresh()
            return _change(begun, found, mode, reporter)
        except (TableAlreadyExistsError, CommitConflictError):
            # Another copy may have been faster: then what it copied is not copied again.
            if attempt == _ATTEMPTS - 1 or not _was_copied(begun, found):
                raise
    raise AssertionError


def _create(source: Source, target: NewIcebergTarget | NewLanceTarget, reporter: Reporter) -> CopyResult:
    marker = source.marker()
    rows = _all_rows(source, reporter, target)
    table = target.create(rows, source, marker)
    return CopyResult(table, "created", rows.count, None, marker.at)


def _change(source: Source, target: Target, mode: str | None, reporter: Reporter) -> CopyResult:
    _check_two_tables(source, target)
    marker = source.marker()
    if mode == "replace":
        rows = _all_rows(source, reporter, target)
        target.replace(rows, marker)
        return CopyResult(target.table, "replaced", rows.count, None, marker.at)
    before = target.marker(marker.source)
    if before is None and mode is None:
        raise InvalidInputError(
            "the target exists, and this source was not copied to it before: with mode='append' the rows of the "
            "source are added, with mode='replace' they replace all rows"
        )
    if before is not None and source.is_at(before):
        return CopyResult(target.table, "unchanged", 0, before.at, before.at)
    if before is None:
        rows = _all_rows(source, reporter, target)
    else:
        reporter.expect(None)
        rows = Rows(source, reporter.counted(source.rows_since(before)), is_lance=target.is_lance)
    target.append(rows, marker, before)
    return CopyResult(target.table, "appended", rows.count, None if before is None else before.at, marker.at)


def _all_rows(source: Source, reporter: Reporter, target: Target | NewIcebergTarget | NewLanceTarget) -> Rows:
    reporter.expect(None if reporter.is_silent else source.count())
    return Rows(source, reporter.counted(source.all_rows()), is_lance=target.is_lance)


def _target(
    target: Table | LanceTable | str | os.PathLike[str],
    catalog: Catalog | str | None,
    options: dict[str, str],
) -> Target | NewIcebergTarget | NewLanceTarget:
    if isinstance(target, LanceTable):
        return LanceTarget(target)
    if isinstance(target, Table):
        return IcebergTarget(target)
    place = checked_path("target", target)
    if catalog is not None:
        known = load_catalog(catalog) if isinstance(catalog, str) else catalog
        try:
            return IcebergTarget(known.load_table(place))
        except NoSuchTableError:
            return NewIcebergTarget(known, place)
    try:
        found: Table | LanceTable = open_table(place, storage_options=options)
    except NoSuchTableError:
        return NewLanceTarget(place, options)
    return LanceTarget(found) if isinstance(found, LanceTable) else IcebergTarget(found)


def _was_copied(source: Source, found: Target | NewIcebergTarget | NewLanceTarget) -> bool:
    """Whether another copy of the source was committed since the target was looked at."""
    if isinstance(found, (NewIcebergTarget, NewLanceTarget)):
        return True
    before = found.settings.get(name_of(source.name))
    found.refresh()
    return found.settings.get(name_of(source.name)) != before


def _check_two_tables(source: Source, target: Target) -> None:
    same_kind = source.is_lance == target.is_lance
    if same_kind and source_of(target.table, None).name == source.name:
        raise InvalidInputError("source and target are the same table")
