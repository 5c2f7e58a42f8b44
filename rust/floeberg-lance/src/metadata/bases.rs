//! Where are the files of a table?
//!
//! In: the folder of a table, or of a branch, and the other folders that a manifest names. Out: locations of data and deletion files.
//! Spec: Lance, `table.proto`, `BasePath`.
//!
//! Invariant: a file of a base that the manifest does not name is an error, never looked for elsewhere.

use std::collections::HashMap;

use floeberg_core::{Error, Result};
use floeberg_io::{Relocation, location};

use crate::wire::{BasePath, DeletionFile};

pub(crate) const DATA: &str = "data";

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

    /// Where a data file is. Errors: `InvalidData` for a base that is not there, and for a file without a name.
    pub fn data_file(&self, base_id: Option<u32>, path: &str) -> Result<String> {
        if path.is_empty() {
            return Err(Error::invalid_data("expected the path of a data file, found none"));
        }
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

    fn base(&self, id: u32) -> Result<&(BasePath, String)> {
        self.others.get(&id).ok_or_else(|| {
            Error::invalid_data(format!("expected a base path that the manifest names, found the id {id}"))
        })
    }
}
