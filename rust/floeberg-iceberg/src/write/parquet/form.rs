//! What is the same for all Parquet files of a write?
//!
//! In: a schema and properties. Out: the stored columns, as Iceberg, Arrow and Parquet have them, and the layout.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Error, Result};
use parquet::file::metadata::KeyValue;
use parquet::schema::types::{ColumnPath, SchemaDescriptor, TypePtr};

use super::dictionaries::without_repetition;
use super::leaves::{Leaf, leaves_of};
use super::options::Layout;
use super::schema::parquet_schema;
use super::stored::{stored_columns, stored_fields};
use crate::write::metrics::Modes;
use crate::write::properties::Properties;

/// How rows are stored.
#[derive(Debug, Clone)]
pub(in crate::write) struct FileForm {
    /// The columns of the table, those of type `unknown` too.
    pub fields: Vec<Field>,
    /// What is stored of them, in Arrow's form.
    pub arrow: SchemaRef,
    pub(super) columns: TypePtr,
    pub(super) leaves: Vec<Leaf>,
    layout: Layout,
    pub(super) modes: Modes,
}

impl FileForm {
    /// Errors: `InvalidInput` for properties that are not understood, `Unsupported` for types that are not written.
    pub fn new(schema: &Schema, properties: &Properties, modes: Modes) -> Result<Self> {
        let stored = stored_fields(schema.fields())?;
        if stored.is_empty() {
            return Err(Error::unsupported("a Parquet file cannot hold rows without columns"));
        }
        let columns = parquet_schema(&stored)?;
        let descriptor = SchemaDescriptor::new(Arc::clone(&columns));
        // As Iceberg Java has it, for readers that know no table.
        let text = schema_to_json(schema)?.to_string();
        let metadata = vec![KeyValue::new("iceberg.schema".to_owned(), text)];
        // A text that is cut to so many bytes is still longer than its bound.
        let statistics_length = modes
            .longest()
            .map(|characters| 64.max((characters as usize).saturating_add(1).saturating_mul(4)));
        Ok(Self {
            fields: schema.fields().to_vec(),
            arrow: Arc::new(ArrowSchema::new(fields_to_arrow(&stored)?)),
            leaves: leaves_of(&stored),
            layout: Layout::new(properties, schema, &descriptor, statistics_length, metadata)?,
            columns,
            modes,
        })
    }

    /// The same, without dictionaries of columns whose values hardly repeat in these rows.
    pub fn for_rows(&self, rows: &RecordBatch) -> Result<Self> {
        let columns = stored_columns(rows.columns(), &self.fields)?;
        let plain = without_repetition(&columns);
        // They are not nested, so that a column is a leaf with its name.
        let paths = plain.iter().map(|number| ColumnPath::from(self.arrow.field(*number).name().clone()));
        Ok(Self { layout: self.layout.without_dictionaries(paths), ..self.clone() })
    }

    /// How files are laid out.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}
