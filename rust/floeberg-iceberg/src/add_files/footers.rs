//! How does a manifest describe a file that another writer wrote?
//!
//! In: a table and locations. Out: a receipt, as of a writer of ours. Several footers are read at a time, and each is dropped once it
//! is described.
//! Spec: Data File Fields; Column Projection; Appendix C, Name Mapping Serialization.
//!
//! Invariant: the sort order of the files is not known, so they have none.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use floeberg_core::schema::name_mapping::mapping_of_schema;
use floeberg_core::schema::{NameMapping, Schema};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Context as _, Error, ErrorKind, Result};
use floeberg_exec::threads::ordered;
use floeberg_files::{DeleteType, FileConstants, FileFields, FileMetrics, Modes, Projection};
use floeberg_properties::NAME_MAPPING;

use super::columns::{check_ids, check_names};
use super::listing::{AT_A_TIME, files_of, format_of};
use super::partition::{FileFacts, check_agrees, column_of, partition_of, said_by_path};
use super::path_values::{PathValues, path_values};
use super::readable::{check_readable, nulls_in_required};
use super::types::TypeRules;
use crate::Table;
use crate::manifest::DataFile;
use crate::metadata::PartitionSpec;
use crate::read::{FileAccess, Names};
use crate::write::{Purpose, Receipt, WrittenFile, ordered_column, properties_of, with_metrics};

/// Files to add to a table.
#[derive(Debug, Clone, Copy)]
pub struct FilesToAdd<'a> {
    /// Files, and folders whose files are added, folders in them too.
    pub locations: &'a [String],
    /// May files have field ids, if they are those of the table?
    pub trust_field_ids: bool,
    /// Are the files written for the table, so that their ids are those of its columns, whatever these are called by now?
    pub are_of_table: bool,
}

/// What adding files needs.
#[derive(Debug, Clone)]
pub struct DescribedFiles {
    /// The files.
    pub receipt: Receipt,
    /// The name mapping that the columns of files without field ids were found by, as the JSON of the table property; `None` if all
    /// files have ids.
    pub name_mapping: Option<String>,
}

/// How many footers were read, for another thread to look at.
#[derive(Debug, Default)]
pub struct FootersRead {
    files: AtomicU64,
    of_files: AtomicU64,
    rows: AtomicU64,
}

impl FootersRead {
    /// The files whose footers were read.
    pub fn files(&self) -> u64 {
        self.files.load(Ordering::Relaxed)
    }

    /// All files; 0 while they are looked for.
    pub fn of_files(&self) -> u64 {
        self.of_files.load(Ordering::Relaxed)
    }

    /// The rows of the files.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }
}

impl FilesToAdd<'_> {
    /// Finds the files and reads their footers.
    ///
    /// Errors, which name the file: `NotFound`; `InvalidInput` for columns that do not fit the table, for field ids that are not trusted,
    /// for a file that is not certainly in one partition, and for one of deletes; `InvalidData` for a damaged file; `Unsupported`; those of the store.
    pub fn describe(&self, table: &Table, read: &FootersRead, cancel: &Cancel) -> Result<DescribedFiles> {
        let metadata = table.metadata();
        metadata.check_not_encrypted()?;
        let store = table.store();
        let locations = files_of(store.as_ref(), self.locations, cancel)?;
        read.of_files.store(locations.len() as u64, Ordering::Relaxed);
        let describer = Describer::new(table, *self, cancel)?;
        let described = ordered(&locations, AT_A_TIME, cancel, |location| {
            let (file, has_ids) = describer.describe(location).map_err(|error| explained(error, location))?;
            read.files.fetch_add(1, Ordering::Relaxed);
            read.rows.fetch_add(u64::try_from(file.record_count).unwrap_or(0), Ordering::Relaxed);
            Ok((file, has_ids))
        })?;
        let purpose = Arc::new(Purpose {
            table_uuid: metadata.table_uuid.clone(),
            location: metadata.location.clone(),
            schema: Arc::clone(metadata.current_schema()),
            spec: Arc::clone(metadata.default_spec()),
        });
        let has_names = described.iter().any(|(_, has_ids)| !has_ids);
        let spec_id = metadata.default_spec_id;
        let written = described.into_iter().map(|(file, _)| WrittenFile {
            spec_id,
            file,
            purpose: Some(Arc::clone(&purpose)),
        });
        let receipt = Receipt::new(written.collect())?;
        Ok(DescribedFiles { receipt, name_mapping: has_names.then_some(describer.mapping_text) })
    }
}

/// What to do about a file that cannot be read.
fn explained(error: Error, location: &str) -> Error {
    if error.kind() != ErrorKind::InvalidData {
        return error.with("path", location);
    }
    let message = format!(
        "a file to add cannot be read: {}. Nothing was added: leave it out, or restore it",
        error.message()
    );
    let known = error.context().iter();
    let told = known.fold(Error::invalid_data(message), |told, (key, value)| told.with(key, value));
    told.with("path", location).caused_by(error)
}

struct Describer<'a> {
    schema: &'a Schema,
    spec: &'a PartitionSpec,
    format_version: u8,
    files: FileAccess,
    trust_field_ids: bool,
    are_of_table: bool,
    mapping: NameMapping,
    mapping_text: String,
    modes: Modes,
    /// Whole bounds of every column: the partition is found by them, and what a scan can read.
    exact: Modes,
    required: Vec<i32>,
}

impl<'a> Describer<'a> {
    fn new(table: &'a Table, wanted: FilesToAdd<'_>, cancel: &Cancel) -> Result<Self> {
        let metadata = table.metadata().as_ref();
        let (schema, spec) = (metadata.current_schema().as_ref(), metadata.default_spec().as_ref());
        let mapping_text =
            metadata.properties.get(NAME_MAPPING).map_or_else(|| mapping_of_schema(schema), Clone::clone);
        let mapping = NameMapping::from_json(&mapping_text).context("property", NAME_MAPPING)?;
        let properties = properties_of(&metadata.properties, &BTreeMap::new())?;
        let sorted = metadata.default_sort_order().fields.iter().filter_map(ordered_column);
        let modes = Modes::new(&properties, schema, sorted)?;
        let mut required: Vec<i32> = schema
            .names()
            .map(|(_, id)| id)
            .filter(|id| schema.path(*id).unwrap_or_default().iter().all(|field| field.required))
            .collect();
        required.sort_unstable();
        let exact = Modes::only(schema.names().map(|(_, id)| id));
        let files = FileAccess { store: Arc::clone(table.store()), batch_rows: 1, cancel: cancel.clone() };
        Ok(Self {
            schema,
            spec,
            format_version: metadata.format_version,
            files,
            trust_field_ids: wanted.trust_field_ids,
            are_of_table: wanted.are_of_table,
            mapping,
            mapping_text,
            modes,
            exact,
            required,
        })
    }

    /// A file, and whether it has field ids of its own.
    fn describe(&self, location: &str) -> Result<(DataFile, bool)> {
        let format = format_of(self.files.store.as_ref(), location)?;
        let reader = self.files.open(location, None, format, Names::Mapped(&self.mapping))?;
        if let Some(content) = reader.delete_type().and_then(DeleteType::content_of) {
            let message = format!(
                "expected a data file, found one of {content}: its rows are deletes, and no rows of a table"
            );
            return Err(Error::invalid_input(message));
        }
        let fields = reader.fields();
        self.check_columns(fields)?;
        let path_values = path_values(location)?;
        let facts = reader.metrics(self.schema, &self.exact)?;
        let partition = partition_of(
            self.spec,
            FileFacts { schema: self.schema, fields, metrics: &facts, path_values: &path_values },
        )?;
        self.check_types(fields, &partition)?;
        self.check_path(fields, &path_values, &facts)?;
        self.check_required(&facts)?;
        check_readable(&reader, self.schema, &facts, &self.files.cancel)?;
        let metrics = reader.metrics(self.schema, &self.modes)?;
        let file = DataFile { partition, sort_order_id: None, ..DataFile::new(location, format.name()) };
        Ok((with_metrics(file, metrics), fields.has_ids))
    }

    fn check_columns(&self, fields: &FileFields) -> Result<()> {
        let rules =
            TypeRules { format_version: self.format_version, undecided_zones: &fields.undecided_zones };
        if !fields.has_ids {
            return check_names(self.schema, fields, &self.mapping, rules);
        }
        if self.trust_field_ids {
            return check_ids(self.schema, fields, rules, self.are_of_table);
        }
        Err(Error::unsupported(
            "the file has field ids, which may be those of another table: pass trust_field_ids=True if they are of this \
             table, or write the file again without them",
        ))
    }

    /// Errors: `InvalidInput` for a column that cannot be read as the table's, and for a missing required one.
    fn check_types(&self, fields: &FileFields, partition: &[Option<Value>]) -> Result<()> {
        let mut constants = BTreeMap::new();
        for (field, value) in self.spec.fields.iter().zip(partition) {
            if let (Transform::Identity, [id]) = (&field.transform, field.source_ids.as_slice()) {
                // Where the file has the column, its type must fit too.
                if column_of(self.schema, fields, *id)?.is_none() {
                    constants.insert(*id, value.clone());
                }
            }
        }
        let projected = Projection::new(self.schema, fields, &FileConstants::new(constants));
        projected.map(drop).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => Error::invalid_input(format!(
                "the file does not fit the table: {}. Write it again, change the table, or leave it out",
                error.message()
            ))
            .caused_by(error),
            _ => error,
        })
    }

    /// Errors: `InvalidInput` where a folder has the values of a column that would be lost, or other values than the file.
    fn check_path(&self, fields: &FileFields, values: &PathValues, facts: &FileMetrics) -> Result<()> {
        for (name, text) in values {
            let Ok(id) = self.schema.find(name, true) else {
                self.check_name(fields, name)?;
                continue;
            };
            let is_partition = self
                .spec
                .fields
                .iter()
                .any(|field| field.transform == Transform::Identity && field.source_ids == [id]);
            if is_partition {
                continue;
            }
            if column_of(self.schema, fields, id)?.is_none() {
                return Err(Error::invalid_input(format!(
                    "the folder of the file has a value of the column {name:?}, which the file does not have and the table is \
                     not partitioned by: partition the table by it first, by update_spec().add_identity({name:?})"
                )));
            }
            if let Some(source) = self.schema.field(id) {
                let said = said_by_path(text.as_deref(), source, name)?;
                check_agrees(said.as_ref(), source, name, facts)?;
            }
        }
        Ok(())
    }

    /// Errors: `InvalidInput` for a folder that is called like a column but for its case, and for one of a partition field whose
    /// column the file does not have.
    fn check_name(&self, fields: &FileFields, name: &str) -> Result<()> {
        if let Ok(id) = self.schema.find(name, false) {
            let column = self.schema.full_name(id).unwrap_or_default();
            return Err(Error::invalid_input(format!(
                "the folder of the file has a value of {name:?}, and the column of the table is {column:?}: rename the folder, \
                 or the column"
            )));
        }
        let Some(field) = self.spec.fields.iter().find(|field| field.name == name) else { return Ok(()) };
        for id in &field.source_ids {
            if field.transform != Transform::Identity && column_of(self.schema, fields, *id)?.is_none() {
                let column = self.schema.full_name(*id).unwrap_or_default();
                return Err(Error::invalid_input(format!(
                    "the file does not have the column {column:?}, and its folder has only the value of the partition field \
                     {name:?}: write the file again with the column"
                )));
            }
        }
        Ok(())
    }

    /// Errors: `InvalidInput` for nulls in a required column, where the file says so.
    fn check_required(&self, facts: &FileMetrics) -> Result<()> {
        let nulls = |id: &i32| facts.null_value_counts.as_ref().and_then(|counts| counts.get(id));
        let Some(id) = self.required.iter().find(|id| nulls(id).is_some_and(|nulls| *nulls > 0)) else {
            return Ok(());
        };
        let found = nulls(id).copied().unwrap_or_default();
        let name = self.schema.full_name(*id).unwrap_or_default();
        Err(nulls_in_required(&name, Some(found)))
    }
}
