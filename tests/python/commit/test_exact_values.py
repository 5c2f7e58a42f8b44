"""Updates and merges change no value silently: what a column's type does not hold is an error."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from floeberg.errors import InvalidInputError
from stable_ids import stable

DECIMAL = pa.decimal128(9, 2)
NAN = float("nan")


def made(tmp_path, columns):
    data = pa.table(columns)
    catalog = fb.load_catalog("c", type="filesystem", warehouse=str(tmp_path))
    catalog.create_namespace_if_not_exists("ns")
    table = catalog.create_table("ns.t", data.schema)
    table.append(data)
    return table


def wide(tmp_path):
    return made(
        tmp_path,
        {
            "id": [1, 2],
            "c": pa.array([Decimal("1.10"), Decimal("0.35")], DECIMAL),
            "f": pa.array([0.5, 0.25], pa.float32()),
            "d": [1.5, 0.35],
        },
    )


def column(table, name):
    return table.scan().to_arrow().sort_by("id")[name].to_pylist()


@pytest.mark.parametrize(
    ("updates", "first"),
    [
        ({"c": lambda _: pa.array([1.5, 1.239])}, "1.239"),
        ({"c": lambda _: pa.array([0.1, 1.005], pa.float64())}, "1.005"),
        ({"f": lambda _: pa.array([NAN, 16777217.0])}, "16777217.0"),
        ({"f": fb.col("d")}, "0.35"),
        ({"f": lambda _: pa.array([1.5, 1e300])}, "1e300"),
        ({"d": lambda _: pa.array([Decimal("0.1"), Decimal(2**60 + 1)], pa.decimal128(30, 2))}, "11529215"),
        ({"c": fb.sql_expr("d / 3")}, r"0\.11666"),
    ],
    ids=stable,
)
def test_a_number_that_would_change_is_an_error(tmp_path, updates, first):
    table = wide(tmp_path)
    snapshot = table.current_snapshot().snapshot_id
    with pytest.raises(InvalidInputError, match=f"would be rounded: .* cannot hold {first}.*CAST"):
        table.update(updates)
    assert table.refresh().current_snapshot().snapshot_id == snapshot


def test_a_quotient_of_decimals_is_cast(tmp_path):
    table = wide(tmp_path)
    with pytest.raises(InvalidInputError, match="would be rounded"):
        table.update({"c": fb.sql_expr("c / 3")})
    table.update({"c": fb.sql_expr("CAST(c / 3 AS DECIMAL(9, 2))")})
    assert column(table, "c") == [Decimal("0.37"), Decimal("0.12")]


def test_numbers_that_are_held_are_converted(tmp_path):
    table = wide(tmp_path)
    table.update({"c": fb.col("d"), "d": fb.col("c"), "f": lambda _: pa.array([NAN, None], pa.float64())})
    assert column(table, "c") == [Decimal("1.50"), Decimal("0.35")]
    assert column(table, "d") == [1.1, 0.35]
    found = column(table, "f")
    assert found[0] != found[0] and found[1] is None
    table.update({"f": fb.sql_expr("0.1")})
    assert column(table, "f") == pa.array([0.1, 0.1], pa.float32()).to_pylist()


def test_every_cent_becomes_the_nearest_double(tmp_path):
    cents = pa.array([Decimal(each).scaleb(-2) for each in range(2000)], DECIMAL)
    table = made(tmp_path, {"id": range(2000), "c": cents, "d": [0.0] * 2000})
    table.update({"d": fb.col("c")})
    assert column(table, "d") == [float(each) for each in cents.to_pylist()]
    table.update({"c": lambda batch: pc.add(batch["d"], 0.0)})
    assert column(table, "c") == cents.to_pylist()


def test_a_merge_sets_no_value_that_would_change(tmp_path):
    table = wide(tmp_path)
    source = pa.table({"id": [1, 9], "c": [1.239, 7.999]})
    merge = table.merge(source, on="id").when_matched_update_all()
    with pytest.raises(InvalidInputError, match=r"cannot hold 1\.239"):
        merge.execute()
    merge = table.merge(source, on="id").when_not_matched_insert_all()
    with pytest.raises(InvalidInputError, match=r"cannot hold 7\.999"):
        merge.execute()


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("c", [1.104, 0.351]),
        ("c", [1.1, 0.35]),
        ("f", [0.5000001, 0.25]),
        ("f", pa.array([Decimal("0.50")] * 2)),
        ("d", pa.array([Decimal("1.50")] * 2)),
        ("id", [1.5, 2.0]),
        ("f", [16777217, 1]),
    ],
    ids=stable,
)
def test_a_join_key_that_would_change_is_an_error(tmp_path, key, values):
    table = wide(tmp_path)
    with pytest.raises(InvalidInputError, match=key):
        table.merge(pa.table({key: values}), on=key).when_matched_delete().execute()
    assert column(table, "id") == [1, 2]


def test_a_double_joins_a_float_that_it_is(tmp_path):
    table = wide(tmp_path)
    done = table.merge(pa.table({"f": [0.5]}), on="f").when_matched_delete().execute()
    assert done.deleted_rows == 1
