//! How does a table begin?
//!
//! In: a folder, a schema, and the files of the first rows. Out: the table, with one version.
//! Spec: Lance, Transactions: Overwrite.
//!
//! Invariant: one of two who create a table in one folder wins, and the other gets an error.

use std::collections::BTreeSet;
use std::sync::Arc;

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_io::random::random_uuid;
use floeberg_io::{Store, location};

use super::attempt::KEY;
use super::clock::now;
use super::files::Files;
use super::names::transaction_uuid;
use super::put::{Ready, outcome_unknown, put_hint};
use crate::build::{NewTable, create};
use crate::checkout::Checkout;
use crate::metadata::{NamingScheme, is_table, transaction_file};
use crate::table::{OpenOptions, Table};
use crate::wire::{Operation, Overwrite, Transaction};

/// A table that is to be created.
#[derive(Debug, Clone, Default)]
pub struct CreateRequest {
    /// Its schema, its first fragments and its settings.
    pub overwrite: Overwrite,
    /// The version of its data files, such as `2.2`.
    pub data_storage_version: String,
    /// Do rows have ids that stay with them?
    pub has_stable_row_ids: bool,
    /// What is said of the transaction.
    pub properties: Vec<(String, String)>,
    /// By which the commit is found again.
    pub key: Option<String>,
}

/// Creates a table in a folder of a store. Its data files are written already.
///
/// Errors: `AlreadyExists` where there is a table; `CommitStateUnknown`; `InvalidInput` and `Unsupported` for the schema; those of the
/// store.
pub fn create_table(store: &Arc<dyn Store>, folder: &str, request: CreateRequest) -> Result<Table> {
    let (ready, uuid) = ready(store.as_ref(), folder, request)?;
    let files = Files::default();
    ready.transaction_path().iter().for_each(|path| files.record(path));
    let put = ready.put_transaction(store.as_ref()).and_then(|()| ready.put_manifest(store.as_ref(), folder));
    let checkout = Checkout { version: Some(1), ..Checkout::default() };
    let open = || {
        let options = OpenOptions { checkout: checkout.clone(), ..OpenOptions::default() };
        Table::open_in(Arc::clone(store), folder, &options)
    };
    if let Err(error) = put {
        let is_unknown = error.is_outcome_unknown();
        let made = open().and_then(|table| Ok((table.transaction()?, table)));
        match made {
            Ok((Some(made), table)) if made.uuid == uuid => return Ok(table),
            Err(_) if is_unknown => return Err(outcome_unknown(1, error)),
            _ => {}
        }
        files.remove_all_but(store.as_ref(), &BTreeSet::new());
        return Err(if error.kind() == ErrorKind::AlreadyExists { exists(folder) } else { error });
    }
    put_hint(store.as_ref(), folder, 1);
    open().map_err(|error| outcome_unknown(1, error))
}

/// Writes the first version of a table under a name that is no version, for another store to decide about it. Returns its location,
/// and that of its transaction.
///
/// Errors: those of [`create_table`].
pub fn stage_table(store: &Arc<dyn Store>, folder: &str, request: CreateRequest) -> Result<Vec<String>> {
    let (ready, _) = ready(store.as_ref(), folder, request)?;
    ready.put_transaction(store.as_ref())?;
    let path = format!("{}-{}", ready.version.path(folder), random_uuid());
    store.put(&path, ready.file.clone())?;
    Ok(std::iter::once(path).chain(ready.transaction_path().map(str::to_owned)).collect())
}

/// The first version of a table, and the id of its transaction.
fn ready(store: &dyn Store, folder: &str, request: CreateRequest) -> Result<(Ready, String)> {
    if is_table(store, folder)? {
        return Err(exists(folder));
    }
    let new = NewTable {
        data_storage_version: request.data_storage_version,
        has_stable_row_ids: request.has_stable_row_ids,
        timestamp: now()?,
    };
    let built = create(&request.overwrite, &new).context("path", folder)?;
    let uuid = transaction_uuid(request.key.as_deref());
    let mut properties = request.properties;
    properties.extend(request.key.map(|key| (KEY.to_owned(), key)));
    let transaction = Transaction {
        uuid: uuid.clone(),
        properties,
        operation: Operation::Overwrite(request.overwrite),
        ..Transaction::default()
    };
    let name = transaction_file(0, &uuid);
    Ok((Ready::new(folder, NamingScheme::V2, built, &transaction, &name, true)?, uuid))
}

fn exists(folder: &str) -> Error {
    Error::new(ErrorKind::AlreadyExists, "a Lance table is here already")
        .with("path", location::shown(folder))
}
