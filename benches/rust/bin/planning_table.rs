//! Writes a table to plan: `planning-table FOLDER --files 1000000`.
//!
//! Prints what was written, as JSON.
#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::Instant;

use floeberg_avro::write::{Compression, ContainerOptions};
use floeberg_benches::arguments::Arguments;
use floeberg_benches::planning::{Deletes, Order, TableOptions, write_table};
use floeberg_core::{Error, Result};
use serde_json::json;

const USAGE: &str = "planning-table FOLDER --files N [--entries 5000] [--format-version 2] [--order sorted|shuffled] \
[--deletes none|positions|partition-positions|vectors|equality] [--codec deflate|zstandard|snappy|null] [--level 9] \
[--block-bytes 64000]";

fn main() -> Result<()> {
    let options = options()?;
    let started = Instant::now();
    let written = write_table(&options)?;
    let per_entry = written.data_bytes as f64 / options.files as f64;
    let facts = json!({
        "metadata_file": options.folder.join("metadata").join("v1.metadata.json"),
        "files": options.files,
        "delete_files": written.delete_files,
        "manifests": written.manifests,
        "data_manifest_bytes": written.data_bytes,
        "delete_manifest_bytes": written.delete_bytes,
        "bytes_per_entry": (per_entry * 10.0).round() / 10.0,
        "seconds": started.elapsed().as_secs_f64(),
    });
    println!("{facts}");
    Ok(())
}

fn options() -> Result<TableOptions> {
    let arguments = Arguments::parse(USAGE)?;
    let folder: PathBuf = arguments.first()?;
    let deletes: Deletes = arguments.option("deletes", Deletes::None)?;
    let of_deletes = if deletes == Deletes::Vectors { 3 } else { 2 };
    let files = arguments.option("files", 0)?;
    if files == 0 {
        return Err(Error::invalid_input(format!("expected files to write: {USAGE}")));
    }
    let level = arguments.option("level", 9)?;
    let codec: String = arguments.option("codec", "deflate".to_owned())?;
    let compression = match codec.as_str() {
        "deflate" => Compression::Deflate(level),
        "zstandard" => Compression::Zstandard(level),
        "snappy" => Compression::Snappy,
        "null" => Compression::Null,
        _ => return Err(Error::invalid_input(format!("no codec is named {codec}: {USAGE}"))),
    };
    let usual = ContainerOptions::default();
    let block_bytes = arguments.option("block-bytes", usual.block_bytes)?;
    Ok(TableOptions {
        folder: std::path::absolute(Path::new(&folder))
            .map_err(|error| Error::invalid_input("expected a folder").caused_by(error))?,
        files,
        entries: arguments.option("entries", 5_000)?,
        format_version: arguments.option("format-version", of_deletes)?,
        order: arguments.option("order", Order::Sorted)?,
        deletes,
        container: ContainerOptions { compression, block_bytes, ..usual },
    })
}
