"""Every class of the binary and of the package keeps the rules of the boundary."""

from __future__ import annotations

import importlib.util
import inspect
import json
import pickle
import subprocess
import sys
import zlib

import pyarrow as pa
import pytest

import floeberg as fb
import floeberg.catalog.sql
from corpus import lance_lent, lent
from floeberg import _native, errors, types
from floeberg.lance.pages import pages_of
from floeberg.scan.tasks import DataFile

NATIVE = [each for _, each in inspect.getmembers(_native, inspect.isclass)]


@pytest.fixture(scope="session")
def objects(deletes):
    """One object of every public class, native and wrapped."""
    table = deletes.open()
    scan = table.scan(row_filter="id < 10", limit=7)
    plan = scan.plan_files()
    group = plan.split()[0]
    reader = scan._inner.stream()
    view = fb.open_view(lent("view").folder / "table")
    explain = table.scan().explain(count=True)
    changes = table.changelog_scan()
    wrapped = [
        changes,
        table,
        view,
        scan,
        plan,
        group,
        plan[0],
        plan[0].file,
        *plan.delete_files()[:1],
        explain,
    ]
    wrapped += explain.aggregates
    native = [changes._inner, table._inner, view._inner, scan._inner, plan._inner, group._inner, reader]
    native += [table._inner.inspect("files", None, None), _native.plan_parts(scan._inner)]
    native += [reader.next_batch(), scan._inner.read_all(), group._inner.arrow_schema("spark")]
    reader = pa.RecordBatchReader.from_batches(
        pa.schema({"x": pa.int32()}), [pa.record_batch({"x": pa.array([1], pa.int32())})]
    )
    native += _native.transform_column("bucket[4]", reader)
    native += writing()
    of_lance, natives = lance_objects()
    wrapped += of_lance
    native += natives
    change = _native.ViewOperation.update_properties(updates={"a": "1"}, removals=[])
    native += [change, change.attempt(view._inner, storage_options={})]
    native += [_native.SqlExpression.parse("a + 1")]
    native += [_native.ListedFiles.of_folder("/", [], storage_options={}), view.check()._begin()]
    diff = table.diff(table.current_snapshot().snapshot_id)
    wrapped += [diff, diff._inner, table.diff(table)._two, view.check(), *fb.check("no/table/is/here")]
    native += [_native.WriteRecipe.of(table._inner, options={}, write_id="w")]
    native += [delete_recipe(), _native.ExpiredFiles.of(table._inner, table._inner)]
    return {type(each): each for each in (*wrapped, *native)}


def delete_recipe():
    """The recipe of new files for the delete files of a table."""
    catalog = fb.load_catalog("boundary", type="memory")
    catalog.create_namespace_if_not_exists("db")
    table = catalog.create_table("db.deletes", pa.schema({"id": pa.int64()}))
    table.append(pa.table({"id": [1, 2]}))
    table.delete("id = 1", mode="merge-on-read")
    paths = [each.file_path for each in table.scan().plan_files().delete_files()]
    operation = _native.Operation.rewrite_deletes(json.dumps({"kind": "positions", "paths": paths}))
    commit = _native.Commit.begin(
        [operation],
        starting=table._inner,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key="k",
    )
    [(_, _, recipe), *_] = commit.deletes_to_write(table._inner)
    return recipe


def lance_objects():
    """An object of every class of Lance tables, wrapped and native."""
    table = lance_lent("lance").open()
    scan = table.scan()
    plan = scan.plan_files()
    group = plan.split()[0]
    wrapped = [table, scan, plan, group, table.changelog_scan(1), table.diff(1)]
    rows = pa.table({"id": [1]}).to_reader()
    operation, _ = _native.LanceOperation.delete("true", scan._inner, pages_of({}))
    # A table that is read from elsewhere is not written.
    in_place = fb.open_table(lance_lent("lance").location, format="lance")
    commit = _native.LanceCommit.begin(
        in_place._inner, operation, properties=[], key=None, inserts_missing_keys=False
    )
    natives = [table._inner, scan._inner, plan._inner, group._inner, table.diff(1)._lance]
    pages = pages_of({})
    source = _native.SourceRows.of(rows, in_file=False)
    upsert = _native.RowChange.upsert(
        source, keys=["id"], updates=True, inserts=True, null_keys="error", case_sensitive=True
    )
    changed = _native.change_lance_rows(
        upsert, table._inner, pages, scan=None, rows_per_file=None, functions=None
    )
    written = _native.write_lance_rows(
        rows.schema.empty_table().to_reader(),
        rows.schema,
        pages,
        folder="memory://boundary/t",
        storage_options={},
        data_storage_version="2.2",
        rows_per_file=1,
        of_table=True,
    )
    natives += [group._inner.rows(pages), source, upsert, changed, changed.keys, written]
    natives += [table.changelog_scan(1)._inner]
    return wrapped, [*natives, operation, commit]


def writing():
    """An object of every class that writes."""
    receipt = _native.Receipt.concat([])
    create = _native.Operation.create_table(
        schema_json='{"type": "struct", "fields": []}',
        spec_json=None,
        sort_order_json=None,
        location="memory://boundary/t",
        properties={},
        format_version=2,
    )
    commit = _native.Commit.begin(
        [create],
        starting=None,
        storage_options={},
        snapshot_properties={},
        branch="main",
        commit_key="k",
    )
    catalog = fb.load_catalog("boundary", type="memory")
    catalog.create_namespace_if_not_exists("db")
    table = catalog.create_table_if_not_exists("db.t", pa.schema({"id": pa.int64()}))
    recipe = table.write_recipe()
    wrapped = [recipe, recipe.write(pa.table({"id": [1]}), task="0"), table.transaction()]
    wrapped += [
        table.append(pa.table({"id": [1]})),
        fb.CopyResult(lent("refs").open(), "created", 1, None, 1),
        fb.RebuildResult(lent("refs").open(), None, "files"),
        fb.TakeoverResult(lent("refs").open(), "files", None, "referred", 1, 1),
        fb.ExportResult("out", ("part-0.parquet",), 1, 1, None),
        fb.ExportCheck(1, (), (), ()),
        table.report(check=None),
    ]
    delta = table.row_delta_recipe(key_columns=["id"])
    rows = delta.delete_rows(pa.table({"_file": ["f"], "_pos": [1]}))
    report = fb.ProgressReport("writing", 0, 0, 1, 0.5)
    wrapped += [delta, rows, rows.native(), delta._keys, report]
    source = pa.table({"id": pa.array([1], pa.int64())})
    rows = _native.SourceRows.of(source.to_reader(), in_file=False)
    value = _native.NewValue.null()
    clause = _native.MergeClause.of("matched", condition=value, assignments=None, sets_all=False)
    merge = _native.RowChange.merge(
        rows, keys=[("id", "id")], condition=None, whole=None, clauses=[clause], case_sensitive=True
    )
    changed = _native.change_rows(
        merge, table.scan()._inner, recipe._inner, keys=None, writes=False, functions=None, progress=None
    )
    wrapped += [value, clause, changed, changed.keys, changed.found]
    wrapped += [table.merge(source, on="id"), table.upsert(source, ["id"], dry_run=True)]
    return [receipt, create, commit, commit.attempt(None), recipe._inner, *wrapped]


def test_every_class_has_an_object_here(objects):
    # Catalogs of every kind have tests of their own. A protocol has no objects, and options are dicts.
    classes = {each for name in fb.__all__ if inspect.isclass(each := getattr(fb, name))}
    public = {each for each in classes if not getattr(each, "_is_protocol", False)} - {
        errors.FloebergError,
        fb.Catalog,
        fb.CommitOptions,
        fb.ManageSnapshots,
        fb.SnapshotOptions,
        fb.UpdateSchema,
        fb.UpdateSortOrder,
        fb.UpdateSpec,
        fb.UpdateStatistics,
    }
    assert {each.__name__ for each in (public | set(NATIVE)) ^ set(objects)} == set()


@pytest.mark.parametrize("native", NATIVE, ids=lambda native: native.__name__)
def test_a_native_class_is_frozen_final_and_at_home(native, objects):
    assert native.__module__ == "floeberg._native"
    with pytest.raises(AttributeError):
        objects[native].anything = 1
    with pytest.raises(TypeError, match="not an acceptable base type"):
        type("Sub", (native,), {})
    with pytest.raises(TypeError, match="(No constructor|cannot create)"):
        native()


def test_every_class_is_pickled_or_says_what_to_send(objects):
    for kind, each in objects.items():
        if kind.__name__ in {
            "Plan",
            "ArrowSchema",
            "Attempt",
            "Batch",
            "Batches",
            "BatchReader",
            "Check",
            "Column",
            "Commit",
            "ExpiredFiles",
            "FoundRows",
            "LanceChangelog",
            "ListedFiles",
            "LanceCommit",
            "LanceDataFiles",
            "LanceKeys",
            "LanceOperation",
            "LancePlan",
            "LanceRows",
            "LanceRowsChanged",
            "LanceDiff",
            "TwoTables",
            "MergeBuilder",
            "MergeClause",
            "NewValue",
            "PlanParts",
            "RowChange",
            "RowsChanged",
            "SourceKeys",
            "SourceRows",
            "SqlExpression",
            "Transaction",
            "MetadataReader",
            "ViewAttempt",
            "ViewOperation",
        }:
            with pytest.raises(TypeError, match="cannot be pickled: send"):
                pickle.dumps(each)
        else:
            assert type(pickle.loads(pickle.dumps(each))) is kind


def test_what_is_unpickled_reads_the_same_rows(deletes):
    table = deletes.open()
    scan = table.scan(row_filter="id < 10 AND cat IN ('a', 'b')", selected_fields=("cat", "id"), limit=5)
    for each in (scan, scan.plan_files().split()[0]):
        assert pickle.loads(pickle.dumps(each)).to_arrow() == each.to_arrow()
    assert pickle.loads(pickle.dumps(table)).scan().to_arrow() == table.scan().to_arrow()


@pytest.mark.parametrize("choice", [{"ref": "first"}, {"snapshot_id": 1023650524122497237}])
def test_what_is_unpickled_stays_at_its_snapshot(refs, choice):
    table = refs.open(**choice)
    again = pickle.loads(pickle.dumps(table))
    assert again.metadata_location == table.metadata_location
    assert again.current_snapshot() == table.current_snapshot()
    assert pickle.loads(pickle.dumps(table.scan())).snapshot_id == table.current_snapshot().snapshot_id


def test_a_recipe_of_a_newer_version_is_refused_by_both_versions(deletes):
    scan = deletes.open().scan()
    view = fb.open_view(lent("view").folder / "table")
    group = scan.plan_files().split()[0]
    for native, latest in ((scan._inner, 2), (group._inner, 1), (deletes.open()._inner, 1), (view._inner, 1)):
        build, (recipe,) = native.__reduce__()
        kind = type(native).__name__.encode()
        place = 5 + len(kind)
        assert recipe[:place] == b"FLB2" + kind + b"\0"
        newer = recipe[:place] + (7).to_bytes(2, "little") + recipe[place + 2 :]
        with pytest.raises(errors.UnsupportedError, match=f"version 7 .* up to version {latest}"):
            build(newer)
        for damaged in (b"", b"nonsense", recipe[: place + 1], recipe[:-3], b"FLB2", b"FLB2Nope\0\x01\x00{}"):
            with pytest.raises(errors.InvalidInputError):
                build(damaged)
        with pytest.raises(errors.InvalidInputError, match="one of an older Floeberg"):
            build(b"FLBG" + recipe[4:])


def test_a_scan_of_the_version_before_is_read(deletes):
    scan = deletes.open().scan(row_filter="id < 10")
    build, (recipe,) = scan._inner.__reduce__()
    header, body = recipe[:9], json.loads(recipe[15:])
    assert body.pop("appends_after") is None
    version, text = (1).to_bytes(2, "little"), json.dumps(body).encode()
    older = header + version + zlib.crc32(header[4:] + version + text).to_bytes(4, "little") + text
    assert fb.Scan(build(older)).to_arrow() == scan.to_arrow()


def test_public_data_is_frozen(objects):
    with pytest.raises(AttributeError):
        objects[DataFile].file_path = "x"
    for _, each in inspect.getmembers(types, inspect.isclass):
        if each.__module__ == types.__name__:
            assert each.__dataclass_params__.frozen


def test_every_public_thing_is_documented():
    for module in (fb, errors, fb.catalog, fb.catalog.sql, fb.expressions, fb.transforms, types):
        for name in module.__all__:
            each = getattr(module, name)
            assert each.__doc__, name
            if inspect.isclass(each):
                for method_name, method in inspect.getmembers(each):
                    if not method_name.startswith("_") and callable(method):
                        assert inspect.getdoc(method), f"{name}.{method_name}"


def test_importing_imports_nothing_large():
    program = """
import sys
import zlib
import floeberg
print(sorted({"pyarrow", "pandas", "numpy", "polars", "duckdb", "pyspark", "sqlalchemy", "yaml"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_scan_becomes_a_dataframe_though_nobody_imported_what_makes_it(refs):
    program = """
import pickle
import sys
import floeberg as fb
scan = pickle.loads(bytes.fromhex(sys.argv[1]))
before = {name for name in sys.modules if name.startswith("floeberg.spark")}
try:
    scan.to_spark("no session")
except (fb.errors.InvalidInputError, fb.errors.NotInstalledError) as error:
    print(sorted(before), "floeberg.spark.read.dataframe" in sys.modules, type(error).__name__)
"""
    scan = pickle.dumps(refs.open().scan()).hex()
    done = subprocess.run([sys.executable, "-c", program, scan], capture_output=True, text=True, check=True)
    expected = "InvalidInputError" if importlib.util.find_spec("pyspark") else "NotInstalledError"
    assert done.stdout == f"[] True {expected}\n"
