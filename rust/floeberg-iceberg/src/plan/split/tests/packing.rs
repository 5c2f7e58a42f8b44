use proptest::prelude::*;

use super::{MIB, file, parts};
use crate::plan::SplitOptions;
use crate::plan::split::file_shape::FileShape;
use crate::plan::split::packing::pack;

fn options(target_size: u64, open_file_cost: u64, lookback: usize) -> SplitOptions {
    SplitOptions { target_size, open_file_cost, lookback, ..SplitOptions::default() }
}

fn packed(files: &[FileShape<'_>], options: SplitOptions) -> Vec<Vec<(usize, u64, u64)>> {
    parts(&pack(files.iter().copied(), options))
}

/// The sizes of the files of each group, for files that are not cut.
fn sizes(sizes: &[u64], target: u64, lookback: usize) -> Vec<Vec<u64>> {
    let files: Vec<_> = sizes
        .iter()
        .enumerate()
        .map(|(number, size)| FileShape { is_cut: false, ..file(number, *size, &[]) })
        .collect();
    let groups = packed(&files, options(target, 0, lookback));
    groups.iter().map(|group| group.iter().map(|(number, ..)| sizes[*number]).collect()).collect()
}

#[test]
fn a_file_goes_into_the_first_open_group_that_it_fits() {
    let many = usize::MAX;
    assert_eq!(sizes(&[1, 2, 3, 4, 5], 3, many), [vec![1, 2], vec![3], vec![4], vec![5]]);
    assert_eq!(sizes(&[1, 2, 3, 4, 5], 6, many), [vec![1, 2, 3], vec![4], vec![5]]);
    assert_eq!(sizes(&[1, 2, 3, 4, 5], 9, many), [vec![1, 2, 3], vec![4, 5]]);
    assert_eq!(sizes(&[1, 2, 3, 4, 5], 15, many), [[1, 2, 3, 4, 5]]);
    assert_eq!(sizes(&[5, 1, 5, 1, 5, 1], 8, many), [vec![5, 1, 1, 1], vec![5], vec![5]]);
}

#[test]
fn where_too_many_groups_are_open_the_fullest_is_closed() {
    assert_eq!(
        sizes(&[36, 36, 36, 36, 65, 65, 128], 128, 2),
        [vec![36, 36, 36], vec![128], vec![36, 65], vec![65]]
    );
    assert_eq!(
        sizes(&[64, 64, 128, 32, 32, 32, 32], 128, 1),
        [vec![64, 64], vec![128], vec![32, 32, 32, 32]]
    );
    let largest_of_two = sizes(&[120 * MIB, 128 * MIB], 128 * MIB, 1);
    assert_eq!(largest_of_two, [[128 * MIB], [120 * MIB]]);
}

#[test]
fn opening_a_small_file_has_its_price() {
    let many = usize::MAX;
    let files: Vec<_> =
        (0..420).map(|number| file(number, if number < 50 { 60 * MIB } else { 5 << 10 }, &[])).collect();
    assert_eq!(packed(&files, options(128 * MIB, 4 * MIB, many)).len(), 35);
    let files: Vec<_> =
        (0..102).map(|number| file(number, if number < 2 { 60 * MIB } else { 5 << 10 }, &[])).collect();
    assert_eq!(packed(&files, options(128 * MIB, 0, many)).len(), 1);
    let files: Vec<_> = (0..16).map(|number| file(number, 16 * MIB, &[])).collect();
    assert_eq!(packed(&files, options(128 * MIB, 32 * MIB, many)).len(), 4);
}

#[test]
fn row_groups_are_packed_one_by_one_and_never_cut() {
    let files: Vec<_> = (0..16).map(|number| file(number, 16 * MIB, &[0, 8 << 20])).collect();
    assert_eq!(packed(&files, options(10 * MIB, 4 * MIB, usize::MAX)).len(), 32);
    assert_eq!(packed(&files, options(4 * MIB, 0, usize::MAX)).len(), 32);
    let together = packed(&files[..1], options(16 * MIB, 4 * MIB, 10));
    assert_eq!(together, [[(0, 0, u64::MAX)]]);
}

#[test]
fn files_are_cut_evenly_where_offsets_lie_behind_their_end() {
    let groups = packed(&[file(0, 10, &[2, 12])], options(1, 0, 1));
    assert_eq!(groups.len(), 10);
    assert_eq!((groups[0][0], groups[9][0]), ((0, 0, 1), (0, 9, u64::MAX)));
}

#[test]
fn deletes_weigh_as_much_as_data() {
    let of = |number, size, deletes: &[u64]| FileShape {
        is_cut: false,
        deletes: deletes.len() as u64,
        delete_bytes: deletes.iter().sum(),
        ..file(number, size, &[])
    };
    let files =
        [of(0, 150, &[50, 100]), of(1, 50, &[1, 50]), of(2, 50, &[100]), of(3, 1, &[1, 1]), of(4, 75, &[75])];
    let whole = |number| (number, 0, u64::MAX);
    assert_eq!(
        packed(&files, options(300, 50, 3)),
        [vec![whole(0)], vec![whole(1), whole(2)], vec![whole(3), whole(4)]]
    );
}

/// The rule, item by item and group by group: cut, weigh, put into the first group that has room, close the largest of
/// too many, and at the end read together what lies together.
fn reference(files: &[FileShape<'_>], options: SplitOptions) -> Vec<Vec<(usize, u64, u64)>> {
    struct Item {
        file: usize,
        start: u64,
        end: u64,
        weight: u64,
    }
    let mut items = Vec::new();
    for file in files {
        let mut starts: Vec<u64> = file.split_offsets.iter().map(|offset| *offset as u64).collect();
        let known = !starts.is_empty()
            && starts.is_sorted_by(|one, other| one < other)
            && *starts.last().unwrap() < file.size;
        if !file.is_cut {
            starts = vec![0];
        } else if !known {
            starts = (0..file.size.max(1)).step_by(options.target_size as usize).collect();
        }
        for (place, start) in starts.iter().enumerate() {
            let next = starts.get(place + 1);
            let length = next.copied().unwrap_or(file.size) - start;
            let opened = 1 + file.deletes;
            let weight = u64::max(length + file.delete_bytes, opened * options.open_file_cost);
            let start = if place == 0 { 0 } else { *start };
            items.push(Item { file: file.number, start, end: next.copied().unwrap_or(u64::MAX), weight });
        }
    }
    let mut bins: Vec<Vec<Item>> = Vec::new();
    let mut finished = Vec::new();
    let weigh = |bin: &Vec<Item>| bin.iter().map(|item| item.weight).sum::<u64>();
    for item in items {
        match bins.iter().position(|bin| weigh(bin) + item.weight <= options.target_size) {
            Some(place) => bins[place].push(item),
            None => bins.push(vec![item]),
        }
        if bins.len() > options.lookback {
            let largest = bins.iter().map(weigh).max().unwrap();
            let place = bins.iter().position(|bin| weigh(bin) == largest).unwrap();
            finished.push(bins.remove(place));
        }
    }
    finished.extend(bins);
    let join = |bin: Vec<Item>| {
        let mut joined: Vec<(usize, u64, u64)> = Vec::new();
        for item in bin {
            match joined.last_mut() {
                Some(last) if last.0 == item.file && last.2 == item.start => last.2 = item.end,
                _ => joined.push((item.file, item.start, item.end)),
            }
        }
        joined
    };
    finished.into_iter().map(join).collect()
}

/// The size of a file, where its row groups start, whether it is cut, and its deletes.
type Drawn = (u64, Vec<i64>, bool, Vec<u64>);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let offsets = prop_oneof![
        2 => prop::collection::btree_set(0..400_i64, 0..5).prop_map(|starts| starts.into_iter().collect()),
        1 => prop::collection::vec(0..400_i64, 0..4),
    ];
    prop::collection::vec(
        (0..400_u64, offsets, prop::bool::weighted(0.8), prop::collection::vec(0..60_u64, 0..3)),
        0..40,
    )
}

proptest! {
    #[test]
    fn packing_is_as_its_rule_says(
        drawn in drawn(),
        target in 1..500_u64,
        cost in 0..80_u64,
        lookback in prop_oneof![1..6_usize, Just(usize::MAX)],
    ) {
        let files: Vec<_> = drawn.iter().enumerate().map(|(number, (size, offsets, is_cut, deletes))| FileShape {
            number,
            size: *size,
            is_cut: *is_cut,
            split_offsets: offsets,
            deletes: deletes.len() as u64,
            delete_bytes: deletes.iter().sum(),
        }).collect();
        let options = options(target, cost, lookback);
        let groups = packed(&files, options);
        prop_assert_eq!(&groups, &reference(&files, options));
        let mut all: Vec<_> = groups.into_iter().flatten().collect();
        all.sort_unstable();
        let mut next = (0, 0);
        for (file, start, end) in all {
            prop_assert_eq!((file, start), next);
            next = if end == u64::MAX { (file + 1, 0) } else { (file, end) };
        }
        prop_assert_eq!(next, (files.len(), 0));
    }
}
