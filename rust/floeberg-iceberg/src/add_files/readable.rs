//! Can the values of a file be read as those of the table, where its footer does not prove it?
//!
//! In: an open file, the metrics of all of its columns, and the table's schema. Out: nothing, or the error that every scan would end in.
//! Spec: Schemas (required fields); Schema Evolution (promotion).
//!
//! Invariant: a column is read only if neither counts nor bounds prove that it has no null where none may be, and no value that the
//! table's type does not have.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use floeberg_core::{Cancel, Error, Result};
use floeberg_files::{
    FileConstants, FileField, FileFields, FileFilter, FileMetrics, FileReader, Projection, UnitRequest,
    field_place,
};

/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 8192;

/// Reads the columns of which nothing is proven.
///
/// Errors: `InvalidInput` for a null in a required column, `InvalidData` for a value that the table's type does not have.
pub(super) fn check_readable(
    file: &Arc<dyn FileReader>,
    schema: &Schema,
    metrics: &FileMetrics,
    cancel: &Cancel,
) -> Result<()> {
    let mut doubtful = Vec::new();
    for field in schema.fields() {
        let Some(column) = column_of(file.fields(), field)? else { continue };
        if is_doubtful(field, column, metrics)? {
            doubtful.push(field.clone());
        }
    }
    if doubtful.is_empty() { Ok(()) } else { read(file, &doubtful, cancel) }
}

fn read(file: &Arc<dyn FileReader>, columns: &[Field], cancel: &Cancel) -> Result<()> {
    // Nulls are looked for here: what to do about them is known here.
    let projected = Schema::new(0, columns.iter().map(optional).collect())?;
    let projection =
        Arc::new(Projection::new(&projected, file.fields(), &FileConstants::new(BTreeMap::new()))?);
    let units = file.units(None, &FileFilter::All);
    let file = Arc::clone(file).prepared(&units, &projection, &FileFilter::All)?;
    let deletes = Arc::default();
    for unit in &units {
        let request = UnitRequest {
            unit,
            projection: &projection,
            deletes: &deletes,
            predicate: None,
            batch_rows: BATCH_ROWS,
            cancel,
            counts: None,
        };
        for batch in Arc::clone(&file).read(&request)? {
            let batch = batch?;
            for (field, array) in columns.iter().zip(batch.columns()) {
                if let Some(name) = null_in_required(field, array, None) {
                    return Err(nulls_in_required(&name, None));
                }
            }
        }
    }
    Ok(())
}

/// A field of which every part may be null, but keys of maps.
fn optional(field: &Field) -> Field {
    let field_type = match &field.field_type {
        Type::Struct(fields) => {
            Type::Struct(StructType { fields: fields.fields.iter().map(optional).collect() })
        }
        Type::List(list) => Type::List(Box::new(ListType { element: optional(&list.element) })),
        Type::Map(map) => Type::Map(Box::new(MapType { key: map.key.clone(), value: optional(&map.value) })),
        other => other.clone(),
    };
    Field { required: false, field_type, ..field.clone() }
}

/// The name of a required part of a column that is null where its parent is not.
fn null_in_required(field: &Field, array: &ArrayRef, parent: Option<&NullBuffer>) -> Option<String> {
    let own = array.logical_nulls();
    let is_null = |row: usize| own.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let is_there = |row: usize| parent.is_none_or(|parent| parent.is_valid(row));
    if field.required && (0..array.len()).any(|row| is_null(row) && is_there(row)) {
        return Some(field.name.clone());
    }
    let below = match &field.field_type {
        Type::Struct(fields) => {
            let there = NullBuffer::union(parent, own.as_ref());
            let mut children = fields.fields.iter().zip(array.as_struct_opt()?.columns());
            children.find_map(|(field, child)| null_in_required(field, child, there.as_ref()))
        }
        Type::List(list) => null_in_required(&list.element, array.as_list_opt::<i32>()?.values(), None),
        Type::Map(map) => null_in_required(&map.value, array.as_map_opt()?.values(), None),
        _ => None,
    };
    below.map(|below| format!("{}.{below}", field.name))
}

/// The error for nulls in a required column, as many as are known.
pub(super) fn nulls_in_required(name: &str, count: Option<i64>) -> Error {
    let found = count.map_or_else(|| "nulls".to_owned(), |count| format!("{count} nulls"));
    Error::invalid_input(format!(
        "the column {name:?} is required, and the file has {found} in it: make it optional first, or leave the file out"
    ))
}

fn column_of<'a>(file: &'a FileFields, field: &Field) -> Result<Option<&'a FileField>> {
    Ok(field_place(&file.fields, field.id)?.and_then(|place| file.fields.get(place)))
}

/// Might a scan of a column end in an error?
fn is_doubtful(field: &Field, column: &FileField, metrics: &FileMetrics) -> Result<bool> {
    let count = |counts: &Option<BTreeMap<i32, i64>>| counts.as_ref()?.get(&field.id).copied();
    let nulls = count(&metrics.null_value_counts);
    if metrics.record_count == 0 || nulls == Some(metrics.record_count) && !field.required {
        return Ok(false);
    }
    if field.required && nulls != Some(0) {
        return Ok(true);
    }
    match &field.field_type {
        Type::Primitive(primitive) => {
            let has = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| {
                bounds.as_ref().is_some_and(|bounds| bounds.contains_key(&field.id))
            };
            let is_bounded = has(&metrics.lower_bounds) && has(&metrics.upper_bounds);
            Ok(match may_not_fit(primitive, &column.data_type) {
                Fit::Always => false,
                Fit::InRange => !is_bounded,
                Fit::Unknown => true,
            })
        }
        Type::Struct(fields) => any_doubtful(&fields.fields, column, metrics),
        Type::List(list) => any_doubtful(std::slice::from_ref(&list.element), column, metrics),
        // Keys are never null, in files too.
        Type::Map(map) => any_doubtful(std::slice::from_ref(&map.value), column, metrics),
        Type::Variant | Type::Unrecognized(_) => Ok(false),
    }
}

fn any_doubtful(fields: &[Field], column: &FileField, metrics: &FileMetrics) -> Result<bool> {
    for field in fields {
        let found = field_place(&column.children, field.id)?.and_then(|place| column.children.get(place));
        if let Some(found) = found
            && is_doubtful(field, found, metrics)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Does every value of a file have one of the table's type?
enum Fit {
    Always,
    /// Those between two bounds that have one.
    InRange,
    Unknown,
}

fn may_not_fit(wanted: &PrimitiveType, stored: &DataType) -> Fit {
    match (wanted, stored) {
        (PrimitiveType::String, DataType::Binary | DataType::LargeBinary | DataType::BinaryView) => {
            Fit::Unknown
        }
        (PrimitiveType::Long, DataType::UInt64) => Fit::InRange,
        (
            PrimitiveType::Timestamp | PrimitiveType::Timestamptz,
            DataType::Timestamp(TimeUnit::Second | TimeUnit::Millisecond, _),
        ) => Fit::InRange,
        (PrimitiveType::TimestampNs, DataType::Date32) => Fit::InRange,
        _ => Fit::Always,
    }
}
