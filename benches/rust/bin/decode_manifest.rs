//! Decodes one manifest again and again: what `python/instruction_counts.py` counts. `decode-manifest one --times 3`.
//!
//! The manifest is made in memory first; two counts of different `times` tell what decoding it once takes.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::path::PathBuf;

use floeberg_avro::write::ContainerOptions;
use floeberg_benches::arguments::Arguments;
use floeberg_benches::planning::{Deletes, Order, TableOptions, manifest};
use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{EntryRequest, parse_manifest};

const USAGE: &str = "decode-manifest none|one|all [--times 1] [--entries 2000]";

fn main() -> Result<()> {
    let arguments = Arguments::parse(USAGE)?;
    let statistics: String = arguments.first()?;
    let statistics_of = match statistics.as_str() {
        "none" => Vec::new(),
        "one" => vec![1],
        "all" => (1..=12).collect(),
        other => return Err(Error::invalid_input(format!("found {other}; expected {USAGE}"))),
    };
    let entries = arguments.option("entries", 2_000)?;
    let options = TableOptions {
        folder: PathBuf::from("/warehouse/planning/table"),
        files: entries,
        entries,
        format_version: 2,
        order: Order::Sorted,
        deletes: Deletes::None,
        container: ContainerOptions::default(),
    };
    let (bytes, file, table) = manifest(&options)?;
    let partition_type = table.spec(0)?.partition_type(&table)?;
    let request = EntryRequest { statistics_of, without_details: true, ..EntryRequest::default() };
    let mut decoded = 0;
    for _ in 0..arguments.option("times", 1)? {
        decoded += black_box(parse_manifest(black_box(&bytes), &file, &partition_type, &request)?).len();
    }
    println!("{{\"decoded\": {decoded}}}");
    Ok(())
}
