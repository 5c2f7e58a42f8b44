use proptest::prelude::*;

use crate::plan::Extent;

fn sum(size: i64, records: i64, cuts: &[u64]) -> Extent {
    let mut sum = Extent::default();
    let mut start = 0;
    for end in cuts.iter().copied().chain([u64::MAX]) {
        sum.add(size, records, &(start..end));
        start = end;
    }
    sum
}

proptest! {
    #[test]
    fn the_parts_of_a_file_have_its_bytes_and_rows(
        size in 0..=i64::MAX,
        records in 0..=i64::MAX,
        mut cuts in prop::collection::vec(0.0..1.0, 0..6),
    ) {
        cuts.sort_by(f64::total_cmp);
        let cuts: Vec<u64> = cuts.into_iter().map(|share| (share * size as f64 * 0.999) as u64).collect();
        let expected = Extent { bytes: size as u64, records: records as u64 };
        prop_assert_eq!(sum(size, records, &cuts), expected);
    }
}

#[test]
fn rows_of_a_part_are_estimated_by_its_bytes() {
    let mut half = Extent::default();
    half.add(100, 9, &(0..50));
    assert_eq!(half, Extent { bytes: 50, records: 4 });
    half.add(100, 9, &(50..u64::MAX));
    assert_eq!(half, Extent { bytes: 100, records: 9 });
}

#[test]
fn numbers_that_cannot_be_true_make_no_more_than_the_largest() {
    let mut sum = Extent::default();
    for _ in 0..3 {
        sum.add(i64::MAX, i64::MAX, &(0..u64::MAX));
        sum.add(-1, -1, &std::ops::Range { start: 5, end: 3 });
    }
    assert_eq!(sum, Extent { bytes: u64::MAX, records: u64::MAX });
}
