//! Which counts and bounds do the rows of a file have?
//!
//! In: a file, and its columns that stand in no list and no map. Out: their values, nulls and NaNs, and the least and the greatest value.
//! Spec: Field-level Metrics and Statistics; Bound serialization.
//!
//! Invariant: NaN is in no bounds. Memory holds a batch. Uuids have no bounds: Iceberg Java orders them otherwise.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array as _, ArrayRef, Float32Array, Float64Array, StructArray};
use arrow_ord::sort::{SortOptions, sort_to_indices};
use arrow_schema::DataType;
use floeberg_core::arrow_values::{column_in_structs, from_array};
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, PrimitiveType, Schema, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::{Cancel, Error, Result};
use floeberg_files::{FileConstants, FileFilter, FileReader, Projection, UnitRequest};

use crate::check::present;

/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;

/// A column, by its rows.
#[derive(Debug, Clone)]
pub(super) struct ColumnValues {
    pub(super) id: i32,
    pub(super) field_type: Type,
    /// Where it is in a batch.
    path: Vec<usize>,
    pub(super) values: i64,
    pub(super) nulls: i64,
    pub(super) nans: i64,
    pub(super) least: Option<Value>,
    pub(super) most: Option<Value>,
}

/// The columns of a file, by its rows: those that are chosen by their ids.
///
/// Errors: `InvalidData` for a damaged file; `Unsupported`; those of the store.
pub(super) fn column_values(
    file: &Arc<dyn FileReader>,
    schema: &Schema,
    is_chosen: impl Fn(i32) -> bool,
    cancel: &Cancel,
) -> Result<Vec<ColumnValues>> {
    let wanted = present(schema, file.as_ref())?;
    let mut columns = Vec::new();
    for (place, field) in wanted.fields().iter().enumerate() {
        add_columns(field, vec![place], &is_chosen, &mut columns);
    }
    if columns.is_empty() {
        return Ok(columns);
    }
    let projection = Arc::new(Projection::new(&wanted, file.fields(), &FileConstants::default())?);
    let deletes = Arc::new(DeletedRows::default());
    let units = file.units(None, &FileFilter::All);
    let file = Arc::clone(file).prepared(&units, &projection, &FileFilter::All)?;
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
            cancel.check()?;
            let whole: ArrayRef = Arc::new(StructArray::from(batch?));
            for column in &mut columns {
                column.add(&column_in_structs(&whole, &column.path)?)?;
            }
        }
    }
    Ok(columns)
}

fn add_columns(
    field: &Field,
    path: Vec<usize>,
    is_chosen: &impl Fn(i32) -> bool,
    columns: &mut Vec<ColumnValues>,
) {
    match &field.field_type {
        Type::Primitive(_) if is_chosen(field.id) => columns.push(ColumnValues {
            id: field.id,
            field_type: field.field_type.clone(),
            path,
            values: 0,
            nulls: 0,
            nans: 0,
            least: None,
            most: None,
        }),
        Type::Struct(fields) => {
            for (place, child) in fields.fields.iter().enumerate() {
                add_columns(child, path.iter().copied().chain([place]).collect(), is_chosen, columns);
            }
        }
        _ => {}
    }
}

impl ColumnValues {
    fn add(&mut self, array: &ArrayRef) -> Result<()> {
        self.values += array.len() as i64;
        self.nulls += array.logical_null_count() as i64;
        let compared: ArrayRef = match array.data_type() {
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                let numbers: Float32Array =
                    values.iter().map(|value| value.filter(|value| !value.is_nan())).collect();
                self.nans += (numbers.null_count() - values.null_count()) as i64;
                Arc::new(numbers)
            }
            DataType::Float64 => {
                let values = array.as_primitive::<Float64Type>();
                let numbers: Float64Array =
                    values.iter().map(|value| value.filter(|value| !value.is_nan())).collect();
                self.nans += (numbers.null_count() - values.null_count()) as i64;
                Arc::new(numbers)
            }
            _ if self.has_bounds() => Arc::clone(array),
            _ => return Ok(()),
        };
        for descending in [false, true] {
            let order = SortOptions { descending, nulls_first: false };
            let first = sort_to_indices(&compared, Some(order), Some(1))
                .map_err(|error| Error::internal("values of a column are ordered").caused_by(error))?;
            let Some(first) = first.values().first() else { continue };
            let Some(value) = from_array(compared.as_ref(), *first as usize, &self.field_type)? else {
                continue;
            };
            let (best, wanted) = if descending {
                (&mut self.most, Ordering::Greater)
            } else {
                (&mut self.least, Ordering::Less)
            };
            if best.as_ref().is_none_or(|best| compare(&value, best) == Some(wanted)) {
                *best = Some(value);
            }
        }
        Ok(())
    }

    fn has_bounds(&self) -> bool {
        use PrimitiveType as P;
        let Type::Primitive(primitive) = &self.field_type else { return false };
        !matches!(primitive, P::Uuid | P::Unknown | P::Geometry { .. } | P::Geography { .. })
    }
}
