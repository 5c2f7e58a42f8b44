//! Rows looked up among the keys of equality deletes; one row in twenty is deleted. The time of a row is the printed time
//! over two million.

use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array, StringArray};
use divan::{Bencher, black_box};
use floeberg_core::rows::DeletedKeys;

const ROWS: u64 = 2_000_000;
/// Rows of a batch of a scan.
const BATCH: usize = 8192;
const MILLION: u64 = 1_000_000;
const HUNDRED_THOUSAND: u64 = 100_000;

mod long {
    use super::{Bencher, HUNDRED_THOUSAND, MILLION, black_box, keys, longs, look_up, shuffled};

    #[divan::bench(name = "1M", sample_count = 5)]
    fn million(bencher: Bencher<'_, '_>) {
        look_up(bencher, MILLION, |numbers| vec![longs(numbers)]);
    }

    #[divan::bench(name = "100k", sample_count = 5)]
    fn hundred_thousand(bencher: Bencher<'_, '_>) {
        look_up(bencher, HUNDRED_THOUSAND, |numbers| vec![longs(numbers)]);
    }

    #[divan::bench(name = "1M inserted", sample_count = 5)]
    fn inserted(bencher: Bencher<'_, '_>) {
        let columns = [longs(&shuffled(MILLION))];
        bencher.bench_local(|| keys(black_box(&columns)));
    }
}

mod string {
    use super::{Bencher, MILLION, black_box, keys, look_up, shuffled, strings};

    #[divan::bench(name = "1M", sample_count = 5)]
    fn million(bencher: Bencher<'_, '_>) {
        look_up(bencher, MILLION, |numbers| vec![strings(numbers)]);
    }

    #[divan::bench(name = "1M inserted", sample_count = 5)]
    fn inserted(bencher: Bencher<'_, '_>) {
        let columns = [strings(&shuffled(MILLION))];
        bencher.bench_local(|| keys(black_box(&columns)));
    }
}

mod two_columns {
    use super::{Bencher, MILLION, longs, look_up, strings};

    #[divan::bench(name = "1M", sample_count = 5)]
    fn million(bencher: Bencher<'_, '_>) {
        look_up(bencher, MILLION, |numbers| vec![longs(numbers), strings(numbers)]);
    }
}

/// Looks rows up, one in twenty of which has one of so many keys.
fn look_up(bencher: Bencher<'_, '_>, count: u64, columns_of: impl Fn(&[u64]) -> Vec<ArrayRef>) {
    let mut known = shuffled(20 * count);
    known.truncate(count as usize);
    let keys = keys(&columns_of(&known));
    let columns = columns_of(&(0..ROWS).collect::<Vec<_>>());
    let batches: Vec<Vec<ArrayRef>> = (0..ROWS as usize)
        .step_by(BATCH)
        .map(|first| {
            columns.iter().map(|column| column.slice(first, BATCH.min(column.len() - first))).collect()
        })
        .collect();
    bencher.bench_local(|| {
        let deleted = |batch| keys.deleted(black_box(batch), 0).unwrap().count_set_bits();
        batches.iter().map(|batch| deleted(batch)).sum::<usize>()
    });
}

fn keys(columns: &[ArrayRef]) -> DeletedKeys {
    let types = columns.iter().map(|column| column.data_type().clone()).collect();
    let mut keys = DeletedKeys::new(types).unwrap();
    keys.insert(columns, 1).unwrap();
    keys
}

/// The numbers below a count in an order without a pattern.
fn shuffled(count: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..count).collect();
    let mut state = 1_u64;
    for at in (1..numbers.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        numbers.swap(at, ((state >> 32) % (at as u64 + 1)) as usize);
    }
    numbers
}

fn longs(numbers: &[u64]) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(numbers.iter().map(|number| *number as i64)))
}

fn strings(numbers: &[u64]) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(numbers.iter().map(|number| format!("customer-{number:012}"))))
}
