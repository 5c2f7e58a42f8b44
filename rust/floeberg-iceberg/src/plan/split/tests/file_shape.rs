use super::file;
use crate::plan::SplitOptions;
use crate::plan::split::file_shape::{FileShape, Piece, piece_length};

fn ranges(file: FileShape<'_>, length: u64) -> Vec<std::ops::Range<u64>> {
    file.pieces(length).map(|piece| piece.range).collect()
}

#[test]
fn a_file_within_the_length_is_one_piece() {
    let pieces: Vec<_> = file(0, 100, &[]).pieces(100).collect();
    assert_eq!(pieces, [Piece { range: 0..u64::MAX, bytes: 100 }]);
    let pieces: Vec<_> = file(0, 0, &[]).pieces(100).collect();
    assert_eq!(pieces, [Piece { range: 0..u64::MAX, bytes: 0 }]);
}

#[test]
fn a_file_is_cut_at_every_row_group_and_its_last_piece_has_no_end() {
    let pieces: Vec<_> = file(0, 100, &[4, 30, 90]).pieces(1000).collect();
    assert_eq!(
        pieces,
        [
            Piece { range: 0..30, bytes: 26 },
            Piece { range: 30..90, bytes: 60 },
            Piece { range: 90..u64::MAX, bytes: 10 }
        ]
    );
}

#[test]
fn offsets_that_make_no_sense_are_not_used() {
    let evenly = [0..40, 40..80, 80..u64::MAX];
    for offsets in [&[60, 30][..], &[4, 4], &[4, 400], &[4, 100], &[-4, 30], &[-4], &[]] {
        assert_eq!(ranges(file(0, 100, offsets), 40), evenly, "{offsets:?}");
    }
}

#[test]
fn a_file_that_is_read_as_a_whole_is_not_cut() {
    let avro = FileShape { is_cut: false, ..file(0, 100, &[4, 50]) };
    assert_eq!(avro.pieces(10).collect::<Vec<_>>(), [Piece { range: 0..u64::MAX, bytes: 100 }]);
}

#[test]
fn pieces_cover_every_byte_once() {
    for length in 1..120 {
        for offsets in [&[4, 11, 12, 47, 80][..], &[]] {
            let mut next = 0;
            for range in ranges(file(0, 100, offsets), length) {
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!(next, u64::MAX);
        }
    }
}

#[test]
fn files_whose_sizes_cannot_be_true_are_cut_into_a_bounded_number_of_pieces() {
    for size in [1 << 62, u64::MAX] {
        for files in [1, 1000] {
            let all = (0..files).map(|number| file(number, size, &[]));
            let length = piece_length(all.clone(), 1);
            let pieces: usize = all.map(|file| file.pieces(length).count()).sum();
            assert!(pieces <= (1 << 20) + files, "{pieces} pieces of {files} files");
            assert_eq!(ranges(file(0, size, &[]), length).last().unwrap().end, u64::MAX);
        }
    }
}

#[test]
fn files_whose_row_groups_are_known_do_not_lengthen_the_pieces_of_others() {
    let known = file(0, u64::MAX, &[4]);
    let whole = FileShape { is_cut: false, ..file(1, u64::MAX, &[]) };
    assert_eq!(piece_length([known, whole, file(2, 100, &[])].into_iter(), 7), 7);
}

#[test]
fn a_piece_weighs_its_bytes_and_those_of_deletes_or_what_opening_these_files_costs() {
    let options = SplitOptions { open_file_cost: 50, ..SplitOptions::default() };
    let deleted = FileShape { deletes: 2, delete_bytes: 120, ..file(0, 100, &[]) };
    assert_eq!(deleted.weight(100, options), 220);
    assert_eq!(deleted.weight(10, options), 150);
    assert_eq!(file(0, 100, &[]).weight(20, options), 50);
    let most = FileShape { deletes: u64::MAX, delete_bytes: u64::MAX, ..file(0, 1, &[]) };
    assert_eq!(most.weight(u64::MAX, options), u64::MAX);
}
