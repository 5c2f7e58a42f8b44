"""Which schemas, partition specs, sort orders and snapshots do tables have?

Frozen dataclasses, named as in PyIceberg. Types print as the Iceberg specification writes them.
"""

from floeberg.types._fields import IcebergType, ListType, MapType, NestedField, StructType
from floeberg.types._partitioning import PartitionField, PartitionSpec
from floeberg.types._primitives import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    GeographyType,
    GeometryType,
    IntegerType,
    LongType,
    PrimitiveType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UnknownType,
    UUIDType,
    VariantType,
)
from floeberg.types._schema import Schema
from floeberg.types._snapshots import HistoryEntry, Snapshot, SnapshotRef, Summary
from floeberg.types._sorting import NullOrder, SortDirection, SortField, SortOrder

__all__ = [
    "BinaryType",
    "BooleanType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "FixedType",
    "FloatType",
    "GeographyType",
    "GeometryType",
    "HistoryEntry",
    "IcebergType",
    "IntegerType",
    "ListType",
    "LongType",
    "MapType",
    "NestedField",
    "NullOrder",
    "PartitionField",
    "PartitionSpec",
    "PrimitiveType",
    "Schema",
    "Snapshot",
    "SnapshotRef",
    "SortDirection",
    "SortField",
    "SortOrder",
    "StringType",
    "StructType",
    "Summary",
    "TimeType",
    "TimestampNanoType",
    "TimestampType",
    "TimestamptzNanoType",
    "TimestamptzType",
    "UUIDType",
    "UnknownType",
    "VariantType",
]
