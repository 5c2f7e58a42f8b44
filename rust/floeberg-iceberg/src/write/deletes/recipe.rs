//! What is the same for all delete files of one write?
//!
//! In: a table's metadata and the options of one write. Out: schema, specs, properties of delete files, and where these go.
//! Spec: Row-level Deletes; Iceberg documentation, Configuration (`write.delete.*`).
//!
//! Invariant: a property of delete files that is not set is that of data files, as in Iceberg Java; only the size has a default
//! of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::schema::Schema;
use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::{Error, Result};
use floeberg_io::{Store, StoreOptions, open_store, sealed_keys, with_sealed_keys};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use crate::metadata::json::{emit_spec, parse_spec};
use crate::metadata::{PartitionSpec, SortOrder, TableMetadata};
use crate::wire::json::JsonPath;
use crate::wire::{Packing, unpack};
use crate::write::options::{of_other_columns, of_paths, properties_of};
use crate::write::recipe::check_name;
use crate::write::{Purpose, Receipt, WriteRecipe};
use floeberg_files::WriteProperties;
use floeberg_properties::{
    DELETE_FORMAT, DELETE_GRANULARITY, DELETE_TARGET_FILE_SIZE, FORMAT, OF_DELETE_FILES, TARGET_FILE_SIZE,
};

/// Its name in errors.
const RECIPE: &str = "a delete recipe";
/// What delete files of any format have.
const ORDER_ID: i32 = 0;

/// How the delete files of one write are written.
#[derive(Debug, Clone)]
pub struct DeleteRecipe {
    pub(super) format_version: u8,
    pub(super) schema: Arc<Schema>,
    pub(super) default_spec_id: i32,
    specs: Vec<Arc<PartitionSpec>>,
    /// The properties of delete files, by the names of those of data files.
    properties: WriteProperties,
    /// Is there a file of positions for each data file?
    pub(super) by_data_file: bool,
    table_uuid: Option<String>,
    location: String,
    pub(super) write_id: String,
    storage: StoreOptions,
}

/// The recipe in other processes.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct DeleteRecipeText {
    format_version: u8,
    schema: Json,
    default_spec_id: i32,
    specs: Vec<Json>,
    properties: BTreeMap<String, String>,
    by_data_file: bool,
    table_uuid: Option<String>,
    location: String,
    write_id: String,
    storage: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keys: Option<Vec<u8>>,
}

impl DeleteRecipe {
    /// The recipe of a table as it is. `options` and `write_id` are as those of [`WriteRecipe::new`].
    ///
    /// Errors: `InvalidInput` for an option or a property that is not understood, and for a table of v1, which has no delete
    /// files; `Unsupported` for an encrypted table without what wraps its keys.
    pub fn new(
        metadata: &TableMetadata,
        storage: &StoreOptions,
        options: &BTreeMap<String, String>,
        write_id: &str,
    ) -> Result<Self> {
        metadata.check_writable_with(storage)?;
        check_name("write id", write_id)?;
        if metadata.format_version < 2 {
            return Err(Error::invalid_input(
                "a table of format version 1 has no delete files: delete rows by writing their files again \
                 (copy-on-write), or upgrade the table to version 2 or 3",
            ));
        }
        let of_data = of_paths(properties_of(&metadata.properties, options)?, storage);
        Ok(Self {
            format_version: metadata.format_version,
            schema: Arc::clone(metadata.current_schema()),
            default_spec_id: metadata.default_spec_id,
            specs: metadata.partition_specs.clone(),
            by_data_file: DELETE_GRANULARITY.of(of_data.as_map())? == "file",
            properties: of_delete_files(&of_data)?,
            table_uuid: metadata.table_uuid.clone(),
            location: metadata.location.clone(),
            write_id: write_id.to_owned(),
            storage: storage.clone(),
        })
    }

    /// The store that the files go to.
    pub fn store(&self) -> Result<Arc<dyn Store>> {
        open_store(&self.storage)
    }

    /// Are deletes written as vectors?
    pub fn has_vectors(&self) -> bool {
        self.format_version >= 3
    }

    /// Are the deletes of each data file in files, or in a vector, of its own? Else those of a partition are together.
    pub fn is_by_data_file(&self) -> bool {
        self.by_data_file || self.has_vectors()
    }

    /// Removes the files of a receipt that no table has. Errors: those of the store.
    pub fn remove(&self, receipt: &Receipt) -> Result<()> {
        let store = self.store()?;
        receipt.locations().try_for_each(|location| store.remove(location))
    }

    /// The bytes, compressed. They hold the storage options: they are for a worker, not for a log.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut packing = Packing::default();
        packing.value(&self.text()?)?;
        packing.finish()
    }

    /// Reads the bytes back. Errors: `InvalidInput` for bytes that are not such a recipe.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let damaged = |error: Error| Error::invalid_input(format!("{RECIPE} is damaged")).caused_by(error);
        Self::of_text(unpack(bytes, RECIPE)?).map_err(damaged)
    }

    /// Puts it into bytes, with storage options and secrets among them.
    pub(super) fn text(&self) -> Result<DeleteRecipeText> {
        Ok(DeleteRecipeText {
            format_version: self.format_version,
            schema: schema_to_json(&self.schema)?,
            default_spec_id: self.default_spec_id,
            specs: self.specs.iter().map(|spec| emit_spec(spec)).collect(),
            properties: self.properties.as_map().clone(),
            by_data_file: self.by_data_file,
            table_uuid: self.table_uuid.clone(),
            location: self.location.clone(),
            write_id: self.write_id.clone(),
            storage: self.storage.iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            keys: sealed_keys(&self.storage, [])?,
        })
    }

    /// Reads the recipe from its bytes. Errors: `InvalidInput` for a schema or a spec that is damaged.
    pub(super) fn of_text(text: DeleteRecipeText) -> Result<Self> {
        check_name("write id", &text.write_id)?;
        let path = JsonPath::root(RECIPE);
        let specs = text.specs.into_iter().map(|spec| parse_spec(spec, &path.key("specs")));
        Ok(Self {
            format_version: text.format_version,
            schema: Arc::new(schema_from_json(&text.schema)?),
            default_spec_id: text.default_spec_id,
            specs: specs.collect::<Result<_>>()?,
            properties: WriteProperties::of_map(text.properties),
            by_data_file: text.by_data_file,
            table_uuid: text.table_uuid,
            location: text.location,
            write_id: text.write_id,
            storage: with_sealed_keys(text.storage.into_iter().collect(), text.keys.as_deref())?,
        })
    }

    /// A partition spec of the table. Errors: `InvalidInput` for an id that it does not have.
    pub(super) fn spec(&self, spec_id: i32) -> Result<&Arc<PartitionSpec>> {
        let found = self.specs.iter().find(|spec| spec.spec_id == spec_id);
        found.ok_or_else(|| Error::invalid_input(format!("the table has no partition spec {spec_id}")))
    }

    /// An unpartitioned spec of the table, the newest of several.
    pub(super) fn unpartitioned_spec(&self) -> Option<i32> {
        let all = self.specs.iter().filter(|spec| spec.is_unpartitioned());
        all.map(|spec| spec.spec_id).max()
    }

    /// Properties for files with other columns than the table, without those that name a column of the table.
    pub(super) fn properties_of_other_columns(&self) -> WriteProperties {
        of_other_columns(&self.properties)
    }

    /// The recipe of files of equality deletes, with the columns of a schema and by some of them, partitioned by a spec.
    pub(super) fn of_rows(
        &self,
        schema: Arc<Schema>,
        keys: &[i32],
        spec: &Arc<PartitionSpec>,
    ) -> WriteRecipe {
        WriteRecipe {
            schema,
            spec: Arc::clone(spec),
            order: Arc::new(SortOrder { order_id: ORDER_ID, fields: Vec::new(), unknown_keys: Map::new() }),
            own_order: None,
            copies_groups: false,
            delete_keys: Some(keys.to_vec()),
            properties: self.properties.clone(),
            table_uuid: self.table_uuid.clone(),
            location: self.location.clone(),
            write_id: self.write_id.clone(),
            storage: self.storage.clone(),
        }
    }

    /// The table's location, below which the files go.
    pub(super) fn location(&self) -> &str {
        &self.location
    }

    /// What delete files of a spec are written for.
    pub(super) fn purpose(&self, spec: &Arc<PartitionSpec>) -> Arc<Purpose> {
        Arc::new(Purpose {
            table_uuid: self.table_uuid.clone(),
            location: self.location.clone(),
            schema: Arc::clone(&self.schema),
            spec: Arc::clone(spec),
        })
    }
}

/// The properties of delete files, by the names that those of data files have.
/// Errors: `Unsupported` for a format that is not written.
pub(crate) fn of_delete_files(of_data: &WriteProperties) -> Result<WriteProperties> {
    let mut properties = of_data.as_map().clone();
    let size = of_data.text(DELETE_TARGET_FILE_SIZE.name).map(str::to_owned);
    let size = size.unwrap_or_else(|| DELETE_TARGET_FILE_SIZE.default.to_string());
    properties.insert(TARGET_FILE_SIZE.name.to_owned(), size);
    if let Some(format) = of_data.text(DELETE_FORMAT) {
        if !["parquet", "avro", "orc"].contains(&format.trim().to_ascii_lowercase().as_str()) {
            return Err(Error::unsupported(format!(
                "the property {DELETE_FORMAT:?} asks for files of format {format}; this version writes Parquet, \
                 Avro and ORC"
            )));
        }
        properties.insert(FORMAT.name.to_owned(), format.to_owned());
    }
    for (name, value) in of_data.as_map() {
        let own = OF_DELETE_FILES.iter().find_map(|(of_deletes, of_data)| {
            name.strip_prefix(of_deletes).map(|rest| format!("{of_data}{rest}"))
        });
        properties.extend(own.map(|own| (own, value.clone())));
    }
    Ok(WriteProperties::of_map(properties))
}
