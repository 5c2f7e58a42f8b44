//! What does another process need to read the same rows of a Lance table?
//!
//! Invariant: a table and a scan are pinned to their version, and to the manifest of it that was opened: another table of the same
//! place and version is an error. A group has its own manifest, and the worker opens none.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::expr::json as expression_json;
use floeberg_core::{Context as _, Error, Result};
use floeberg_lance::read::ReadRequest;
use floeberg_lance::{Checkout, Group, OpenOptions, Scan, Table};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::pickle::Envelope;

const TABLE: Envelope = Envelope { kind: "LanceTable", version: 1 };
const SCAN: Envelope = Envelope { kind: "LanceScan", version: 1 };
const GROUP: Envelope = Envelope { kind: "LanceTaskGroup", version: 1 };

/// A version of a table. The storage options are in it: it is for a worker, not for a log.
#[derive(Serialize, Deserialize)]
struct TableRecipe {
    location: String,
    branch: Option<String>,
    version: u64,
    relocate: Vec<(String, String)>,
    storage_options: BTreeMap<String, String>,
    /// Which manifest of that version: when it was made, and by which transaction.
    made: Made,
}

type Made = (Option<(i64, i32)>, String);

#[derive(Serialize, Deserialize)]
struct ScanRecipe {
    row_filter: Json,
    selected_fields: Option<Vec<String>>,
    case_sensitive: bool,
    limit: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct PinnedScan {
    table: TableRecipe,
    scan: ScanRecipe,
}

/// A group. Its manifest follows.
#[derive(Serialize, Deserialize)]
struct GroupRecipe {
    folder: String,
    manifest_location: String,
    relocate: Vec<(String, String)>,
    storage_options: BTreeMap<String, String>,
    scan: ScanRecipe,
    rows: Vec<Range<u64>>,
}

/// The bytes of a table.
pub fn table_to_bytes(table: &Table) -> Result<Vec<u8>> {
    Ok(TABLE.wrap(&json(&table_recipe(table))?))
}

/// Opens the table of the bytes. Errors: `InvalidInput` and `Unsupported` for other bytes; those of opening.
pub fn table_from_bytes(bytes: &[u8]) -> Result<Table> {
    open(parse(TABLE, TABLE.open(bytes)?)?)
}

/// The bytes of a scan.
pub fn scan_to_bytes(scan: &Scan) -> Result<Vec<u8>> {
    let recipe = PinnedScan { table: table_recipe(scan.table()), scan: scan_recipe(scan)? };
    Ok(SCAN.wrap(&json(&recipe)?))
}

/// Opens the table of the bytes and makes the scan of it. Errors: those of [`table_from_bytes`].
pub fn scan_from_bytes(bytes: &[u8]) -> Result<Scan> {
    let recipe: PinnedScan = parse(SCAN, SCAN.open(bytes)?)?;
    scan_of(open(recipe.table)?, recipe.scan)
}

/// The bytes of a group of a scan.
pub fn group_to_bytes(scan: &Scan, group: &Group) -> Result<Vec<u8>> {
    let table = scan.table();
    let (manifest, rows) = group.manifest()?;
    let recipe = GroupRecipe {
        folder: table.bases().folder().to_owned(),
        manifest_location: table.manifest_location().to_owned(),
        relocate: table.options().relocate.clone(),
        storage_options: storage_options(table),
        scan: scan_recipe(scan)?,
        rows,
    };
    let head = json(&recipe)?;
    let mut body = (head.len() as u64).to_le_bytes().to_vec();
    body.extend_from_slice(&head);
    body.extend_from_slice(&manifest.to_bytes());
    Ok(GROUP.wrap(&body))
}

/// The group of the bytes, and its scan. No file is opened. Errors: those of [`table_from_bytes`].
pub fn group_from_bytes(bytes: &[u8]) -> Result<(Scan, Group)> {
    let body = GROUP.open(bytes)?;
    let damaged = || Error::invalid_input(format!("a pickled {} is damaged", GROUP.kind));
    let (length, rest) = body.split_first_chunk::<8>().ok_or_else(damaged)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged())?;
    let (head, manifest) = rest.split_at_checked(length).ok_or_else(damaged)?;
    let recipe: GroupRecipe = parse(GROUP, head)?;
    let options = OpenOptions {
        checkout: Checkout::default(),
        relocate: recipe.relocate,
        storage: recipe.storage_options.into_iter().collect(),
    };
    let manifest = manifest.to_vec().into();
    let table = Table::of_manifest(&recipe.folder, &recipe.manifest_location, &manifest, &options)?;
    if recipe.rows.len() != table.manifest().fragments.len() {
        return Err(damaged());
    }
    let scan = scan_of(table, recipe.scan)?;
    let request: Arc<ReadRequest> = scan.request()?;
    let group = Group::new(request, recipe.rows.into_iter().enumerate().collect());
    Ok((scan, group))
}

fn table_recipe(table: &Table) -> TableRecipe {
    TableRecipe {
        location: table.location().to_owned(),
        branch: table.branch().map(str::to_owned),
        version: table.version(),
        relocate: table.options().relocate.clone(),
        storage_options: storage_options(table),
        made: made(table),
    }
}

fn made(table: &Table) -> Made {
    let head = &table.manifest().head;
    let moment = head.timestamp.as_ref().map(|moment| (moment.seconds, moment.nanos));
    (moment, head.transaction_file.clone())
}

fn storage_options(table: &Table) -> BTreeMap<String, String> {
    table.options().storage.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn scan_recipe(scan: &Scan) -> Result<ScanRecipe> {
    Ok(ScanRecipe {
        row_filter: expression_json::to_json(scan.row_filter())?,
        selected_fields: scan.selected_fields().map(<[String]>::to_vec),
        case_sensitive: scan.is_case_sensitive(),
        limit: scan.row_limit(),
    })
}

fn scan_of(table: Table, recipe: ScanRecipe) -> Result<Scan> {
    let scan = Scan::new(table)
        .filter(expression_json::from_json(&recipe.row_filter)?)
        .case_sensitive(recipe.case_sensitive)
        .limit(recipe.limit);
    Ok(match recipe.selected_fields {
        Some(names) => scan.select(names),
        None => scan,
    })
}

fn open(recipe: TableRecipe) -> Result<Table> {
    let options = OpenOptions {
        checkout: Checkout { version: Some(recipe.version), branch: recipe.branch, ..Checkout::default() },
        relocate: recipe.relocate,
        storage: recipe.storage_options.into_iter().collect(),
    };
    let table = Table::open(&recipe.location, &options)?;
    if made(&table) != recipe.made {
        let replaced = Error::not_found(format!(
            "version {} was replaced by that of another table: open the table again",
            recipe.version
        ));
        return Err(replaced).context("path", table.manifest_location());
    }
    Ok(table)
}

fn json(recipe: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(recipe)
        .map_err(|failure| Error::internal("a recipe cannot be written").caused_by(failure))
}

fn parse<'a, T: Deserialize<'a>>(envelope: Envelope, body: &'a [u8]) -> Result<T> {
    serde_json::from_slice(body).map_err(|failure| {
        Error::invalid_input(format!("a pickled {} is damaged", envelope.kind)).caused_by(failure)
    })
}
