use super::{MIB, file, parts};
use crate::plan::SplitOptions;
use crate::plan::split::Part;
use crate::plan::split::even::even_groups;
use crate::plan::split::file_shape::FileShape;

/// Groups of files of (size, where row groups start).
fn groups(files: &[(u64, &[i64])], most: u64, options: SplitOptions) -> Vec<Vec<Part>> {
    let shapes = files.iter().enumerate().map(|(number, (size, starts))| file(number, *size, starts));
    even_groups(shapes, most, options)
}

#[test]
fn small_plans_give_one_group() {
    let made = groups(&[(100, &[]), (200, &[4, 100])], 8, SplitOptions::default());
    assert_eq!(parts(&made), [[(0, 0, u64::MAX), (1, 0, u64::MAX)]]);
    assert!(made[0].iter().all(|part| part.byte_range().is_none()));
    assert!(groups(&[], 8, SplitOptions::default()).is_empty());
}

#[test]
fn one_large_file_is_shared_by_its_row_groups() {
    let starts: Vec<i64> = (0..10).map(|number| 4 + number * (10 << 20)).collect();
    let start = |number: usize| starts[number] as u64;
    let made = groups(&[(100 * MIB, &starts)], 4, SplitOptions::default());
    assert_eq!(
        parts(&made),
        [[(0, 0, start(2))], [(0, start(2), start(5))], [(0, start(5), start(7))], [(0, start(7), u64::MAX)]]
    );
}

#[test]
fn groups_that_would_be_too_large_become_more() {
    let options = SplitOptions { target_size: 32 * MIB, ..SplitOptions::default() };
    let made = groups(&[(256 * MIB, &[])], 2, options);
    assert_eq!(made.len(), 8);
}

#[test]
fn groups_that_would_be_too_small_become_fewer() {
    let files = [(8 * MIB, &[4][..]); 5];
    assert_eq!(groups(&files, 8, SplitOptions::default()).len(), 3);
    let options = SplitOptions { least_size: 1, ..SplitOptions::default() };
    assert_eq!(groups(&files, 8, options).len(), 5);
}

#[test]
fn files_that_are_small_make_no_more_groups_however_many_they_are() {
    // Opening them weighs 40 GiB, 320 times the target; what is read is 5 MiB.
    let files = vec![(500, &[4][..]); 10_000];
    let made = groups(&files, 4, SplitOptions::default());
    assert_eq!(made.iter().map(Vec::len).collect::<Vec<_>>(), [2500; 4]);
}

#[test]
fn files_that_cannot_be_cut_stay_whole() {
    let options = SplitOptions::default();
    let avro = FileShape { is_cut: false, ..file(0, 100 * MIB, &[4, 50 << 20]) };
    let made = even_groups([avro].into_iter(), 4, options);
    assert_eq!(parts(&made), [[(0, 0, u64::MAX)]]);
}

#[test]
fn every_byte_is_in_one_group_and_none_is_much_over_its_share() {
    for most in 1..20 {
        for step in [1_i64, 3, 7, 40] {
            let starts: Vec<i64> = (0..90 / step).map(|number| (1 + number * step) << 20).collect();
            let files =
                [(90 * MIB + 1, starts.as_slice()), (3 * MIB, &[]), (64 * MIB, &[]), (64 * MIB, &[4])];
            let options = SplitOptions { least_size: 1, ..SplitOptions::default() };
            let made = groups(&files, most, options);
            assert!(made.len() as u64 <= most.max(2), "{} of {most}", made.len());
            let mut next = (0, 0);
            for (file, start, end) in parts(&made).into_iter().flatten() {
                assert_eq!((file, start), next);
                next = if end == u64::MAX { (next.0 + 1, 0) } else { (next.0, end) };
            }
            assert_eq!(next, (4, 0));
            for group in &made {
                let bytes =
                    group.iter().map(|part| part.range.end.min(files[part.file].0) - part.range.start);
                assert!(bytes.sum::<u64>() <= 222 * MIB / most + 64 * MIB * 2, "{most} {step}");
            }
        }
    }
}

#[test]
fn sizes_that_cannot_be_true_make_a_bounded_number_of_groups() {
    for target_size in [1, 1 << 20] {
        let options = SplitOptions { target_size, ..SplitOptions::default() };
        let made = groups(&[(u64::MAX, &[][..]); 100], 3, options);
        assert!(made.len() <= (1 << 20) + 100, "{}", made.len());
    }
}
