"""The compiled half of Floeberg. Use `floeberg`, not this.

There is a stub for each folder of the binding, and one compiled module for all of them. At run time every name is here
and nowhere else.

Metadata crosses as its canonical JSON, filters as trees of tuples, rows through the Arrow PyCapsule interface. Errors
are classes of `floeberg.errors`. Objects are immutable, and those that workers need can be pickled.
"""

from typing import Final

from floeberg._native.arrow import ArrowSchema, Batch, Batches, Column, checked_batch, with_buffers
from floeberg._native.commit import Attempt, Commit, Operation, ViewAttempt, ViewOperation
from floeberg._native.lance import (
    LanceChangelog,
    LanceFoundRows,
    LanceKeys,
    LancePlan,
    LanceRows,
    LanceScan,
    LanceTable,
    LanceTaskGroup,
)
from floeberg._native.lance_commit import (
    LanceCommit,
    LanceOperation,
    change_lance_ref,
    check_lance_files,
    clean_up_lance_table,
    create_lance_table,
    finalize_lance_version,
    lance_data_file_name,
    plan_lance_compaction,
    remove_lance_files,
    rename_lance_manifests,
    shallow_clone_lance_table,
    stage_lance_table,
)
from floeberg._native.scan import (
    BatchReader,
    ChangelogScan,
    Plan,
    PlanParts,
    Scan,
    TaskGroup,
    deleted_rows,
    parquet_shapes,
    plan_part,
    plan_parts,
    read_manifests,
)
from floeberg._native.table import (
    MetadataReader,
    Table,
    View,
    canonical_location,
    checked_type,
    columns_to_add,
    evolved_schema,
    file_exists,
    list_folder,
    local_path,
    location_from_user,
    partition_statistics_files,
    partition_statistics_rows,
    put_file,
    read_file,
    remove_files,
    remove_files_below,
    schema_from_arrow,
    statistics_blob,
    statistics_blobs,
    statistics_files,
    table_properties,
    table_property,
    without_passwords,
)
from floeberg._native.values import (
    SqlExpression,
    encode_variant,
    encode_variants,
    expression_from_json,
    expression_to_json,
    expression_to_text,
    parse_expression,
    transform_column,
    value_columns,
)
from floeberg._native.write import (
    FoundRows,
    KeyRecipe,
    Receipt,
    ReplacedRows,
    RowDeltaReceipt,
    SourceKeys,
    WriteRecipe,
    check_source_memory,
    describe_files,
    differing,
    rows_with_places,
    source_memory,
)

__version__: Final[str]
# fmt: off
__all__ = [
    "ArrowSchema", "Attempt", "Batch", "BatchReader", "Batches", "ChangelogScan", "Column", "Commit",
    "FoundRows", "KeyRecipe", "LanceChangelog", "LanceCommit", "LanceFoundRows", "LanceKeys",
    "LanceOperation", "LancePlan", "LanceRows", "LanceScan",
    "LanceTable", "LanceTaskGroup", "MetadataReader", "Operation", "Plan", "PlanParts", "Receipt",
    "ReplacedRows",
    "RowDeltaReceipt", "Scan", "SourceKeys", "SqlExpression",
    "Table", "TaskGroup", "View", "ViewAttempt", "ViewOperation",
    "WriteRecipe", "__version__", "canonical_location", "change_lance_ref", "check_lance_files",
    "check_source_memory", "checked_batch", "checked_type", "clean_up_lance_table", "columns_to_add",
    "create_lance_table",
    "deleted_rows",
    "describe_files", "differing", "encode_variant", "encode_variants", "evolved_schema",
    "expression_from_json", "expression_to_json", "expression_to_text", "file_exists",
    "finalize_lance_version", "lance_data_file_name",
    "list_folder", "local_path", "location_from_user", "parquet_shapes", "parse_expression",
    "partition_statistics_files", "partition_statistics_rows", "plan_lance_compaction", "plan_part", "plan_parts",
    "put_file", "read_file", "read_manifests", "remove_files", "remove_files_below", "remove_lance_files",
    "rename_lance_manifests", "rows_with_places",
    "schema_from_arrow", "shallow_clone_lance_table", "source_memory", "stage_lance_table",
    "statistics_blob", "statistics_blobs",
    "statistics_files", "table_properties", "table_property", "transform_column", "value_columns", "with_buffers",
    "without_passwords",
]
# fmt: on
