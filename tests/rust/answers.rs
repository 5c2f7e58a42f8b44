//! Is what counts and bounds answer what reading all rows gives?

use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::aggregate::AggregateMetrics;

use crate::recipes::scans;

/// Files that the metrics count somewhere.
fn placed(metrics: &AggregateMetrics) -> u64 {
    metrics.by_metadata + metrics.not_needed + metrics.read.values().sum::<u64>()
}

#[test]
fn every_scan_counts_the_rows_that_it_reads_and_accounts_for_every_file() {
    let (mut by_metadata, mut files) = (0, 0);
    for (name, scan) in scans() {
        let cancel = Cancel::default();
        let rows = scan.stream(&cancel).unwrap().map(|batch| batch.map(|batch| batch.num_rows() as u64));
        let counted = scan.count(&cancel);
        let rows = match rows.sum::<Result<u64, _>>() {
            Ok(rows) => rows,
            // Conformance says which tables may be refused. Their rows may be counted all the same.
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Unsupported, "{name}: {error}");
                continue;
            }
        };
        let counted = counted.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(counted.value, rows, "{name}");
        assert_eq!(counted.metrics.files, scan.plan(&cancel).unwrap().len() as u64, "{name}");
        assert_eq!(placed(&counted.metrics), counted.metrics.files, "{name}");
        by_metadata += counted.metrics.by_metadata;
        files += counted.metrics.files;
    }
    assert!(by_metadata > 300 && files > by_metadata, "{by_metadata} of {files} files by metadata");
}
