//! What does another process need to open the same table, or make the same scan?
//!
//! Invariant: a table is pinned to its metadata file. Opening it again never gives a later state, nor another table
//! that was created in its place: in a folder, both may have files of the same name.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::expr::json as expression_json;
use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::metadata::check_same;
use floeberg_iceberg::plan::ScanPlanner;
use floeberg_iceberg::{AppendsAfter, OpenOptions, Scan, SnapshotChoice, Table, View};
use floeberg_io::{StoreOptions, open_key_management};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::key_management::storage_of;
use crate::pickle::Envelope;

/// The planner of a table that was sent here without what asks the server.
#[derive(Debug)]
struct PlannerElsewhere;

impl ScanPlanner for PlannerElsewhere {}

const TABLE: Envelope = Envelope { kind: "Table", version: 1 };
/// Version 2 has `appends_after`, which version 1 would leave out and read other rows.
const SCAN: Envelope = Envelope { kind: "Scan", version: 2 };
const VIEW: Envelope = Envelope { kind: "View", version: 1 };

/// A table, opened at one of its snapshots. The storage options are in it: it is for a worker, not for a log.
#[derive(Serialize, Deserialize)]
struct TableRecipe {
    metadata_location: String,
    relocate: Vec<(String, String)>,
    storage_options: BTreeMap<String, String>,
    snapshot: SnapshotRecipe,
    #[serde(default)]
    manifest_cache: Option<u64>,
    /// The id of the table, and when the metadata was made; recipes of older versions have neither.
    #[serde(default)]
    uuid: Option<String>,
    #[serde(default)]
    last_updated_ms: Option<i64>,
    /// Does the server of a catalog demand to plan scans?
    #[serde(default)]
    is_planned_by_server: bool,
    /// What manages the keys of an encrypted table, as it travels.
    #[serde(default)]
    key_management: Option<Vec<u8>>,
}

#[derive(Serialize, Deserialize)]
enum SnapshotRecipe {
    Current,
    Id(i64),
    InCurrentSchema(i64),
    Ref(String),
    AsOf(i64),
}

#[derive(Serialize, Deserialize)]
struct ScanRecipe {
    table: TableRecipe,
    row_filter: Json,
    selected_fields: Option<Vec<String>>,
    case_sensitive: bool,
    limit: Option<u64>,
    /// `[snapshot id or null]` for a scan of what appends added after it.
    #[serde(default)]
    appends_after: Option<(Option<i64>,)>,
}

/// A view, at its metadata file.
#[derive(Serialize, Deserialize)]
struct ViewRecipe {
    /// The id of the view; recipes of older versions have none.
    #[serde(default)]
    uuid: Option<String>,
    metadata_location: String,
    relocate: Vec<(String, String)>,
    storage_options: BTreeMap<String, String>,
}

/// The bytes of a table.
pub fn table_to_bytes(table: &Table, choice: &SnapshotChoice) -> Result<Vec<u8>> {
    write(TABLE, &table_recipe(table, choice)?)
}

/// Opens the table of the bytes. Errors: `InvalidInput` and `Unsupported` for other bytes, and those of opening.
pub fn table_from_bytes(bytes: &[u8]) -> Result<(Table, SnapshotChoice)> {
    open(read(TABLE, bytes)?)
}

/// The bytes of a scan.
pub fn scan_to_bytes(scan: &Scan) -> Result<Vec<u8>> {
    let recipe = ScanRecipe {
        table: table_recipe(scan.table(), scan.snapshot_choice())?,
        row_filter: expression_json::to_json(scan.row_filter())?,
        selected_fields: scan.selected_fields().map(<[String]>::to_vec),
        case_sensitive: scan.is_case_sensitive(),
        limit: scan.row_limit(),
        appends_after: scan.appends_choice().map(|AppendsAfter(after)| (after,)),
    };
    write(SCAN, &recipe)
}

/// Opens the table of the bytes and makes the scan of it.
pub fn scan_from_bytes(bytes: &[u8]) -> Result<Scan> {
    let recipe: ScanRecipe = read(SCAN, bytes)?;
    let (table, choice) = open(recipe.table)?;
    let scan = Scan::new(table)
        .at(choice)
        .filter(expression_json::from_json(&recipe.row_filter)?)
        .case_sensitive(recipe.case_sensitive)
        .appends_after(recipe.appends_after.map(|(after,)| AppendsAfter(after)))
        .limit(recipe.limit);
    Ok(match recipe.selected_fields {
        Some(names) => scan.select(names),
        None => scan,
    })
}

/// The bytes of a view.
pub fn view_to_bytes(view: &View) -> Result<Vec<u8>> {
    let recipe = ViewRecipe {
        uuid: Some(view.metadata().view_uuid.clone()),
        metadata_location: view.metadata_location().to_owned(),
        relocate: view.options().relocate.clone(),
        storage_options: owned(&view.options().storage),
    };
    write(VIEW, &recipe)
}

/// Opens the view of the bytes. Errors: as [`table_from_bytes`].
pub fn view_from_bytes(bytes: &[u8]) -> Result<View> {
    let recipe: ViewRecipe = read(VIEW, bytes)?;
    let storage = recipe.storage_options.into_iter().collect();
    let options = OpenOptions { relocate: recipe.relocate, storage, ..OpenOptions::default() };
    let view = View::open_at(&recipe.metadata_location, options)?;
    check_same("view", recipe.uuid.as_deref(), Some(&view.metadata().view_uuid))
        .context("path", view.metadata_location())?;
    Ok(view)
}

fn table_recipe(table: &Table, choice: &SnapshotChoice) -> Result<TableRecipe> {
    let keys = table.options().storage.keys();
    Ok(TableRecipe {
        key_management: keys.map(|keys| keys.management().to_bytes()).transpose()?,
        metadata_location: table.metadata_location().to_owned(),
        relocate: table.options().relocate.clone(),
        storage_options: owned(&table.options().storage),
        manifest_cache: table.options().manifest_cache,
        uuid: table.metadata().table_uuid.clone(),
        last_updated_ms: Some(table.metadata().last_updated_ms),
        is_planned_by_server: table.options().planner.is_some(),
        snapshot: match choice {
            SnapshotChoice::Current => SnapshotRecipe::Current,
            SnapshotChoice::Id(id) => SnapshotRecipe::Id(*id),
            SnapshotChoice::InCurrentSchema(id) => SnapshotRecipe::InCurrentSchema(*id),
            SnapshotChoice::Ref(name) | SnapshotChoice::Audit(name) => SnapshotRecipe::Ref(name.clone()),
            SnapshotChoice::AsOf(timestamp_ms) => SnapshotRecipe::AsOf(*timestamp_ms),
        },
    })
}

fn owned(options: &StoreOptions) -> BTreeMap<String, String> {
    options.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// The options of stores, with what manages keys.
fn sent_storage(options: BTreeMap<String, String>, key_management: Option<Vec<u8>>) -> Result<StoreOptions> {
    let storage = storage_of(options, None);
    match key_management {
        Some(bytes) => Ok(storage.with_key_management(Some(open_key_management(&bytes)?))),
        None => Ok(storage),
    }
}

fn open(recipe: TableRecipe) -> Result<(Table, SnapshotChoice)> {
    let options = OpenOptions {
        relocate: recipe.relocate,
        storage: sent_storage(recipe.storage_options, recipe.key_management)?,
        manifest_cache: recipe.manifest_cache,
        planner: recipe.is_planned_by_server.then(|| Arc::new(PlannerElsewhere) as Arc<dyn ScanPlanner>),
    };
    let choice = match recipe.snapshot {
        SnapshotRecipe::Current => SnapshotChoice::Current,
        SnapshotRecipe::Id(id) => SnapshotChoice::Id(id),
        SnapshotRecipe::InCurrentSchema(id) => SnapshotChoice::InCurrentSchema(id),
        SnapshotRecipe::Ref(name) => SnapshotChoice::Ref(name),
        SnapshotRecipe::AsOf(timestamp_ms) => SnapshotChoice::AsOf(timestamp_ms),
    };
    let table = Table::open_at(&recipe.metadata_location, options)?;
    let metadata = table.metadata();
    check_same("table", recipe.uuid.as_deref(), metadata.table_uuid.as_deref())
        .context("path", table.metadata_location())?;
    if recipe.last_updated_ms.is_some_and(|moment| moment != metadata.last_updated_ms) {
        return Err(Error::not_found(
            "the metadata file was replaced by another one of the same name: load the table again",
        )
        .with("path", table.metadata_location()));
    }
    Ok((table, choice))
}

fn write(envelope: Envelope, recipe: &impl Serialize) -> Result<Vec<u8>> {
    let body = serde_json::to_vec(recipe)
        .map_err(|failure| Error::internal("a recipe cannot be written").caused_by(failure))?;
    Ok(envelope.wrap(&body))
}

fn read<'a, T: Deserialize<'a>>(envelope: Envelope, bytes: &'a [u8]) -> Result<T> {
    serde_json::from_slice(envelope.open(bytes)?).map_err(|failure| {
        Error::invalid_input(format!("a pickled {} is damaged", envelope.kind)).caused_by(failure)
    })
}
