//! Decoding the largest manifest of the corpus, with and without the statistics of its columns.

use std::fs;

use corpus::{Case, cases};
use divan::{Bencher, black_box};
use floeberg_core::schema::StructType;
use floeberg_iceberg::manifest::{EntryRequest, ManifestFile, parse_manifest, parse_manifest_list};
use floeberg_iceberg::metadata::{SnapshotManifests, parse_table_metadata};

#[divan::bench]
fn without_statistics(bencher: Bencher<'_, '_>) {
    decode(bencher, Vec::new());
}

#[divan::bench]
fn with_statistics_of_two_columns(bencher: Bencher<'_, '_>) {
    decode(bencher, vec![1, 2]);
}

#[divan::bench]
fn with_statistics_of_a_hundred_columns(bencher: Bencher<'_, '_>) {
    decode(bencher, (1..=100).collect());
}

fn decode(bencher: Bencher<'_, '_>, statistics_of: Vec<i32>) {
    let (bytes, file, partition) = largest();
    let request = EntryRequest { statistics_of, without_details: true, ..EntryRequest::default() };
    bencher.bench_local(|| parse_manifest(black_box(&bytes), &file, &partition, &request).unwrap());
}

fn largest() -> (Vec<u8>, ManifestFile, StructType) {
    let tables = cases().into_iter().filter(|case| !case.is_view());
    tables.flat_map(|case| manifests_of(&case)).max_by_key(|(bytes, ..)| bytes.len()).unwrap()
}

fn manifests_of(case: &Case) -> Vec<(Vec<u8>, ManifestFile, StructType)> {
    let bytes = fs::read(case.metadata_file()).unwrap();
    let table = parse_table_metadata(&bytes, case.text("metadata_location")).unwrap();
    let Some(SnapshotManifests::List(list)) = table.current_snapshot().map(|snapshot| &snapshot.manifests)
    else {
        return Vec::new();
    };
    let files = parse_manifest_list(&fs::read(case.place(list)).unwrap(), list).unwrap();
    let with_bytes = files.into_iter().map(|file| {
        let bytes = fs::read(case.place(&file.manifest_path)).unwrap();
        let partition = table.spec(file.partition_spec_id).unwrap().partition_type(&table).unwrap();
        (bytes, file, partition)
    });
    with_bytes.collect()
}
