//! How do columns of a source become columns that everything can read, or that every table can have?
//!
//! In: dictionaries, views, runs, and lists of one length. Out: the same values, each stored by itself.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use floeberg_core::{Error, Result};

use super::fields::{element, entries, without_extension};
use super::values::cast_nullable;

/// The schema with plain types, at every depth.
///
/// `keeps_dictionaries`: dictionaries of texts, bytes, numbers and bools stay, as tables have them. Those of views become
/// dictionaries of large texts and bytes.
pub fn plain_schema(schema: &Schema, keeps_dictionaries: bool) -> Schema {
    let fields: Vec<_> = schema.fields().iter().map(|field| plain_field(field, keeps_dictionaries)).collect();
    Schema::new_with_metadata(fields, schema.metadata().clone())
}

/// The rows with the types of a plain schema, by their places.
///
/// Errors: `InvalidInput` for a column that cannot be converted.
pub fn plain_batch(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch> {
    let given = batch.schema_ref().fields();
    if given.len() != schema.fields().len() {
        return Err(Error::invalid_input(format!(
            "expected batches of {} columns, found one of {}",
            schema.fields().len(),
            given.len()
        )));
    }
    let columns = batch.columns().iter().zip(given).zip(schema.fields());
    let columns = columns.map(|((column, from), to)| cast_nullable(to.name(), column, from, to));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
        .map_err(|failure| Error::invalid_input("the columns of a batch do not fit").caused_by(failure))
}

fn plain_field(field: &FieldRef, keeps: bool) -> FieldRef {
    let kind = field.data_type();
    let made = plain(kind, keeps);
    if made == *kind {
        return Arc::clone(field);
    }
    // Whose storage is another one has the extension no more. Texts and bytes are the same ones.
    let is_same = matches!(kind, DataType::Utf8View | DataType::BinaryView | DataType::Struct(_));
    let named = if is_same { Field::clone(field) } else { without_extension(field) };
    Arc::new(named.with_data_type(made))
}

fn plain(kind: &DataType, keeps: bool) -> DataType {
    use DataType as T;
    match kind {
        T::RunEndEncoded(_, values) => plain(values.data_type(), keeps),
        T::Dictionary(keys, values) => {
            let values = plain(values, keeps);
            if keeps && can_be_shared(&values) {
                T::Dictionary(keys.clone(), Box::new(values))
            } else {
                values
            }
        }
        T::Struct(fields) => T::Struct(fields.iter().map(|field| plain_field(field, keeps)).collect()),
        T::Map(entries_field, _) if entries(kind).is_some() => {
            T::Map(plain_field(entries_field, keeps), false)
        }
        T::FixedSizeList(field, size) if *size > 0 && has_one_size(field.data_type()) => {
            T::FixedSizeList(plain_field(field, keeps), *size)
        }
        T::LargeList(field) | T::LargeListView(field) => T::LargeList(plain_field(field, keeps)),
        T::Decimal32(precision, scale) | T::Decimal64(precision, scale) => T::Decimal128(*precision, *scale),
        T::Utf8View => T::LargeUtf8,
        T::BinaryView => T::LargeBinary,
        _ => match element(kind) {
            Some(field) => T::List(plain_field(field, keeps)),
            None => kind.clone(),
        },
    }
}

/// Do tables have dictionaries of such values?
fn can_be_shared(values: &DataType) -> bool {
    use DataType as T;
    matches!(values, T::Utf8 | T::LargeUtf8 | T::Binary | T::LargeBinary | T::Boolean)
        || values.is_integer()
        || values.is_floating()
}

/// Do tables have lists of one length of such elements? Others become lists of any length.
fn has_one_size(element: &DataType) -> bool {
    use DataType as T;
    match element {
        T::FixedSizeList(field, size) => *size > 0 && has_one_size(field.data_type()),
        T::Decimal32(..) | T::Decimal64(..) => false,
        T::Boolean | T::FixedSizeBinary(_) => true,
        other => other.is_primitive(),
    }
}
