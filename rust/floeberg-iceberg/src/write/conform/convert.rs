//! How is an array converted to the type of the table?
//!
//! Invariant: nulls occur only where the table allows them, at every level. An error names the row of the first other null.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Decimal256Type};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray, new_null_array};
use arrow_buffer::{NullBuffer, i256};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_schema::DataType;
use arrow_select::take::take;
use floeberg_core::Error;
use floeberg_core::arrow_values::{first_non_utf8, to_array};
use floeberg_core::value::decimal;

use super::bytes::with_short_offsets;
use super::checked::{check_places, check_variants, narrowed};
use super::fault::Fault;
use super::fixed_bytes::{sized, uuids_of_text};
use super::lists::Lists;
use super::step::{Column, Leaf, Source, Step};
use super::timestamps::rescaled;

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
            let built = ListArray::try_new(Arc::clone(field), lists.offsets, elements, lists.nulls)?;
            Ok(Arc::new(built))
        }
        (Step::Map(entry), DataType::Map(entries, is_sorted)) => {
            let maps = array.as_map_opt().ok_or_else(|| unexpected(array, column))?;
            let DataType::Struct(fields) = entries.data_type() else {
                return Err(unexpected(array, column).into());
            };
            let lists = Lists::of_maps(maps)?;
            let pairs = lists.elements.as_struct().columns().to_vec();
            let children =
                entry.iter().map(|each| below(each, &lists, &pairs)).collect::<Result<Vec<_>, _>>()?;
            let pairs = StructArray::try_new(fields.clone(), children, None)?;
            let entries = Arc::clone(entries);
            Ok(Arc::new(MapArray::try_new(entries, lists.offsets, pairs, lists.nulls, *is_sorted)?))
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
    if let Some(row) = first_non_utf8(array) {
        return Err(Fault::At { row, column: name.to_owned(), why: "is not UTF-8".to_owned() });
    }
    match leaf {
        Leaf::Same => Ok(Arc::clone(array)),
        Leaf::Narrowed => narrowed(array, target, mask, name),
        Leaf::Wkb => {
            let same = if array.data_type() == target {
                Arc::clone(array)
            } else {
                with_short_offsets(array, target)?
            };
            check_places(&same, mask, name)?;
            Ok(same)
        }
        Leaf::Widened => {
            check_width(array, name)?;
            let options = CastOptions { safe: false, ..CastOptions::default() };
            let widened = cast_with_options(array, target, &options).map_err(|failure| {
                Error::invalid_input("a value does not fit its column")
                    .with("column", name)
                    .caused_by(failure)
            })?;
            check_digits(&widened, mask, name)?;
            Ok(widened)
        }
        Leaf::Decimal => {
            check_digits(array, mask, name)?;
            Ok(Arc::clone(array))
        }
        Leaf::UuidText => uuids_of_text(array, mask, name),
        Leaf::Sized => sized(array, target, mask, name),
        Leaf::Bytes => with_short_offsets(array, target),
        Leaf::Moment { times, divided } => rescaled(array, [times, divided], target, mask, name),
    }
}

/// The cast of a decimal of 256 bits to one of 128 panics where a value has more bits than its type allows.
fn check_width(array: &ArrayRef, name: &str) -> Result<(), Fault> {
    let Some(decimals) = array.as_primitive_opt::<Decimal256Type>() else { return Ok(()) };
    let is_wide = |value: Option<i256>| value.is_some_and(|value| value.to_i128().is_none());
    match decimals.iter().position(is_wide) {
        None => Ok(()),
        Some(row) => {
            Err(Fault::At { row, column: name.to_owned(), why: "has more than 38 digits".to_owned() })
        }
    }
}

/// Arrow allows a decimal more digits than its type has, and files would cut them off.
fn check_digits(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let DataType::Decimal128(precision, _) = array.data_type() else { return Ok(()) };
    let decimals = array.as_primitive::<Decimal128Type>();
    let used = NullBuffer::union(decimals.nulls(), mask);
    let is_used = |row: usize| used.as_ref().is_none_or(|used| used.is_valid(row));
    let wrong = decimals
        .values()
        .iter()
        .enumerate()
        .find(|(row, value)| !decimal::fits(**value, *precision) && is_used(*row));
    match wrong {
        None => Ok(()),
        Some((row, _)) => {
            Err(Fault::At { row, column: name.to_owned(), why: format!("has more than {precision} digits") })
        }
    }
}

fn check_required(array: &ArrayRef, mask: Option<&NullBuffer>, name: &str) -> Result<(), Fault> {
    let Some(nulls) = array.logical_nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(()) };
    let first =
        (0..nulls.len()).find(|row| nulls.is_null(*row) && mask.is_none_or(|mask| mask.is_valid(*row)));
    match first {
        None => Ok(()),
        Some(row) => Err(Fault::At {
            row,
            column: name.to_owned(),
            why: "is null, and the column is required: fill it, or make the column optional".to_owned(),
        }),
    }
}

/// The values of dictionaries and runs.
fn written_out(array: &ArrayRef) -> Result<ArrayRef, Fault> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            written_out(&take(dictionary.values(), dictionary.keys(), None)?)
        }
        DataType::RunEndEncoded(_, values) => {
            written_out(&cast_with_options(array, values.data_type(), &CastOptions::default())?)
        }
        _ => Ok(Arc::clone(array)),
    }
}

fn unexpected(array: &ArrayRef, column: &Column) -> Error {
    Error::invalid_input(format!("a batch does not match its schema: a column is {}", array.data_type()))
        .with("column", &column.name)
}
