//! Where are the files of a table?
//!
//! In: the folder of a table, or of a branch, and the other folders that a manifest names. Out: locations of data and deletion files.
//! Spec: Lance, `table.proto`, `BasePath`.
//!
//! Invariant: a file of a base that the manifest does not name is an error, never looked for elsewhere. A path that a file says never
//! leads out of the folder that it is joined with.

use std::collections::HashMap;

use floeberg_core::value::format_uuid;
use floeberg_core::{Error, Result};
use floeberg_io::{Relocation, location};

use super::listing::TRANSACTIONS;
use crate::wire::{BasePath, DeletionFile};

pub(crate) const DATA: &str = "data";
/// The folder of indices, each in one of its own.
pub(crate) const INDICES: &str = "_indices";

/// The folders of a version's files.
#[derive(Debug, Clone)]
pub struct Bases {
    folder: String,
    /// The folder of its data files.
    data: String,
    /// Other folders, each with that of its data files.
    others: HashMap<u32, (BasePath, String)>,
}

impl Bases {
    /// The folders of a manifest, each at the place where it is now.
    pub fn new(folder: &str, others: &[BasePath], relocation: &Relocation) -> Self {
        let moved = |base: &BasePath| {
            let path = relocation.apply(&base.path);
            let data = if base.is_dataset_root { location::join(&path, DATA) } else { path.clone() };
            (base.id, (BasePath { path, ..base.clone() }, data))
        };
        Self {
            folder: folder.to_owned(),
            data: location::join(folder, DATA),
            others: others.iter().map(moved).collect(),
        }
    }

    /// The folder of the table, or of its branch.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Where a data file is. Errors: `InvalidData` for a base that is not there, and for a path that does not stay below the folder.
    pub fn data_file(&self, base_id: Option<u32>, path: &str) -> Result<String> {
        check_below(path, "a data file")?;
        let folder = match base_id {
            None => &self.data,
            Some(id) => &self.base(id)?.1,
        };
        Ok(location::join(folder, path))
    }

    /// Where a deletion file is. Errors: `InvalidData` for a base that is not there, or has no folder of deletion files.
    pub fn deletion_file(&self, fragment_id: u64, file: &DeletionFile) -> Result<String> {
        let folder = match file.base_id.map(|id| self.base(id)).transpose()? {
            None => &self.folder,
            Some((base, _)) if base.is_dataset_root => &base.path,
            Some((base, _)) => {
                return Err(Error::invalid_data(format!(
                    "expected a deletion file in the folder of a table, found base {}, which has data files alone",
                    base.id
                )));
            }
        };
        Ok(location::join(folder, &file.path(fragment_id)))
    }

    /// Where the file of a transaction is. Errors: `InvalidData` for a name that is a path.
    pub fn transaction_file(&self, name: &str) -> Result<String> {
        check_below(name, "a transaction")?;
        if name.contains('/') {
            return Err(outside(name, "a transaction"));
        }
        Ok(location::join(&location::join(&self.folder, TRANSACTIONS), name))
    }

    /// The folder of an index. Errors: `InvalidData` for a base that the manifest does not have, and for an id that is not a UUID.
    pub(crate) fn index_folder(&self, base_id: Option<u32>, uuid: &[u8]) -> Result<String> {
        let uuid: [u8; 16] = uuid.try_into().map_err(|_| {
            Error::invalid_data(format!("expected an id of an index of 16 bytes, found {}", uuid.len()))
        })?;
        let folder = match base_id {
            None => &self.folder,
            Some(id) => &self.base(id)?.0.path,
        };
        Ok(location::join(&location::join(folder, INDICES), &format_uuid(&uuid)))
    }

    fn base(&self, id: u32) -> Result<&(BasePath, String)> {
        self.others.get(&id).ok_or_else(|| {
            Error::invalid_data(format!("expected a base path that the manifest names, found the id {id}"))
        })
    }
}

/// What a store, or a library of others, may take for a separator or a dot.
const ENCODED: [&str; 3] = ["%2e", "%2f", "%5c"];

/// Checks that a path that a file says is below the folder that it is joined with, whoever reads it: no part leads upward, and it is
/// no path of its own.
fn check_below(path: &str, what: &str) -> Result<()> {
    if path.is_empty() {
        return Err(Error::invalid_data(format!("expected the path of {what}, found none")));
    }
    let is_part = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', ':', '\0']);
    let lower = path.to_ascii_lowercase();
    if path.split('/').all(is_part) && !ENCODED.iter().any(|encoded| lower.contains(encoded)) {
        return Ok(());
    }
    Err(outside(path, what))
}

fn outside(path: &str, what: &str) -> Error {
    let shown: String = path.chars().take(200).collect();
    Error::invalid_data(format!("expected the path of {what} below its folder in the table, found {shown:?}"))
}
