use std::sync::Arc;

use floeberg_core::expr::BoundExpr;

use crate::plan::even::{Weighed, even_groups};
use crate::plan::{FileFormat, FileScanTask, SplitOptions, TaskGroup};

const MIB: u64 = 1 << 20;

fn task(name: &str, size: u64) -> FileScanTask {
    FileScanTask {
        file_path: name.to_owned(),
        location: name.to_owned(),
        file_format: FileFormat::Parquet,
        file_size_in_bytes: i64::try_from(size).unwrap(),
        record_count: 1,
        byte_range: None,
        spec_id: 0,
        partition: Arc::default(),
        data_sequence_number: 1,
        first_row_id: None,
        deletes: Vec::new(),
        residual: Arc::new(BoundExpr::True),
    }
}

/// Groups of files of (size, where row groups start).
fn groups(files: &[(u64, &[u64])], most: u64, options: SplitOptions) -> Vec<TaskGroup> {
    let weighed = files.iter().enumerate().map(|(number, (size, starts))| {
        let offsets: Vec<i64> = starts.iter().map(|start| i64::try_from(*start).unwrap()).collect();
        Weighed::new(task(&number.to_string(), *size), &offsets, options)
    });
    even_groups(weighed.collect(), most, options)
}

/// What each group reads: (file, first byte, last byte).
fn parts(groups: &[TaskGroup]) -> Vec<Vec<(String, u64, u64)>> {
    let part = |task: &FileScanTask| {
        let range = task.byte_range.clone().unwrap_or(0..u64::MAX);
        (task.file_path.clone(), range.start, range.end)
    };
    groups.iter().map(|group| group.tasks.iter().map(part).collect()).collect()
}

#[test]
fn small_plans_give_one_group() {
    let made = groups(&[(100, &[]), (200, &[4, 100])], 8, SplitOptions::default());
    assert_eq!(parts(&made), [[("0".to_owned(), 0, u64::MAX), ("1".to_owned(), 0, u64::MAX)]]);
    assert!(made[0].tasks.iter().all(|task| task.byte_range.is_none()));
    assert!(groups(&[], 8, SplitOptions::default()).is_empty());
}

#[test]
fn one_large_file_is_shared_by_its_row_groups() {
    let starts: Vec<u64> = (0..10).map(|number| 4 + number * 10 * MIB).collect();
    let made = groups(&[(100 * MIB, &starts)], 4, SplitOptions::default());
    let file = || "0".to_owned();
    assert_eq!(
        parts(&made),
        [
            vec![(file(), 0, starts[2])],
            vec![(file(), starts[2], starts[5])],
            vec![(file(), starts[5], starts[7])],
            vec![(file(), starts[7], u64::MAX)]
        ]
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
fn files_that_cannot_be_cut_stay_whole() {
    let options = SplitOptions::default();
    let avro = FileScanTask { file_format: FileFormat::Avro, ..task("0", 100 * MIB) };
    let made = even_groups(vec![Weighed::new(avro, &[4, 50 << 20], options)], 4, options);
    assert_eq!(parts(&made), [[("0".to_owned(), 0, u64::MAX)]]);
}

#[test]
fn every_byte_is_in_one_group_and_none_is_much_over_its_share() {
    for most in 1..20 {
        for step in [1_u64, 3, 7, 40] {
            let starts: Vec<u64> = (0..90 / step).map(|number| (1 + number * step) * MIB).collect();
            let files =
                [(90 * MIB + 1, starts.as_slice()), (3 * MIB, &[]), (64 * MIB, &[]), (64 * MIB, &[4])];
            let options = SplitOptions { least_size: 1, ..SplitOptions::default() };
            let made = groups(&files, most, options);
            assert!(made.len() as u64 <= most.max(2), "{} of {most}", made.len());
            let mut next = (0, 0);
            for (file, start, end) in parts(&made).into_iter().flatten() {
                assert_eq!((file.parse::<u64>().unwrap(), start), next);
                next = if end == u64::MAX { (next.0 + 1, 0) } else { (next.0, end) };
            }
            assert_eq!(next, (4, 0));
            for group in &made {
                let bytes = group.tasks.iter().map(|task| {
                    let size = task.file_size_in_bytes as u64;
                    task.byte_range.clone().map_or(size, |range| range.end.min(size) - range.start)
                });
                assert!(bytes.sum::<u64>() <= 222 * MIB / most + 64 * MIB * 2, "{most} {step}");
            }
        }
    }
}

#[test]
fn sizes_that_cannot_be_true_make_no_more_groups_than_pieces() {
    let made = groups(
        &[(i64::MAX as u64, &[]), (i64::MAX as u64, &[])],
        3,
        SplitOptions { target_size: 1, ..SplitOptions::default() },
    );
    assert!(made.len() <= 2 << 16, "{}", made.len());
}
