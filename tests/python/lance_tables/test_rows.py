"""Rows of Lance tables, by every way out."""

from __future__ import annotations

import pickle

import lance
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import floeberg as fb
from corpus import lance_lent
from floeberg import errors
from floeberg import expressions as fx


@pytest.fixture
def table():
    return lance_lent("lance").open()


def test_rows_come_out_in_every_form(table):
    scan = table.scan(row_filter="id < 3", selected_fields=("label", "id"))
    wanted = [{"id": 0, "label": "l0"}, {"id": 1, "label": "l1"}]
    assert scan.to_arrow().to_pylist() == wanted
    assert scan.to_arrow_batch_reader().read_all().to_pylist() == wanted
    assert scan.to_pandas().to_dict("records") == wanted
    assert scan.to_polars().to_dicts() == wanted
    assert scan.to_duckdb("t").sql("select id, label from t").fetchall() == [(0, "l0"), (1, "l1")]
    assert pa.table(scan).to_pylist() == wanted
    assert pa.table(table).num_rows == 29
    assert scan.projection() == pa.schema(scan) == scan.to_arrow().schema


def test_filters_of_every_kind_keep_the_same_rows(table):
    found = table.scan(row_filter="id >= 5 AND label = 'l1'").to_arrow()
    assert found.num_rows > 0
    for same in (
        fx.And(fx.GreaterThanOrEqual("id", 5), fx.EqualTo("label", "l1")),
        (pc.field("id") >= 5) & (pc.field("label") == "l1"),
    ):
        assert table.scan(row_filter=same).to_arrow() == found
    chained = table.scan(row_filter="id >= 5").filter("label = 'l1'")
    assert chained.to_arrow() == found and chained.count() == found.num_rows
    assert table.scan(row_filter="false").count() == 0
    assert table.scan(row_filter="false").to_arrow().num_rows == 0


def test_rows_that_are_added_to_no_file_are_null(table):
    assert table.scan(row_filter="empty IS NULL").count() == 28
    assert table.scan(row_filter="empty IS NOT NULL").count() == 1
    assert set(table.scan().select("empty").to_arrow()["empty"].to_pylist()[:28]) == {None}


def test_a_limit_ends_the_rows(table):
    whole = table.scan().to_arrow()
    for limit in (0, 1, 14, 15, 28, 29, 1000):
        scan = table.scan(limit=limit)
        assert scan.to_arrow() == whole.slice(0, limit)
        assert scan.count() == min(limit, 29)
        assert table.scan(row_filter="id > 2", limit=limit).count() == min(limit, 27)


def test_columns_that_rows_have_by_themselves_are_read_and_filtered_by(table):
    found = table.scan(selected_fields=("_rowaddr", "id", "_rowid")).to_arrow()
    assert found.column_names == ["id", "_rowid", "_rowaddr"]
    at = found.filter(pc.equal(found["id"], 21))["_rowaddr"].to_pylist()[0]
    assert table.scan(row_filter=f"_rowaddr = {at}").to_arrow()["id"].to_pylist() == [21]
    assert table.scan(row_filter=f"_rowid >= {2 << 32}", selected_fields=("id",)).count() == 1
    stable = lance_lent("lance_stable").open()
    newest = stable.scan(row_filter=f"_row_last_updated_at_version = {stable.version}").count()
    rows = stable.scan(selected_fields=("_row_last_updated_at_version",)).to_arrow()
    assert newest == rows[0].to_pylist().count(stable.version)
    # Tables without stable ids know no versions of rows.
    unknown = table.scan(selected_fields=("_row_created_at_version",)).to_arrow()[0]
    assert unknown.null_count == 29


@pytest.mark.parametrize(
    "columns",
    [
        ("st.a",),
        ("st.in.x", "id"),
        ("lst.element.b",),
        ("m",),
        ("st.in", "st.b"),
        ("m.value",),
        ("fsl", "ll"),
    ],
)
def test_parts_of_columns_are_read_alone(columns):
    nested = lance_lent("lance_nested").open()
    part = nested.scan(selected_fields=columns).to_arrow()
    whole = nested.scan().to_arrow().to_pylist()

    def cut(value, like):
        if isinstance(like, pa.StructType):
            return value and {each.name: cut(value[each.name], each.type) for each in like}
        if isinstance(like, pa.ListType):
            return value and [cut(each, like.value_type) for each in value]
        return value

    wanted = [{each.name: cut(row[each.name], each.type) for each in part.schema} for row in whole]
    assert part.to_pylist() == wanted


def test_parts_of_structs_are_filtered_by():
    nested = lance_lent("lance_nested").open()
    rows = nested.scan().to_arrow().to_pylist()
    wanted = [row["id"] for row in rows if row["st"] and row["st"]["a"] is not None and row["st"]["a"] > 2]
    assert nested.scan(row_filter="st.a > 2", selected_fields=("id",)).to_arrow()[0].to_pylist() == wanted
    inner = [
        row["id"] for row in rows if not row["st"] or not row["st"]["in"] or row["st"]["in"]["x"] is None
    ]
    assert nested.scan(row_filter='st."in".x IS NULL').to_arrow()["id"].to_pylist() == inner


def test_blobs_are_bytes():
    case = lance_lent("lance_blobs")
    found = case.open().scan().to_arrow().to_pydict()
    # pylance opens no blob that is null, and says so with an error.
    wanted = [None if told.startswith("error") else bytes.fromhex(told) for _, told in case.expected["blobs"]]
    assert found["blob"] == wanted


@pytest.mark.parametrize("role", ["lance", "lance_stable", "lance_kinds", "lance_nested", "lance_bitmap"])
def test_rows_are_taken_by_ids_and_addresses(role):
    table = lance_lent(role).open()
    whole = table.scan(selected_fields=("*", "_rowid", "_rowaddr")).to_arrow()
    places = [*range(0, whole.num_rows, max(whole.num_rows // 50, 1)), 0, whole.num_rows - 1, 3, 3]
    places.reverse()
    wanted = repr(whole.take(places).to_pylist())
    names = ("*", "_rowid", "_rowaddr")
    for argument, column in (("row_ids", "_rowid"), ("addresses", "_rowaddr")):
        asked = whole[column].take(places)
        for numbers in (asked, asked.to_pylist()):
            found = table.take(**{argument: numbers}, selected_fields=names)
            assert repr(found.to_pylist()) == wanted
    assert table.take(row_ids=[], selected_fields=("_rowid",)).num_rows == 0


@pytest.mark.parametrize(
    ("arguments", "error", "reason"),
    [
        ({}, errors.InvalidInputError, "either row_ids or addresses"),
        ({"row_ids": [1], "addresses": [1]}, errors.InvalidInputError, "either row_ids or addresses"),
        ({"row_ids": [-1]}, errors.InvalidInputError, "from 0 to 2"),
        ({"row_ids": ["a"]}, errors.InvalidInputError, "from 0 to 2"),
        ({"addresses": [2]}, errors.NotFoundError, "no row of the address 2: it is deleted"),
        ({"addresses": [15]}, errors.NotFoundError, "no row of the address 15"),
        ({"addresses": [9 << 32]}, errors.NotFoundError, "no row of the address"),
        ({"addresses": [(1 << 64) - 1]}, errors.NotFoundError, "no row of the address"),
    ],
)
def test_rows_that_cannot_be_taken_are_told(table, arguments, error, reason):
    with pytest.raises(error, match=reason):
        table.take(**arguments)


def test_an_id_that_is_gone_is_told():
    case = lance_lent("lance_stable")
    table = case.open()
    live = set(table.scan(selected_fields=("_rowid",)).to_arrow()[0].to_pylist())
    gone = next(number for number in range(max(live) + 2) if number not in live)
    with pytest.raises(errors.NotFoundError, match=f"no row of the id {gone}"):
        table.take(row_ids=[gone])


def test_a_plan_is_columns_and_tasks(table):
    plan = table.scan().plan_files()
    assert len(plan) == 3 and [task.physical_rows for task in plan] == [15, 15, 1]
    assert plan[-1].deletion_file is None and plan[0].deletion_file.endswith(".arrow")
    assert [len(task.data_files) for task in plan[:2]] == [3, 3]
    assert plan.to_arrow()["deleted_rows"].to_pylist() == [1, 1, 0]
    assert pa.table(plan) == plan.to_arrow()
    with pytest.raises(IndexError, match="3 fragments"):
        plan[3]
    groups = plan.split(most_groups=2, least_size=1)
    assert sum(group.count() for group in groups) == 29 and len(groups) >= 2
    again = [pickle.loads(pickle.dumps(group)) for group in groups]
    assert pa.concat_tables([group.to_arrow() for group in again]) == table.scan().to_arrow()
    with pytest.raises(errors.InvalidInputError, match="at least 1"):
        plan.split(0)


def test_an_explanation_says_what_is_read(table):
    explain = table.scan(row_filter="id < 3", selected_fields=("id",), limit=5).explain()
    assert (explain.fragments, explain.deletion_files, explain.physical_rows) == (3, 2, 31)
    text = str(explain)
    assert "columns: id" in text and "filter: id < 3" in text and "limit: 5" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"selected_fields": ("idd",)}, "id"),
        ({"selected_fields": "id"}, "a sequence of names"),
        ({"row_filter": "idd = 1"}, "id"),
        ({"row_filter": "id = 'x'"}, "x"),
        ({"row_filter": "id <"}, "the filter"),
        ({"limit": -1}, "at least 0"),
        ({"case_sensitive": 1}, "bool"),
    ],
)
def test_mistakes_are_told_when_a_scan_is_made(table, arguments, reason):
    with pytest.raises(errors.InvalidInputError, match=reason):
        table.scan(**arguments)


def test_names_are_found_without_case(table):
    assert table.scan("ID < 3", ("LABEL",), False).to_arrow().column_names == ["label"]


def made_by_pylance(place, **options):
    # Files of version 2.0 have no null structs.
    gone = 10 if options["data_storage_version"] == "2.0" else 3
    rows = pa.table(
        {"id": range(10), "s": [{"x": i, "y": f"y{i}"} if i % 10 != gone else None for i in range(10)]}
    )
    return lance.write_dataset(rows, str(place), **options)


@pytest.mark.parametrize("version", ["2.0", "2.1", "2.2"])
def test_columns_that_were_renamed_dropped_and_rewritten_are_those_of_pylance(tmp_path, version):
    dataset = made_by_pylance(tmp_path / "t", data_storage_version=version, max_rows_per_file=4)
    dataset.alter_columns({"path": "id", "name": "key"})
    dataset.add_columns({"twice": "key * 2"})
    dataset.delete("key = 5")
    dataset.update({"twice": "-1"}, where="key > 7")
    dataset.drop_columns(["s.x"])
    dataset.alter_columns({"path": "key", "data_type": pa.int32()})
    dataset.drop_columns(["twice"])
    dataset.add_columns({"twice": "cast(key as string)"})
    for each in lance.dataset(str(tmp_path / "t")).versions():
        wanted = lance.dataset(str(tmp_path / "t"), version=each["version"]).to_table()
        found = fb.open_table(tmp_path / "t", version=each["version"]).scan().to_arrow()
        assert found.to_pylist() == wanted.to_pylist(), each
        assert found.schema.equals(wanted.schema)


@pytest.mark.parametrize("version", ["2.2"])
def test_parts_that_no_file_has_are_null_in_structs_and_lists_that_are_there(tmp_path, version):
    there = pa.table(
        {
            "s": [None if i % 3 == 0 else {"x": i, "y": str(i)} for i in range(6)],
            "l": [None, [{"a": 1, "b": -1}], [], [{"a": 3, "b": -3}], None, [{"a": 5, "b": -5}]],
        }
    )
    dataset = lance.write_dataset(there, str(tmp_path / "t"), data_storage_version=version)
    dataset.add_columns(pa.schema([pa.field("s", pa.struct([pa.field("z", pa.int32())]))]))
    item = pa.struct([pa.field("c", pa.int32())])
    dataset.add_columns(pa.schema([pa.field("l", pa.list_(item))]))
    dataset.drop_columns(["s.x"])
    table = fb.open_table(tmp_path / "t")
    wanted = dataset.to_table().to_pylist()
    assert table.scan().to_arrow().to_pylist() == wanted
    alone = table.scan(selected_fields=("s.z", "l.element.c")).to_arrow().to_pylist()
    assert alone == [
        {
            "s": row["s"] and {"z": row["s"]["z"]},
            "l": None if row["l"] is None else [{"c": each["c"]} for each in row["l"]],
        }
        for row in wanted
    ]


def test_batches_of_few_numbers_have_more_rows_and_no_others(tmp_path) -> None:
    rows = 200_000
    columns = {
        "id": pa.array(range(rows), pa.int64()),
        "flag": pa.array([True, None] * (rows // 2)),
        "none": pa.nulls(rows),
        "text": pa.array(["x"] * rows),
        "point": pa.array([[1.0] * 8] * rows, pa.list_(pa.float32(), 8)),
        "pair": pa.array([{"n": 1}] * rows, pa.struct([pa.field("n", pa.int64())])),
    }
    table = fb.lance.create_table(tmp_path / "t.lance", pa.table(columns))
    most = {}
    for name in columns:
        batches = list(table.scan(selected_fields=(name,)).to_arrow_batch_reader())
        assert pa.Table.from_batches(batches)[name].to_pylist() == pa.table(columns)[name].to_pylist()
        most[name] = max(map(len, batches))
    assert most["id"] == 65_536
    assert most["flag"] == 131_072
    assert most["text"] == most["pair"] == 16_384
    assert most["point"] in (16_384, 2 * 8_192)
    both = list(
        table.scan(row_filter="id >= 150000", selected_fields=("text", "_rowaddr")).to_arrow_batch_reader()
    )
    assert sum(map(len, both)) == 50_000
    assert pa.Table.from_batches(both)["_rowaddr"].to_pylist() == list(range(150_000, 200_000))
