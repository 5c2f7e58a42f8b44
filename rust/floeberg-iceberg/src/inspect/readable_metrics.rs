//! What do the counts and bounds of a file's columns say?
//!
//! In: the maps of metrics by field id. Out: a struct with a struct a column: counts, and bounds in the column's own type.
//! Spec: Data File Fields; Appendix D, Binary single-value serialization.
//!
//! Invariant: a bound that cannot be decoded as the column's type is null, never an error and never another value.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, MapArray, StructArray, UInt32Array};
use arrow_schema::{DataType, Fields};
use arrow_select::take::take;
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{Field, PrimitiveType as P, Schema, StructType, Type};
use floeberg_core::value::geo_bound::GeoBound;
use floeberg_core::value::{Value, arrow::values_to_array, single_value};
use floeberg_core::{Error, Result};

use super::column_order::{java_compare, java_order};
use crate::metadata::EntryMetrics;

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
        let counts = [
            ByColumn::new(&metrics.column_sizes),
            ByColumn::new(&metrics.value_counts),
            ByColumn::new(&metrics.null_value_counts),
            ByColumn::new(&metrics.nan_value_counts),
        ];
        let bounds = [ByColumn::new(&metrics.lower_bounds), ByColumn::new(&metrics.upper_bounds)];
        let structs = self.columns.iter().map(|column| {
            let mut children = Vec::with_capacity(6);
            for count in &counts {
                children.push(count.counts(column.id)?);
            }
            for bound in &bounds {
                children.push(bound.bounds(column.id, &column.field_type)?);
            }
            Ok(Arc::new(struct_of(&column.shown.field_type, children, rows)?) as ArrayRef)
        });
        struct_of(&self.field.field_type, structs.collect::<Result<_>>()?, rows)
    }
}

fn struct_of(struct_type: &Type, children: Vec<ArrayRef>, rows: usize) -> Result<StructArray> {
    let fields: Fields = match type_to_arrow(struct_type)? {
        DataType::Struct(fields) => fields,
        _ => return Err(Error::internal("readable metrics are no struct")),
    };
    StructArray::try_new_with_length(fields, children, None, rows)
        .map_err(|error| Error::internal("readable metrics do not fit").caused_by(error))
}

/// A map of metrics, turned around: by column, the place of each entry's value.
struct ByColumn<'a> {
    written: &'a MapArray,
    places: HashMap<i32, Vec<Option<u32>>>,
}

impl<'a> ByColumn<'a> {
    fn new(written: &'a MapArray) -> Self {
        let mut places: HashMap<i32, Vec<Option<u32>>> = HashMap::new();
        let keys = written.keys().as_primitive::<Int32Type>();
        for (row, ends) in written.offsets().windows(2).enumerate() {
            if written.is_null(row) {
                continue;
            }
            for place in ends[0]..ends[1] {
                let of_column = places.entry(keys.value(place as usize)).or_default();
                of_column.resize(row, None);
                // Where a key stands twice, the later one counts, as in a map that is filled.
                of_column.push(Some(place as u32));
            }
        }
        Self { written, places }
    }

    fn places(&self, column: i32) -> impl Iterator<Item = Option<u32>> {
        let known = self.places.get(&column).map_or(&[][..], Vec::as_slice);
        (0..self.written.len()).map(|row| known.get(row).copied().flatten())
    }

    fn counts(&self, column: i32) -> Result<ArrayRef> {
        let places: UInt32Array = self.places(column).collect();
        take(self.written.values(), &places, None)
            .map_err(|error| Error::internal("the counts of a column").caused_by(error))
    }

    fn bounds(&self, column: i32, field_type: &Type) -> Result<ArrayRef> {
        let written = self.written.values().as_binary::<i32>();
        let decode = |place: u32| {
            let place = place as usize;
            written.is_valid(place).then(|| bound(written.value(place), field_type)).flatten()
        };
        let values: Vec<Option<Value>> = self.places(column).map(|place| place.and_then(decode)).collect();
        let values: Vec<Option<&Value>> = values.iter().map(Option::as_ref).collect();
        values_to_array(&values, field_type)
    }
}

/// A bound as a value of the column's type, if it is one.
fn bound(bytes: &[u8], field_type: &Type) -> Option<Value> {
    let Type::Primitive(primitive) = field_type else { return None };
    match primitive {
        P::Geometry { .. } | P::Geography { .. } => {
            GeoBound::from_bytes(bytes).ok().map(|corner| Value::Binary(corner.to_wkb()))
        }
        // A bound may be shorter than the column's values, and a shorter value is none of the column's type.
        P::Fixed(length) if bytes.len() != *length as usize => None,
        _ => single_value::from_bytes(primitive, bytes).ok(),
    }
}
