"""How are the files of a table partitioned? The names of `floeberg.types`, where PyIceberg has them."""

from floeberg.types._partitioning import (
    INITIAL_PARTITION_SPEC_ID,
    PARTITION_FIELD_ID_START,
    UNPARTITIONED_PARTITION_SPEC,
    PartitionField,
    PartitionSpec,
)

__all__ = [
    "INITIAL_PARTITION_SPEC_ID",
    "PARTITION_FIELD_ID_START",
    "UNPARTITIONED_PARTITION_SPEC",
    "PartitionField",
    "PartitionSpec",
]
