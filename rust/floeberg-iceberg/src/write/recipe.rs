//! What does a worker need to write files for a table?
//!
//! In: a table's metadata and the options of one write. Out: a recipe that can be sent: schema, spec, sort order,
//! properties, path and storage options, and no handle.
//!
//! Invariant: a recipe that is read back writes the same files. The table may have changed since: the commit checks that.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::schema::reserved::{LAST_UPDATED_SEQUENCE_NUMBER, ROW_ID, metadata_column};
use floeberg_core::transform::Transform;
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{DeleteType, WriteProperties};
use floeberg_io::location::file_name;
use floeberg_io::{Store, StoreOptions, open_store, sealed_keys, with_sealed_keys};
use floeberg_properties::TARGET_FILE_SIZE;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::formats;
use super::layout::WriteLayout;
use super::options::{of_paths, properties_of};
use super::row_order::RowOrder;
use super::{Purpose, Receipt};
use crate::metadata::json::{emit_order, emit_spec, parse_order, parse_spec};
use crate::metadata::{PartitionSpec, SortOrder, TableMetadata};
use crate::wire::json::JsonPath;
use crate::wire::{Packing, unpack};

/// Its name in errors.
const RECIPE: &str = "a write recipe";

/// How rows of one write become files of a table.
#[derive(Debug, Clone)]
pub struct WriteRecipe {
    pub(super) schema: Arc<Schema>,
    pub(super) spec: Arc<PartitionSpec>,
    pub(super) order: Arc<SortOrder>,
    /// The order of the rows, where it is not that of the table.
    pub(super) own_order: Option<Arc<RowOrder>>,
    /// May row groups of other files be copied as they are stored?
    pub(super) copies_groups: bool,
    /// The columns whose values the rows delete; `None` for rows of the table. It does not travel.
    pub(super) delete_keys: Option<Vec<i32>>,
    pub(super) properties: WriteProperties,
    /// The table's uuid; v1 may lack it.
    pub(super) table_uuid: Option<String>,
    /// The table's location, as it wrote it.
    pub(super) location: String,
    pub(super) write_id: String,
    pub(super) storage: StoreOptions,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RecipeText {
    schema: Json,
    spec: Json,
    order: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own_order: Option<Json>,
    #[serde(default, skip_serializing_if = "is_false")]
    copies_groups: bool,
    properties: BTreeMap<String, String>,
    table_uuid: Option<String>,
    location: String,
    write_id: String,
    storage: BTreeMap<String, String>,
    /// What makes keys, sealed, of an encrypted table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<u8>>,
}

impl WriteRecipe {
    /// The recipe of a table, with its current schema, default spec and default sort order.
    ///
    /// `options` change properties that begin with `write.` for this write, by their name or by Spark's. `write_id` is in
    /// the name of every file and must be new. Errors: `InvalidInput` for an unknown option or an invalid property;
    /// `Unsupported` for an encrypted table without what wraps its keys, and for a format, codec, transform or type that cannot be written.
    pub fn new(
        metadata: &TableMetadata,
        storage: &StoreOptions,
        options: &BTreeMap<String, String>,
        write_id: &str,
    ) -> Result<Self> {
        metadata.check_writable_with(storage)?;
        let recipe = Self {
            schema: Arc::clone(metadata.current_schema()),
            spec: Arc::clone(metadata.default_spec()),
            order: Arc::clone(metadata.default_sort_order()),
            own_order: None,
            copies_groups: false,
            delete_keys: None,
            properties: of_paths(properties_of(&metadata.properties, options)?, storage),
            table_uuid: metadata.table_uuid.clone(),
            location: metadata.location.clone(),
            write_id: write_id.to_owned(),
            storage: storage.clone(),
        };
        recipe.check()?;
        Ok(recipe)
    }

    /// The same for rows that were in the table before: their last columns are their row ids and the sequence numbers of their last
    /// updates.
    ///
    /// Errors: `InvalidInput` where a column of the table has one of these names.
    pub fn with_lineage(self) -> Result<Self> {
        let mut fields = self.schema.fields().to_vec();
        let lineage = [ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER].into_iter().filter_map(metadata_column);
        for field in lineage {
            if self.schema.find(&field.name, true).is_ok() {
                return Err(Error::invalid_input(format!(
                    "rows of version 3 that are written again keep what {:?} says of them, and a column of the table has this \
                     name: rename the column, or delete by mode \"merge-on-read\"",
                    field.name
                )));
            }
            fields.push(field);
        }
        let schema = Schema::new(self.schema.schema_id(), fields)?;
        let recipe = Self { schema: Arc::new(schema), ..self };
        recipe.check()?;
        Ok(recipe)
    }

    /// The same for rows in an order of their own. A column that is sorted by gets bounds, as those of the table's order do.
    ///
    /// Errors: `Unsupported` for an unknown transform, and a column whose values have no order; `InvalidData` for a column that is
    /// not there.
    pub fn with_order(self, order: RowOrder) -> Result<Self> {
        let recipe = Self { own_order: Some(Arc::new(order)), ..self };
        if recipe.layout()?.keys.is_none() {
            return Err(Error::unsupported(
                "the sort order has no field, or one with a transform that is not known to this version, so rows cannot be sorted",
            ));
        }
        Ok(recipe)
    }

    /// The same for files of another partition spec of the table.
    ///
    /// Errors: those of [`WriteRecipe::new`].
    pub fn with_spec(self, spec: &Arc<PartitionSpec>) -> Result<Self> {
        let recipe = Self { spec: Arc::clone(spec), ..self };
        recipe.check()?;
        Ok(recipe)
    }

    /// The same for files that end at about this many bytes.
    ///
    /// Errors: `InvalidInput` for 0.
    pub fn with_file_size(self, bytes: u64) -> Result<Self> {
        let mut properties = self.properties.as_map().clone();
        properties.insert(TARGET_FILE_SIZE.name.to_owned(), bytes.to_string());
        let recipe = Self { properties: WriteProperties::of_map(properties), ..self };
        recipe.check()?;
        Ok(recipe)
    }

    /// The same for files whose row groups may come from other files, as they are stored there.
    #[must_use]
    pub fn with_copied_groups(self) -> Self {
        // Row groups of encrypted files have keys of their own.
        Self { copies_groups: self.storage.keys().is_none(), ..self }
    }

    /// The columns of the rows.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.schema
    }

    /// The partition spec of the files.
    pub fn spec(&self) -> &Arc<PartitionSpec> {
        &self.spec
    }

    /// What files are written for.
    pub(super) fn purpose(&self) -> Purpose {
        Purpose {
            table_uuid: self.table_uuid.clone(),
            location: self.location.clone(),
            schema: Arc::clone(&self.schema),
            spec: Arc::clone(&self.spec),
        }
    }

    /// The id in the names of the files of this write.
    pub fn write_id(&self) -> &str {
        &self.write_id
    }

    /// Does a file belong to this write? Only its files have the id of the write in their names.
    fn names(&self, location: &str) -> bool {
        file_name(location).is_some_and(|name| name.contains(&format!("-{}-", self.write_id)))
    }

    /// The store that the files go to.
    pub fn store(&self) -> Result<Arc<dyn Store>> {
        open_store(&self.storage)
    }

    /// Removes the files of a receipt. No table may have them.
    ///
    /// Errors: `InvalidInput` for files of another table or another write, before any is removed; those of the store.
    pub fn remove(&self, receipt: &Receipt) -> Result<()> {
        let (purposes, _) = Receipt::purposes(receipt.files());
        let is_own = |purpose: &&Arc<Purpose>| purpose.is_of(self.table_uuid.as_deref(), &self.location);
        if let Some(other) = purposes.into_iter().find(|purpose| !is_own(purpose)) {
            return Err(Error::invalid_input(format!(
                "the files were written for another table at {}, and were not removed: expected files of {}",
                other.location, self.location
            )));
        }
        // The table may have the files of another write.
        if let Some(other) = receipt.locations().find(|location| !self.names(location)) {
            let message = "the receipt names a file of another write: nothing was removed";
            return Err(Error::invalid_input(message).with("path", other));
        }
        let store = self.store()?;
        receipt.locations().try_for_each(|location| store.remove(location))
    }

    /// The bytes, compressed. They hold the storage options, secrets among them: they are for a worker, not for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let text = RecipeText {
            schema: schema_to_json(&self.schema)?,
            spec: emit_spec(&self.spec),
            order: emit_order(&self.order),
            own_order: self.own_order.as_ref().map(|order| order.to_json()),
            copies_groups: self.copies_groups,
            properties: self.properties.as_map().clone(),
            table_uuid: self.table_uuid.clone(),
            location: self.location.clone(),
            write_id: self.write_id.clone(),
            storage: self.storage.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            keys: sealed_keys(&self.storage, [])?,
        };
        let mut packing = Packing::default();
        packing.value(&text)?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not such a recipe, `LimitExceeded` for more than any
    /// has; those of [`WriteRecipe::new`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let text: RecipeText = unpack(bytes, RECIPE)?;
        let damaged = |error: Error| Error::invalid_input(format!("{RECIPE} is damaged")).caused_by(error);
        let path = JsonPath::root(RECIPE);
        let recipe = Self {
            schema: Arc::new(schema_from_json(&text.schema).map_err(damaged)?),
            spec: parse_spec(text.spec, &path.key("spec")).map_err(damaged)?,
            order: parse_order(text.order, &path.key("order")).map_err(damaged)?,
            own_order: match text.own_order {
                None => None,
                Some(order) => {
                    Some(Arc::new(RowOrder::from_json(&order, &path.key("own-order")).map_err(damaged)?))
                }
            },
            copies_groups: text.copies_groups,
            delete_keys: None,
            properties: WriteProperties::of_map(text.properties),
            table_uuid: text.table_uuid,
            location: text.location,
            write_id: text.write_id,
            storage: with_sealed_keys(text.storage.into_iter().collect(), text.keys.as_deref())?,
        };
        recipe.check()?;
        Ok(recipe)
    }

    /// Checks that rows can be written, before the first one.
    fn check(&self) -> Result<()> {
        check_name("write id", &self.write_id)?;
        for field in &self.spec.fields {
            if let Transform::Unknown(written) = &field.transform {
                return Err(Error::unsupported(format!(
                    "the transform {written} is not known to this version, so rows cannot be partitioned"
                )))
                .context("partition field", &field.name);
            }
        }
        if self.storage.keys().is_some() {
            formats::check_encrypted(&self.properties)?;
        }
        self.layout().map(drop)
    }

    /// How its rows become files. Errors: those of [`WriteRecipe::new`].
    pub(super) fn layout(&self) -> Result<WriteLayout> {
        let own_order = self.own_order.as_deref();
        let (spec, order, properties) = (&self.spec, &self.order, &self.properties);
        let deletes = self.delete_keys.clone().map(DeleteType::Equality);
        WriteLayout::new(&self.schema, spec, order, own_order, properties, &self.location, deletes)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// Part of a file's name: anything else would need quoting somewhere.
pub(super) fn check_name(what: &str, name: &str) -> Result<()> {
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.');
    if name.is_empty() || name.len() > 128 || !name.chars().all(is_plain) || name.starts_with('.') {
        return Err(Error::invalid_input(format!(
            "expected a {what} of at most 128 letters, digits, '-', '_' and '.', found {name:?}"
        )));
    }
    Ok(())
}
