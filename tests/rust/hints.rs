//! What do wrong sizes in metadata do? Nothing: they are hints.
//!
//! Writers have recorded wrong ones, and a table that one of them wrote is still a table.

use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_iceberg::Scan;
use floeberg_iceberg::plan::FileScanTask;
use floeberg_iceberg::read::{TableReader, stream};

use crate::metadata::tables;
use crate::plans::open;

fn rows(reader: &Arc<TableReader>, tasks: Vec<FileScanTask>) -> Option<usize> {
    let batches = stream(Arc::clone(reader), tasks.into_iter().map(Ok), 2, None);
    batches.map(|batch| batch.map(|batch| batch.num_rows())).sum::<Result<usize, _>>().ok()
}

#[test]
fn wrong_sizes_and_counts_change_no_row() {
    let mut compared = 0;
    for case in tables() {
        let scan = Scan::new(open(&case));
        let cancel = Cancel::default();
        let reader = Arc::new(TableReader::new(scan.read_request(&cancel).unwrap()));
        let tasks: Vec<_> = scan.plan(&cancel).unwrap().tasks().map(Result::unwrap).collect();
        // Tables that cannot be read at all are the business of conformance.
        let Some(whole) = rows(&reader, tasks.clone()) else { continue };
        for (size, records) in [(0, 0), (1, 1), (-7, -7), (i64::MAX, i64::MAX)] {
            let wrong = tasks.iter().cloned().map(|task| FileScanTask {
                file_size_in_bytes: size,
                record_count: records,
                deletes: task
                    .deletes
                    .iter()
                    .map(|delete| {
                        let mut delete = delete.as_ref().clone();
                        delete.file_size_in_bytes = size;
                        Arc::new(delete)
                    })
                    .collect(),
                ..task
            });
            assert_eq!(rows(&reader, wrong.collect()), Some(whole), "{}: a size of {size}", case.name);
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared} scans");
}
