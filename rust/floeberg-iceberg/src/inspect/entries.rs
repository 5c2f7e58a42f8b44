//! The tables of entries and of files: `entries`, `files`, `data_files`, `delete_files` and their `all_` forms.
//!
//! Spec: Manifest Entry Fields; Data File Fields.
//!
//! Invariant: files are live ones; entries that were deleted are in the tables of entries only.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::SchemaRef;
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType as P, Schema, StructType, Type};
use floeberg_core::{Context, Error, Result};

use super::data_file::{data_file_columns, data_file_fields};
use super::readable_metrics::ReadableMetrics;
use super::rows::{arrow_schema, batch_of_columns};
use super::source::Source;
use crate::manifest::{EntryRequest, ManifestFile};

/// What stands in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// An entry, its file in a struct.
    Entry,
    /// A file.
    File,
}

/// The columns of a table of entries or of files.
#[derive(Debug)]
pub(super) struct EntryTable {
    shape: Shape,
    schema: SchemaRef,
    data_file: Vec<Field>,
    metrics: ReadableMetrics,
}

impl EntryTable {
    pub(super) fn new(source: &Source, shape: Shape) -> Result<Self> {
        let data_file = data_file_fields(source);
        let mut fields = match shape {
            Shape::File => data_file.clone(),
            Shape::Entry => vec![
                Field::required(0, "status", P::Int),
                Field::optional(1, "snapshot_id", P::Long),
                Field::optional(3, "sequence_number", P::Long),
                Field::optional(4, "file_sequence_number", P::Long),
                Field::required(2, "data_file", Type::Struct(StructType { fields: data_file.clone() })),
            ],
        };
        let highest_id = Schema::new(0, fields.clone())?.highest_field_id();
        let metrics = ReadableMetrics::new(source.metadata().current_schema(), highest_id)?;
        fields.push(metrics.field().clone());
        Ok(Self { shape, schema: arrow_schema(&fields)?, data_file, metrics })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The rows of one manifest.
    pub(super) fn batch(&self, source: &Source, manifest: &ManifestFile) -> Result<RecordBatch> {
        let with_deleted = self.shape == Shape::Entry;
        let wanted = EntryRequest { with_deleted, with_metrics: true, ..EntryRequest::default() };
        let entries = source.entries(manifest, &wanted)?;
        let metrics = entries.metrics.as_ref().ok_or_else(|| Error::internal("metrics were not decoded"))?;
        let files =
            data_file_columns(source, &entries, metrics).context("manifest", &manifest.manifest_path)?;
        let mut columns = match self.shape {
            Shape::File => files,
            Shape::Entry => {
                let fields = fields_to_arrow(&self.data_file)?;
                let file = StructArray::try_new(fields, files, None).map_err(|error| {
                    Error::internal("the files of entries do not fit their column").caused_by(error)
                })?;
                let details = entries.details()?;
                let columns: Vec<ArrayRef> = vec![
                    Arc::new(entries.status.clone()),
                    Arc::new(details.snapshot_id.clone()),
                    Arc::new(entries.data_sequence_number.clone()),
                    Arc::new(details.file_sequence_number.clone()),
                    Arc::new(file),
                ];
                columns
            }
        };
        columns.push(Arc::new(self.metrics.column(metrics)?));
        batch_of_columns(Arc::clone(&self.schema), columns, entries.len())
    }
}
