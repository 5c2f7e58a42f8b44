#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use bytes::Bytes;
use floeberg_core::ErrorKind;
use floeberg_protobuf::{Encoder, Message};
use proptest::prelude::*;

use super::*;

/// A field that nobody knows, with a number and with bytes.
const UNKNOWN: &[u8] = b"\xc8\x3e\x07\xd2\x3e\x02hi";

fn with_unknown(structure: &impl Message) -> Vec<u8> {
    [&to_bytes(structure), UNKNOWN].concat()
}

fn kept<T: Message>(structure: &T) {
    let bytes = with_unknown(structure);
    let parsed: T = parse(&bytes).unwrap();
    assert_eq!(to_bytes(&parsed), bytes);
}

#[test]
fn fields_that_are_not_known_are_kept_in_every_message() {
    kept(&SchemaField { id: 3, name: "a".to_owned(), parent_id: -1, ..SchemaField::default() });
    kept(&Fragment { id: 1, ..Fragment::default() });
    kept(&DataFile { fields: vec![0, -2], base_id: Some(0), ..DataFile::default() });
    kept(&DeletionFile { file_type: DeletionFileType::Bitmap, ..DeletionFile::default() });
    kept(&IndexMetadata {
        uuid: Uuid { bytes: vec![1; 16] },
        index_version: Some(0),
        ..IndexMetadata::default()
    });
    kept(&BasePath { name: Some(String::new()), ..BasePath::default() });
    kept(&Transaction {
        read_version: 4,
        operation: Operation::Restore(Restore::default()),
        ..Transaction::default()
    });
    kept(&Update { fields_modified: vec![1, 200], ..Update::default() });
    kept(&UpdateMap {
        update_entries: vec![("a".to_owned(), None), ("b".to_owned(), Some(String::new()))],
        ..UpdateMap::default()
    });
}

#[test]
fn a_manifest_keeps_what_it_does_not_know_and_the_bytes_of_its_fragments() {
    let fragment = with_unknown(&Fragment { id: 7, physical_rows: 3, ..Fragment::default() });
    let mut out = Encoder::default();
    out.some_bytes(2, &fragment);
    out.number(3, 5_u64);
    out.raw(UNKNOWN);
    let bytes = Bytes::from(out.finish());
    let manifest = Manifest::parse(&bytes).unwrap();
    assert_eq!(manifest.to_bytes(), bytes);
    assert_eq!(manifest.fragments.ids(), [7]);
    let other = Fragment { id: 8, ..Fragment::default() };
    let pieces = [FragmentPiece::New(&other), FragmentPiece::Kept(0..1)];
    let changed = manifest.fragments.with_pieces(&pieces).unwrap();
    assert_eq!(changed.ids(), [8, 7]);
    assert!(changed.written(1..2).concat().ends_with(UNKNOWN));
}

#[test]
fn an_operation_that_is_not_known_is_known_as_such() {
    let mut out = Encoder::default();
    out.some_bytes(116, b"\x08\x01");
    let bytes = out.finish();
    let transaction = Transaction::parse(&bytes).unwrap();
    assert_eq!(transaction.operation, Operation::Unknown(116, vec![8, 1]));
    assert_eq!(transaction.to_bytes(), bytes);
}

#[test]
fn lists_in_pieces_are_one_list() {
    // A packed list, a single number, and another list.
    let file = b"\x12\x02\x01\x02\x10\x03\x12\x01\x04\x1a\x04\x00\x01\x02\x03\x20\x02\x28\x01";
    let mut fragment = Encoder::default();
    fragment.some_bytes(2, file);
    let mut manifest = Encoder::default();
    manifest.some_bytes(2, fragment.finish());
    let manifest = Manifest::parse(&Bytes::from(manifest.finish())).unwrap();
    let layout = Layout { fields: vec![1, 2, 3, 4], column_indices: vec![0, 1, 2, 3], major: 2, minor: 1 };
    assert_eq!(manifest.fragments.layouts(), [layout]);
    assert_eq!(manifest.fragments.fragment(0).unwrap().files[0].fields, [1, 2, 3, 4]);
}

#[test]
fn files_that_are_laid_out_alike_share_a_layout() {
    let file = |number: i32| DataFile {
        fields: vec![number % 7],
        column_indices: vec![0],
        major: 2,
        base_id: (number == 0).then_some(0),
        path: format!("{number}"),
        ..DataFile::default()
    };
    let mut out = Encoder::default();
    for number in 0..50 {
        out.message(
            2,
            &Fragment {
                id: number as u64,
                files: vec![file(number), file(number + 1)],
                ..Fragment::default()
            },
        );
    }
    let fragments = Manifest::parse(&Bytes::from(out.finish())).unwrap().fragments;
    assert_eq!((fragments.len(), fragments.file_count(), fragments.layouts().len()), (50, 100, 7));
    for place in 0..50 {
        let files: Vec<_> = fragments
            .files(place)
            .map(|file| (file.path.to_owned(), file.layout.fields[0], file.base_id))
            .collect();
        let owned = fragments.fragment(place).unwrap().files;
        let owned: Vec<_> = owned.into_iter().map(|file| (file.path, file.fields[0], file.base_id)).collect();
        assert_eq!(files, owned);
    }
}

#[test]
fn numbers_and_lengths_beyond_their_bounds_are_errors() {
    for bytes in [
        &b"\x12"[..],
        b"\x12\x05abc",
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x0b",
        b"\x00\x01",
        b"\x12\x03\x08",
        b"\x1a\x01a",
        b"\x62\x01\xff",
    ] {
        let error = Manifest::parse(&Bytes::copy_from_slice(bytes)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{bytes:02x?}: {error}");
        assert!(error.message().contains("expected"), "{error}");
    }
    let most = ManifestHead::parse(b"\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01").unwrap();
    assert_eq!(most.version, u64::MAX);
}

#[test]
fn the_end_of_a_file_must_fit_the_file() {
    let mut manifest = Manifest::default();
    manifest.head.version = 1;
    let file = to_file(&mut manifest, Some(b""), Some(b"\x08\x01")).unwrap();
    let size = file.len() as u64;
    let range = manifest_range(&file, size).unwrap();
    assert_eq!((manifest.head.index_section, manifest.head.transaction_section), (Some(0), Some(4)));
    let part = file.slice(range.start as usize..range.end as usize);
    assert_eq!(Manifest::parse(&message_of(&part, "it").unwrap()).unwrap(), manifest);
    let before = file.slice(..range.start as usize);
    assert_eq!(section_in(&before, 0, 4, "it").unwrap().unwrap(), &b"\x02\0\0\0\x08\x01"[..]);
    assert_eq!(section_in(&before, 8, 4, "it").unwrap(), None);
    assert!(section_in(&before, 0, 9, "it").is_err());
    assert!(section_in(&before, 0, u64::MAX, "it").is_err());
    for position in [-1, i64::MIN, size as i64 - 19, i64::MAX] {
        let end = [&position.to_le_bytes()[..], b"\0\0\x02\0LANC"].concat();
        assert!(manifest_range(&end, size).is_err(), "{position}");
    }
    assert!(manifest_range(b"LANC", 4).is_err());
    assert!(manifest_range(&[0; 16], size).unwrap_err().message().contains("LANC"));
    assert!(message_of(&part.slice(..part.len() - 1), "it").is_err());
    let longer = Bytes::from([&part[..], b"\0"].concat());
    assert!(message_of(&longer, "it").is_err());
}

proptest! {
    #[test]
    fn any_bytes_end_in_a_manifest_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(manifest) = Manifest::parse(&Bytes::from(bytes)) {
            let written = manifest.to_bytes();
            let again = Manifest::parse(&Bytes::from(written.clone())).unwrap();
            prop_assert_eq!(again.to_bytes(), written);
            prop_assert_eq!(again, manifest);
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written(numbers in proptest::collection::vec(any::<u64>(), 1..20), signed: i32) {
        let written = DataFile { size_bytes: numbers[0], fields: vec![signed], ..DataFile::default() };
        prop_assert_eq!(&parse::<DataFile>(&to_bytes(&written)).unwrap(), &written);
        let written = Delete { deleted_fragment_ids: numbers, ..Delete::default() };
        prop_assert_eq!(&parse::<Delete>(&to_bytes(&written)).unwrap(), &written);
    }
}

fn drawn_fragment() -> impl Strategy<Value = Fragment> {
    let lineage = || {
        prop_oneof![
            Just(None),
            prop::collection::vec(any::<u8>(), 0..3).prop_map(|bytes| Some(Lineage::Inline(bytes))),
            Just(Some(Lineage::Column(vec![8, 1]))),
        ]
    };
    let file = (prop::collection::vec(-2..4_i32, 0..3), "[a-z]{0,3}", prop::option::of(0..3_u32), 0..3_u64);
    let file = file.prop_map(|(fields, path, base_id, size_bytes)| DataFile {
        column_indices: fields.clone(),
        fields,
        path,
        base_id,
        size_bytes,
        ..DataFile::default()
    });
    let deletion_file = prop::option::of((0..2_u64, 0..2_u64).prop_map(|(id, num_deleted_rows)| {
        DeletionFile { id, num_deleted_rows, base_id: (id == 1).then_some(0), ..DeletionFile::default() }
    }));
    let unknown = prop_oneof![Just(Vec::new()), Just(UNKNOWN.to_vec()), Just(b"\x5a\x00".to_vec())];
    (
        (any::<u32>(), prop::collection::vec(file, 0..3), deletion_file, 0..5_u64),
        (lineage(), lineage(), lineage(), unknown),
    )
        .prop_map(|((id, files, deletion_file, physical_rows), (row_ids, last, created, unknown))| {
            Fragment {
                id: u64::from(id),
                files,
                deletion_file,
                physical_rows,
                row_ids,
                last_updated_at_versions: last,
                created_at_versions: created,
                unknown: Unknown(unknown),
            }
        })
}

/// All that is said of fragments.
fn told(fragments: &Fragments) -> String {
    let places = 0..fragments.len();
    let of_each = places.map(|place| {
        let files: Vec<_> = fragments.files(place).collect();
        let lineage = [
            fragments.row_ids(place),
            fragments.last_updated_at_versions(place),
            fragments.created_at_versions(place),
        ];
        let deletes = (fragments.deleted_rows(place), fragments.has_deletion_file(place));
        format!(
            "{files:?} {lineage:?} {deletes:?} {:?} {:?}\n",
            fragments.deletion_file(place),
            fragments.fragment(place)
        )
    });
    let mut layouts: Vec<_> = fragments.layouts().iter().map(|layout| format!("{layout:?}")).collect();
    layouts.sort();
    format!(
        "{}{:?}{:?}{:?}{:?}{layouts:?}",
        of_each.collect::<String>(),
        fragments.ids(),
        fragments.physical_rows(),
        (fragments.have_deletion_files(), fragments.have_overlays(), fragments.have_hidden_columns()),
        (fragments.with_row_ids(), fragments.file_count(), fragments.file_bases().collect::<Vec<_>>()),
    )
}

proptest! {
    #[test]
    fn fragments_that_stay_and_new_ones_are_what_reading_their_bytes_gives(
        old in prop::collection::vec(drawn_fragment(), 0..12),
        new in prop::collection::vec(drawn_fragment(), 0..4),
        cuts in prop::collection::vec((0..13_usize, 0..6_usize, any::<bool>()), 0..6),
    ) {
        let mut out = Encoder::default();
        // As in a manifest, fragments are not first.
        out.message(1, &SchemaField::default());
        for fragment in &old {
            out.message(2, fragment);
        }
        let before = Manifest::parse(&Bytes::from(out.finish())).unwrap();
        let mut new = new.iter();
        let mut pieces = Vec::new();
        for (start, length, adds) in cuts {
            let start = start.min(old.len());
            pieces.push(FragmentPiece::Kept(start..(start + length).min(old.len())));
            pieces.extend(new.next().filter(|_| adds).map(FragmentPiece::New));
        }
        let made = before.fragments.with_pieces(&pieces).unwrap();
        let mut manifest = Manifest { head: ManifestHead::default(), fragments: made };
        let file = to_file(&mut manifest, Some(b"index"), None).unwrap();
        let range = manifest_range(&file, file.len() as u64).unwrap();
        let section = file.slice(range.start as usize..range.end as usize);
        let read = Manifest::parse(&message_of(&section, "a manifest").unwrap()).unwrap();
        prop_assert_eq!(told(&manifest.fragments), told(&read.fragments));
        prop_assert_eq!(manifest.to_bytes(), read.to_bytes());
    }
}
