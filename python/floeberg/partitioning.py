"""Partition specs of `floeberg.types`, in the module where PyIceberg has them."""

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
