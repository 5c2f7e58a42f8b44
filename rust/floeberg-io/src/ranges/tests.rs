#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::ErrorKind;

use super::{Coalescing, Fetches, checked_length};

const NEAR: Coalescing = Coalescing { gap: 4, longest: 20 };

fn fetches(wanted: &[Range<u64>]) -> Vec<Range<u64>> {
    Fetches::new(wanted, NEAR).fetches
}

#[test]
fn near_ranges_are_fetched_together_and_far_ones_apart() {
    assert_eq!(fetches(&[0..2, 6..8, 13..14]), [0..8, 13..14]);
    assert_eq!(fetches(&[13..14, 6..8, 0..2]), [0..8, 13..14]);
}

#[test]
fn merging_stops_at_the_longest_fetch() {
    assert_eq!(fetches(&[0..10, 10..20, 20..30]), [0..20, 20..30]);
    assert_eq!(fetches(&[0..100, 50..60, 100..110]), [0..100, 100..110]);
}

#[test]
fn empty_ranges_fetch_nothing() {
    assert_eq!(fetches(&[5..5, 0..0]), []);
    assert_eq!(fetches(&[]), []);
}

#[test]
fn the_end_of_numbers_does_not_overflow() {
    assert_eq!(fetches(&[0..1, u64::MAX - 1..u64::MAX]), [0..1, u64::MAX - 1..u64::MAX]);
    let last_two = [0..1, u64::MAX - 2..u64::MAX - 1, u64::MAX - 1..u64::MAX];
    assert_eq!(fetches(&last_two), [0..1, u64::MAX - 2..u64::MAX]);
}

#[test]
fn what_is_cut_out_is_what_was_wanted() {
    let file: Vec<u8> = (0..=255).collect();
    let file = Bytes::from(file);
    let piece = |range: &Range<u64>| file.slice(range.start as usize..range.end as usize);
    let mut state = 7_u64;
    let mut next = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % bound
    };
    for _ in 0..500 {
        let wanted: Vec<_> = (0..next(12))
            .map(|_| {
                let start = next(240);
                start..start + next(16)
            })
            .collect();
        let plan = Fetches::new(&wanted, NEAR);
        let fetched: Vec<_> = plan.fetches.iter().map(piece).collect();
        let expected: Vec<_> = wanted.iter().map(piece).collect();
        assert_eq!(plan.cut(&wanted, &fetched), expected, "{wanted:?}");
    }
}

#[test]
#[allow(clippy::reversed_empty_ranges)]
fn a_range_must_lie_in_the_file() {
    assert_eq!(checked_length(&(2..5), 5, "/f").unwrap(), 3);
    assert_eq!(checked_length(&(5..5), 5, "/f").unwrap(), 0);
    assert_eq!(checked_length(&(5..2), 5, "/f").unwrap_err().kind(), ErrorKind::InvalidData);
    for range in [2..6, 6..6, 0..u64::MAX] {
        let error = checked_length(&range, 5, "/f").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("5 bytes (path: /f)"), "{error}");
    }
}
