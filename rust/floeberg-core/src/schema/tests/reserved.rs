use crate::schema::reserved::{DELETE_FILE_POS, FILE, LAST_TABLE_FIELD_ID, PARTITION, metadata_column};

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
