"""Calls in PyIceberg's words do here what they do there, and what is not here says how it is spelled."""

from __future__ import annotations

import copy
import pickle

import pyarrow as pa
import pyiceberg.partitioning
import pyiceberg.schema
import pyiceberg.table.sorting
import pyiceberg.transforms
import pyiceberg.types
import pytest

import floeberg as fb
from corpus import lent
from floeberg import errors, exceptions, transforms, types
from floeberg.catalog import load_catalog
from floeberg.catalog.memory import InMemoryCatalog
from floeberg.catalog.sql import SqlCatalog
from floeberg.errors import InvalidInputError
from floeberg.expressions import ALWAYS_TRUE, And, BooleanExpression, EqualTo, IsNull, Or, parser
from floeberg.expressions.literals import literal
from floeberg.partitioning import UNPARTITIONED_PARTITION_SPEC, PartitionField, PartitionSpec
from floeberg.schema import Schema
from floeberg.table.refs import MAIN_BRANCH
from floeberg.table.snapshots import Operation
from floeberg.table.sorting import UNSORTED_SORT_ORDER, NullOrder, SortDirection, SortField, SortOrder
from floeberg.transforms import (
    BucketTransform,
    DayTransform,
    IdentityTransform,
    TruncateTransform,
    UnknownTransform,
    parse_transform,
)
from floeberg.types import (
    DecimalType,
    FixedType,
    GeographyType,
    GeometryType,
    ListType,
    LongType,
    MapType,
    NestedField,
    PrimitiveType,
    StringType,
    StructType,
)

ROWS = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "city": ["a", "b", "c"]})


@pytest.fixture
def catalog():
    with load_catalog("like", type="memory") as made:
        made.create_namespace_if_not_exists("n", {"owner": "jo"})
        yield made
        for identifier in made.list_tables("n"):
            made.purge_table(identifier)


@pytest.fixture
def table(catalog):
    made = catalog.create_table("n.rows", ROWS.schema)
    made.append(ROWS)
    return made


NAMES = sorted(
    name
    for name in vars(pyiceberg.types)
    if name.endswith("Type")
    and name
    not in {"IcebergType", "PrimitiveType", "DecimalType", "FixedType", "StructType", "ListType", "MapType"}
    and not name.startswith("_")
    and isinstance(getattr(pyiceberg.types, name), type)
    and getattr(pyiceberg.types, name).__module__ == "pyiceberg.types"
)


@pytest.mark.parametrize("name", NAMES)
def test_every_type_of_pyiceberg_has_a_class_of_its_name(name):
    ours, theirs = getattr(types, name)(), getattr(pyiceberg.types, name)()
    assert str(ours) == str(theirs)
    assert ours == PrimitiveType(str(theirs))
    assert type(PrimitiveType(str(theirs))) is type(ours)
    assert isinstance(NestedField(1, "a", str(theirs)).field_type, type(ours))
    assert hash(ours) == hash(PrimitiveType(str(theirs)))
    assert ours.is_primitive and not ours.is_struct


@pytest.mark.parametrize(
    "kind",
    [
        LongType(),
        DecimalType(9, 2),
        DecimalType(precision=38, scale=0),
        FixedType(16),
        GeometryType("EPSG:4326"),
        GeographyType("EPSG:4326", "karney"),
        PrimitiveType("from_the_future"),
        StructType(NestedField(1, "a", LongType())),
        ListType(element_id=1, element=LongType()),
        ListType(1, LongType(), False),
        MapType(1, StringType(), 2, LongType()),
    ],
    ids=str,
)
def test_a_type_is_its_repr_its_pickle_and_its_copy(kind):
    assert eval(repr(kind), vars(types)) == kind
    assert pickle.loads(pickle.dumps(kind)) == kind == copy.deepcopy(kind)
    assert type(pickle.loads(pickle.dumps(kind))) is type(kind)


def test_types_with_parameters_give_them():
    assert (DecimalType(9, 2).precision, DecimalType(9, 2).scale, len(FixedType(3))) == (9, 2, 3)
    assert (GeometryType().crs, GeographyType("X", "karney").crs) == ("OGC:CRS84", "X")
    assert NestedField(1, "a", "fixed(3)").field_type == FixedType(3)


@pytest.mark.parametrize(
    "make",
    [lambda: DecimalType(39, 2), lambda: DecimalType(3, 4), lambda: FixedType(-1), lambda: FixedType("3")],
)
def test_parameters_that_no_type_has_are_refused(make):
    with pytest.raises(InvalidInputError, match="precision|scale|length"):
        make()


@pytest.mark.parametrize(
    "text", [f"decimal({'9' * 5000},2)", f"fixed[{'9' * 5000}]", "decimal(\u0663,1)", ""]
)
def test_a_text_that_is_no_type_of_a_class_stays_what_it_is(text):
    assert type(PrimitiveType(text)) is PrimitiveType and PrimitiveType(text).name == text
    assert type(parse_transform(f"bucket[{'9' * 5000}]")) is UnknownTransform


def test_a_list_and_a_map_are_required_unless_said_and_give_their_fields():
    assert ListType(1, "long").element_required and MapType(1, "long", 2, "long").value_required
    assert str(ListType(3, element=StringType()).element_field) == "3: element: required string"
    assert str(MapType(1, "string", 2, "int", value_required=False).value_field) == "2: value: optional int"


def test_a_struct_takes_fields_or_a_sequence_of_them():
    a, b = NestedField(1, "a", "long"), NestedField(2, "b", "long")
    assert StructType(a, b) == StructType((a, b)) == StructType(fields=[a, b])
    assert (len(StructType(a, b)), bool(StructType()), StructType(a).field(9)) == (2, True, None)


SCHEMA = Schema(
    NestedField(field_id=1, name="id", field_type=LongType(), required=True),
    NestedField(2, "place", StructType(NestedField(3, "city", StringType()), NestedField(4, "zip", "int"))),
    NestedField(5, "tags", ListType(6, StringType())),
    NestedField(7, "at", types.TimestampType()),
    schema_id=1,
    identifier_field_ids=[1],
)


def test_a_schema_answers_as_that_of_pyiceberg_does():
    theirs = pyiceberg.schema.Schema.model_validate_json(fb._new_table.schema_json(SCHEMA, format_version=2))
    assert SCHEMA.highest_field_id == theirs.highest_field_id == 7
    assert SCHEMA.field_ids == set(theirs.field_ids)
    assert SCHEMA.identifier_field_names() == theirs.identifier_field_names() == {"id"}
    assert sorted(SCHEMA.column_names) == sorted(theirs.column_names)
    assert str(SCHEMA.find_type("place.zip")) == str(theirs.find_type("place.zip"))
    assert SCHEMA.find_field("PLACE.CITY", False).field_id == 3
    assert SCHEMA.find_column_name(4) == theirs.find_column_name(4)
    assert len(SCHEMA) == len(theirs.fields) == len(SCHEMA.as_struct())
    assert str(SCHEMA) == str(theirs)
    for names in (("place.city", "at"), ("id",), ("tags",)):
        assert str(SCHEMA.select(*names)) == str(theirs.select(*names)), names
    assert SCHEMA.select("*") == SCHEMA
    assert SCHEMA.as_arrow().names == theirs.as_arrow().names


def test_an_arrow_schema_is_that_of_the_rows_of_a_table(catalog):
    made = catalog.create_table("n.typed", SCHEMA)
    assert made.schema().as_arrow().equals(made.scan(limit=0).to_arrow().schema, check_metadata=True)


@pytest.mark.parametrize(
    "text", ["identity", "void", "year", "month", "day", "hour", "bucket[16]", "truncate[4]"]
)
def test_a_transform_is_its_text_and_has_pyicebergs_class_and_repr(text):
    ours, theirs = parse_transform(text), pyiceberg.transforms.parse_transform(text)
    assert ours == text and str(ours) == text == str(theirs)
    assert type(ours).__name__ == type(theirs).__name__
    assert repr(ours) == repr(theirs)
    assert ours.preserves_order == theirs.preserves_order
    assert eval(repr(ours), vars(transforms)) == ours == pickle.loads(pickle.dumps(ours))
    assert parse_transform(theirs) == ours


def test_transforms_give_their_parameters():
    assert (BucketTransform(num_buckets=16).num_buckets, TruncateTransform(width=4).width) == (16, 4)
    assert isinstance(parse_transform("bucket[016]"), UnknownTransform)
    for wrong in (0, 2**31, "16"):
        with pytest.raises(InvalidInputError, match="num_buckets"):
            BucketTransform(wrong)


def test_specs_and_orders_are_declared_in_pyicebergs_words(catalog):
    spec = PartitionSpec(
        PartitionField(source_id=1, field_id=1000, transform=BucketTransform(16), name="shard"),
        PartitionField(4, 1001, IdentityTransform(), "zip"),
    )
    order = SortOrder(SortField(source_id=1, transform=IdentityTransform(), direction=SortDirection.DESC))
    made = catalog.create_table("n.bids", SCHEMA, None, spec, order, {"a": 1})
    assert made.spec().fields[0].transform.num_buckets == 16
    assert made.sort_order().fields[0].direction is SortDirection.DESC
    assert made.sort_order().fields[0].null_order is NullOrder.NULLS_LAST
    assert made.properties["a"] == "1"
    assert str(spec.partition_type(SCHEMA)) == "struct<1000: shard: optional int, 1001: zip: optional int>"
    assert (spec.last_assigned_field_id, len(spec.fields_by_source_id(4))) == (1001, 1)


def test_specs_and_orders_print_as_pyicebergs_do():
    theirs = pyiceberg.partitioning.PartitionSpec(
        pyiceberg.partitioning.PartitionField(1, 1000, pyiceberg.transforms.DayTransform(), "day")
    )
    assert str(PartitionSpec(PartitionField(1, 1000, DayTransform(), "day"))) == str(theirs)
    assert str(UNPARTITIONED_PARTITION_SPEC) == str(pyiceberg.partitioning.UNPARTITIONED_PARTITION_SPEC)
    sorting = pyiceberg.table.sorting
    for transform in ("identity", "bucket[4]"):
        known = sorting.SortField(
            2, pyiceberg.transforms.parse_transform(transform), sorting.SortDirection.DESC
        )
        assert str(SortField(2, transform, SortDirection.DESC)) == str(known)
    assert str(UNSORTED_SORT_ORDER) == str(sorting.UNSORTED_SORT_ORDER)


def test_a_wrong_direction_is_refused_by_the_table(catalog):
    with pytest.raises(InvalidInputError):
        catalog.create_table("n.wrong", SCHEMA, sort_order=SortOrder(SortField(1, direction="down")))


def test_exceptions_are_the_errors_that_are_raised(catalog):
    with pytest.raises(exceptions.NoSuchTableError):
        catalog.load_table("n.none")
    with pytest.raises(exceptions.NamespaceAlreadyExistsError):
        catalog.create_namespace("n")
    assert issubclass(errors.CommitConflictError, exceptions.CommitFailedException)
    assert {
        name for name in exceptions.__all__ if not issubclass(getattr(exceptions, name), fb.FloebergError)
    } == set()


def test_filters_have_pyicebergs_names(table):
    assert parser.parse("id = 1") == EqualTo("id", literal(1))
    assert isinstance(EqualTo("id", 1), BooleanExpression)
    both, three = And(IsNull("a"), IsNull("b")), Or(IsNull("a"), IsNull("b"), IsNull("c"))
    assert (both.left, both.right) == (IsNull("a"), IsNull("b"))
    assert three.right == Or(IsNull("b"), IsNull("c"))
    assert And().left == ALWAYS_TRUE
    assert table.scan(ALWAYS_TRUE).count() == 3


def test_scans_and_writes_take_arguments_by_pyicebergs_places(table):
    assert table.scan("id > 1", ("city",), True, None, {}, 1).to_arrow().column_names == ["city"]
    table.append(ROWS, {"by": "hand"}, None)
    assert table.current_snapshot().summary["by"] == "hand"
    table.overwrite(ROWS, "id > 0", {"by": "machine"}, True, MAIN_BRANCH)
    assert (table.scan().count(), table.current_snapshot().summary["by"]) == (3, "machine")
    table.delete("id > 0", {"by": "nobody"})
    assert (table.scan().count(), table.snapshots()[-1].operation) == (0, Operation.DELETE)
    with table.update_schema(True) as update:
        update.add_column("note", StringType(), "a note", False)
        update.update_column("city", StringType(), False, "a town")
    assert str(table.schema().find_field("note")) == "3: note: optional string (a note)"


def test_properties_are_keywords_and_chains(table):
    table.transaction().set_properties(abc="def").remove_properties("none").commit_transaction()
    assert table.properties["abc"] == "def"
    table.set_properties({"x.y": 1}, z=True)
    assert (table.properties["x.y"], table.properties["z"]) == ("1", "true")


def test_snapshots_are_found_by_name_and_by_time(table):
    first = table.current_snapshot()
    table.append(ROWS)
    last = table.current_snapshot()
    assert table.snapshot_by_name("main") == last
    assert table.snapshot_as_of_timestamp(first.timestamp_ms - 1) is None
    assert table.snapshot_as_of_timestamp(last.timestamp_ms + 1) == last
    assert table.snapshot_as_of_timestamp(first.timestamp_ms, inclusive=False) is None


def test_catalogs_take_properties_as_keywords_and_are_closed(tmp_path):
    uri = f"sqlite:///{tmp_path}/c.db"
    with SqlCatalog("a", uri=uri, warehouse=str(tmp_path)) as catalog:
        catalog.create_namespace("n")
    # Closed is not lost: the next call opens it again.
    assert catalog.list_namespaces() == [("n",)]
    catalog.close()
    made = InMemoryCatalog("b", warehouse=str(tmp_path / "w"))
    assert made.properties["warehouse"] == str(tmp_path / "w")
    made.create_namespace("m", {"a": "b"})
    assert made.update_namespace_properties("m", None, {"c": "d"}).updated == ("c",)
    assert made.update_namespace_properties("m", {"a"}).removed == ("a",)


def test_a_write_says_what_it_wrote(table):
    done = table.append(ROWS, idempotency_key="job")
    assert (done.added_files, done.added_rows, done.operation) == (1, 3, "append")
    assert done.added_bytes == int(table.current_snapshot().summary["added-files-size"])
    assert done.seconds > 0
    again = table.append(ROWS, idempotency_key="job")
    assert (again.already_committed, again.added_files, again.added_rows) == (True, 0, 0)
    with table.transaction() as transaction:
        transaction.append(ROWS)
        transaction.append(ROWS)
    assert (transaction.result.added_files, transaction.result.added_rows) == (2, 6)
    receipt = table.write_recipe().write(ROWS, task="1")
    assert table.commit_receipts([receipt]).added_rows == 3
    assert table.delete("id > 0").added_rows == 0


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        ("table", "io", "storage_options"),
        ("table", "to_daft", "table.scan"),
        ("scan", "use_snapshot", "snapshot_id"),
        ("transaction", "update_snapshot", "append"),
        ("view", "metadata", "view.versions"),
        ("data file", "lower_bounds", r"table\.inspect\.files\(\)"),
    ],
)
def test_what_pyiceberg_has_and_is_not_here_says_what_to_write(table, catalog, kind, name, said):
    found = {
        "table": table,
        "scan": table.scan(),
        "transaction": table.transaction(),
        "data file": table.scan().plan_files()[0].file,
        "catalog": catalog,
        "view": fb.open_view(lent("view").folder / "table"),
    }[kind]
    assert not hasattr(found, name)
    with pytest.raises(AttributeError, match=rf"no attribute '{name}': .*{said}") as caught:
        getattr(found, name)
    assert isinstance(caught.value, errors.MissingAttributeError)
    assert isinstance(caught.value, errors.UnsupportedError)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'$") as plain:
        _ = found.nonsense
    assert not isinstance(plain.value, fb.FloebergError)


def test_classes_are_imported_from_where_pyiceberg_has_them():
    import pyiceberg.table as theirs

    import floeberg.table as ours

    for name in ("DataScan", "FileScanTask", "StaticTable", "Table", "Transaction", "UpsertResult"):
        assert isinstance(getattr(ours, name), type) and isinstance(getattr(theirs, name), type)
    assert (ours.DataScan, ours.Transaction) == (fb.Scan, fb.Transaction)
    assert (ours.FileScanTask, ours.UpsertResult) == (fb.FileScanTask, fb.UpsertResult)


def test_metadata_tables_differ_from_those_of_pyiceberg_as_the_page_says(table, tmp_path):
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog

    catalog = TheirCatalog("theirs", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    catalog.create_namespace("n")
    theirs = catalog.create_table("n.rows", ROWS.schema)
    theirs.append(ROWS)
    seen = set()
    for name in ("snapshots", "history", "refs", "manifests", "partitions", "metadata_log_entries"):
        ours, other = getattr(table.inspect, name)().schema, getattr(theirs.inspect, name)().schema
        assert set(other.names) <= set(ours.names), name
        pairs = {(str(other.field(each).type), str(ours.field(each).type)) for each in other.names}
        seen |= {(a, b) for a, b in pairs if a != b and "list<" not in a}
    dictionary = str(pa.dictionary(pa.int32(), pa.string()))
    assert seen == {("timestamp[ms]", "timestamp[us, tz=UTC]"), ("int8", "int32"), (dictionary, "string")}


@pytest.mark.parametrize(
    ("kind", "theirs", "ours"),
    [(pa.uint32(), "int", "long"), (pa.uint64(), "long", None), (pa.date64(), None, "date")],
    ids=str,
)
def test_types_of_arrow_that_become_others_than_in_pyiceberg(catalog, tmp_path, kind, theirs, ours):
    from pyiceberg.catalog.sql import SqlCatalog as TheirCatalog
    from pyiceberg.io.pyarrow import UnsupportedPyArrowTypeException

    other = TheirCatalog("theirs", uri=f"sqlite:///{tmp_path}/c.db", warehouse=str(tmp_path))
    other.create_namespace("n")
    for where, expected in ((other, theirs), (catalog, ours)):
        schema = pa.schema({"x": kind})
        if expected is None:
            with pytest.raises((InvalidInputError, UnsupportedPyArrowTypeException)):
                where.create_table("n.typed", schema)
        else:
            assert str(where.create_table("n.typed", schema).schema().find_field("x").field_type) == expected


def test_small_words_of_pyiceberg(table):
    from floeberg.expressions import In, NotIn
    from floeberg.table import ALWAYS_TRUE as OF_TABLES

    assert In("id", [1, 2]) == In("id", [2, 1]) and hash(In("id", [1, 2])) == hash(In("id", [2, 1]))
    assert In("id", [1, 2]) != In("id", [1, 3]) and In("id", [1, 2]) != NotIn("id", [1, 2])
    assert EqualTo("a", 1) & In("id", [1, 2]) == And(EqualTo("a", 1), In("id", [2, 1]))
    assert table.scan(OF_TABLES).snapshot() == table.current_snapshot()
    assert table.scan().with_case_sensitive(False).filter("ID > 1").count() == table.scan("id > 1").count()
    for task in table.scan().plan_files():
        assert [task.file.partition[place] for place in range(len(task.file.partition))] == [
            *task.file.partition.values()
        ]
