//! What do all Parquet files of a write have in common?
//!
//! In: a schema and properties. Out: the stored columns, for Iceberg, Arrow and Parquet, and the layout.
//!
//! Invariant: files differ only in how variants are shredded, which each infers from its own first rows. Without shredding, all
//! have the same columns.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{RecordBatch, StructArray};
use arrow_schema::{DataType, Schema as ArrowSchema, SchemaRef};
use floeberg_core::schema::arrow::fields_to_arrow;
use floeberg_core::schema::json::schema_to_json;
use floeberg_core::schema::{Field, Type};
use floeberg_core::variant::Shape;
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{DeleteType, LayoutRequest, Modes, Piece, SortColumn};
use floeberg_properties::{PARQUET_SHRED_VARIANTS, PARQUET_VARIANT_BUFFER};
use parquet::file::metadata::KeyValue;
use parquet::schema::types::{ColumnPath, SchemaDescriptor, TypePtr};

use super::dictionaries::without_repetition;
use super::leaf::Leaf;
use super::leaves::leaves_of;
use super::levels::fast_leaves;
use super::options::Options;
use super::schema::parquet_schema;
use super::shredded::Shapes;
use super::sorting::sorting_columns;
use super::stored::{stored_columns, stored_fields};

/// About how many bytes a column of an open file takes beside its values: its buffers and those of its codec.
pub(super) const COLUMN_MEMORY: u64 = 64 << 10;

/// How rows are stored.
#[derive(Debug, Clone)]
pub(crate) struct ParquetLayout {
    /// The columns of the table, those of type `unknown` too.
    pub fields: Vec<Field>,
    /// The stored columns, as an Arrow schema.
    pub arrow: SchemaRef,
    pub parquet: TypePtr,
    pub(super) leaves: Vec<Leaf>,
    options: Options,
    pub(super) modes: Modes,
    pub stored: Vec<Field>,
    /// The number of first rows that decide how variants are shredded; `None` without shredding, or without variants.
    shredded_by: Option<u64>,
    pub(super) shapes: Shapes,
    /// The columns that rows are sorted by.
    sorted_by: Vec<SortColumn>,
}

impl ParquetLayout {
    /// The layout that a request asks for.
    ///
    /// Errors: `InvalidInput` for invalid properties, `Unsupported` for types that cannot be written.
    pub fn new(request: &LayoutRequest<'_>) -> Result<Self> {
        let LayoutRequest { schema, properties, modes, sorted_by, deletes } = request.clone();
        let stored = stored_fields(schema.fields())?;
        if stored.is_empty() {
            return Err(Error::unsupported("a Parquet file cannot hold rows without columns"));
        }
        let rows = PARQUET_VARIANT_BUFFER.of(properties.as_map())?;
        let is_shredded = PARQUET_SHRED_VARIANTS.of(properties.as_map())?
            && stored.iter().any(|field| field.field_type == Type::Variant);
        let shapes = Shapes::new();
        let columns = parquet_schema(&stored, &shapes)?;
        let descriptor = SchemaDescriptor::new(Arc::clone(&columns));
        // As Iceberg Java does, for readers without the table.
        let text = schema_to_json(schema)?.to_string();
        let mut metadata = vec![KeyValue::new("iceberg.schema".to_owned(), text)];
        let of_deletes = deletes.iter().flat_map(DeleteType::entries);
        metadata.extend(of_deletes.map(|(key, value)| KeyValue::new(key.to_owned(), value)));
        // A string truncated to the limit in bytes is still longer than its bound.
        let statistics_length = modes
            .longest()
            .map(|characters| 64.max((characters as usize).saturating_add(1).saturating_mul(4)));
        let options = Options::new(properties, schema, &descriptor, statistics_length, metadata)?;
        let leaves = leaves_of(&stored, &shapes)?;
        Ok(Self {
            fields: schema.fields().to_vec(),
            arrow: Arc::new(ArrowSchema::new(fields_to_arrow(&stored)?)),
            options: options.sorted_by(sorting_columns(&sorted_by, &leaves)),
            leaves,
            sorted_by,
            parquet: columns,
            modes,
            stored,
            shredded_by: is_shredded.then_some(rows),
            shapes,
        })
    }

    /// The same, with variants shredded by the types that the first rows of a file have in common.
    ///
    /// Errors: `InvalidData` for bytes that are not a variant, `Unsupported` for unknown types in one.
    pub fn shredded_as(self: &Arc<Self>, rows: &[Piece]) -> Result<Arc<Self>> {
        let Some(most) = self.shredded_by else { return Ok(Arc::clone(self)) };
        let mut shapes = Shapes::new();
        // As in Iceberg Java, variants in structs, lists and maps are not shredded.
        let variants = |(_, field): &(usize, &Field)| field.field_type == Type::Variant;
        for (number, field) in self.stored.iter().enumerate().filter(variants) {
            let shape = Shape::infer(&first_rows(rows, number, most)).context("column", &field.name)?;
            shapes.extend(shape.map(|shape| (field.id, Arc::new(shape))));
        }
        if shapes.is_empty() {
            return Ok(Arc::clone(self));
        }
        let arrow = self.arrow.fields().iter().zip(&self.stored).map(|(arrow, field)| {
            let Some(shape) = shapes.get(&field.id) else { return Arc::clone(arrow) };
            Arc::new(arrow.as_ref().clone().with_data_type(DataType::Struct(shape.fields())))
        });
        let leaves = leaves_of(&self.stored, &shapes)?;
        let sorting_columns = sorting_columns(&self.sorted_by, &leaves);
        Ok(Arc::new(Self {
            arrow: Arc::new(ArrowSchema::new(arrow.collect::<Vec<_>>())),
            options: self.options.sorted_by(sorting_columns),
            leaves,
            parquet: parquet_schema(&self.stored, &shapes)?,
            shapes,
            ..self.as_ref().clone()
        }))
    }

    /// The same, without dictionaries of columns whose values hardly repeat in these rows, and with the fast level of the codec
    /// where it makes them as small.
    pub fn adapted_to(&self, rows: &[RecordBatch], are_all: bool) -> Result<Self> {
        let batches = rows.iter().map(|rows| stored_columns(rows.columns(), &self.fields));
        let batches = batches.collect::<Result<Vec<_>>>()?;
        let plain = without_repetition(&batches, are_all);
        // They are not nested, so each column is a leaf of its name.
        let paths = plain.iter().map(|number| ColumnPath::from(self.arrow.field(*number).name().clone()));
        let mut options = self.options.without_dictionaries(paths);
        // Of few rows, deciding takes longer than it saves.
        if options.may_be_faster && !are_all {
            let levels = [&options.properties, &options.fast()];
            options = options.with_fast(fast_leaves(&self.parquet, &self.arrow, levels, &batches));
        }
        Ok(Self { options, ..self.clone() })
    }

    /// About how many bytes the columns of an open file take, beside their values.
    pub fn column_memory(&self) -> u64 {
        (self.leaves.len() as u64).saturating_mul(COLUMN_MEMORY)
    }

    /// The options of the library, and when row groups end.
    pub fn options(&self) -> &Options {
        &self.options
    }
}

/// The first values of a column of variants, of at most this many rows.
fn first_rows(pieces: &[Piece], column: usize, most: u64) -> Vec<StructArray> {
    let mut left = usize::try_from(most).unwrap_or(usize::MAX);
    let mut first = Vec::new();
    for piece in pieces {
        let rows = piece.rows.min(left);
        left -= rows;
        let column = piece.columns.get(column).and_then(|column| column.as_struct_opt());
        first.extend(column.filter(|_| rows > 0).map(|column| column.slice(0, rows)));
    }
    first
}
