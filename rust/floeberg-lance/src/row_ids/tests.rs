#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use floeberg_protobuf::Encoder;
use proptest::prelude::*;
use roaring::RoaringBitmap;

use super::*;

fn ids(segment: &Segment) -> Vec<u64> {
    let mut ids = Vec::new();
    segment.each(&mut |id| {
        ids.push(id);
        true
    });
    ids
}

fn kind(segment: &Segment) -> &'static str {
    match segment {
        Segment::Range(_) => "range",
        Segment::RangeWithHoles { .. } => "holes",
        Segment::RangeWithBitmap { .. } => "bitmap",
        Segment::SortedArray(_) => "sorted",
        Segment::Array(_) => "array",
    }
}

/// All that a segment says must agree with its ids.
fn holds(segment: &Segment, expected: &[u64]) {
    assert_eq!(ids(segment), expected);
    assert_eq!(segment.len(), expected.len() as u64);
    assert_eq!(segment.bounds().is_none(), expected.is_empty());
    for (place, id) in (0_u64..).zip(expected) {
        assert_eq!(segment.get(place), Some(*id), "{segment:?}");
        assert_eq!(segment.position(*id), Some(place), "{segment:?}");
    }
    assert_eq!(segment.get(expected.len() as u64), None);
    for id in expected.iter().flat_map(|id| [id.wrapping_sub(1), id.wrapping_add(1)]) {
        assert_eq!(segment.position(id).is_some(), expected.contains(&id), "{id} in {segment:?}");
    }
    assert_eq!(&Segment::parse(&segment.to_message()).unwrap(), segment);
}

#[test]
fn each_kind_is_made_where_it_is_the_smallest() {
    let with_few_holes: Vec<u64> = (10..400).filter(|id| id % 100 != 7).collect();
    let every_third: Vec<u64> = (0..100).map(|id| id * 3).collect();
    let far: Vec<u64> = (0..9).map(|id| id * 1_000_000).collect();
    let very_far = [1, u64::from(u32::MAX) + 7, u64::MAX];
    for (expected, ids) in [
        ("range", &(5..9).collect::<Vec<u64>>()[..]),
        ("range", &[]),
        ("holes", &with_few_holes),
        ("bitmap", &every_third),
        ("sorted", &far),
        ("sorted", &very_far),
        ("array", &[9, 2, 70_000, 4]),
        ("array", &[u64::MAX, 0]),
    ] {
        let segment = Segment::new(ids);
        assert_eq!(kind(&segment), expected);
        holds(&segment, ids);
    }
}

#[test]
fn bits_of_a_bitmap_count_from_the_lowest() {
    let bitmap = Segment::RangeWithBitmap { range: 100..110, bitmap: vec![0xfb, 0x03], count: 9 };
    assert_eq!(ids(&bitmap), [100, 101, 103, 104, 105, 106, 107, 108, 109]);
    let parsed = Segment::parse(b"\x1a\x08\x08\x64\x10\x6e\x1a\x02\xfb\x03").unwrap();
    assert_eq!(parsed, bitmap);
}

#[test]
fn what_is_no_segment_is_refused() {
    for (message, expected) in [
        (&b""[..], "an empty message"),
        (b"\x0a\x04\x08\x09\x10\x03", "found 9 to 3"),
        // A hole outside of its range, and holes that do not ascend.
        (b"\x12\x0c\x08\x01\x10\x03\x1a\x06\x0a\x04\x08\x07\x12\x00", ""),
        (
            b"\x12\x12\x08\x01\x10\x09\x1a\x0c\x0a\x0a\x08\x02\x12\x06\x01\x00\x01\x00\x02\x00",
            "that are not there",
        ),
        (b"\x1a\x07\x08\x00\x10\x09\x1a\x01\x00", "a bit for each of 9"),
        (b"\x1a\x07\x08\x00\x10\x02\x1a\x01\x07", "no bit behind"),
        (b"\x22\x08\x0a\x06\x12\x04\x02\x00\x01\x00", "ascending"),
        (b"\x2a\x07\x0a\x05\x12\x03\x02\x00\x01", "2 bytes each"),
        (b"\x2a\x00", "a list of row ids"),
        (b"\x2a\x11\x0a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x12\x02\x01\x00", "beyond them"),
    ] {
        match Segment::parse(message) {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
                assert!(error.message().contains(expected), "{message:02x?}: {error}");
            }
            Ok(segment) => assert!(expected.is_empty(), "{segment:?} of {message:02x?}"),
        }
    }
}

#[test]
fn a_claim_of_many_ids_takes_no_memory() {
    let most = RowIds::parse(&RowIds::new(&[]).to_bytes()).unwrap();
    assert_eq!(most.len(), Some(0));
    let claim = Segment::Range(0..u64::MAX).to_message();
    let mut bytes = Encoder::default();
    bytes.some_bytes(1, &claim);
    bytes.some_bytes(1, &claim);
    let claimed = RowIds::parse(&bytes.finish()).unwrap();
    assert_eq!(claimed.len(), None);
    assert!(claimed.check_length(5).unwrap_err().message().contains("more than 64 bits"));
    assert_eq!(claimed.slice(u64::MAX - 2..u64::MAX), [u64::MAX - 2, u64::MAX - 1]);
    assert_eq!(claimed.get(u64::MAX - 1), Some(u64::MAX - 1));
}

#[test]
fn rows_that_are_left_keep_their_ids() {
    let sequence = RowIds::new(&[7, 3, 9, 4]);
    assert_eq!(sequence.live(0..4, &RoaringBitmap::from([0, 2])), [3, 4]);
}

#[test]
fn runs_of_versions_count_by_their_length() {
    let mut bytes = Encoder::default();
    for (ids, version) in [(&[4_u64, 90][..], 3_u64), (&[7], 8)] {
        let mut run = Encoder::default();
        run.some_bytes(1, Segment::new(ids).to_message());
        run.number(2, version);
        bytes.some_bytes(1, run.finish());
    }
    let bytes = bytes.finish();
    let versions = RowVersions::parse(&bytes).unwrap();
    assert_eq!(versions.to_bytes(), bytes);
    assert_eq!(versions.slice(0..9), [3, 3, 8]);
    assert_eq!(versions.slice(1..2), [3]);
    assert_eq!([0, 1, 2, 3].map(|row| versions.get(row)), [Some(3), Some(3), Some(8), None]);
    versions.check_length(3).unwrap();
    assert!(versions.check_length(4).unwrap_err().message().contains("each of 4 rows, found 3"));
    assert_eq!(RowVersions::uniform(2, 5).slice(0..2), [5, 5]);
}

proptest! {
    #[test]
    fn segments_hold_what_they_are_made_of(ids in prop_oneof![
        proptest::collection::vec(0_u64..40, 0..40),
        proptest::collection::btree_set(0_u64..200, 0..150).prop_map(|ids| ids.into_iter().collect::<Vec<_>>()),
        proptest::collection::btree_set(any::<u64>(), 0..20).prop_map(|ids| ids.into_iter().collect::<Vec<_>>()),
    ]) {
        let segment = Segment::new(&ids);
        let distinct: std::collections::BTreeSet<_> = ids.iter().collect();
        if distinct.len() == ids.len() {
            holds(&segment, &ids);
        }
        let sequence = RowIds::new(&ids);
        prop_assert_eq!(&sequence.slice(0..u64::MAX), &ids);
        let half = ids.len() / 2;
        prop_assert_eq!(sequence.slice(half as u64..ids.len() as u64), &ids[half..]);
        prop_assert_eq!(sequence.slice(0..half as u64), &ids[..half]);
        prop_assert_eq!(&RowIds::parse(&sequence.to_bytes()).unwrap(), &sequence);
    }

    #[test]
    fn the_index_finds_every_place_of_an_id(
        fragments in proptest::collection::vec(proptest::collection::vec(0_u64..60, 0..20), 0..6),
    ) {
        // An id is once in a fragment, and may be in several.
        let fragments: Vec<Vec<u64>> = fragments
            .into_iter()
            .map(|ids| {
                let mut seen = std::collections::HashSet::new();
                ids.into_iter().filter(|id| seen.insert(*id)).collect()
            })
            .collect();
        let index = RowIdIndex::new(fragments.iter().map(|ids| RowIds::new(ids)).enumerate());
        for id in 0..60 {
            let mut expected: Vec<(usize, u64)> = fragments
                .iter()
                .enumerate()
                .filter_map(|(fragment, ids)| Some((fragment, ids.iter().position(|known| *known == id)? as u64)))
                .collect();
            expected.reverse();
            prop_assert_eq!(index.candidates(id), expected);
        }
        for ids in &fragments {
            let next = ids.iter().max().map_or(0, |greatest| greatest + 1);
            prop_assert!(RowIds::new(ids).check_below(next).is_ok());
            prop_assert!(ids.is_empty() || RowIds::new(ids).check_below(next - 1).is_err());
        }
    }

    #[test]
    fn any_bytes_end_in_ids_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        if let Ok(ids) = RowIds::parse(&bytes) {
            prop_assert_eq!(&RowIds::parse(&ids.to_bytes()).unwrap(), &ids);
        }
    }
}

#[test]
fn an_id_in_a_bitmap_is_found_where_its_segment_has_it() {
    let ids: Vec<u64> = (1000..9000).filter(|id| id % 3 != 0 || id % 7 == 0).collect();
    let sequence = RowIds::new(&ids);
    assert!(matches!(sequence.segments(), [Segment::RangeWithBitmap { .. }]), "{sequence:?}");
    let index = RowIdIndex::new([(4, sequence.clone())]);
    for id in 990..9010 {
        let place = ids.binary_search(&id).ok().map(|place| (4, place as u64));
        assert_eq!(index.candidates(id), Vec::from_iter(place), "{id}");
        assert_eq!(sequence.segments()[0].position(id), place.map(|(_, place)| place));
    }
}
