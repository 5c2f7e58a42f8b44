use crate::schema::reserved::{
    DELETE_FILE_POS, FILE, LAST_TABLE_FIELD_ID, PARTITION, REQUESTED, is_requested, metadata_column,
    partition_column,
};
use crate::schema::{Field, PrimitiveType, StructType};

#[test]
fn metadata_columns_have_the_ids_of_the_specification() {
    assert_eq!(metadata_column(FILE).unwrap().to_string(), "2147483646: _file: required string");
    assert_eq!(metadata_column(DELETE_FILE_POS).unwrap().to_string(), "2147483545: pos: required long");
    assert_eq!(metadata_column(2_147_483_540).unwrap().to_string(), "2147483540: _row_id: optional long");
    assert_eq!(metadata_column(PARTITION), None);
    let columns = (LAST_TABLE_FIELD_ID + 1..=i32::MAX).filter_map(metadata_column);
    assert_eq!(columns.count(), 11);
    assert_eq!(metadata_column(LAST_TABLE_FIELD_ID), None);
}

#[test]
fn the_columns_of_a_scan_are_named_as_in_the_specification() {
    for (id, name) in REQUESTED {
        assert!(is_requested(id), "{name}");
        assert_eq!(metadata_column(id).map_or("_partition".to_owned(), |column| column.name), name);
    }
    assert!(!is_requested(DELETE_FILE_POS) && !is_requested(LAST_TABLE_FIELD_ID));
    let fields = vec![Field::optional(1000, "cat", PrimitiveType::String)];
    let partition = partition_column(StructType { fields });
    assert_eq!(partition.to_string(), "2147483642: _partition: optional struct<1000: cat: optional string>");
}
