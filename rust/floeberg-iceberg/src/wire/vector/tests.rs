#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use floeberg_core::rows::{DeletedRows, RangeMask};
use proptest::prelude::*;

use super::*;

/// A blob around a vector, all checks right.
fn blob(vector: &[u8]) -> Vec<u8> {
    let body = [&MAGIC, vector].concat();
    let checksum = crc32fast::hash(&body).to_be_bytes();
    [&(body.len() as u32).to_be_bytes(), &body[..], &checksum].concat()
}

fn serialized(positions: &RoaringTreemap) -> Vec<u8> {
    let mut vector = Vec::new();
    positions.serialize_into(&mut vector).unwrap();
    vector
}

fn message(blob: &[u8]) -> String {
    let error = decode(blob, None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    error.message().to_owned()
}

#[test]
fn a_blob_laid_out_by_hand_reads_as_its_positions() {
    // Two bitmaps of one array container each: cookie, containers, (key, cardinality - 1), offset, values.
    let vector = [
        &2_u64.to_le_bytes()[..],
        &[0, 0, 0, 0, 0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 1, 0, 3, 0],
        &[1, 0, 0, 0, 0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 5, 0],
    ]
    .concat();
    let positions = decode(&blob(&vector), Some(3)).unwrap();
    assert_eq!(positions.iter().collect::<Vec<u64>>(), [1, 3, (1 << 32) + 5]);
}

/// What Iceberg Java 1.11.0 wrote for a `DELETE` of the first 70,000 rows: two runs, the first of a whole container.
const OF_JAVA: [u8; 49] = [
    0x00, 0x00, 0x00, 0x29, 0xd1, 0xd3, 0x39, 0x64, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x3b, 0x30, 0x01, 0x00, 0x03, 0x00, 0x00, 0xff, 0xff, 0x01, 0x00, 0x6f, 0x11, 0x01,
    0x00, 0x00, 0x00, 0xff, 0xff, 0x01, 0x00, 0x00, 0x00, 0x6f, 0x11, 0x1c, 0xb0, 0xc6, 0x37,
];

#[test]
fn a_vector_of_iceberg_java_deletes_all_of_its_runs() {
    let deleted = DeletedRows::new(decode(&OF_JAVA, Some(70_000)).unwrap());
    let RangeMask::Some(kept) = deleted.kept(0..200_000).unwrap() else { panic!("a mask") };
    assert!(kept.set_indices().eq(70_000..200_000));
}

#[test]
fn the_rows_that_java_deleted_are_encoded_as_java_encoded_them() {
    assert_eq!(encode(&(0..70_000).collect()).unwrap(), OF_JAVA);
    let positions: RoaringTreemap = [1, 3, (1 << 32) + 5].into_iter().collect();
    assert_eq!(decode(&encode(&positions).unwrap(), Some(3)).unwrap(), positions);
}

#[test]
fn a_vector_of_no_rows_and_of_rows_that_no_file_has_is_refused() {
    let error = encode(&RoaringTreemap::new()).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::InvalidInput, "a deletion vector has at least one position")
    );
    let last = ((i32::MAX as u64 - 1) << 32) | (1 << 31);
    assert!(decode(&encode(&[last].into_iter().collect()).unwrap(), Some(1)).unwrap().contains(last));
    for beyond in [last + 1, u64::MAX] {
        let error = encode(&[0, beyond].into_iter().collect()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(error.message().contains(&beyond.to_string()), "{error}");
    }
}

#[test]
fn bitmaps_that_became_empty_are_left_out() {
    let mut positions: RoaringTreemap = [7, 1 << 33].into_iter().collect();
    positions.remove(7);
    let blob = encode(&positions).unwrap();
    assert_eq!(blob[8..16], 1_u64.to_le_bytes());
    assert_eq!(decode(&blob, Some(1)).unwrap(), positions);
}

#[test]
fn a_cardinality_that_differs_from_the_manifest_is_an_error() {
    let blob = blob(&serialized(&(0..5).collect()));
    assert!(decode(&blob, Some(5)).is_ok());
    for expected in [4, 6] {
        let error = decode(&blob, Some(expected)).unwrap_err();
        assert_eq!(error.message(), format!("expected a deletion vector of {expected} positions, found 5"));
    }
}

#[test]
fn the_envelope_is_checked_part_by_part() {
    let good = blob(&serialized(&(0..5).collect()));
    let damaged = |index: usize| {
        let mut damaged = good.clone();
        damaged[index] ^= 1;
        message(&damaged)
    };
    assert!(damaged(3).contains("expected the length"));
    assert!(damaged(4).contains("d1 d3 39 64"));
    assert!(damaged(20).contains("CRC-32"));
    assert!(damaged(good.len() - 1).contains("CRC-32"));
}

#[test]
fn keys_must_ascend_and_positions_be_positive() {
    let bitmap = [0x3a, 0x30, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 5, 0];
    let vector = |keys: &[u32]| {
        let mut vector = (keys.len() as u64).to_le_bytes().to_vec();
        for key in keys {
            vector.extend_from_slice(&key.to_le_bytes());
            vector.extend_from_slice(&bitmap);
        }
        blob(&vector)
    };
    assert!(decode(&vector(&[0, 1, 7]), Some(3)).is_ok());
    for keys in [&[1, 0][..], &[1, 1], &[1 << 31]] {
        assert!(message(&vector(keys)).contains("ascending keys"), "{keys:?}");
    }
}

#[test]
fn hostile_counts_and_trailing_bytes_are_errors() {
    assert!(message(&blob(&u64::MAX.to_le_bytes())).contains("expected at most 0 bitmaps"));
    let mut long = serialized(&(0..5).collect());
    long.push(0);
    assert!(message(&blob(&long)).contains("found 1 more bytes"));
    let huge_containers =
        [&1_u64.to_le_bytes()[..], &[0; 4], &[0x3a, 0x30, 0, 0, 0xff, 0xff, 0xff, 0xff]].concat();
    assert!(message(&blob(&huge_containers)).contains("Roaring bitmap"));
}

#[test]
fn every_truncation_of_the_vector_is_an_error() {
    let positions: RoaringTreemap = (0..5000).map(|n| n * 3).chain([1 << 33, (1 << 40) + 1]).collect();
    let vector = serialized(&positions);
    for length in (0..vector.len()).step_by(7) {
        assert!(decode_positions(&vector[..length]).is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn what_was_encoded_is_decoded(
        positions in prop::collection::btree_set(0_u64..1 << 63, 0..200),
        run in (0_u64..1 << 40, 0_u64..100_000),
        optimize: bool,
    ) {
        let mut positions: RoaringTreemap = positions.into_iter().collect();
        positions.insert_range(run.0..run.0 + run.1);
        let mut optimized = positions.clone();
        if optimize {
            optimized = RoaringTreemap::from_bitmaps(optimized.bitmaps().map(|(key, bitmap)| {
                let mut bitmap = bitmap.clone();
                bitmap.optimize();
                (key, bitmap)
            }));
        }
        let blob = blob(&serialized(&optimized));
        prop_assert_eq!(decode(&blob, Some(positions.len())).unwrap(), positions);
    }

    #[test]
    fn what_we_encode_is_decoded_and_as_small_as_runs_make_it(
        sparse in prop::collection::vec(0_u64..1 << 40, 0..200),
        // At the borders of containers and bitmaps, and from array to bitmap containers and runs.
        borders in prop::collection::vec((0_u64..1 << 20, 0_u64..4), 0..40),
        run in (0_u64..1 << 34, 1_u64..200_000),
        step in 1_usize..9,
    ) {
        let mut positions: RoaringTreemap = sparse.into_iter().collect();
        positions.extend(borders.into_iter().map(|(container, off)| (container << 16) + off).map(|at| at.saturating_sub(2)));
        positions.extend((run.0..run.0 + run.1).step_by(step));
        let blob = encode(&positions).unwrap();
        prop_assert!(blob.len() <= 4 + 4 + serialized(&positions).len() + 4);
        prop_assert_eq!(decode(&blob, Some(positions.len())).unwrap(), positions);
    }

    #[test]
    fn arbitrary_bytes_never_panic(vector in prop::collection::vec(any::<u8>(), 0..200), damage in any::<prop::sample::Index>()) {
        let _ = decode_positions(&vector);
        let mut real = serialized(&(0..300).chain(70_000..80_000).collect());
        let index = damage.index(real.len());
        real[index] ^= vector.first().copied().unwrap_or(1);
        let _ = decode_positions(&real);
    }
}
