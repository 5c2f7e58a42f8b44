//! In which partition is a file?
//!
//! In: the values of its folders, and the exact bounds of its columns. Out: a value for each field of the spec.
//! Spec: Partitioning; Partition Transforms; Column Projection.
//!
//! Invariant: all rows of the file certainly have the value. Where that is not certain, the file is refused.

use std::collections::BTreeMap;

use floeberg_core::expr::value_of_text;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::value::{Value, single_value};
use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{FileField, FileFields, FileMetrics, field_place};

use super::path_values::PathValues;
use crate::metadata::{PartitionField, PartitionSpec};

/// What a file says of its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileFacts<'a> {
    pub schema: &'a Schema,
    pub fields: &'a FileFields,
    /// Whole bounds, and counts, of its columns.
    pub metrics: &'a FileMetrics,
    pub path_values: &'a PathValues,
}

/// The values of the partition that a file is in, in the order of the spec.
///
/// Errors: `InvalidInput`, naming the column, where rows may be in several partitions or where nothing says in which they are.
pub(super) fn partition_of(spec: &PartitionSpec, facts: FileFacts<'_>) -> Result<Vec<Option<Value>>> {
    let value = |field: &PartitionField| value_of(spec, field, facts).context("partition field", &field.name);
    spec.fields.iter().map(value).collect()
}

/// The text of a folder that rows without the column read as its value, if one is named like the column or like an identity field of
/// it.
///
/// Errors: `InvalidInput` for two folders with different values.
fn text_of<'a>(
    spec: &PartitionSpec,
    id: i32,
    name: &str,
    values: &'a PathValues,
) -> Result<Option<&'a Option<String>>> {
    let is_identity =
        |field: &&PartitionField| field.transform == Transform::Identity && field.source_ids == [id];
    let mut found = None;
    for field in spec.fields.iter().filter(is_identity) {
        for text in [values.get(name), values.get(&field.name)].into_iter().flatten() {
            if found.is_some_and(|found| found != text) {
                return Err(Error::invalid_input(format!(
                    "the folders of the file have two values of the column {name:?}: expected one"
                )));
            }
            found = Some(text);
        }
    }
    Ok(found)
}

fn value_of(spec: &PartitionSpec, field: &PartitionField, facts: FileFacts<'_>) -> Result<Option<Value>> {
    let (transform, id) = match (&field.transform, field.source_ids.as_slice()) {
        (Transform::Void, _) => return Ok(None),
        (Transform::Unknown(_), _) | (_, [] | [_, _, ..]) => {
            return Err(Error::unsupported(format!(
                "the partition field {:?} cannot be computed by this version, so no file can be added",
                field.name
            )));
        }
        (transform, [id]) => (transform, *id),
    };
    let Some(source) = facts.schema.field(id) else {
        return Err(Error::invalid_data(format!("the schema has no column with the id {id}")));
    };
    let name = facts.schema.full_name(id).unwrap_or_default();
    let column = column_of(facts.schema, facts.fields, id)?;
    if let Some(text) = text_of(spec, id, &name, facts.path_values)? {
        if !is_top_level(facts.schema, id) {
            return Err(Error::invalid_input(format!(
                "the folder of the file has a value of the nested column {name:?}, which its rows would not have: write the file \
                 again with the column, outside of such a folder"
            )));
        }
        let said = said_by_path(text.as_deref(), source, &name)?;
        if column.is_some() {
            check_agrees(said.as_ref(), source, &name, facts.metrics)?;
        }
        return said.as_ref().map_or(Ok(None), |value| transform.apply(value));
    }
    if column.is_none() && source.required && source.initial_default.is_none() {
        return Err(Error::invalid_input(format!(
            "the column {name:?} is required, and neither the file nor its folders have it: put the file in a folder such as \
             {name}=..., if the transform is identity, or leave the file out"
        )));
    }
    if column.is_none() {
        // All rows read as its default.
        let default = source.initial_default.as_ref().filter(|_| is_top_level(facts.schema, id));
        return default.map_or(Ok(None), |value| transform.apply(value));
    }
    by_bounds(transform, source, &name, facts.metrics)
}

/// The value that a folder says. Errors: `InvalidInput` for a text that is not of the column's type.
pub(super) fn said_by_path(text: Option<&str>, source: &Field, name: &str) -> Result<Option<Value>> {
    let (Some(text), Type::Primitive(primitive)) = (text, &source.field_type) else {
        if source.required {
            return Err(Error::invalid_input(format!(
                "the folder of the file says that the required column {name:?} is null"
            )));
        }
        return Ok(None);
    };
    let value = value_of_text(text, primitive).map_err(|error| {
        Error::invalid_input(format!(
            "the folder of the file says {text:?} of the column {name:?}, which is of type {primitive}"
        ))
        .caused_by(error)
    })?;
    Ok(Some(value))
}

/// Errors: `InvalidInput` where a column of the file has other values than its folder says, or may have.
pub(super) fn check_agrees(
    said: Option<&Value>,
    source: &Field,
    name: &str,
    metrics: &FileMetrics,
) -> Result<()> {
    let shown = said.map_or_else(|| "null".to_owned(), ToString::to_string);
    let rows = Values::of(source, metrics);
    match (said, &rows) {
        (_, Values::NoRows) | (None, Values::Nulls) => Ok(()),
        (Some(value), Values::Between(lower, upper)) if lower == value && upper == value => Ok(()),
        (_, Values::Unknown) => Err(Error::invalid_input(format!(
            "the folder of the file says that the column {name:?} is {shown}, and the file has the column too, without \
             statistics that prove it: write the file again without the column"
        ))),
        (_, other) => Err(Error::invalid_input(format!(
            "the folder of the file says that the column {name:?} is {shown}, but the file itself has {}: one of them is \
             wrong. Move the file, or write it again without the column",
            other.shown()
        ))),
    }
}

/// The one value of the transform that all rows have.
fn by_bounds(
    transform: &Transform,
    source: &Field,
    name: &str,
    metrics: &FileMetrics,
) -> Result<Option<Value>> {
    let (lower, upper) = match Values::of(source, metrics) {
        Values::NoRows | Values::Nulls => return Ok(None),
        Values::Between(lower, upper) if transform.is_order_preserving() => (lower, upper),
        Values::Between(..) => {
            return Err(Error::invalid_input(format!(
                "the partition of the file is unknown: bounds do not tell the value of {transform} of the column {name:?}. \
                 Append the rows instead"
            )));
        }
        Values::Mixed => {
            return Err(Error::invalid_input(format!(
                "the file has rows in several partitions: the column {name:?} is null in some rows and has values in others. \
                 Write a file for each partition, or append the rows"
            )));
        }
        Values::Unknown => {
            return Err(Error::invalid_input(format!(
                "the partition of the file is unknown: it has no usable statistics of the column {name:?}. Put it in a folder \
                 such as {name}=..., if the transform is identity, or append the rows"
            )));
        }
    };
    let (first, last) = (transform.apply(&lower)?, transform.apply(&upper)?);
    if first == last {
        return Ok(first);
    }
    Err(Error::invalid_input(format!(
        "the file has rows in several partitions: its values of the column {name:?} are between {lower} and {upper}. Write \
         a file for each partition, or append the rows"
    )))
}

/// What is certain of the values of a column.
enum Values {
    NoRows,
    /// All are null.
    Nulls,
    /// Null in some rows, not in others; or NaN.
    Mixed,
    /// No nulls and no NaNs, all between two values.
    Between(Value, Value),
    Unknown,
}

impl Values {
    fn of(source: &Field, metrics: &FileMetrics) -> Self {
        let count = |counts: &Option<BTreeMap<i32, i64>>| counts.as_ref()?.get(&source.id).copied();
        let Type::Primitive(primitive) = &source.field_type else { return Self::Unknown };
        if metrics.record_count == 0 {
            return Self::NoRows;
        }
        let nans = match primitive {
            PrimitiveType::Float | PrimitiveType::Double => count(&metrics.nan_value_counts),
            _ => Some(0),
        };
        match (count(&metrics.null_value_counts), nans) {
            (Some(nulls), _) if nulls == metrics.record_count => return Self::Nulls,
            (Some(0), Some(0)) => {}
            (Some(nulls), Some(nans)) if nulls > 0 || nans > 0 => return Self::Mixed,
            _ => return Self::Unknown,
        }
        let bound = |bounds: &Option<BTreeMap<i32, Vec<u8>>>| {
            single_value::from_bytes(primitive, bounds.as_ref()?.get(&source.id)?).ok()
        };
        match (bound(&metrics.lower_bounds), bound(&metrics.upper_bounds)) {
            (Some(lower), Some(upper)) => Self::Between(lower, upper),
            _ => Self::Unknown,
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::NoRows => "no rows".to_owned(),
            Self::Nulls => "only nulls".to_owned(),
            Self::Mixed => "nulls beside other values".to_owned(),
            Self::Between(lower, upper) if lower == upper => lower.to_string(),
            Self::Between(lower, upper) => format!("values between {lower} and {upper}"),
            Self::Unknown => "values that are not known".to_owned(),
        }
    }
}

/// The column of a file at the path of a column of the table; `None` where the file does not have it.
pub(super) fn column_of<'a>(schema: &Schema, file: &'a FileFields, id: i32) -> Result<Option<&'a FileField>> {
    let mut level = file.fields.as_slice();
    let mut found = None;
    for step in schema.path(id).unwrap_or_default() {
        let Some(column) = field_place(level, step.id)?.and_then(|place| level.get(place)) else {
            return Ok(None);
        };
        level = &column.children;
        found = Some(column);
    }
    Ok(found)
}

fn is_top_level(schema: &Schema, id: i32) -> bool {
    schema.fields().iter().any(|field| field.id == id)
}
