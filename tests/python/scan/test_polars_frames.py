"""Lazy frames of polars: their queries give what a frame of all rows gives, and read only what they need."""

from __future__ import annotations

import datetime as dt
import os
import pickle
import uuid
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import floeberg as fb
from floeberg import errors
from floeberg.expressions import AlwaysTrue
from floeberg.expressions._polars_pruning import may_keep

EXAMPLES = int(os.environ.get("FLOEBERG_PROPERTIES", "0"))
NAN, INF = float("nan"), float("inf")
ENGINES = ("in-memory", "streaming")
UTC = dt.timezone.utc
col = pl.col

DAY, MOMENT = dt.date(2020, 1, 1), dt.datetime(2020, 1, 1, 12)  # noqa: DTZ001 - a column without a zone
VALUES: dict[str, list[Any]] = {
    "i": [-3, 0, 1, 2**31 - 1, None],
    "l": [-(2**63), -1, 0, 2**53 + 1, 2**63 - 1, None],
    "f": [NAN, -0.0, 0.0, 1.5, -INF, INF, None],
    "g": [NAN, -0.0, 0.0, 0.5, -INF, INF, None],
    "s": ["", "a", "ab", "b", "\U0001f600", "\uffff", None],
    "b": [True, False, None],
    "d": [DAY, dt.date(1969, 12, 31), dt.date(9999, 12, 31), None],
    "t": [MOMENT, dt.datetime(1969, 12, 31, 23, 59, 59, 999999), None],  # noqa: DTZ001
    "z": [MOMENT.replace(tzinfo=UTC), dt.datetime(1, 1, 1, tzinfo=UTC), None],
    "m": [Decimal("0.50"), Decimal("-99999999.99"), Decimal("0.00"), None],
}
SCHEMA = pa.schema(
    {
        "k": pa.int64(),
        "i": pa.int32(),
        "l": pa.int64(),
        "f": pa.float64(),
        "g": pa.float32(),
        "s": pa.string(),
        "b": pa.bool_(),
        "d": pa.date32(),
        "t": pa.timestamp("us"),
        "z": pa.timestamp("us", "UTC"),
        "m": pa.decimal128(10, 2),
        "p": pa.struct({"q": pa.int32(), "r": pa.string()}),
    }
)


def rows(number: int) -> pa.Table:
    """Rows of one file: a few values of each column, so that statistics drop files."""
    count = 6
    columns: dict[str, list[Any]] = {
        name: [values[(number + place * (1 + number % 3) // 2) % len(values)] for place in range(count)]
        for name, values in VALUES.items()
    }
    columns["k"] = [number * count + place for place in range(count)]
    columns["p"] = [{"q": place, "r": f"r{number}"} for place in range(count)]
    return pa.table(columns, schema=SCHEMA)


def table_in(folder: Path, parts: int = 10, **options: Any) -> fb.Table:
    """A table with one file for each append and partition."""
    catalog = fb.load_catalog(f"lazy {uuid.uuid4()}", type="memory", warehouse=str(folder))
    catalog.create_namespace("ns")
    table = catalog.create_table("ns.t", SCHEMA, **options)
    for number in range(parts):
        table.append(rows(number))
    return table


def path_of(location: str) -> Path:
    return Path(location.removeprefix("file://"))


def paths(scan: fb.Scan) -> list[Path]:
    """The data files of a scan, in the order of the plan."""
    return [path_of(task.file.file_path) for task in scan.plan_files()]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> fb.Table:
    """Files of several partitions, and position deletes."""
    table = table_in(
        tmp_path_factory.mktemp("lazy"),
        partition_spec=["b", "truncate(1, s)"],
        properties={"write.delete.mode": "merge-on-read"},
    )
    table.delete("k in (3, 17, 18, 40)")
    return table


@pytest.fixture(scope="module")
def everything(mixed: fb.Table) -> pl.DataFrame:
    return mixed.to_polars()


@pytest.fixture(scope="module")
def of_lance(tmp_path_factory: pytest.TempPathFactory) -> fb.LanceTable:
    """The same columns in a Lance table of several fragments."""
    table = fb.lance.create_table(str(tmp_path_factory.mktemp("lance") / "t.lance"), rows(0))
    for number in range(1, 6):
        table.append(rows(number))
    table.delete("k in (3, 17)")
    return table


def literals(name: str) -> st.SearchStrategy[Any]:
    """Values that the column has, and values between them."""
    more: dict[str, list[Any]] = {
        "i": [2, 2**40],
        "l": [5, 2**53, 0.5],
        "f": [1, -1.5, 1e300, 0.1],
        "g": [0.1, -1.5, 1],
        "s": ["aa", "c"],
        "d": [dt.date(2020, 6, 1), MOMENT],
        "t": [dt.datetime(2021, 1, 1), DAY],  # noqa: DTZ001
        "z": [dt.datetime(2021, 1, 1, tzinfo=UTC)],
        "m": [Decimal("0.5"), Decimal("0.505"), Decimal("1e7"), 0, 0.5],
        "b": [],
    }
    return st.sampled_from([each for each in VALUES[name] if each is not None] + more[name])


@st.composite
def column_tests(draw: st.DrawFn) -> pl.Expr:
    """A test of one column."""
    name = draw(st.sampled_from(list(VALUES)))
    kinds = ["compared", "turned", "null", "not null", "in", "between"]
    kinds += {"s": ["starts", "ends"], "f": ["nan", "not nan"], "g": ["nan", "not nan"], "b": ["itself"]}.get(
        name, []
    )
    kinds += ["computed"] if name in {"i", "f"} else []
    kind = draw(st.sampled_from(kinds))
    one = col(name)
    known = [each for each in VALUES[name] if each is not None]
    match kind:
        case "compared" | "turned":
            word = draw(st.sampled_from(["__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"]))
            literal = pl.lit(draw(literals(name)))
            return getattr(one, word)(literal) if kind == "compared" else getattr(literal, word)(one)
        case "in":
            listed = draw(st.lists(st.sampled_from([*known, None]), max_size=3))
            return one.is_in(pl.Series(listed, dtype=TYPES[name]), nulls_equal=draw(st.booleans()))
        case "between":
            closed = draw(st.sampled_from(["both", "left", "right", "none"]))
            return one.is_between(draw(literals(name)), draw(literals(name)), closed)
        case "computed":
            return one * 2 > draw(st.sampled_from([-1, 1, 3]))
    return {
        "null": one.is_null,
        "not null": one.is_not_null,
        "nan": one.is_nan,
        "not nan": one.is_not_nan,
        "itself": lambda: one,
        "starts": lambda: one.str.starts_with(draw(st.sampled_from(["", "a", "b", "\U0001f600"]))),
        "ends": lambda: one.str.ends_with("b"),
    }[kind]()


TYPES = dict(pl.DataFrame(rows(0)).schema)


def predicates() -> st.SearchStrategy[pl.Expr]:
    return st.recursive(
        column_tests(),
        lambda inner: st.one_of(
            st.builds(lambda one, other: one & other, inner, inner),
            st.builds(lambda one, other: one | other, inner, inner),
            st.builds(lambda one, other: one ^ other, inner, inner),
            st.builds(lambda one: ~one, inner),
        ),
        max_leaves=5,
    )


SETTINGS = settings(
    max_examples=EXAMPLES or 150,
    derandomize=not EXAMPLES,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


def answer(frame: pl.LazyFrame) -> pl.DataFrame | type[Exception]:
    """The rows, or the class of the error that polars raises for types that it cannot compare."""
    try:
        return frame.collect()
    except pl.exceptions.PolarsError as error:
        return type(error)


def same(found: pl.LazyFrame, expected: pl.LazyFrame) -> None:
    theirs = answer(expected)
    ours = answer(found)
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours == theirs, expected.explain(optimized=False)
        return
    assert ours.schema == theirs.schema
    assert_frame_equal(ours, theirs, check_exact=True)


@SETTINGS
@given(
    predicate=predicates(),
    columns=st.lists(st.sampled_from(SCHEMA.names), min_size=1, unique=True),
    n=st.integers(0, 30),
)
def test_a_query_gives_the_rows_of_a_frame_of_all_rows(
    mixed: fb.Table, everything: pl.DataFrame, predicate: pl.Expr, columns: list[str], n: int
) -> None:
    ours, theirs = mixed.scan().to_polars_lazy(), everything.lazy()
    same(ours.filter(predicate), theirs.filter(predicate))
    same(ours.filter(predicate).select(columns), theirs.filter(predicate).select(columns))
    same(ours.head(n).filter(predicate), theirs.head(n).filter(predicate))
    same(ours.filter(predicate).head(n), theirs.filter(predicate).head(n))


@SETTINGS
@given(predicate=predicates())
def test_a_query_of_a_lance_table_gives_them_too(of_lance: fb.LanceTable, predicate: pl.Expr) -> None:
    theirs = of_lance.to_polars().lazy()
    same(of_lance.to_polars_lazy().filter(predicate), theirs.filter(predicate))
    same(of_lance.to_polars_lazy().head(8).filter(predicate), theirs.head(8).filter(predicate))


PUSHED = [
    col("i") > 1,
    pl.lit(1, pl.Int32) < col("i"),
    col("l") == 2**53 + 1,
    col("f") < 1.5,
    col("f") > 0.0,
    col("g") == 0.5,
    ~(col("f") >= 1.5),
    col("s") == "ab",
    col("s").str.starts_with("a"),
    col("d") >= DAY,
    col("t") >= MOMENT,
    col("z") >= MOMENT.replace(tzinfo=UTC),
    col("m") == Decimal("0.5"),
    col("b"),
    ~col("b"),
    col("i").is_in([0, 1]),
    ~col("i").is_in([0, 1]),
    col("i").is_between(0, 1),
    col("i").is_null(),
    col("f").is_nan(),
    (col("i") > 1) & (col("i") * 2 > 3),
]
NOT_PUSHED = [
    col("i") * 2 > 3,
    (col("i") > 1) | (col("i") * 2 > 3),
    ~((col("i") > 1) & (col("i") * 2 > 3)),
    col("f") == NAN,
    col("f") < INF,
    col("f").is_in([0.0]),
    col("i") > 1.5,
    col("d") > MOMENT,
    col("i").eq_missing(1),
    col("b") ^ (col("i") > 1),
    col("i") == col("l"),
    col("s").str.ends_with("b"),
]


def pushed(monkeypatch: pytest.MonkeyPatch, table: fb.Table, predicate: pl.Expr) -> str | None:
    """The filter that the scan of a query gets, as polars optimises its predicate."""
    found: list[str] = []
    ours = fb.Scan.filter
    monkeypatch.setattr(fb.Scan, "filter", lambda scan, given: found.append(str(given)) or ours(scan, given))
    table.to_polars_lazy().filter(predicate).collect()
    return found[0] if found else None


@pytest.mark.parametrize("predicate", PUSHED, ids=str)
def test_what_is_known_is_pushed(monkeypatch, mixed, predicate):
    assert pushed(monkeypatch, mixed, predicate) is not None


@pytest.mark.parametrize("predicate", NOT_PUSHED, ids=str)
def test_what_is_not_known_is_not_pushed(monkeypatch, mixed, predicate):
    assert pushed(monkeypatch, mixed, predicate) is None


def test_a_column_that_may_not_be_named_is_not_pushed():
    assert may_keep(col("a.b") == 1, {}) == AlwaysTrue()


@pytest.mark.unchecked_tables("files that must not be read are removed or damaged")
def test_files_that_cannot_match_are_not_opened(tmp_path):
    table = table_in(tmp_path, partition_spec=["b"])
    lazy = table.to_polars_lazy()
    expected = table.to_polars().filter(col("b") & (col("k") < 12))
    kept = set(paths(table.scan(row_filter="b = true and k < 12")))
    removed = [path for path in paths(table.scan()) if path not in kept]
    assert kept
    assert removed
    for path in removed:
        path.unlink()
    for engine in ENGINES:
        assert_frame_equal(lazy.filter(col("b"), col("k") < 12).collect(engine=engine), expected)
        with pytest.raises(errors.NotFoundError, match="parquet"):
            lazy.filter(~col("b")).collect(engine=engine)


def damage(path: Path, column: str) -> None:
    """Overwrites the pages of a column."""
    group = pq.ParquetFile(path).metadata.row_group(0)
    chunk = next(
        group.column(n) for n in range(group.num_columns) if group.column(n).path_in_schema == column
    )
    start = chunk.data_page_offset if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xff" * chunk.total_compressed_size)


@pytest.mark.unchecked_tables("files that must not be read are removed or damaged")
def test_columns_that_a_query_does_not_name_are_not_read(tmp_path):
    table = table_in(tmp_path, 1)
    expected = table.to_polars()
    (path,) = paths(table.scan())
    damage(path, "s")
    damage(path, "p.r")
    lazy, narrow = table.to_polars_lazy(), table.scan().select("k", "p.q", "i").to_polars_lazy()
    for engine in ENGINES:
        found = lazy.filter(col("k") > 1).select("i", "k").collect(engine=engine)
        assert_frame_equal(found, expected.filter(col("k") > 1).select("i", "k"))
        # A struct of which the scan reads a part stays narrow.
        nested = narrow.select("p").collect(engine=engine)
        assert nested["p"].to_list() == [{"q": number} for number in range(6)]
        for damaged in ("s", "p"):
            with pytest.raises(errors.InvalidDataError, match="parquet"):
                lazy.select(damaged).collect(engine=engine)


@pytest.mark.unchecked_tables("files that must not be read are removed or damaged")
def test_the_head_opens_the_first_files_alone(tmp_path):
    table = table_in(tmp_path, 4, format_version=2, properties={"write.delete.mode": "merge-on-read"})
    first = paths(table.scan())
    table.delete(f"k = {pq.read_table(first[0])['k'][0].as_py()}")
    assert paths(table.scan()) == first
    lazy = table.to_polars_lazy()
    expected = table.to_polars().head(7)
    for path in first[2:]:
        path.unlink()
    for engine in ENGINES:
        assert_frame_equal(lazy.head(7).collect(engine=engine), expected)
        assert_frame_equal(
            lazy.head(7).filter(col("k") > 3).collect(engine=engine), expected.filter(col("k") > 3)
        )
        with pytest.raises(errors.NotFoundError):
            lazy.head(12).collect(engine=engine)


@pytest.mark.unchecked_tables("files that must not be read are removed or damaged")
def test_no_data_file_is_opened_before_the_frame_is_collected(tmp_path):
    table = table_in(tmp_path, 2)
    (first, second) = paths(table.scan())
    first.unlink()
    second.unlink()
    lazy = table.to_polars_lazy().filter(col("k") == 3).select("s")
    assert lazy.collect_schema() == {"s": pl.String}
    with pytest.raises(errors.NotFoundError):
        lazy.collect()


def test_the_frame_keeps_its_snapshot(tmp_path):
    table = table_in(tmp_path, 2)
    lazy, before = table.to_polars_lazy(), table.to_polars()
    table.append(rows(2))
    table.refresh()
    assert_frame_equal(lazy.collect(), before)
    assert table.to_polars_lazy().collect().height == before.height + 6


def test_the_limit_of_the_scan_comes_before_the_filters_of_the_query(mixed):
    scan = mixed.scan(limit=20)
    expected, lazy = scan.to_polars(), scan.to_polars_lazy()
    for predicate in (col("i") > 0, col("k") >= expected["k"][-1]):
        assert_frame_equal(lazy.filter(predicate).collect(), expected.filter(predicate))
    assert_frame_equal(lazy.head(3).collect(), expected.head(3))
    assert_frame_equal(lazy.head(30).select("k").collect(), expected.select("k"))


def test_the_filter_of_the_scan_stays(mixed):
    scan = mixed.scan(row_filter="i > 0")
    for query in (lambda frame: frame.filter(col("f") > 0.0), lambda frame: frame.head(5)):
        assert_frame_equal(query(scan.to_polars_lazy()).collect(), query(scan.to_polars()))


def test_marks_of_deleted_rows_and_metadata_columns_stay(mixed):
    scan = mixed.scan().select("*", "_deleted", "_pos")
    expected, lazy = scan.to_polars(), scan.to_polars_lazy()
    assert expected["_deleted"].sum() == expected.height - mixed.count() > 0
    for predicate in (col("k") < 20, col("_deleted"), ~col("_deleted"), col("_pos") == 0):
        assert_frame_equal(
            lazy.filter(predicate).select("k").collect(), expected.filter(predicate).select("k")
        )
    assert_frame_equal(lazy.select("k").collect(), expected.select("k"))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_is_joined_with_itself_and_collected_in_threads(mixed, everything, engine):
    lazy = mixed.to_polars_lazy()

    def query(frame: pl.LazyFrame) -> pl.LazyFrame:
        other = frame.filter(col("i") >= 0).select("k", again="s")
        return frame.filter(col("f").is_not_null()).join(other, on="k").select("k", "again", "f").sort("k")

    expected = query(everything.lazy()).collect()
    assert expected.height
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda _: query(lazy).collect(engine=engine), range(12)):
            assert_frame_equal(found, expected)
    both = pl.collect_all([lazy.select(pl.len()), lazy.select(col("l").max())], engine=engine)
    assert [each.item() for each in both] == [everything.height, everything["l"].max()]


def test_names_that_look_nested_or_differ_by_case(tmp_path):
    catalog = fb.load_catalog(f"lazy {uuid.uuid4()}", type="memory", warehouse=str(tmp_path))
    catalog.create_namespace("ns")
    data = pa.table({"a.b": [1, 2], "A": [3, 4], "a": [5, 6], "x y": [7, 8]})
    table = catalog.create_table("ns.t", data.schema)
    table.append(data)
    for scan in (table.scan(), table.scan().with_case_sensitive(True)):
        lazy, frame = scan.to_polars_lazy(), scan.to_polars()
        for name in data.column_names:
            predicate = col(name) == data[name][1].as_py()
            assert_frame_equal(
                lazy.filter(predicate).select(name).collect(), frame.filter(predicate).select(name)
            )


def test_a_table_without_rows(tmp_path):
    lazy = table_in(tmp_path, 0).to_polars_lazy()
    assert lazy.filter(col("i") > 1).collect().shape == (0, len(SCHEMA))
    assert lazy.head(1).collect().shape == (0, len(SCHEMA))


def test_the_plan_names_the_scan(mixed):
    said = mixed.scan(row_filter="i > 0").to_polars_lazy().explain()
    assert "Floeberg" in said
    assert "i > 0" in said


def test_the_scan_may_come_from_another_process(mixed, everything):
    scan = pickle.loads(pickle.dumps(mixed.scan()))
    assert_frame_equal(scan.to_polars_lazy().collect(), everything)


def test_polars_that_is_missing_is_named(mixed, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars.io.plugins", None)
    with pytest.raises(errors.NotInstalledError, match=r"floeberg\[polars\]"):
        mixed.to_polars_lazy()


def test_the_answer_to_several_filters_is_one_filter(mixed, everything):
    wanted = [col("i") >= 0, col("f") > -1.0, col("s") != "b"]
    found = reduce(lambda frame, each: frame.filter(each), wanted, mixed.to_polars_lazy()).collect()
    assert_frame_equal(found, everything.filter(wanted))


@pytest.mark.parametrize("engine", ENGINES)
def test_windows_over_some_columns(mixed, everything, engine):
    total = pl.col("l").count().over("b")
    for query in (
        lambda frame: frame.select("k", total.alias("total")),
        lambda frame: frame.filter(pl.col("k") == pl.col("k").max().over("b")).select("k"),
        lambda frame: frame.with_columns(total.alias("total")).select("total", "k"),
    ):
        found = query(mixed.scan().to_polars_lazy()).sort("k").collect(engine=engine)
        assert_frame_equal(found, query(everything.lazy()).sort("k").collect(engine="in-memory"))
