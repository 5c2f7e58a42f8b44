//! What does each fuzzer do with its bytes?
//!
//! In: any bytes. Out: nothing, or a panic that names what does not hold. `tests/fuzz` runs these under libFuzzer, and
//! `tests/replay.rs` runs them over every seed and every former find on stable Rust.
//!
//! Invariant: a decoder ends in a value or in an error that is not `Internal`, and what it gives is written and read
//! again as the same where there is a writer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod avro;
mod avro_oracle;
mod avro_shapes;
mod expressions;
mod files;
mod judge;
mod lance;
mod manifests;
mod metadata;
mod orc_parts;
mod puffin;
mod recipes;
mod values;
mod variants;

use floeberg_parquet::silence_caught_panics;

/// A fuzzer.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of its binary, and of the folders of its inputs.
    pub name: &'static str,
    /// What it does with bytes.
    pub run: fn(&[u8]),
}

const fn target(name: &'static str, run: fn(&[u8])) -> Target {
    Target { name, run }
}

/// Every fuzzer.
pub const TARGETS: [Target; 24] = [
    target("table_metadata", metadata::table_metadata),
    target("view_metadata", metadata::view_metadata),
    target("schema", metadata::schema),
    target("name_mapping", metadata::name_mapping),
    target("manifest_list", manifests::manifest_list),
    target("manifest", manifests::manifest),
    target("avro_file", avro::avro_file),
    target("avro_engine", avro::avro_engine),
    target("puffin", puffin::puffin),
    target("deletion_vector", puffin::deletion_vector),
    target("expression_sql", expressions::expression_sql),
    target("expression_json", expressions::expression_json),
    target("single_value", values::single_value),
    target("single_value_json", values::single_value_json),
    target("variant", variants::variant),
    target("orc_file", files::orc_file),
    target("orc_parts", orc_parts::orc_parts),
    target("data_file", files::data_file),
    target("delete_file", files::delete_file),
    target("recipe", recipes::recipe),
    target("lance_manifest", lance::lance_manifest),
    target("lance_transaction", lance::lance_transaction),
    target("lance_row_ids", lance::lance_row_ids),
    target("lance_deletes", lance::lance_deletes),
];

/// The fuzzer of a name.
///
/// # Panics
/// When there is none.
pub fn run(name: &str, bytes: &[u8]) {
    let found = TARGETS.iter().find(|target| target.name == name);
    (found.unwrap_or_else(|| panic!("no fuzzer is named {name}")).run)(bytes);
}

/// Makes a process ready to run fuzzers for long: a panic that is caught, by the fence around the Parquet library or
/// around the oracle, is no find.
///
/// libFuzzer's hook ends the process at any panic; without it those that nobody catches still do.
pub fn prepare() {
    let _ = std::panic::take_hook();
    silence_caught_panics();
}
