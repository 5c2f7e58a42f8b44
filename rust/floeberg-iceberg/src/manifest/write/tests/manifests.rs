use apache_avro::types::Value as AvroValue;
use apache_avro::{Reader, Schema as AvroSchema};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{PrimitiveType, StructType};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use proptest::prelude::*;

use super::super::EntryStatus::{Added, Deleted, Existing};
use super::super::{DataFile, ManifestEntry, ManifestWriter};
use super::samples::samples;
use super::{OPTIONS, SNAPSHOT, data_file, partitioned_by, read, request, schema, write_as};
use crate::manifest::{EntryRequest, ManifestContent, ManifestFile, manifest_header, parse_manifest};
use crate::metadata::PartitionSpec;

/// What a reader makes of an entry in a manifest that a commit with that sequence number added.
fn inherited(entry: &ManifestEntry, sequence_number: i64, first_row_id: Option<i64>) -> ManifestEntry {
    let mut entry = entry.clone();
    entry.snapshot_id = entry.snapshot_id.or(Some(SNAPSHOT));
    if entry.status == Added {
        entry.sequence_number = entry.sequence_number.or(Some(sequence_number));
        entry.file_sequence_number = entry.file_sequence_number.or(Some(sequence_number));
    }
    entry.data_file.first_row_id = first_row_id;
    entry
}

/// First row ids as the specification says: those written, and else counted on from the manifest's.
fn row_ids(entries: &[ManifestEntry], file: &ManifestFile) -> Vec<Option<i64>> {
    let mut next = file.first_row_id;
    let ids = entries.iter().map(|entry| {
        let written = entry.data_file.first_row_id;
        if next.is_none() || written.is_some() || entry.status == Deleted {
            return written.filter(|_| next.is_some());
        }
        let id = next;
        next = next.map(|next| next + entry.data_file.record_count);
        id
    });
    ids.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_manifest_reads_as_it_was_written(
        (version, content, types, entries) in samples(),
        sequence_number in 1..1_000_000_i64,
    ) {
        let (bytes, written) = write_as(version, content, &types, &entries).unwrap();
        let sequence_number = if version == 1 { 0 } else { sequence_number };
        let mut file = written.in_commit(sequence_number);
        if version == 3 && content == ManifestContent::Data {
            file.first_row_id = Some(1000);
        }
        let ids = row_ids(&entries, &file);
        let expected: Vec<_> =
            entries.iter().zip(ids).map(|(entry, id)| inherited(entry, sequence_number, id)).collect();
        // NaN is not equal to itself; its text is.
        prop_assert_eq!(format!("{:?}", read(&bytes, &file, &types)), format!("{expected:?}"));

        let count = |status| entries.iter().filter(|entry| entry.status == status).count() as i64;
        let rows = |status| {
            let counted = entries.iter().filter(|entry| entry.status == status);
            counted.map(|entry| entry.data_file.record_count).sum::<i64>()
        };
        prop_assert_eq!(
            [file.added_files_count, file.existing_files_count, file.deleted_files_count],
            [Added, Existing, Deleted].map(|status| Some(count(status)))
        );
        prop_assert_eq!(
            [file.added_rows_count, file.existing_rows_count, file.deleted_rows_count],
            [Added, Existing, Deleted].map(|status| Some(rows(status)))
        );
        let live = expected.iter().filter(|entry| entry.status != Deleted);
        let least = live.filter_map(|entry| entry.sequence_number).min();
        prop_assert_eq!(file.min_sequence_number, least.unwrap_or(sequence_number));
        prop_assert_eq!(file.manifest_length, bytes.len() as i64);
        prop_assert_eq!(file.partitions.as_ref().unwrap().len(), types.len());
    }

    #[test]
    fn another_avro_library_reads_the_same((version, content, types, entries) in samples()) {
        let (bytes, _) = write_as(version, content, &types, &entries).unwrap();
        let reader = Reader::new(&bytes[..]).unwrap();
        let is_record = matches!(reader.writer_schema(), AvroSchema::Record(_));
        prop_assert!(is_record);
        let found: Vec<AvroValue> = reader.map(Result::unwrap).collect();
        prop_assert_eq!(found.len(), entries.len());
        for (found, entry) in found.iter().zip(&entries) {
            let file = field(found, "data_file");
            prop_assert_eq!(field(found, "status"), &AvroValue::Int(entry.status as i32));
            prop_assert_eq!(field(file, "file_path"), &AvroValue::String(entry.data_file.file_path.clone()));
            prop_assert_eq!(field(file, "record_count"), &AvroValue::Long(entry.data_file.record_count));
            let AvroValue::Union(branch, _) = field(file, "sort_order_id") else { panic!("a union") };
            prop_assert_eq!(*branch == 1, entry.data_file.sort_order_id.is_some());
            for (place, (value, field_type)) in entry.data_file.partition.iter().zip(&types).enumerate() {
                let partition = field(field(file, "partition"), &format!("p_x20{place}"));
                prop_assert!(is_same(partition, value.as_ref(), field_type), "{:?} {:?}", partition, value);
            }
        }
    }
}

fn field<'a>(record: &'a AvroValue, name: &str) -> &'a AvroValue {
    let AvroValue::Record(fields) = record else { panic!("a record") };
    &fields.iter().find(|(own, _)| own == name).unwrap_or_else(|| panic!("no {name}")).1
}

/// As the other library shows values: by their text, so that nothing of ours has a say.
fn is_same(found: &AvroValue, value: Option<&Value>, field_type: &PrimitiveType) -> bool {
    let found = match found {
        AvroValue::Union(0, _) | AvroValue::Null => return value.is_none(),
        AvroValue::Union(_, found) => &**found,
        other => panic!("{other:?}"),
    };
    let Some(value) = value else { return false };
    match (found, value) {
        (AvroValue::Boolean(found), Value::Boolean(value)) => found == value,
        (AvroValue::Int(found), Value::Int(value)) => found == value,
        (AvroValue::Date(found), Value::Date(value)) => found == value,
        (AvroValue::Long(found), Value::Long(value)) => found == value,
        (AvroValue::TimeMicros(found), Value::Time(value)) => found == value,
        (AvroValue::TimestampMicros(found), Value::Timestamp(value) | Value::Timestamptz(value)) => {
            found == value
        }
        (AvroValue::TimestampNanos(found), Value::TimestampNs(value) | Value::TimestamptzNs(value)) => {
            found == value
        }
        (AvroValue::Float(found), Value::Float(value)) => found.to_bits() == value.to_bits(),
        (AvroValue::Double(found), Value::Double(value)) => found.to_bits() == value.to_bits(),
        (AvroValue::String(found), Value::String(value)) => found == value,
        (AvroValue::Bytes(found), Value::Binary(value)) => found == value,
        (AvroValue::Fixed(_, found), Value::Fixed(value)) => found == value,
        (AvroValue::Uuid(found), Value::Uuid(value)) => found.as_bytes() == value,
        (AvroValue::Decimal(found), Value::Decimal { unscaled, .. }) => {
            let bytes = Vec::<u8>::try_from(found).unwrap();
            let sign = if bytes[0] & 0x80 == 0 { 0 } else { 0xff };
            let mut wide = [sign; 16];
            wide[16 - bytes.len()..].copy_from_slice(&bytes);
            i128::from_be_bytes(wide) == *unscaled
        }
        other => panic!("{field_type}: {other:?}"),
    }
}

#[test]
fn the_header_says_what_the_manifest_is() {
    let types = [PrimitiveType::Int];
    for (version, content) in
        [(1, ManifestContent::Data), (2, ManifestContent::Deletes), (3, ManifestContent::Data)]
    {
        let (bytes, _) = write_as(version, content, &types, &[]).unwrap();
        let header = manifest_header(&bytes).unwrap();
        assert_eq!((header.format_version, header.partition_spec_id), (version, Some(3)));
        assert_eq!(header.content, (version > 1).then_some(content));
        let field =
            serde_json::json!({"name": "p 0", "transform": "identity", "source-id": 1, "field-id": 1000});
        assert_eq!(header.partition_spec.unwrap(), serde_json::json!([field]));
        assert_eq!(header.schema.unwrap()["schema-id"], 4);
    }
}

#[test]
fn an_entry_that_was_refused_is_not_counted() {
    let (spec, partition_type) = partitioned_by(&[]);
    let schema = schema();
    let request = request(&schema, &spec, &partition_type);
    let mut writer = ManifestWriter::new(Vec::new(), &request, &OPTIONS).unwrap();
    let wrong = DataFile { record_count: -1, ..data_file() };
    let error = writer.add(&ManifestEntry::added(wrong)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(
        error.to_string().contains("file_path: s3://b/x.parquet, path: file:/t/metadata/m.avro"),
        "{error}"
    );
    let most = DataFile { record_count: i64::MAX, ..data_file() };
    writer.add(&ManifestEntry::added(most)).unwrap();
    assert_eq!(writer.add(&ManifestEntry::added(data_file())).unwrap_err().kind(), ErrorKind::InvalidInput);
    let (bytes, written) = writer.finish().unwrap();
    let file = written.in_commit(5);
    assert_eq!((file.added_files_count, file.added_rows_count), (Some(1), Some(i64::MAX)));
    assert_eq!(read(&bytes, &file, &[]).len(), 1);
}

#[test]
fn a_file_is_carried_over_with_what_it_inherited() {
    let (bytes, written) =
        write_as(2, ManifestContent::Data, &[], &[ManifestEntry::added(data_file())]).unwrap();
    let added = read(&bytes, &written.in_commit(5), &[]).remove(0);
    let existing = added.clone().into_existing();
    let deleted = added.into_deleted(99);
    let (bytes, written) =
        write_as(2, ManifestContent::Data, &[], &[existing.clone(), deleted.clone()]).unwrap();
    assert_eq!((existing.snapshot_id, existing.sequence_number), (Some(SNAPSHOT), Some(5)));
    assert_eq!((deleted.snapshot_id, deleted.file_sequence_number), (Some(99), Some(5)));
    let file = written.in_commit(8);
    assert_eq!((file.sequence_number, file.min_sequence_number), (8, 5));
    assert_eq!(read(&bytes, &file, &[]), [existing, deleted]);
}

#[test]
fn entries_without_metrics_are_not_carried_over() {
    let (bytes, written) =
        write_as(2, ManifestContent::Data, &[], &[ManifestEntry::added(data_file())]).unwrap();
    let (_, partition_type) = partitioned_by(&[]);
    let file = written.in_commit(1);
    let entries = parse_manifest(&bytes, &file, &partition_type, &EntryRequest::default()).unwrap();
    assert_eq!(entries.entry(0, &partition_type).unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn a_spec_with_an_unknown_transform_and_a_foreign_type_are_refused() {
    let (mut spec, partition_type) = partitioned_by(&[PrimitiveType::Int]);
    let (_, other) = partitioned_by(&[PrimitiveType::Int, PrimitiveType::Int]);
    let start = |spec: &PartitionSpec, partition_type: &StructType| {
        let schema = schema();
        let request = request(&schema, spec, partition_type);
        ManifestWriter::new(Vec::new(), &request, &OPTIONS).err().unwrap()
    };
    assert_eq!(start(&spec, &other).kind(), ErrorKind::InvalidInput);
    spec.fields[0].transform = Transform::Unknown("zorder".to_owned());
    let error = start(&spec, &partition_type);
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("zorder"), "{error}");
}
