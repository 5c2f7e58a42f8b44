//! Which columns does every table have without declaring them?
//!
//! Spec: Reserved Field IDs.
//!
//! Invariant: their ids never change, and no table's own column has an id above [`LAST_TABLE_FIELD_ID`].

use super::{Field, PrimitiveType, StructType, Type};

/// The highest id that a table's own column may have.
pub const LAST_TABLE_FIELD_ID: i32 = 2_147_483_447;

/// `_file`, string: the path of the file in which a row is stored.
pub const FILE: i32 = 2_147_483_646;
/// `_pos`, long: a row's position in its file, from 0.
pub const POS: i32 = 2_147_483_645;
/// `_deleted`, boolean: is the row deleted?
pub const DELETED: i32 = 2_147_483_644;
/// `_spec_id`, int: the partition spec of the file.
pub const SPEC_ID: i32 = 2_147_483_643;
/// `_partition`, struct: the partition of a row; its type is the table's.
pub const PARTITION: i32 = 2_147_483_642;
/// `file_path`, string: the path of a data file, in position delete files.
pub const DELETE_FILE_PATH: i32 = 2_147_483_546;
/// `pos`, long: the position of a row, in position delete files.
pub const DELETE_FILE_POS: i32 = 2_147_483_545;
/// `row`, struct: the deleted row, in position delete files; its type is the table's.
pub const DELETE_FILE_ROW: i32 = 2_147_483_544;
/// `_change_type`, string: INSERT, DELETE, `UPDATE_BEFORE` or `UPDATE_AFTER`.
pub const CHANGE_TYPE: i32 = 2_147_483_543;
/// `_change_ordinal`, int: the order of a change.
pub const CHANGE_ORDINAL: i32 = 2_147_483_542;
/// `_commit_snapshot_id`, long: the snapshot in which a change occurred.
pub const COMMIT_SNAPSHOT_ID: i32 = 2_147_483_541;
/// `_row_id`, long: a row's id for row lineage.
pub const ROW_ID: i32 = 2_147_483_540;
/// `_last_updated_sequence_number`, long: the sequence number that last updated a row.
pub const LAST_UPDATED_SEQUENCE_NUMBER: i32 = 2_147_483_539;

/// The columns that a scan gives on request, in the order of the specification's table, with their names.
pub const REQUESTED: [(i32, &str); 7] = [
    (FILE, "_file"),
    (POS, "_pos"),
    (DELETED, "_deleted"),
    (SPEC_ID, "_spec_id"),
    (PARTITION, "_partition"),
    (ROW_ID, "_row_id"),
    (LAST_UPDATED_SEQUENCE_NUMBER, "_last_updated_sequence_number"),
];

/// Is it the id of a column that a scan gives on request?
pub fn is_requested(id: i32) -> bool {
    id > LAST_TABLE_FIELD_ID && REQUESTED.iter().any(|(known, _)| *known == id)
}

/// The column `_partition` of a table whose partition values form a struct.
pub fn partition_column(partition_type: StructType) -> Field {
    Field::optional(PARTITION, "_partition", Type::Struct(partition_type))
}

/// The metadata column of a reserved id.
///
/// `None` for other ids, and for the structs `_partition` and `row`, whose types depend on the table.
pub fn metadata_column(id: i32) -> Option<Field> {
    use PrimitiveType as P;
    Some(match id {
        FILE => Field::required(id, "_file", P::String),
        POS => Field::required(id, "_pos", P::Long),
        DELETED => Field::required(id, "_deleted", P::Boolean),
        SPEC_ID => Field::required(id, "_spec_id", P::Int),
        DELETE_FILE_PATH => Field::required(id, "file_path", P::String),
        DELETE_FILE_POS => Field::required(id, "pos", P::Long),
        CHANGE_TYPE => Field::required(id, "_change_type", P::String),
        CHANGE_ORDINAL => Field::required(id, "_change_ordinal", P::Int),
        COMMIT_SNAPSHOT_ID => Field::required(id, "_commit_snapshot_id", P::Long),
        ROW_ID => Field::optional(id, "_row_id", P::Long),
        LAST_UPDATED_SEQUENCE_NUMBER => Field::optional(id, "_last_updated_sequence_number", P::Long),
        _ => return None,
    })
}
