//! How are the counts and bounds of a file's columns shown?
//!
//! In: the maps of metrics by field id. Out: a struct with one struct per column: counts, and bounds in the column's own type.
//! Spec: Data File Fields; Appendix D, Binary single-value serialization.
//!
//! Invariant: a bound that cannot be decoded as the column's type is null, never an error and never another value.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::{DataType, Fields};
use floeberg_core::arrow_values::values_to_array;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType as P, Schema, StructType, Type};
use floeberg_core::value::geo_bound::GeoBound;
use floeberg_core::value::{Value, single_value};
use floeberg_core::{Error, Result};

use super::column_order::{java_compare, java_order};
use crate::manifest::{EntryMetrics, MetricsByColumn};

/// The column `readable_metrics` of a table.
#[derive(Debug)]
pub(super) struct ReadableMetrics {
    field: Field,
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// The column of the table.
    id: i32,
    field_type: Type,
    /// The column's struct of metrics.
    shown: Field,
}

impl ReadableMetrics {
    /// Of a table's primitive columns, at every level; numbered from above `highest_id`.
    pub(super) fn new(schema: &Schema, highest_id: i32) -> Result<Self> {
        let mut last = highest_id;
        let mut next = || {
            last =
                last.checked_add(1).ok_or_else(|| Error::invalid_data("no field id is left for metrics"))?;
            Ok::<_, Error>(last)
        };
        let mut columns = Vec::new();
        for (name, field) in java_order(schema) {
            if !matches!(field.field_type, Type::Primitive(_)) {
                continue;
            }
            let id = next()?;
            let count = || Type::Primitive(P::Long);
            let bound = || field.field_type.clone();
            let metrics = [
                ("column_size", count()),
                ("value_count", count()),
                ("null_value_count", count()),
                ("nan_value_count", count()),
                ("lower_bound", bound()),
                ("upper_bound", bound()),
            ];
            let fields = metrics.into_iter().map(|(name, metric)| Ok(Field::optional(next()?, name, metric)));
            let fields = StructType { fields: fields.collect::<Result<_>>()? };
            let shown = Field::optional(id, name, Type::Struct(fields));
            columns.push(Column { id: field.id, field_type: field.field_type.clone(), shown });
        }
        let id = next()?;
        columns.sort_by(|left, right| java_compare(&left.shown.name, &right.shown.name));
        let fields = StructType { fields: columns.iter().map(|column| column.shown.clone()).collect() };
        Ok(Self { field: Field::optional(id, "readable_metrics", Type::Struct(fields)), columns })
    }

    pub(super) fn field(&self) -> &Field {
        &self.field
    }

    /// The metrics of every entry.
    pub(super) fn column(&self, metrics: &EntryMetrics) -> Result<StructArray> {
        let rows = metrics.column_sizes.len();
        let all = |written| MetricsByColumn::new(written, |_| true);
        let counts = [
            all(&metrics.column_sizes),
            all(&metrics.value_counts),
            all(&metrics.null_value_counts),
            all(&metrics.nan_value_counts),
        ];
        let bounds = [all(&metrics.lower_bounds), all(&metrics.upper_bounds)];
        let structs = self.columns.iter().map(|column| {
            let mut children = Vec::with_capacity(6);
            for count in &counts {
                children.push(count.values(column.id)?);
            }
            for bound in &bounds {
                children.push(bounds_of(bound, column)?);
            }
            Ok(Arc::new(struct_of(&column.shown.field_type, children, rows)?) as ArrayRef)
        });
        struct_of(&self.field.field_type, structs.collect::<Result<_>>()?, rows)
    }
}

fn struct_of(struct_type: &Type, children: Vec<ArrayRef>, rows: usize) -> Result<StructArray> {
    let fields: Fields = match type_to_arrow(struct_type)? {
        DataType::Struct(fields) => fields,
        _ => return Err(Error::internal("readable metrics are not a struct")),
    };
    StructArray::try_new_with_length(fields, children, None, rows)
        .map_err(|error| Error::internal("readable metrics do not fit their column").caused_by(error))
}

fn bounds_of(bounds: &MetricsByColumn<'_>, column: &Column) -> Result<ArrayRef> {
    let written = bounds.values(column.id)?;
    let written = written.as_binary::<i32>();
    let values: Vec<Option<Value>> =
        written.iter().map(|bytes| bytes.and_then(|bytes| bound(bytes, &column.field_type))).collect();
    let values: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
    values_to_array(&values, &column.field_type)
}

/// A bound as a value of the column's type, if it is one.
fn bound(bytes: &[u8], field_type: &Type) -> Option<Value> {
    let Type::Primitive(primitive) = field_type else { return None };
    match primitive {
        P::Geometry { .. } | P::Geography { .. } => {
            GeoBound::from_bytes(bytes).ok().map(|corner| Value::Binary(corner.to_wkb()))
        }
        // A bound may be shorter than the column's values, and then is not a value of the column's type.
        P::Fixed(length) if bytes.len() != *length as usize => None,
        _ => single_value::from_bytes(primitive, bytes).ok(),
    }
}
