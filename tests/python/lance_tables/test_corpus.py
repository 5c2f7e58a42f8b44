"""Every version of every Lance table of the corpus has the rows that pylance reads."""

from __future__ import annotations

import lance
import pyarrow as pa
import pytest

import tiers
from corpus import LanceCase, lance_cases, lance_lent
from floeberg import errors

OF_ROWS = ("_rowid", "_rowaddr")
OF_VERSIONS = ("_row_created_at_version", "_row_last_updated_at_version")

READABLE = [case for case in lance_cases() if case != lance_lent("lance_legacy")]
VERSIONS = [
    pytest.param(case, state, id=f"{case.name}-{state['version']}")
    for case in READABLE
    for state in case.expected["time_travel"]
]
each_case = pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)


def by_pylance(case: LanceCase, version: int, columns: list[str], **options: str) -> pa.Table:
    """What pylance reads of a version."""
    dataset = lance.dataset(str(case.location), version=version)
    scanner = dataset.scanner(columns=columns, blob_handling="all_binary", **options)
    return scanner.to_table().select(columns)


@pytest.mark.parametrize(("case", "state"), VERSIONS)
def test_every_version_has_the_rows_that_pylance_reads(case, state):
    table = case.open(version=state["version"])
    of_rows = [*OF_ROWS, *(OF_VERSIONS if table.has_stable_row_ids else ())]
    found = table.scan(selected_fields=["*", *of_rows]).to_arrow()
    found.validate(full=True)
    assert found.num_rows == table.scan().count() == state["row_count"]
    assert [[each.name, str(each.type), each.nullable] for each in table.schema()] == state["schema"]
    if case.names_other_folders:
        assert found["id"].to_pylist() == state.get("ids", found["id"].to_pylist())
        return
    wanted = by_pylance(case, state["version"], found.column_names)
    assert found.schema.equals(wanted.schema), (found.schema, wanted.schema)
    # By text, since NaN is not equal to itself.
    assert repr(found.to_pylist()) == repr(wanted.to_pylist())


@each_case
def test_each_column_alone_is_that_of_the_whole(case):
    table = case.open()
    whole = table.scan().to_arrow()
    for name in table.schema().names:
        alone = table.scan().select(name).to_arrow()
        assert repr(alone.to_pylist()) == repr(whole.select([name]).to_pylist()), name


@each_case
def test_filters_keep_the_rows_that_pylance_keeps(case):
    table = case.open()
    floats = [each.name for each in table.schema() if pa.types.is_floating(each.type)]
    asked = 0
    for each in case.expected.get("filters", ()):
        sql = each["sql"]
        try:
            scan = table.scan(row_filter=sql)
        except errors.InvalidInputError:
            # Functions and arithmetic of DataFusion, and columns as conditions.
            assert "(" in sql or "%" in sql or sql.isidentifier()
            continue
        asked += 1
        # NaN is in no order here; DataFusion takes it for the largest.
        ordered = [f"NOT isnan({name})" for name in floats if name in sql.split()]
        if not ordered:
            assert scan.count() == each["row_count"], sql
        if not case.names_other_folders:
            found = scan.to_arrow()
            told = " AND ".join([f"({sql})", *ordered])
            wanted = by_pylance(case, table.version, found.column_names, filter=told)
            assert repr(found.to_pylist()) == repr(wanted.to_pylist()), sql
    assert asked > 0 or not case.expected.get("filters")


@each_case
def test_splits_have_every_row_once(case):
    scan = case.open().scan(selected_fields=["*", "_rowaddr"])
    whole = scan.to_arrow()
    for size in (1, 256, 1 << 12, 1 << 40):
        groups = scan.plan_files().split(size)
        # Each opens its files: thousands of groups take a minute, and say what hundreds say.
        if len(groups) > 1000 and not tiers.ALL:
            continue
        parts = pa.concat_tables([group.to_arrow() for group in groups]) if groups else whole
        # NaN equals nothing, and is shown alike.
        assert parts.equals(whole) or repr(parts.to_pylist()) == repr(whole.to_pylist())


def test_files_of_version_0_1_are_refused_by_name():
    table = lance_lent("lance_legacy").open()
    assert table.scan().count() == lance_lent("lance_legacy").expected["row_count"]
    with pytest.raises(errors.UnsupportedError, match=r"version 0\.1 cannot be read.*\.lance"):
        table.scan().to_arrow()
