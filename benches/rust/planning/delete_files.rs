//! What does a manifest say of the files that delete rows of a tenth of the data files?
//!
//! In: the table. Out: delete files, in the order of the data files' days.

use std::collections::{BTreeMap, BTreeSet};

use floeberg_iceberg::manifest::{DataFile, FileContent};

use super::files::{Partition, file_path};
use super::random::Random;
use super::{Deletes, TableOptions};

/// Reserved field ids: the columns of a file of position deletes.
const FILE_PATH: i32 = 2_147_483_546;
const POSITION: i32 = 2_147_483_545;
/// Vectors of one Puffin file.
const VECTORS: u64 = 100;

/// The delete files of a table.
pub(super) fn delete_files(options: &TableOptions) -> Vec<DataFile> {
    let of_files = |make: fn(u64, &TableOptions) -> DataFile| {
        // The last digit, so that all buckets and days are hit.
        (0..options.files).filter(|number| number % 10 == 3).map(|number| make(number, options)).collect()
    };
    match options.deletes {
        Deletes::None => Vec::new(),
        Deletes::Positions => of_files(positions),
        Deletes::Vectors => of_files(vector),
        Deletes::PartitionPositions => of_partitions(options, FileContent::PositionDeletes),
        Deletes::Equality => of_partitions(options, FileContent::EqualityDeletes),
    }
}

/// Deletes of one data file.
fn positions(number: u64, options: &TableOptions) -> DataFile {
    let path = file_path(number, options);
    let (text, mut random) = (path.clone().into_bytes(), Random::new(!number));
    DataFile {
        referenced_data_file: Some(path),
        ..position_deletes(
            &format!("{number:08}-deletes.parquet"),
            Partition::of(number, options),
            [text.clone(), text],
            &mut random,
            options,
        )
    }
}

fn position_deletes(
    name: &str,
    partition: Partition,
    [lowest, highest]: [Vec<u8>; 2],
    random: &mut Random,
    options: &TableOptions,
) -> DataFile {
    let last = random.between(40_000, 50_000);
    let by_column = |path: Vec<u8>, position: i64| {
        Some(BTreeMap::from([(POSITION, position.to_le_bytes().to_vec()), (FILE_PATH, path)]))
    };
    DataFile {
        content: FileContent::PositionDeletes,
        partition: partition.tuple(),
        record_count: random.between(100, 5_000),
        file_size_in_bytes: random.between(2_000, 20_000),
        lower_bounds: by_column(lowest, 0),
        upper_bounds: by_column(highest, last),
        ..DataFile::new(place(partition, name, options), "parquet")
    }
}

fn vector(number: u64, options: &TableOptions) -> DataFile {
    let mut random = Random::new(!number);
    let partition = Partition::of(number, options);
    let size = random.between(200, 9_000);
    let name = format!("{:06}-deletes.puffin", number / 10 / VECTORS);
    DataFile {
        content: FileContent::PositionDeletes,
        partition: partition.tuple(),
        record_count: random.between(100, 5_000),
        file_size_in_bytes: 1_000_000,
        referenced_data_file: Some(file_path(number, options)),
        content_offset: Some(4 + (number / 10 % VECTORS) as i64 * 9_000),
        content_size_in_bytes: Some(size),
        ..DataFile::new(format!("{}/data/{name}", options.folder.display()), "puffin")
    }
}

/// A delete file for each of a tenth of the partitions that have files.
fn of_partitions(options: &TableOptions, content: FileContent) -> Vec<DataFile> {
    let mut ends: BTreeMap<Partition, [String; 2]> = BTreeMap::new();
    let chosen: BTreeSet<Partition> = chosen_partitions(options);
    for number in 0..options.files {
        let partition = Partition::of(number, options);
        if chosen.contains(&partition) {
            let path = file_path(number, options);
            ends.entry(partition)
                .and_modify(|ends| ends[1].clone_from(&path))
                .or_insert([path.clone(), path]);
        }
    }
    let with_number = ends.into_iter().zip(0_u64..);
    let files = with_number.map(|((partition, ends), number)| {
        let mut random = Random::new(!number);
        let name = format!("{number:08}-deletes.parquet");
        if content == FileContent::PositionDeletes {
            return position_deletes(&name, partition, ends.map(String::into_bytes), &mut random, options);
        }
        let customer = |bound: i64| Some(BTreeMap::from([(4, bound.to_le_bytes().to_vec())]));
        let count = random.between(100, 5_000);
        let counts = |count| Some(BTreeMap::from([(4, count)]));
        DataFile {
            content,
            partition: partition.tuple(),
            record_count: count,
            file_size_in_bytes: random.between(2_000, 20_000),
            value_counts: counts(count),
            null_value_counts: counts(0),
            lower_bounds: customer(random.between(0, 1000)),
            upper_bounds: customer(random.between(9_000_000, 10_000_000)),
            equality_ids: Some(vec![4]),
            sort_order_id: Some(0),
            ..DataFile::new(place(partition, &name, options), "parquet")
        }
    });
    files.collect()
}

/// Every tenth of the partitions that have files, in an order without a pattern.
fn chosen_partitions(options: &TableOptions) -> BTreeSet<Partition> {
    let all: BTreeSet<Partition> = (0..options.files).map(|number| Partition::of(number, options)).collect();
    let mut random = Random::new(13);
    all.into_iter().filter(|_| random.next().is_multiple_of(10)).collect()
}

fn place(Partition { day, bucket }: Partition, name: &str, options: &TableOptions) -> String {
    format!("{}/data/ts_day={day}/id_bucket={bucket}/{name}", options.folder.display())
}
