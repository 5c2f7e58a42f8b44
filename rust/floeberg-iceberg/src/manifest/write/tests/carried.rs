//! Entries that are carried over by their stored bytes are those that are decoded and encoded.

use floeberg_avro::write::ContainerOptions;
use proptest::prelude::*;

use super::super::{DataFile, EntryStatus, ManifestEntry, ManifestRequest, ManifestWriter, WrittenManifest};
use super::samples::samples;
use super::{OPTIONS, data_file, partitioned_by, request, schema, write_as};
use crate::manifest::{
    EntryRequest, ManifestContent, ManifestEntries, ManifestFile, MetricsForm, parse_manifest,
};
use floeberg_core::ErrorKind;
use floeberg_core::schema::{PrimitiveType, StructType};

/// The live entries of a manifest.
fn live(bytes: &[u8], file: &ManifestFile, of: &StructType, as_stored: bool) -> ManifestEntries {
    let metrics_form = if as_stored { MetricsForm::Stored } else { MetricsForm::Maps };
    let wanted = EntryRequest { with_metrics: true, metrics_form, ..EntryRequest::default() };
    parse_manifest(bytes, file, of, &wanted).unwrap()
}

/// The manifest of a format version with these entries as existing ones.
fn moved(
    version: u8,
    content: ManifestContent,
    types: &[PrimitiveType],
    entries: &ManifestEntries,
) -> (Vec<u8>, WrittenManifest) {
    let (spec, partition_type) = partitioned_by(types);
    let schema = schema();
    let request =
        ManifestRequest { format_version: version, content, ..request(&schema, &spec, &partition_type) };
    let options = ContainerOptions { sync: Some([7; 16]), ..OPTIONS };
    let mut writer = ManifestWriter::new(Vec::new(), &request, &options).unwrap();
    for row in 0..entries.len() {
        let (entry, carried) = entries.carried(row, &partition_type).unwrap();
        writer.add_carried(&entry.into_existing(), carried).unwrap();
    }
    writer.finish().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn stored_bytes_are_what_decoding_and_encoding_gives(
        (version, content, types, entries) in samples(),
        first_row_id in prop::option::of(0..1_000_000_i64),
    ) {
        let (bytes, written) = write_as(version, content, &types, &entries).unwrap();
        let (_, partition_type) = partitioned_by(&types);
        let sequence_number = if version == 1 { 0 } else { 9 };
        let file = ManifestFile {
            first_row_id: first_row_id.filter(|_| version == 3 && content == ManifestContent::Data),
            ..written.in_commit(sequence_number)
        };
        let decoded = live(&bytes, &file, &partition_type, false);
        let stored = live(&bytes, &file, &partition_type, true);
        prop_assert_eq!(decoded.len(), entries.iter().filter(|each| each.status != EntryStatus::Deleted).count());
        // Format version 1 has other fields.
        prop_assert_eq!((stored.stored.is_some(), stored.metrics.is_some()), (version > 1, version == 1));
        prop_assert!(decoded.stored.is_none() && decoded.metrics.is_some());
        for target in version..=3 {
            let (expected, of_expected) = moved(target, content, &types, &decoded);
            if version == 1 && target > 1 {
                // The files of an old manifest are decoded for a new one.
                let (found, of_found) = moved(target, content, &types, &stored);
                prop_assert_eq!((found, of_found), (expected, of_expected));
                continue;
            }
            // A vector of version 3 is never carried to version 2.
            let (found, of_found) = moved(target, content, &types, &stored);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(format!("{of_found:?}"), format!("{of_expected:?}"));
        }
    }
}

#[test]
fn an_entry_with_bytes_is_not_whole() {
    let split = DataFile { split_offsets: Some(vec![4]), key_metadata: Some(vec![1]), ..data_file() };
    let entry = ManifestEntry::added(split);
    let (bytes, written) = write_as(2, ManifestContent::Data, &[], &[entry]).unwrap();
    let (_, partition_type) = partitioned_by(&[]);
    let entries = live(&bytes, &written.in_commit(3), &partition_type, true);
    assert_eq!(entries.entry(0, &partition_type).unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(entries.carried(1, &partition_type).unwrap_err().kind(), ErrorKind::Internal);
    let (entry, carried) = entries.carried(0, &partition_type).unwrap();
    assert_eq!((entry.data_file.split_offsets, entry.data_file.key_metadata), (None, None));
    // Ten rows, a hundred bytes, no maps, a key of one byte, an offset, no ids and no order.
    assert_eq!(carried.unwrap(), [20, 200, 1, 0, 0, 0, 0, 0, 0, 2, 2, 1, 2, 2, 8, 0, 0, 0]);
}

#[test]
fn version_1_takes_no_bytes() {
    let (spec, partition_type) = partitioned_by(&[]);
    let schema = schema();
    let request = ManifestRequest { format_version: 1, ..request(&schema, &spec, &partition_type) };
    let mut writer = ManifestWriter::new(Vec::new(), &request, &OPTIONS).unwrap();
    let entry = ManifestEntry { snapshot_id: Some(1), ..ManifestEntry::added(data_file()) };
    let error = writer.add_carried(&entry.into_existing(), Some(&[0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

#[test]
fn damage_in_stored_fields_is_an_error() {
    let file = DataFile {
        lower_bounds: Some([(1, vec![1, 2, 3])].into()),
        split_offsets: Some(vec![4, 8]),
        ..data_file()
    };
    let (bytes, written) = write_as(2, ManifestContent::Data, &[], &[ManifestEntry::added(file)]).unwrap();
    let (_, partition_type) = partitioned_by(&[]);
    let entries = live(&bytes, &written.in_commit(3), &partition_type, true);
    let stored = entries.stored.as_ref().unwrap().value(0);
    let start = bytes.windows(stored.len()).position(|window| window == stored).unwrap();
    let wanted =
        EntryRequest { with_metrics: true, metrics_form: MetricsForm::Stored, ..EntryRequest::default() };
    let mut refused = 0;
    for at in start..start + stored.len() {
        let mut damaged = bytes.clone();
        // A long of more than ten bytes, an unknown branch, or a length beyond the block.
        damaged[at] = 0xff;
        match parse_manifest(&damaged, &written.in_commit(3), &partition_type, &wanted) {
            Ok(found) => assert_eq!(found.stored.unwrap().value(0).len(), stored.len()),
            Err(error) => {
                assert!(matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::LimitExceeded), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > stored.len() / 2, "{refused} of {}", stored.len());
}

/// Manifests of other writers: their bytes, what they list, their partition types, and whether they have the fields of Iceberg Java.
const OTHERS: [(&[u8], ManifestContent, &[PrimitiveType], bool); 4] = [
    (include_bytes!("../../read/testdata/v2_merged.avro"), ManifestContent::Data, &[], true),
    (
        include_bytes!("../../read/testdata/v2_fixed_behind_length.avro"),
        ManifestContent::Data,
        &[PrimitiveType::Fixed(4)],
        true,
    ),
    (include_bytes!("../../read/testdata/v3_vectors.avro"), ManifestContent::Deletes, &[], true),
    (include_bytes!("../../read/testdata/v3_duckdb_data.avro"), ManifestContent::Data, &[], false),
];

#[test]
fn manifests_of_other_writers_are_carried_over() {
    for (bytes, content, types, has_fields) in OTHERS {
        let (_, partition_type) = partitioned_by(types);
        let file = ManifestFile::unlisted("file:/t/metadata/m.avro".to_owned(), 0, 3, content);
        let file = ManifestFile { sequence_number: 20, added_snapshot_id: Some(77), ..file };
        let stored = live(bytes, &file, &partition_type, true);
        assert_eq!(stored.stored.is_some(), has_fields);
        let decoded = live(bytes, &file, &partition_type, false);
        assert!(!decoded.is_empty());
        let again = |entries: &ManifestEntries| {
            let (bytes, written) = moved(3, content, types, entries);
            let entries = live(&bytes, &written.in_commit(30), &partition_type, false);
            let all = (0..entries.len()).map(|row| entries.entry(row, &partition_type).unwrap());
            (all.collect::<Vec<_>>(), ManifestFile { manifest_length: 0, ..written.in_commit(30) })
        };
        assert_eq!(again(&stored), again(&decoded));
    }
}
