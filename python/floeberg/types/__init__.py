"""What does a table look like: its columns, partitions, order and snapshots?

Plain frozen data, named as in PyIceberg. Types print as the Iceberg specification writes them.
"""

from floeberg._snapshots import HistoryEntry, Snapshot, SnapshotRef
from floeberg.types._fields import IcebergType, ListType, MapType, NestedField, StructType
from floeberg.types._partitioning import PartitionField, PartitionSpec
from floeberg.types._primitives import PrimitiveType
from floeberg.types._schema import Schema
from floeberg.types._sorting import SortField, SortOrder

__all__ = [
    "HistoryEntry",
    "IcebergType",
    "ListType",
    "MapType",
    "NestedField",
    "PartitionField",
    "PartitionSpec",
    "PrimitiveType",
    "Schema",
    "Snapshot",
    "SnapshotRef",
    "SortField",
    "SortOrder",
    "StructType",
]
