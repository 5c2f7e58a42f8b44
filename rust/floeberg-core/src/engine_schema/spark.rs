//! Which Arrow types does Spark accept from a data source?
//!
//! In: a table's schema. Out: the Arrow schema that Spark checks batches against, and batches of it.
//! Spark: `to_arrow_schema` of 4.0 to 4.3, with the time zone `UTC`.
//!
//! Invariant: types, order and nullability are Spark's at every level, without field metadata except Spark's mark of a variant.
//! Nothing is lost unless requested: a column that Spark has no type for is an error that names the column.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field as ArrowField, Fields, SchemaRef, TimeUnit};

use super::convert::convert;
use super::variant;
use crate::error::{Error, Result};
use crate::schema::arrow::type_to_arrow;
use crate::schema::{Field, PrimitiveType, Schema, Type};

/// The form in which Spark takes batches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SparkSchema {
    /// Whether timestamps of nanoseconds are rounded down to microseconds, instead of being refused.
    pub truncate_nanoseconds: bool,
}

impl SparkSchema {
    /// The Arrow schema of a table's schema.
    ///
    /// UUIDs are strings, `fixed`, geometry and geography are binary, times count nanoseconds, variants are marked as
    /// Spark's; all else has the type that it has in the table's form. Errors: `Unsupported`, naming the column and saying what to do, for a type that
    /// Spark does not have.
    pub fn schema(self, schema: &Schema) -> Result<arrow_schema::Schema> {
        Ok(arrow_schema::Schema::new(self.fields(schema.fields(), "")?))
    }

    /// A batch of the table's form in a schema that [`SparkSchema::schema`] gave.
    ///
    /// Columns whose type stays are shared, not copied. Errors: `InvalidData` for an invalid time of day, `LimitExceeded`
    /// for a column that 32-bit offsets cannot hold, `Internal` for a batch of another schema.
    pub fn batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
        let fields = schema.fields();
        if fields.len() != batch.num_columns() {
            return Err(Error::internal(format!(
                "a batch has {} columns, expected {}",
                batch.num_columns(),
                fields.len()
            )));
        }
        let columns = fields
            .iter()
            .zip(batch.columns())
            .map(|(field, column)| {
                convert(column, field.data_type()).map_err(|error| error.with("column", field.name()))
            })
            .collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options).map_err(|error| {
            Error::invalid_data(format!("a column does not fit the table's schema: {error}"))
        })
    }

    fn fields(self, fields: &[Field], parent: &str) -> Result<Fields> {
        fields.iter().map(|field| self.field(field, &field.name, parent)).collect()
    }

    fn field(self, field: &Field, name: &str, parent: &str) -> Result<ArrowField> {
        let path = if parent.is_empty() { field.name.clone() } else { format!("{parent}.{}", field.name) };
        let data_type = self.data_type(&field.field_type, &path)?;
        let nullable = !field.required || data_type == DataType::Null;
        Ok(ArrowField::new(name, data_type, nullable))
    }

    fn data_type(self, field_type: &Type, path: &str) -> Result<DataType> {
        Ok(match field_type {
            Type::Primitive(primitive) => self.primitive(primitive, path)?,
            Type::Struct(fields) => DataType::Struct(self.fields(&fields.fields, path)?),
            Type::List(list) => DataType::List(Arc::new(self.field(&list.element, "element", path)?)),
            Type::Map(map) => {
                let (key, value) =
                    (self.field(&map.key, "key", path)?, self.field(&map.value, "value", path)?);
                let entries = DataType::Struct(Fields::from(vec![key.with_nullable(false), value]));
                DataType::Map(Arc::new(ArrowField::new("entries", entries, false)), false)
            }
            Type::Variant => DataType::Struct(variant::fields()),
            Type::Unrecognized(_) => type_to_arrow(field_type).map_err(|error| error.with("column", path))?,
        })
    }

    fn primitive(self, primitive: &PrimitiveType, path: &str) -> Result<DataType> {
        use PrimitiveType as P;
        Ok(match primitive {
            P::Uuid => DataType::Utf8,
            P::Fixed(_) => DataType::Binary,
            P::Time => DataType::Time64(TimeUnit::Nanosecond),
            P::TimestampNs | P::TimestamptzNs if !self.truncate_nanoseconds => {
                let advice = "leave it out of the selected columns, or ask for timestamps of nanoseconds to be truncated \
                              to microseconds";
                return Err(refused(&primitive.clone().into(), path, advice));
            }
            P::TimestampNs => type_to_arrow(&P::Timestamp.into())?,
            P::TimestamptzNs => type_to_arrow(&P::Timestamptz.into())?,
            other => type_to_arrow(&other.clone().into())?,
        })
    }
}

fn refused(field_type: &Type, path: &str, advice: &str) -> Error {
    Error::unsupported(format!("PySpark has no type for {field_type}: {advice}")).with("column", path)
}
