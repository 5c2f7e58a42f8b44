use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, Int64Array};
use floeberg_core::ErrorKind;
use floeberg_core::schema::PrimitiveType;
use floeberg_core::schema::arrow::type_to_arrow;

use super::super::{manifest_header, parse_manifest, parse_manifest_list};
use super::{manifest_file, partitioned_by, unpartitioned};
use crate::manifest::ManifestContent::{self, Data, Deletes};
use crate::manifest::{EntryRequest, FieldSummary, MetricsForm};

const WITH_DELETED: EntryRequest = EntryRequest {
    statistics_of: Vec::new(),
    with_deleted: true,
    with_metrics: false,
    metrics_form: MetricsForm::Maps,
    without_details: false,
};

#[test]
fn a_v1_list_reads_as_data_manifests_of_sequence_number_0() {
    let list = parse_manifest_list(include_bytes!("../testdata/v1_list.avro"), "list").unwrap();
    assert_eq!(list.len(), 4);
    let file = &list[3];
    assert!(
        file.manifest_path.ends_with("109c5dbf-4a76-43d2-80ff-47e99e7f7e8e-m2.avro"),
        "{}",
        file.manifest_path
    );
    assert_eq!((file.manifest_length, file.partition_spec_id, file.content), (4530, 0, Data));
    assert_eq!((file.sequence_number, file.min_sequence_number, file.first_row_id), (0, 0, None));
    assert_eq!(file.added_snapshot_id, Some(9_004_522_736_584_050_763));
    assert_eq!(
        (file.added_files_count, file.existing_files_count, file.deleted_files_count),
        (Some(0), Some(3), Some(0))
    );
    assert_eq!(
        (file.added_rows_count, file.existing_rows_count, file.deleted_rows_count),
        (Some(0), Some(6), Some(0))
    );
    let summary = FieldSummary {
        contains_null: false,
        contains_nan: Some(false),
        lower_bound: Some(b"a".to_vec()),
        upper_bound: Some(b"d".to_vec()),
    };
    assert_eq!(file.partitions, Some(vec![summary]));
}

#[test]
fn a_list_without_header_metadata_reads_by_its_field_ids() {
    let list = parse_manifest_list(include_bytes!("../testdata/v3_duckdb_list.avro"), "list").unwrap();
    let contents: Vec<ManifestContent> = list.iter().map(|file| file.content).collect();
    assert_eq!(contents, [Data, Data, Deletes, Deletes, Deletes, Data]);
    let first_rows: Vec<Option<i64>> = list.iter().map(|file| file.first_row_id).collect();
    assert_eq!(first_rows, [Some(0), Some(12), Some(20), Some(20), Some(20), Some(20)]);
    assert_eq!(list[5].sequence_number, 5);
}

#[test]
fn a_v1_manifest_reads_with_its_partition_values() {
    let bytes = include_bytes!("../testdata/v1_existing.avro");
    let file = manifest_file(Data, 0);
    let entries =
        parse_manifest(bytes, &file, &partitioned_by(PrimitiveType::String), &EntryRequest::default())
            .unwrap();
    assert_eq!((entries.len(), entries.spec_id), (3, 3));
    assert_eq!(entries.status.values(), &[0, 0, 0]);
    assert_eq!(entries.data_sequence_number, Int64Array::from(vec![0, 0, 0]));
    assert_eq!(entries.file_content.values(), &[0, 0, 0]);
    assert_eq!(entries.record_count, Int64Array::from(vec![2, 2, 2]));
    let formats: Vec<Option<&str>> = entries.file_format.iter().collect();
    assert_eq!(formats, [Some("parquet"); 3]);
    let partition: Vec<Option<&str>> = entries.partition.column(0).as_string::<i32>().iter().collect();
    assert_eq!(partition, [Some("d"), Some("b"), Some("a")]);
    assert!(entries.statistics.is_empty());
    let header = manifest_header(bytes).unwrap();
    assert_eq!((header.format_version, header.partition_spec_id), (1, Some(0)));
    assert_eq!(header.partition_spec.unwrap()[0]["name"], "cat");
    assert_eq!(header.schema.unwrap()["type"], "struct");
}

#[test]
fn deleted_entries_are_left_out_unless_they_are_wanted() {
    let bytes = include_bytes!("../testdata/v1_deleted.avro");
    let file = manifest_file(Data, 0);
    let spec = partitioned_by(PrimitiveType::String);
    let live = parse_manifest(bytes, &file, &spec, &EntryRequest::default()).unwrap();
    assert!(live.is_empty());
    let all = parse_manifest(bytes, &file, &spec, &WITH_DELETED).unwrap();
    assert_eq!(all.status.values(), &[2]);
}

#[test]
fn statistics_come_for_the_columns_asked_for_and_no_others() {
    let bytes = include_bytes!("../testdata/v2_merged.avro");
    let file = manifest_file(Data, 10);
    let request =
        EntryRequest { statistics_of: vec![2, 900, 1, 1], with_deleted: false, ..EntryRequest::default() };
    let entries = parse_manifest(bytes, &file, &unpartitioned(), &request).unwrap();
    assert_eq!(entries.data_sequence_number, Int64Array::from(vec![10, 9, 7, 6, 5, 2, 1]));
    assert_eq!(entries.statistics.keys().copied().collect::<Vec<i32>>(), [1, 2, 900]);
    let first = &entries.statistics[&1];
    assert_eq!(first.value_count, Int64Array::from(vec![1, 1, 2, 2, 2, 2, 2]));
    assert_eq!(first.null_value_count, Int64Array::from(vec![0; 7]));
    assert_eq!(first.nan_value_count.null_count(), 7);
    assert_eq!((first.lower_bound.null_count(), first.lower_bound.value(0).len()), (0, 8));
    let absent = &entries.statistics[&900];
    assert_eq!((absent.value_count.null_count(), absent.upper_bound.null_count()), (7, 7));
    let with_more = parse_manifest(bytes, &file, &unpartitioned(), &EntryRequest::default()).unwrap();
    assert_eq!(with_more.file_path, entries.file_path);
}

#[test]
fn a_deletion_vectors_entry_says_where_its_blob_is() {
    let bytes = include_bytes!("../testdata/v3_vectors.avro");
    let file = manifest_file(Deletes, 4);
    let entries = parse_manifest(bytes, &file, &unpartitioned(), &WITH_DELETED).unwrap();
    assert_eq!(entries.status.values(), &[2, 0]);
    assert_eq!(entries.file_content.values(), &[1, 1]);
    assert_eq!(entries.file_format.value(1), "puffin");
    assert!(entries.details().unwrap().referenced_data_file.value(1).starts_with("file:/warehouse/"));
    assert_eq!(
        (
            entries.details().unwrap().content_offset.null_count(),
            entries.details().unwrap().content_size_in_bytes.null_count()
        ),
        (0, 0)
    );
    assert_eq!((entries.record_count.value(1), entries.data_sequence_number.value(1)), (2, 3));
}

#[test]
fn a_manifest_of_data_is_not_taken_for_one_of_deletes() {
    let bytes = include_bytes!("../testdata/v2_merged.avro");
    let file = manifest_file(Deletes, 10);
    let error = parse_manifest(bytes, &file, &unpartitioned(), &EntryRequest::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("(path: file:/t/metadata/m.avro)"), "{error}");
}

#[test]
fn uncompressed_blocks_and_absent_columns_are_read() {
    let bytes = include_bytes!("../testdata/v3_duckdb_data.avro");
    let file = manifest_file(Data, 1);
    let entries = parse_manifest(bytes, &file, &unpartitioned(), &EntryRequest::default()).unwrap();
    assert_eq!((entries.len(), entries.record_count.value(0)), (1, 12));
    // Written as an empty text.
    assert_eq!(entries.details().unwrap().referenced_data_file.null_count(), 1);
}

#[test]
fn fixed_partition_values_behind_their_length_are_read_as_what_they_are() {
    let bytes = include_bytes!("../testdata/v2_fixed_behind_length.avro");
    let file = manifest_file(Data, 1);
    let spec = partitioned_by(PrimitiveType::Fixed(4));
    let entries = parse_manifest(bytes, &file, &spec, &EntryRequest::default()).unwrap();
    let values: Vec<Option<&[u8]>> = entries.partition.column(0).as_fixed_size_binary().iter().collect();
    assert_eq!(values, [Some(&[0, 1, 2, 3][..]), Some(&[0xff; 4]), None, Some(&[0x80, 0, 0, 0])]);
    assert_eq!(entries.record_count, Int64Array::from(vec![2; 4]));
    let offsets = entries.split_offsets.value(3);
    assert_eq!(offsets.as_primitive::<Int64Type>().values(), &[4]);
}

#[test]
fn a_partition_type_that_the_manifest_does_not_have_is_an_error() {
    let bytes = include_bytes!("../testdata/v1_existing.avro");
    let file = manifest_file(Data, 0);
    for wrong in [PrimitiveType::Int, PrimitiveType::Timestamp, PrimitiveType::Boolean] {
        let error =
            parse_manifest(bytes, &file, &partitioned_by(wrong), &EntryRequest::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("1000: p"), "{error}");
    }
}

#[test]
fn a_manifest_of_another_spec_is_an_error_and_not_null_values() {
    let bytes = include_bytes!("../testdata/v1_existing.avro");
    let file = manifest_file(Data, 0);
    let mut spec = partitioned_by(PrimitiveType::String);
    spec.fields[0].id = 1001;
    let error = parse_manifest(bytes, &file, &spec, &EntryRequest::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.to_string().contains("field: 1001: p"), "{error}");
    // A value of unknown type is null wherever it is written, and needs not be.
    spec.fields[0].field_type = PrimitiveType::Unknown.into();
    let entries = parse_manifest(bytes, &file, &spec, &EntryRequest::default()).unwrap();
    assert_eq!(entries.partition.column(0).len(), 3);
}

#[test]
fn values_of_a_type_that_the_table_does_not_know_come_as_the_manifest_has_them() {
    let bytes = include_bytes!("../testdata/v1_existing.avro");
    let file = manifest_file(Data, 0);
    let read = |field_type| {
        let spec = partitioned_by(field_type);
        parse_manifest(bytes, &file, &spec, &EntryRequest::default()).unwrap().partition
    };
    let (known, unknown) = (read(PrimitiveType::String), read(PrimitiveType::Unknown));
    assert_eq!(unknown.column(0), known.column(0));
    assert!(unknown.column(0).as_string::<i32>().iter().flatten().count() > 0);
}

#[test]
fn values_of_a_void_field_are_null_whatever_their_written_type() {
    let mut bytes = include_bytes!("../testdata/v1_existing.avro").to_vec();
    // The manifest's copy of its spec, in JSON, keeps its length.
    let at = bytes.windows(10).position(|window| window == br#""identity""#).unwrap();
    bytes[at..at + 10].copy_from_slice(br#""void"    "#);
    let file = manifest_file(Data, 0);
    for field_type in [PrimitiveType::Int, PrimitiveType::String, PrimitiveType::Timestamp] {
        let spec = partitioned_by(field_type.clone());
        let entries = parse_manifest(&bytes, &file, &spec, &EntryRequest::default()).unwrap();
        let values = entries.partition.column(0);
        assert_eq!((values.null_count(), values.len()), (3, 3));
        assert_eq!(*values.data_type(), type_to_arrow(&field_type.into()).unwrap());
    }
}

#[test]
fn statistics_by_column_are_those_of_the_maps() {
    let bytes = include_bytes!("../testdata/v1_existing.avro");
    let file = manifest_file(Data, 0);
    let parse = |wanted: EntryRequest| {
        parse_manifest(bytes, &file, &partitioned_by(PrimitiveType::String), &wanted).unwrap()
    };
    let columns = vec![1, 2, 3];
    let asked = parse(EntryRequest { statistics_of: columns.clone(), ..EntryRequest::default() });
    let metrics = parse(EntryRequest { with_metrics: true, ..EntryRequest::default() }).metrics.unwrap();
    let found = metrics.statistics_of(&columns).unwrap();
    assert_eq!(format!("{found:?}"), format!("{:?}", asked.statistics));
    assert!(found[&1].value_count.null_count() < asked.len(), "there are some");
}

#[test]
fn entries_without_details_are_the_same_entries() {
    let bytes = include_bytes!("../testdata/v3_duckdb_data.avro");
    let file = manifest_file(Data, 5);
    let parse = |without_details| {
        let request = EntryRequest { statistics_of: vec![1], without_details, ..EntryRequest::default() };
        parse_manifest(bytes, &file, &unpartitioned(), &request).unwrap()
    };
    let (with, without) = (parse(false), parse(true));
    assert!(with.details().is_ok());
    assert_eq!(without.details().unwrap_err().kind(), ErrorKind::Internal);
    assert!(without.memory() < with.memory());
    assert_eq!(
        (&with.file_path, &with.record_count, &with.data_sequence_number, &with.first_row_id),
        (&without.file_path, &without.record_count, &without.data_sequence_number, &without.first_row_id)
    );
    assert_eq!(with.statistics[&1].lower_bound, without.statistics[&1].lower_bound);
}
