//! Lance tables: every version of every case of the corpus is what pylance says.

mod arrow_names;
mod damage;
mod manifests;
mod rows;
mod versions;

use corpus::LanceCase;
use floeberg_lance::{Checkout, OpenOptions, Table};

/// Opens a version of a case.
fn open(case: &LanceCase, checkout: Checkout) -> Table {
    let options = OpenOptions { checkout, relocate: case.relocate(), ..OpenOptions::default() };
    Table::open(&case.table(), &options).unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// The versions of a case, each with what pylance says of it.
fn versions(case: &LanceCase) -> Vec<(Table, &serde_json::Value)> {
    let states = case.expected["time_travel"].as_array().unwrap();
    states
        .iter()
        .map(|state| {
            let version = state["version"].as_u64().unwrap();
            (open(case, Checkout { version: Some(version), ..Checkout::default() }), state)
        })
        .collect()
}
