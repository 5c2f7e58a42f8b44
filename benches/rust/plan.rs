//! Opening and planning the case of the corpus that has the most live files.

use corpus::{Case, cases};
use divan::Bencher;
use floeberg_core::Cancel;
use floeberg_iceberg::{OpenOptions, Scan, Table};

#[divan::bench]
fn open(bencher: Bencher<'_, '_>) {
    let case = largest();
    bencher.bench_local(|| table(&case));
}

#[divan::bench]
fn without_filter(bencher: Bencher<'_, '_>) {
    let table = table(&largest());
    bencher.bench_local(|| Scan::new(table.clone()).plan(&Cancel::default()).unwrap());
}

fn largest() -> Case {
    let tables = cases().into_iter().filter(|case| !case.is_view());
    tables.max_by_key(|case| case.expected["live_files"]["data"].as_u64()).unwrap()
}

fn table(case: &Case) -> Table {
    let now = case.folder.join("table").to_str().unwrap().to_owned();
    let relocate = vec![(case.text("original_dir").to_owned(), now)];
    let options = OpenOptions { relocate, ..OpenOptions::default() };
    Table::open(case.metadata_file().to_str().unwrap(), options).unwrap()
}
