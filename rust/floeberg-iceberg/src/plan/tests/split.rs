use crate::plan::split::cut;

#[test]
fn a_file_within_the_target_is_not_cut() {
    assert!(cut(100, &[4, 50], 100).is_empty());
}

#[test]
fn a_file_is_cut_where_row_groups_start_and_its_last_piece_has_no_end() {
    assert_eq!(cut(100, &[4, 30, 60, 90], 40), [0..30, 30..60, 60..u64::MAX]);
}

#[test]
fn offsets_that_make_no_sense_are_not_used() {
    assert_eq!(cut(100, &[60, 30], 40), cut(100, &[], 40));
    assert_eq!(cut(100, &[4, 400], 40), cut(100, &[], 40));
}

#[test]
fn pieces_cover_every_byte_once() {
    for target in 1..120 {
        let ranges = cut(100, &[4, 11, 12, 47, 80], target);
        let mut next = 0;
        for range in &ranges {
            assert_eq!(range.start, next);
            next = range.end;
        }
        assert!(ranges.is_empty() || next == u64::MAX);
    }
}

#[test]
fn a_file_whose_size_cannot_be_true_is_cut_into_a_bounded_number_of_pieces() {
    for size in [1 << 62, u64::MAX] {
        let ranges = cut(size, &[], 1);
        assert!(ranges.len() <= 1 << 16, "{} pieces", ranges.len());
        assert_eq!(ranges.last().unwrap().end, u64::MAX);
    }
}
