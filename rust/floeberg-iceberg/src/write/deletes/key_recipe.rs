//! What does a worker need to write keys of deleted rows?
//!
//! In: a table's metadata, the columns of the keys, and the specs that the table has data files of. Out: a recipe that can be sent.
//! Spec: Equality Delete Files.
//!
//! Invariant: a recipe that is read back writes the same files. The table may have files of other specs since: the commit checks
//! that.

use std::collections::{BTreeMap, BTreeSet};

use floeberg_core::{Cancel, Error, Result};
use floeberg_io::StoreOptions;
use serde::{Deserialize, Serialize};

use super::equality::EqualityWriter;
use super::keys::{check_keys, specs_for};
use super::recipe::{DeleteRecipe, DeleteRecipeText};
use crate::metadata::TableMetadata;
use crate::wire::{Packing, unpack};
use crate::write::{Receipt, WriteTask};

/// Its name in errors.
const RECIPE: &str = "a recipe of keys";

/// How keys of deleted rows become files.
#[derive(Debug, Clone)]
pub struct KeyRecipe {
    recipe: DeleteRecipe,
    keys: Vec<i32>,
    live_specs: BTreeSet<i32>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct KeyRecipeText {
    recipe: DeleteRecipeText,
    keys: Vec<i32>,
    live_specs: BTreeSet<i32>,
}

impl KeyRecipe {
    /// The recipe of a table as it is, with the names of its key columns. `live_specs` are the specs that it has data files of.
    ///
    /// Errors: those of [`DeleteRecipe::new`]; `InvalidInput` for columns that the table does not have or that cannot be keys, and
    /// for keys that do not reach every partition.
    pub fn new(
        metadata: &TableMetadata,
        storage: &StoreOptions,
        options: &BTreeMap<String, String>,
        write_id: &str,
        columns: &[String],
        live_specs: BTreeSet<i32>,
    ) -> Result<Self> {
        let recipe = DeleteRecipe::new(metadata, storage, options, write_id)?;
        let keys = columns.iter().map(|name| recipe.schema.find(name, true)).collect::<Result<Vec<_>>>()?;
        check_keys(&recipe.schema, &keys)?;
        specs_for(&recipe, &keys, &live_specs)?;
        Ok(Self { recipe, keys, live_specs })
    }

    /// A writer of a task. Errors: those of [`EqualityWriter::new`].
    pub fn writer(&self, task: WriteTask<'_>, cancel: &Cancel) -> Result<EqualityWriter> {
        EqualityWriter::new(&self.recipe, &self.recipe.store()?, task, cancel, &self.keys, &self.live_specs)
    }

    /// Removes the files of a receipt that no table has. Errors: those of the store.
    pub fn remove(&self, receipt: &Receipt) -> Result<()> {
        self.recipe.remove(receipt)
    }

    /// The bytes, compressed. They hold the storage options: they are for a worker, not for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut packing = Packing::default();
        packing.value(&KeyRecipeText {
            recipe: self.recipe.text()?,
            keys: self.keys.clone(),
            live_specs: self.live_specs.clone(),
        })?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not such a recipe.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let text: KeyRecipeText = unpack(bytes, RECIPE)?;
        let damaged = |error: Error| Error::invalid_input(format!("{RECIPE} is damaged")).caused_by(error);
        let recipe = DeleteRecipe::of_text(text.recipe).map_err(damaged)?;
        Ok(Self { recipe, keys: text.keys, live_specs: text.live_specs })
    }
}
