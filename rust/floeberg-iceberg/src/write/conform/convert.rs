//! How is an array converted to the type of the table?
//!
//! Invariant: nulls occur only where the table allows them, at every level. An error names the row of the first other null.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use floeberg_core::Error;
use floeberg_core::arrow_values::to_array;
use floeberg_rows::{Conversion, Fault, Lists, Why, convert as cast, written_out};

use super::checked::{check_places, check_variants};
use super::step::{Column, Leaf, Source, Step};

/// A column of so many rows, from the columns of its parent. `mask` marks the rows in which the parent is not null.
pub(super) fn convert_column(
    column: &Column,
    input: &[ArrayRef],
    rows: usize,
    mask: Option<&NullBuffer>,
) -> Result<ArrayRef, Fault> {
    match &column.source {
        Source::Filled(value, field_type) => Ok(to_array(value.as_ref(), field_type, rows)?),
        Source::Input(number, step) => {
            let array = input.get(*number).ok_or_else(|| {
                Error::invalid_input("a batch has fewer columns than its schema").with("column", &column.name)
            })?;
            let array = written_out(array)?;
            if !column.target.is_nullable() {
                check_required(&array, mask, &column.name)?;
            }
            convert(step, &array, column, mask)
        }
    }
}

fn convert(
    step: &Step,
    array: &ArrayRef,
    column: &Column,
    mask: Option<&NullBuffer>,
) -> Result<ArrayRef, Fault> {
    let target = column.target.data_type();
    match (step, target) {
        (Step::Null, _) => Ok(new_null_array(target, array.len())),
        (Step::Leaf(leaf), _) => convert_leaf(*leaf, array, target, mask, &column.name),
        (Step::Struct(fields) | Step::Variant(fields), DataType::Struct(targets)) => {
            let parent = array.as_struct_opt().ok_or_else(|| unexpected(array, column))?;
            let is_there = NullBuffer::union(mask, parent.nulls());
            let children = fields
                .iter()
                .map(|field| convert_column(field, parent.columns(), parent.len(), is_there.as_ref()))
                .collect::<Result<Vec<_>, _>>()?;
            let nulls = parent.nulls().cloned();
            let made = StructArray::try_new_with_length(targets.clone(), children, nulls, parent.len())?;
            if matches!(step, Step::Variant(_)) {
                check_variants(&made, is_there.as_ref(), &column.name)?;
            }
            Ok(Arc::new(made))
        }
        (Step::List(element), DataType::List(field)) => {
            let lists = Lists::of(array)?;
            let elements = below(element, &lists, std::slice::from_ref(&lists.elements))?;
            let offsets = lists.short_offsets()?;
            let built = ListArray::try_new(Arc::clone(field), offsets, elements, lists.nulls)?;
            Ok(Arc::new(built))
        }
        (Step::Map(entry), DataType::Map(entries, is_sorted)) => {
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(unexpected(array, column).into());
            };
            let lists = Lists::of(array)?;
            let pairs = lists.elements.as_struct().columns().to_vec();
            let children =
                entry.iter().map(|each| below(each, &lists, &pairs)).collect::<Result<Vec<_>, _>>()?;
            let pairs = StructArray::try_new(fields.clone(), children, None)?;
            let entries = Arc::clone(entries);
            let offsets = lists.short_offsets()?;
            Ok(Arc::new(MapArray::try_new(entries, offsets, pairs, lists.nulls, *is_sorted)?))
        }
        (Step::Shredded(layout), DataType::Struct(fields)) => {
            let group = array.as_struct_opt().ok_or_else(|| unexpected(array, column))?;
            let made =
                layout.read(group, fields).map_err(|error| error.of_input().with("column", &column.name))?;
            let is_there = NullBuffer::union(mask, made.nulls());
            check_variants(&made, is_there.as_ref(), &column.name)?;
            Ok(Arc::new(made))
        }
        _ => Err(unexpected(array, column).into()),
    }
}

/// Elements, keys or values; a fault has the row of its list.
fn below(column: &Column, lists: &Lists, input: &[ArrayRef]) -> Result<ArrayRef, Fault> {
    convert_column(column, input, lists.elements.len(), None)
        .map_err(|fault| fault.in_row(|element| lists.row_of(element)))
}

fn convert_leaf(
    leaf: Leaf,
    array: &ArrayRef,
    target: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    match leaf {
        Leaf::Cast(conversion) => cast(conversion, array, target, mask, name),
        Leaf::Wkb => {
            let is_same = array.data_type() == target;
            let conversion = if is_same { Conversion::Same } else { Conversion::Bytes };
            let places = cast(conversion, array, target, mask, name)?;
            check_places(&places, mask, name)?;
            Ok(places)
        }
    }
}

fn check_required(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(()) };
    let first =
        (0..nulls.len()).find(|row| nulls.is_null(*row) && mask.is_none_or(|mask| mask.is_valid(*row)));
    match first {
        None => Ok(()),
        Some(row) => Err(Fault::At { row, column: name.to_owned(), why: Why::Null }),
    }
}

fn unexpected(array: &ArrayRef, column: &Column) -> Error {
    Error::invalid_input(format!("a batch does not match its schema: a column is {}", array.data_type()))
        .with("column", &column.name)
}
