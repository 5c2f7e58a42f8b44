//! Is the transaction that made a version there, and is it of that version?
//!
//! In: a manifest. Out: findings.
//! Spec: Lance, Transaction Files; `transaction.proto`.

use floeberg_core::finding::{Findings, split};
use floeberg_core::{Error, Result};

use super::reading::{Document, Reading};
use super::rules::versions::{TRANSACTION, TRANSACTION_COPIES, TRANSACTION_NAME, TRANSACTION_VERSION};
use crate::metadata::transaction_file;
use crate::table::LARGEST_TRANSACTION;
use crate::wire::{Operation, Transaction};

const SECTION: &str = "transaction_section";

/// Checks the transaction of a version, in its manifest and in a file. Errors: those of the store.
pub(super) fn check_transaction(reading: &Reading, document: &Document, found: &mut Findings) -> Result<()> {
    let store = reading.store.as_ref();
    let section = match split(document.file.transaction(store))? {
        Ok(section) => section,
        Err(error) => {
            found.add(&TRANSACTION, SECTION, error);
            None
        }
    };
    let section = section.and_then(|bytes| made(Transaction::parse(&bytes), SECTION, found));
    let name = &document.file.manifest.head.transaction_file;
    let mut file = None;
    if !name.is_empty() {
        let part = format!("transaction_file {name:?}");
        let bytes = document
            .bases
            .transaction_file(name)
            .and_then(|path| store.open(&path)?.read_all(LARGEST_TRANSACTION));
        file = made(split(bytes)?.and_then(|bytes| Transaction::parse(&bytes)), &part, found);
        if let Some(of_file) = &file {
            let named = transaction_file(of_file.read_version, &of_file.uuid);
            if named != *name {
                let message = format!("expected the transaction of this name, found that of {named:?}");
                found.add(&TRANSACTION_NAME, &part, message);
            }
        }
    }
    if let (Some(section), Some(file)) = (&section, &file)
        && section != file
    {
        let message = format!(
            "expected the transaction of the file, {} of {:?}, found {} of {:?}",
            file.operation.name(),
            file.uuid,
            section.operation.name(),
            section.uuid
        );
        found.add(&TRANSACTION_COPIES, SECTION, message);
    }
    if let Some(made) = section.or(file) {
        let version = document.listed.version;
        let is_clone = matches!(made.operation, Operation::Clone(_));
        if made.read_version > version || (made.read_version == version && !is_clone) {
            let message = format!("expected a version below {version}, found {}", made.read_version);
            found.add(&TRANSACTION_VERSION, "read_version of the transaction", message);
        }
    }
    Ok(())
}

fn made(
    parsed: std::result::Result<Transaction, Error>,
    part: &str,
    found: &mut Findings,
) -> Option<Transaction> {
    match parsed {
        Ok(transaction) => Some(transaction),
        Err(error) => {
            found.add(&TRANSACTION, part, error);
            None
        }
    }
}
