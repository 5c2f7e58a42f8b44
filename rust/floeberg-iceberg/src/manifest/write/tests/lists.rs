use floeberg_core::{ErrorKind, Result};
use proptest::prelude::*;

use super::super::{ManifestListRequest, ManifestListWriter, WrittenManifestList};
use super::OPTIONS;
use crate::manifest::{FieldSummary, ManifestContent, ManifestFile, parse_manifest_list};

const LOCATION: &str = "file:/t/metadata/list.avro";

fn request(format_version: u8) -> ManifestListRequest<'static> {
    ManifestListRequest {
        unknown: &[],
        location: LOCATION,
        format_version,
        snapshot_id: 77,
        parent_snapshot_id: None,
        sequence_number: if format_version == 1 { 0 } else { 9 },
        first_row_id: (format_version == 3).then_some(1000),
    }
}

fn write(
    request: &ManifestListRequest<'_>,
    manifests: &[ManifestFile],
) -> Result<(Vec<u8>, WrittenManifestList)> {
    let mut writer = ManifestListWriter::new(Vec::new(), request, &OPTIONS)?;
    manifests.iter().try_for_each(|manifest| writer.add(manifest))?;
    let (bytes, written) = writer.finish()?;
    assert_eq!(bytes.len() as u64, written.length);
    Ok((bytes, written))
}

fn manifest() -> ManifestFile {
    ManifestFile {
        sequence_number: 9,
        min_sequence_number: 4,
        added_snapshot_id: Some(77),
        added_files_count: Some(1),
        existing_files_count: Some(2),
        deleted_files_count: Some(3),
        added_rows_count: Some(10),
        existing_rows_count: Some(20),
        deleted_rows_count: Some(40),
        ..ManifestFile::unlisted("file:/t/metadata/m.avro".to_owned(), 500, 2, ManifestContent::Data)
    }
}

fn summaries() -> impl Strategy<Value = FieldSummary> {
    let bounds = prop::option::of(any::<Vec<u8>>());
    (any::<bool>(), any::<Option<bool>>(), bounds.clone(), bounds).prop_map(
        |(contains_null, contains_nan, lower_bound, upper_bound)| FieldSummary {
            contains_null,
            contains_nan,
            lower_bound,
            upper_bound,
        },
    )
}

fn manifests(version: u8) -> impl Strategy<Value = ManifestFile> {
    let (is_v1, is_v3) = (version == 1, version == 3);
    let count =
        if is_v1 { prop::option::of(0..1_000_i64).boxed() } else { (0..1_000_i64).prop_map(Some).boxed() };
    let numbers = if is_v1 { (0..1_i64, 0..1_i64) } else { (0..i64::MAX, 0..i64::MAX) };
    let counts = prop::collection::vec(count, 6);
    let partitions = prop::option::of(prop::collection::vec(summaries(), 0..3));
    let rest = (any::<bool>(), prop::option::of(any::<Vec<u8>>()), prop::option::of(0..i64::MAX));
    (".{1,20}", 0..i64::MAX, any::<i32>(), any::<i64>(), numbers, counts, partitions, rest).prop_map(
        move |(path, length, spec_id, snapshot_id, numbers, counts, partitions, rest)| {
            let (deletes, key_metadata, first_row_id) = rest;
            let deletes = deletes && !is_v1;
            let content = if deletes { ManifestContent::Deletes } else { ManifestContent::Data };
            ManifestFile {
                sequence_number: numbers.0,
                min_sequence_number: numbers.1,
                added_snapshot_id: Some(snapshot_id),
                added_files_count: counts[0],
                existing_files_count: counts[1],
                deleted_files_count: counts[2],
                added_rows_count: counts[3],
                existing_rows_count: counts[4],
                deleted_rows_count: counts[5],
                partitions,
                key_metadata,
                first_row_id: first_row_id.filter(|_| is_v3 && !deletes),
                ..ManifestFile::unlisted(path, length, spec_id, content)
            }
        },
    )
}

proptest! {
    #[test]
    fn a_list_reads_as_it_was_written(
        (version, written) in (1_u8..=3).prop_flat_map(|version| (Just(version), prop::collection::vec(manifests(version), 0..8))),
    ) {
        let (bytes, list) = write(&request(version), &written).unwrap();
        let mut expected = written;
        let mut next = 1000;
        for manifest in &mut expected {
            if version == 3 && manifest.content == ManifestContent::Data && manifest.first_row_id.is_none() {
                manifest.first_row_id = Some(next);
                next += manifest.added_rows_count.unwrap() + manifest.existing_rows_count.unwrap();
            }
        }
        prop_assert_eq!(parse_manifest_list(&bytes, LOCATION).unwrap(), expected.clone());
        prop_assert_eq!(list.next_row_id, (version == 3).then_some(next));
        let theirs = apache_avro::Reader::new(&bytes[..]).unwrap();
        prop_assert_eq!(theirs.map(Result::unwrap).count(), expected.len());
    }
}

#[test]
fn deleted_rows_and_manifests_with_an_id_take_no_row_ids() {
    let with_id = ManifestFile { first_row_id: Some(5), ..manifest() };
    let deletes = ManifestFile { content: ManifestContent::Deletes, ..manifest() };
    let (bytes, list) = write(&request(3), &[manifest(), with_id, deletes, manifest()]).unwrap();
    let ids: Vec<_> =
        parse_manifest_list(&bytes, LOCATION).unwrap().iter().map(|manifest| manifest.first_row_id).collect();
    assert_eq!(ids, [Some(1000), Some(5), None, Some(1030)]);
    assert_eq!(list.next_row_id, Some(1060));
}

#[test]
fn what_a_format_version_wants_and_has_no_place_for() {
    let refused = |version: u8, manifest: ManifestFile| {
        let error = write(&request(version), &[manifest]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.to_string().contains("(manifest: file:/t/metadata/m.avro, path: file:/t"), "{error}");
        error.message().to_owned()
    };
    assert!(refused(1, manifest()).contains("format version 1 has no sequence numbers, found 9"));
    let of_v1 = ManifestFile { sequence_number: 0, min_sequence_number: 0, ..manifest() };
    let deletes = ManifestFile { content: ManifestContent::Deletes, ..of_v1.clone() };
    assert!(refused(1, deletes.clone()).contains("format version 1 has no delete files"));
    write(&request(1), &[ManifestFile { added_rows_count: None, ..of_v1 }]).unwrap();
    assert!(
        refused(2, ManifestFile { added_rows_count: None, ..manifest() })
            .contains("counts of 0 or more for the files and rows")
    );
    assert!(
        refused(2, ManifestFile { deleted_files_count: Some(-1), ..manifest() })
            .contains("counts of 0 or more")
    );
    assert!(
        refused(2, ManifestFile { added_files_count: Some(1 << 31), ..manifest() })
            .contains("2147483648 files")
    );
    assert!(
        refused(2, ManifestFile { added_snapshot_id: None, ..manifest() })
            .contains("id of the snapshot that added it")
    );
    assert!(refused(2, ManifestFile { sequence_number: -1, ..manifest() }).contains("0 or more, found -1"));
    assert!(
        refused(2, ManifestFile { first_row_id: Some(1), ..manifest() }).contains("only in format version 3")
    );
    assert!(refused(3, ManifestFile { first_row_id: Some(1), ..deletes }).contains("have no row ids"));
    let most = ManifestFile { added_rows_count: Some(i64::MAX), ..manifest() };
    assert!(refused(3, most).contains("do not fit into 64 bits"));
}

#[test]
fn a_snapshot_has_row_ids_in_v3_and_sequence_numbers_from_v2_on() {
    let refused = |request: ManifestListRequest<'_>| write(&request, &[]).unwrap_err().kind();
    assert_eq!(refused(ManifestListRequest { first_row_id: None, ..request(3) }), ErrorKind::InvalidInput);
    assert_eq!(
        refused(ManifestListRequest { first_row_id: Some(-1), ..request(3) }),
        ErrorKind::InvalidInput
    );
    assert_eq!(refused(ManifestListRequest { first_row_id: Some(0), ..request(2) }), ErrorKind::InvalidInput);
    assert_eq!(refused(ManifestListRequest { sequence_number: 1, ..request(1) }), ErrorKind::InvalidInput);
    assert_eq!(refused(ManifestListRequest { format_version: 4, ..request(3) }), ErrorKind::Unsupported);
}
