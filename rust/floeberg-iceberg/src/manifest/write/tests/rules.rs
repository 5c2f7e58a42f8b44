use floeberg_core::ErrorKind;
use floeberg_core::schema::PrimitiveType;
use floeberg_core::value::Value;

use super::super::{DataFile, EntryStatus, FileContent, ManifestEntry};
use super::{SNAPSHOT, data_file, write_as};
use crate::manifest::ManifestContent::{self, Data, Deletes};

fn refused(version: u8, content: ManifestContent, entry: &ManifestEntry) -> String {
    let error = write_as(version, content, &[], std::slice::from_ref(entry)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
    error.message().to_owned()
}

fn accepted(version: u8, content: ManifestContent, entry: &ManifestEntry) {
    write_as(version, content, &[], std::slice::from_ref(entry)).unwrap();
}

fn existing(data_file: DataFile) -> ManifestEntry {
    ManifestEntry {
        unknown: None,
        status: EntryStatus::Existing,
        snapshot_id: Some(5),
        sequence_number: Some(5),
        file_sequence_number: Some(5),
        data_file,
    }
}

fn vector() -> DataFile {
    DataFile {
        content: FileContent::PositionDeletes,
        file_format: "puffin".to_owned(),
        referenced_data_file: Some("s3://b/x.parquet".to_owned()),
        content_offset: Some(4),
        content_size_in_bytes: Some(40),
        ..data_file()
    }
}

fn equality() -> DataFile {
    DataFile { content: FileContent::EqualityDeletes, equality_ids: Some(vec![1]), ..data_file() }
}

#[test]
fn only_added_files_inherit_their_sequence_number() {
    accepted(2, Data, &ManifestEntry::added(data_file()));
    accepted(2, Data, &existing(data_file()));
    for status in [EntryStatus::Existing, EntryStatus::Deleted] {
        let entry = ManifestEntry { status, sequence_number: None, ..existing(data_file()) };
        assert!(refused(2, Data, &entry).contains("only added files inherit"));
        // What an old writer did not record is not known, and is no reason to refuse the file.
        let entry = ManifestEntry { status, file_sequence_number: None, ..existing(data_file()) };
        accepted(2, Data, &entry);
    }
}

#[test]
fn a_file_of_another_snapshot_inherits_nothing() {
    let entry = ManifestEntry { snapshot_id: Some(6), ..ManifestEntry::added(data_file()) };
    assert!(refused(2, Data, &entry).contains("snapshot 6 cannot inherit"));
    accepted(2, Data, &ManifestEntry { snapshot_id: Some(SNAPSHOT), ..entry.clone() });
    accepted(2, Data, &ManifestEntry { sequence_number: Some(3), ..entry });
    let entry = ManifestEntry { snapshot_id: None, ..existing(data_file()) };
    assert!(refused(2, Data, &entry).contains("needs its snapshot id"));
}

#[test]
fn v1_has_no_sequence_numbers_deletes_or_row_ids() {
    assert!(
        refused(1, Data, &existing(data_file()))
            .contains("format version 1 has no sequence numbers, found 5")
    );
    let of_v1 =
        ManifestEntry { sequence_number: None, file_sequence_number: Some(0), ..existing(data_file()) };
    accepted(1, Data, &of_v1);
    let error = write_as(1, Deletes, &[], &[]).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::InvalidInput, "format version 1 has no delete files")
    );
    let with_ids = DataFile { equality_ids: Some(vec![]), ..data_file() };
    assert!(
        refused(1, Data, &ManifestEntry::added(with_ids))
            .contains("format version 1 has no equality deletes")
    );
}

#[test]
fn what_v3_brought_is_refused_before_it() {
    let with_row_id = DataFile { first_row_id: Some(0), ..data_file() };
    assert_eq!(refused(2, Data, &existing(with_row_id.clone())), "format version 2 has no first row ids");
    accepted(3, Data, &existing(with_row_id));
    assert_eq!(
        refused(2, Deletes, &ManifestEntry::added(vector())),
        "format version 2 has no parts of files as content"
    );
    accepted(3, Deletes, &ManifestEntry::added(vector()));
    for version in [0, 4] {
        let error = write_as(version, Data, &[], &[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}

#[test]
fn a_manifest_lists_data_or_deletes_and_not_both() {
    assert!(refused(2, Deletes, &ManifestEntry::added(data_file())).contains("cannot list Data"));
    assert!(refused(2, Data, &ManifestEntry::added(equality())).contains("cannot list EqualityDeletes"));
    accepted(2, Deletes, &ManifestEntry::added(equality()));
}

#[test]
fn delete_files_say_what_they_delete() {
    for ids in [None, Some(vec![])] {
        let file = DataFile { equality_ids: ids, ..equality() };
        assert!(refused(2, Deletes, &existing(file)).contains("needs equality ids"));
    }
    for file in [
        DataFile { referenced_data_file: None, ..vector() },
        DataFile { content_offset: None, content_size_in_bytes: None, ..vector() },
    ] {
        assert!(refused(3, Deletes, &existing(file)).contains("needs its referenced data file"));
    }
    let file = DataFile { content_size_in_bytes: None, ..vector() };
    assert!(refused(3, Deletes, &existing(file)).contains("both a content offset and a content size"));
    let file = DataFile { first_row_id: Some(0), ..vector() };
    assert!(refused(3, Deletes, &existing(file)).contains("have no row ids"));
    let file = DataFile { referenced_data_file: Some("x".to_owned()), ..data_file() };
    assert!(refused(2, Data, &existing(file)).contains("refer to another data file"));
}

#[test]
fn what_a_new_file_must_be_is_not_asked_of_old_ones() {
    let positions = DataFile { content: FileContent::PositionDeletes, ..data_file() };
    let cases = [
        (Deletes, DataFile { sort_order_id: Some(1), ..positions.clone() }, "no sort order"),
        (Deletes, DataFile { equality_ids: Some(vec![1]), ..positions }, "only equality delete files"),
        (Data, DataFile { split_offsets: Some(vec![9, 4]), ..data_file() }, "ascending split offsets"),
    ];
    for (content, file, why) in cases {
        assert!(refused(2, content, &ManifestEntry::added(file.clone())).contains(why));
        accepted(2, content, &existing(file));
    }
}

#[test]
fn v3_takes_no_new_files_of_position_deletes() {
    let positions = DataFile { content: FileContent::PositionDeletes, ..data_file() };
    assert!(refused(3, Deletes, &ManifestEntry::added(positions.clone())).contains("vectors"));
    accepted(2, Deletes, &ManifestEntry::added(positions.clone()));
    accepted(3, Deletes, &existing(positions));
}

#[test]
fn sizes_and_numbers_are_not_negative() {
    let wrong = [
        DataFile { record_count: -1, ..data_file() },
        DataFile { file_size_in_bytes: -1, ..data_file() },
        DataFile { first_row_id: Some(-1), ..data_file() },
    ];
    for file in wrong {
        assert!(refused(3, Data, &ManifestEntry::added(file)).contains("of 0 or more, found -1"));
    }
    let entry = ManifestEntry { sequence_number: Some(-1), ..ManifestEntry::added(data_file()) };
    assert!(refused(3, Data, &entry).contains("sequence number of 0 or more, found -1"));
}

#[test]
fn partition_values_are_of_the_specs_types() {
    let refused = |types: &[PrimitiveType], partition: Vec<Option<Value>>| {
        let entry = ManifestEntry::added(DataFile { partition, ..data_file() });
        let error = write_as(2, Data, types, &[entry]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        error.message().to_owned()
    };
    assert!(refused(&[], vec![None]).contains("0 values, found 1"));
    assert!(refused(&[PrimitiveType::Int], vec![]).contains("1 values, found 0"));
    assert!(refused(&[PrimitiveType::Int], vec![Some(Value::Long(1))]).contains("of type int"));
    assert!(refused(&[PrimitiveType::Fixed(2)], vec![Some(Value::Fixed(vec![1]))]).contains("fixed[2]"));
    assert!(refused(&[PrimitiveType::Unknown], vec![Some(Value::Int(1))]).contains("unknown"));
    let decimal = PrimitiveType::Decimal { precision: 2, scale: 1 };
    let value = Value::Decimal { unscaled: 100, scale: 1 };
    assert!(refused(&[decimal], vec![Some(value)]).contains("decimal(2,1)"));
}
