//! What does a manifest say of a data file?
//!
//! In: the table and the file's number. Out: the file; the same for a number, whoever asks.

use std::collections::BTreeMap;

use floeberg_core::value::Value;
use floeberg_iceberg::manifest::DataFile;

use super::TableOptions;
use super::bounds::bounds;
use super::random::Random;

const COLUMNS: std::ops::RangeInclusive<i32> = 1..=12;
/// 2022-01-08.
const FIRST_DAY: i32 = 19_000;
const DAYS: u64 = 1000;
const BUCKETS: u64 = 16;

/// Where a file lies in the table: a thousand days, from the first file to the last, and buckets in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Partition {
    pub(super) day: i32,
    pub(super) bucket: i32,
}

impl Partition {
    pub(super) fn of(number: u64, options: &TableOptions) -> Self {
        let day = FIRST_DAY + (number * DAYS / options.files) as i32;
        Self { day, bucket: (number % BUCKETS) as i32 }
    }

    /// `ts_day`, a date, and `id_bucket`.
    pub(super) fn tuple(self) -> Vec<Option<Value>> {
        vec![Some(Value::Date(self.day)), Some(Value::Int(self.bucket))]
    }
}

/// The location of a file.
pub(super) fn file_path(number: u64, options: &TableOptions) -> String {
    let drawn = Random::new(number ^ 0x5eed).next();
    let Partition { day, bucket } = Partition::of(number, options);
    format!(
        "{}/data/ts_day={day}/id_bucket={bucket}/{number:08}-{drawn:016x}.parquet",
        options.folder.display()
    )
}

pub(super) fn data_file(number: u64, options: &TableOptions) -> DataFile {
    let mut random = Random::new(number);
    let partition = Partition::of(number, options);
    let rows = random.between(50_000, 150_000);
    let size = random.between(20_000_000, 60_000_000);
    let (lower_bounds, upper_bounds) = bounds(number, partition.day, &mut random);
    let mut each = |count: &mut dyn FnMut(i32, &mut Random) -> i64| -> Option<BTreeMap<i32, i64>> {
        Some(COLUMNS.map(|column| (column, count(column, &mut random))).collect())
    };
    DataFile {
        partition: partition.tuple(),
        record_count: rows,
        file_size_in_bytes: size,
        column_sizes: each(&mut |_, random| random.between(10_000, size / 12)),
        value_counts: each(&mut |_, _| rows),
        null_value_counts: each(&mut |column, random| if column > 4 { random.between(0, 50) } else { 0 }),
        nan_value_counts: Some(BTreeMap::from([(6, 0), (7, 0)])),
        lower_bounds: Some(lower_bounds),
        upper_bounds: Some(upper_bounds),
        split_offsets: Some(vec![4]),
        sort_order_id: Some(0),
        ..DataFile::new(file_path(number, options), "parquet")
    }
}
