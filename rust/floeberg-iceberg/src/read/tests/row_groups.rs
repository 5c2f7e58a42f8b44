use std::sync::Arc;

use floeberg_io::testing::CountingStore;

use super::fixture::{DATA, batches, longs, numbers, numbers_schema, reader, request, rows, store, task};
use crate::plan::FileScanTask;
use crate::read::{ReadRequest, count_rows};

#[test]
fn ranges_that_cut_a_file_yield_every_row_once() {
    let bytes = numbers(60, 10);
    let size = bytes.len() as u64;
    let store = store(bytes);
    for step in [1, 100, 333, size] {
        let mut all = Vec::new();
        let mut start = 0;
        while start < size && step > 1 {
            let byte_range = Some(start..(start + step).min(size));
            all.extend(rows(request(&store, numbers_schema()), &FileScanTask { byte_range, ..task() }));
            start += step;
        }
        if step > 1 {
            assert_eq!(all, (0..60).collect::<Vec<_>>(), "ranges of {step} bytes");
        }
    }
}

#[test]
fn batches_have_the_size_that_was_asked_for_and_small_ones_are_joined() {
    let store = store(numbers(100, 7));
    let sizes = |batch_rows| {
        let batches =
            batches(request(&store, numbers_schema()).with_batch_rows(batch_rows), &task()).unwrap();
        assert_eq!(longs(&batches), (0..100).collect::<Vec<_>>());
        batches.iter().map(arrow_array::RecordBatch::num_rows).collect::<Vec<_>>()
    };
    assert_eq!(sizes(1_000), [100]);
    assert!(sizes(30).iter().all(|rows| (14..=30).contains(rows)));
    assert!(sizes(3).iter().all(|rows| *rows <= 3));
}

#[test]
fn the_footer_is_read_once_and_each_column_chunk_once() {
    let counting = Arc::new(CountingStore::new(Arc::new(store(numbers(30, 10)))));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    assert_eq!(rows(request, &task()).len(), 30);
    assert_eq!(counting.of(DATA).reads, 1 + 3 * 2);
}

#[test]
fn counting_reads_the_footer_only() {
    let counting = Arc::new(CountingStore::new(Arc::new(store(numbers(30, 10)))));
    let schema = Arc::new(numbers_schema());
    let request = ReadRequest::new(Arc::clone(&counting) as _, Arc::clone(&schema), schema);
    assert_eq!(count_rows(&reader(request), &task()).unwrap(), 30);
    assert_eq!(counting.of(DATA).reads, 1);
}
