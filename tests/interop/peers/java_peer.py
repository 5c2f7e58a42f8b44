"""Iceberg Java: the library of Spark's runtime, driven without Spark's SQL, whose types are fewer than Iceberg's.

`ICEBERG_JARS` names the jars, joined as a class path is.
"""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterator
from typing import Any

from java_encrypted import Encrypted
from java_values import Values, line
from serve import serve

os.environ["PYSPARK_SUBMIT_ARGS"] = (
    f"--driver-class-path {os.environ['ICEBERG_JARS']} --driver-memory 1g pyspark-shell"
)

from pyspark.java_gateway import launch_gateway

GATEWAY = launch_gateway()
JVM = GATEWAY.jvm
ICEBERG = JVM.org.apache.iceberg
VALUES = Values(JVM)
IO = ICEBERG.hadoop.HadoopFileIO(JVM.org.apache.hadoop.conf.Configuration())


def load(metadata_location: str) -> Any:
    """A table at a metadata file."""
    operations = ICEBERG.StaticTableOperations(metadata_location, IO)
    return ICEBERG.BaseTable(operations, "table")


def each(iterable: Any) -> Iterator[Any]:
    """What a `CloseableIterable` gives."""
    found = iterable.iterator()
    try:
        while found.hasNext():
            yield found.next()
    finally:
        iterable.close()


def read(metadata_location: str, expression: str | None = None) -> list[str]:
    """The rows of a table, encoded: a line each."""
    table = load(metadata_location)
    scan = ICEBERG.data.IcebergGenerics.read(table)
    if expression is not None:
        scan = scan.where(ICEBERG.expressions.ExpressionParser.fromJson(expression, table.schema()))
    encode = VALUES.encoder(table.schema().asStruct())
    return [line(list(encode(record).values())) for record in each(scan.build())]


def lineage(metadata_location: str) -> list[list[int | None]]:
    """The row id and the last update of each row."""
    scan = ICEBERG.data.IcebergGenerics.read(load(metadata_location))
    fields = GATEWAY.new_array(ICEBERG.types.Types.NestedField, 2)
    fields[0], fields[1] = (
        getattr(ICEBERG.MetadataColumns, name) for name in ("ROW_ID", "LAST_UPDATED_SEQUENCE_NUMBER")
    )
    found = each(scan.project(ICEBERG.Schema(fields)).build())
    return [[record.get(place) for place in (0, 1)] for record in found]


def metadata(metadata_location: str) -> Any:
    """The metadata, as Java writes again what it read."""
    parser = ICEBERG.TableMetadataParser
    return json.loads(parser.toJson(parser.read(IO, metadata_location)))


def files(metadata_location: str) -> list[dict[str, Any]]:
    """What the manifests say of each data file, and what its footer says to Java."""
    table = load(metadata_location)
    config = ICEBERG.MetricsConfig.forTable(table)
    found = []
    for task in each(table.newScan().includeColumnStats().planFiles()):
        file = task.file()
        footer = ICEBERG.parquet.ParquetUtil.fileMetrics(IO.newInputFile(file.location()), config)
        found.append(
            {
                "path": file.location(),
                "size": file.fileSizeInBytes(),
                "length": IO.newInputFile(file.location()).getLength(),
                "spec": file.specId(),
                "partition": table.specs().get(file.specId()).partitionToPath(file.partition()),
                "sort_order": file.sortOrderId(),
                "split_offsets": list(file.splitOffsets() or []),
                "said": metrics(file, file.recordCount()),
                "footer": metrics(footer, footer.recordCount()),
            }
        )
    return found


def metrics(of: Any, rows: int) -> dict[str, Any]:
    """Counts and bounds by field id."""
    counts = {
        name: {str(key): value for key, value in (getattr(of, name)() or {}).items()}
        for name in ("columnSizes", "valueCounts", "nullValueCounts", "nanValueCounts")
    }
    bounds = {
        name: {str(key): VALUES.bytes_of(value).hex() for key, value in (getattr(of, name)() or {}).items()}
        for name in ("lowerBounds", "upperBounds")
    }
    return {"rows": rows} | counts | bounds


ENCRYPTED = Encrypted(JVM, VALUES, each)


def hadoop(location: str, keys: str | None = None, days_later: int = 0) -> Any:
    """A table of a folder, which can be written to: an encrypted one, where a key file is given."""
    if keys is not None:
        return ENCRYPTED.open(location, keys, days_later)
    return ICEBERG.hadoop.HadoopTables(JVM.org.apache.hadoop.conf.Configuration()).load(location)


def jdbc(uri: str, warehouse: str, namespace: str, name: str) -> Any:
    """A table of a JDBC catalog, which can be written to."""
    return jdbc_catalog(uri, warehouse).loadTable(
        ICEBERG.catalog.TableIdentifier.of(of_one_level(namespace), name)
    )


def jdbc_catalog(uri: str, warehouse: str) -> Any:
    """A catalog in a database."""
    catalog = ICEBERG.jdbc.JdbcCatalog()
    properties = JVM.java.util.HashMap()
    settings = {
        "uri": uri,
        "warehouse": warehouse,
        "jdbc.schema-version": "V1",
        "io-impl": IO.getClass().getName(),
    }
    for key, value in settings.items():
        properties.put(key, value)
    catalog.initialize("interop", properties)
    return catalog


def of_one_level(namespace: str) -> Any:
    """A namespace of one level."""
    parts = GATEWAY.new_array(JVM.java.lang.String, 1)
    parts[0] = namespace
    return ICEBERG.catalog.Namespace.of(parts)


def append(rows: list[dict[str, Any]], place: dict[str, str]) -> str:
    """Append rows, encoded and by name, to the table of a folder or of a JDBC catalog; where its metadata is now."""
    table = hadoop(**place) if "location" in place else jdbc(**place)
    schema, spec = table.schema(), table.spec()
    key = ICEBERG.PartitionKey(spec, schema)
    sources = [schema.findColumnName(field.sourceId()) for field in spec.fields()]
    by_partition: dict[tuple[Any, ...], tuple[Any, list[Any]]] = {}
    for row in rows:
        record = VALUES.record(schema.asStruct(), row)
        key.partition(record)
        # A path does not tell null from the text.
        place_of = (key.toPath(), *(row[name] is None for name in sources))
        by_partition.setdefault(place_of, (key.copy(), []))[1].append(record)
    commit = table.newAppend()
    for partition, records in by_partition.values():
        commit.appendFile(written(table, partition, records))
    commit.commit()
    return table.operations().current().metadataFileLocation()


def written(table: Any, partition: Any, records: list[Any]) -> Any:
    """A data file of records."""
    spec, provider = table.spec(), table.locationProvider()
    name = ICEBERG.FileFormat.PARQUET.addExtension(str(uuid.uuid4()))
    alone = spec.isUnpartitioned()
    where = provider.newDataLocation(name) if alone else provider.newDataLocation(spec, partition, name)
    output = IO.newOutputFile(where)
    appender = (
        ICEBERG.InternalData.write(ICEBERG.FileFormat.PARQUET, output)
        .schema(table.schema())
        .named("t")
        .build()
    )
    for record in records:
        appender.add(record)
    appender.close()
    file = ICEBERG.DataFiles.builder(spec).withInputFile(output.toInputFile()).withMetrics(appender.metrics())
    return (file if alone else file.withPartition(partition)).build()


def change(place: dict[str, str], steps: list[list[Any]]) -> str:
    """Make changes of metadata, a builder's calls each; where the metadata is now.

    Arguments are as Java has them, but `{"snapshot": 0}`, the first snapshot, and `{"bucket": ["id", 16]}`, a term.
    """
    table = hadoop(**place) if "location" in place else jdbc(**place)
    for builder, calls in steps:
        made = getattr(table, builder)()
        for name, *given in calls:
            made = getattr(made, name)(*(argument(table, each) for each in given))
        made.commit()
        table.refresh()
    return table.operations().current().metadataFileLocation()


def argument(table: Any, given: Any) -> Any:
    """An argument of a call."""
    if not isinstance(given, dict):
        return given
    ((kind, value),) = given.items()
    if kind == "snapshot":
        return list(table.snapshots())[value].snapshotId()
    if kind == "nulls":
        return getattr(ICEBERG.NullOrder, value)
    return getattr(ICEBERG.expressions.Expressions, kind)(*value)


def tables(uri: str, warehouse: str, namespace: str) -> list[str]:
    """The tables of a namespace of a JDBC catalog."""
    found = jdbc_catalog(uri, warehouse).listTables(of_one_level(namespace))
    return [each.toString() for each in found]


def view_name(namespace: str, name: str) -> Any:
    """The identifier of a view."""
    return ICEBERG.catalog.TableIdentifier.of(of_one_level(namespace), name)


def views(uri: str, warehouse: str, namespace: str) -> list[str]:
    """The views of a namespace of a JDBC catalog."""
    return [each.toString() for each in jdbc_catalog(uri, warehouse).listViews(of_one_level(namespace))]


def view(uri: str, warehouse: str, namespace: str, name: str) -> dict[str, Any]:
    """The metadata of a view of a JDBC catalog, as Java writes again what it read, and where it is."""
    current = jdbc_catalog(uri, warehouse).loadView(view_name(namespace, name)).operations().current()
    written = json.loads(ICEBERG.view.ViewMetadataParser.toJson(current))
    return {"metadata": written, "location": current.metadataFileLocation()}


def build_view(place: dict[str, str], action: str, schema: str, queries: dict[str, str]) -> None:
    """`create`, `replace` or `createOrReplace` a view."""
    name = view_name(place["namespace"], place["name"])
    built = jdbc_catalog(place["uri"], place["warehouse"]).buildView(name)
    built = built.withSchema(ICEBERG.SchemaParser.fromJson(schema))
    built = built.withDefaultNamespace(of_one_level(place["namespace"]))
    for dialect, sql in queries.items():
        built = built.withQuery(dialect, sql)
    getattr(built, action)()


def set_view_property(place: dict[str, str], key: str, value: str) -> None:
    """Set a property of a view."""
    found = jdbc_catalog(place["uri"], place["warehouse"])
    found.loadView(view_name(place["namespace"], place["name"])).updateProperties().set(key, value).commit()


def rename_view(place: dict[str, str], to: str) -> None:
    """Rename a view within its namespace."""
    found = jdbc_catalog(place["uri"], place["warehouse"])
    found.renameView(view_name(place["namespace"], place["name"]), view_name(place["namespace"], to))


def drop_view(place: dict[str, str]) -> bool:
    """Drop a view: was it there?"""
    found = jdbc_catalog(place["uri"], place["warehouse"])
    return found.dropView(view_name(place["namespace"], place["name"]))


def create_namespace(uri: str, warehouse: str, namespace: str) -> None:
    """Create a namespace in a JDBC catalog, which makes the database tables where they are not there."""
    jdbc_catalog(uri, warehouse).createNamespace(of_one_level(namespace))


def read_named(place: dict[str, str]) -> list[str]:
    """The rows of a table of a JDBC catalog, as it is now."""
    return read(jdbc(**place).operations().current().metadataFileLocation())


def create_table(place: dict[str, str], schema: str) -> None:
    """Create a table in a JDBC catalog."""
    found = jdbc_catalog(place["uri"], place["warehouse"])
    found.createTable(view_name(place["namespace"], place["name"]), ICEBERG.SchemaParser.fromJson(schema))


def replace_table(
    place: dict[str, str], schema: str, spec: str, order: str, properties: dict[str, str]
) -> str:
    """Replace a table in a JDBC catalog, and keep its history; where the metadata is now."""
    catalog = jdbc_catalog(place["uri"], place["warehouse"])
    identifier = view_name(place["namespace"], place["name"])
    columns = ICEBERG.SchemaParser.fromJson(schema)
    made = catalog.buildTable(identifier, columns)
    made = made.withPartitionSpec(ICEBERG.PartitionSpecParser.fromJson(columns, spec))
    made = made.withSortOrder(ICEBERG.SortOrderParser.fromJson(columns, order))
    for key, value in properties.items():
        made = made.withProperty(key, value)
    made.replaceTransaction().commitTransaction()
    return catalog.loadTable(identifier).operations().current().metadataFileLocation()


def drop_namespace(uri: str, warehouse: str, namespace: str) -> bool:
    """Drop a namespace of a JDBC catalog."""
    return jdbc_catalog(uri, warehouse).dropNamespace(of_one_level(namespace))


serve(
    {
        "read": read,
        "lineage": lineage,
        "metadata": metadata,
        "files": files,
        "append": append,
        "change": change,
        "tables": tables,
        "views": views,
        "view": view,
        "build_view": build_view,
        "set_view_property": set_view_property,
        "rename_view": rename_view,
        "drop_view": drop_view,
        "create_namespace": create_namespace,
        "read_named": read_named,
        "create_table": create_table,
        "replace_table": replace_table,
        "drop_namespace": drop_namespace,
        **ENCRYPTED.calls(),
    }
)
