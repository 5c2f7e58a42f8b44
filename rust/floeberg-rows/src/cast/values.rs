//! How do values become those of a column's type?
//!
//! In: an array of any form that Arrow has. Out: the same values in the type of a column, at every depth.
//!
//! Invariant: values are converted only where none changes: numbers to numbers that hold them, times to another unit,
//! dictionaries, runs and views to what they stand for. Fields of structs are found by their names, and those that are
//! missing are null. Of what is null, nothing below is looked at.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, LargeListArray, LargeListViewArray, ListArray,
    ListViewArray, MapArray, StructArray, UInt64Array, new_null_array,
};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::nullif::nullif;
use arrow_select::take::take;
use floeberg_core::{Error, Result};

use super::dictionary::encoded;
use super::fault::{Fault, Why};
use super::fields::{element, is_text, is_written_uuid};
use super::leaf::{Conversion, rule};
use super::lists::Lists;
use super::mismatch::mismatches;
use super::names::{field_type_name, quoted, type_name};
use super::runs::{without_runs, written_out};
use super::single::convert;

/// New values in the type of a column. Both fields say which extensions give values another meaning.
///
/// Errors: `InvalidInput` where the type has another meaning, and for the first value that does not fit or is null in a required column,
/// with its row.
pub fn cast_field(name: &str, values: &ArrayRef, from: &Field, to: &Field) -> Result<ArrayRef> {
    cast_rows(name, values, from, to, |row| row)
}

/// As [`cast_field`], for some rows of several, by their numbers.
pub(crate) fn cast_rows(
    name: &str,
    values: &ArrayRef,
    from: &Field,
    to: &Field,
    number: impl FnOnce(usize) -> usize,
) -> Result<ArrayRef> {
    let made = cast(name, values, from, to).and_then(|made| {
        check_required(name, &made, to, None)?;
        Ok(made)
    });
    made.map_err(|fault| fault.in_row(number).of_new_value())
}

/// As [`cast_field`], whether the column is required or not: nulls stay.
pub fn cast_nullable(name: &str, values: &ArrayRef, from: &Field, to: &Field) -> Result<ArrayRef> {
    cast(name, values, from, to).map_err(Fault::of_new_value)
}

/// As [`cast_field`], for types that are known to fit. Parts of structs that the column lacks are left out.
pub(crate) fn cast_known(name: &str, values: &ArrayRef, from: &Field, to: &Field) -> Result<ArrayRef> {
    let plain = without_runs(values).map_err(Fault::of_new_value)?;
    let made = below(name, &plain, from, to).and_then(|made| {
        check_required(name, &made, to, None)?;
        Ok(made)
    });
    made.map_err(Fault::of_new_value)
}

fn cast(name: &str, values: &ArrayRef, from: &Field, to: &Field) -> Result<ArrayRef, Fault> {
    let wrong = mismatches(from, &to.clone().with_name(name));
    if let Some(first) = wrong.first() {
        let below = if first.starts_with(&format!("column {} ", quoted(name))) {
            String::new()
        } else {
            let parts: Vec<_> =
                wrong.iter().map(|each| each.strip_suffix(": convert them first").unwrap_or(each)).collect();
            format!(" ({})", parts.join("; "))
        };
        return Err(Error::invalid_input(format!(
            "the new values of {} are of type {}, expected {}{below}: convert them first, with a cast of the library \
             that they come from, or in SQL text with CAST",
            quoted(name),
            field_type_name(from),
            field_type_name(to)
        ))
        .into());
    }
    if values.data_type() == to.data_type() && !has_decimals(to.data_type()) {
        return Ok(Arc::clone(values));
    }
    made(name, &without_runs(values)?, to.data_type(), is_written_uuid(from, to))
}

/// The values of a field in the type of another one, which fits.
fn below(name: &str, values: &ArrayRef, from: &Field, to: &Field) -> Result<ArrayRef, Fault> {
    made(name, values, to.data_type(), is_written_uuid(from, to))
}

/// Has a type decimals at any depth? Arrow allows them more digits than their type has.
fn has_decimals(kind: &DataType) -> bool {
    match kind {
        DataType::Struct(fields) => fields.iter().any(|field| has_decimals(field.data_type())),
        DataType::Dictionary(_, values) => has_decimals(values),
        DataType::Map(field, _) => has_decimals(field.data_type()),
        DataType::RunEndEncoded(_, values) => has_decimals(values.data_type()),
        other => element(other).map_or(other.is_decimal(), |field| has_decimals(field.data_type())),
    }
}

/// The values in a type that fits.
fn made(name: &str, values: &ArrayRef, to: &DataType, is_uuid: bool) -> Result<ArrayRef, Fault> {
    let from = values.data_type();
    if from == to && !has_decimals(to) {
        return Ok(Arc::clone(values));
    }
    match (from, to) {
        // Arrays without values may lack their buffers.
        _ if *from == DataType::Null || values.is_empty() => Ok(new_null_array(to, values.len())),
        (DataType::Dictionary(..) | DataType::RunEndEncoded(..), _) => {
            made(name, &written_out(values)?, to, is_uuid)
        }
        (_, DataType::Dictionary(keys, wanted)) => encoded(&made(name, values, wanted, is_uuid)?, keys, name),
        (DataType::Struct(given), DataType::Struct(wanted)) => structs(name, values, given, wanted),
        (DataType::Map(..), DataType::Map(entries, sorted)) => maps(name, values, entries, *sorted),
        _ => {
            if let Some((given, wanted)) = element(from).zip(element(to)) {
                return lists(name, values, [given, wanted], to);
            }
            let conversion = match rule(from, to) {
                _ if is_uuid && is_text(from) => Conversion::UuidText,
                Some(rule) => rule.conversion,
                None => return Err(unexpected(from, to)),
            };
            convert(conversion, values, to, None, name)
        }
    }
}

fn structs(name: &str, values: &ArrayRef, given: &Fields, wanted: &Fields) -> Result<ArrayRef, Fault> {
    let parent = values.as_struct();
    let hidden = parent.nulls().filter(|nulls| nulls.null_count() > 0).map(|nulls| {
        let is_null = !nulls.inner();
        BooleanArray::new(is_null, None)
    });
    let mut children = Vec::with_capacity(wanted.len());
    for field in wanted {
        let full = format!("{name}.{}", field.name());
        let child = match given.find(field.name()) {
            None => new_null_array(field.data_type(), parent.len()),
            Some((number, from)) => {
                let child = parent.column(number);
                // With the nulls of the structs.
                let child = match &hidden {
                    Some(hidden) => nullif(child, hidden)?,
                    None => Arc::clone(child),
                };
                below(&full, &child, from, field)?
            }
        };
        check_required(&full, &child, field, Some(parent))?;
        children.push(child);
    }
    let nulls = parent.nulls().cloned();
    Ok(Arc::new(StructArray::try_new_with_length(wanted.clone(), children, nulls, parent.len())?))
}

fn lists(
    name: &str,
    values: &ArrayRef,
    [from, to]: [&FieldRef; 2],
    kind: &DataType,
) -> Result<ArrayRef, Fault> {
    let lists = Lists::of(values)?;
    let name_below = format!("{name}.element");
    let elements = below(&name_below, &lists.elements, from, to)
        .and_then(|made| check_required(&name_below, &made, to, None).map(|()| made))
        .map_err(|fault| fault.in_row(|element| lists.row_of(element)))?;
    let field = Arc::clone(to);
    Ok(match kind {
        DataType::FixedSizeList(_, size) => fixed_size(name, &lists, elements, field, *size, kind)?,
        DataType::LargeList(_) => {
            Arc::new(LargeListArray::try_new(field, lists.offsets, elements, lists.nulls)?)
        }
        DataType::LargeListView(_) => {
            let made = LargeListArray::try_new(field, lists.offsets, elements, lists.nulls)?;
            Arc::new(LargeListViewArray::from(made))
        }
        _ => {
            let offsets = lists.short_offsets()?;
            let made = ListArray::try_new(field, offsets, elements, lists.nulls)?;
            if matches!(kind, DataType::ListView(_)) {
                Arc::new(ListViewArray::from(made))
            } else {
                Arc::new(made)
            }
        }
    })
}

/// Lists of one length, of all elements.
fn fixed_size(
    name: &str,
    lists: &Lists,
    elements: ArrayRef,
    field: FieldRef,
    size: i32,
    kind: &DataType,
) -> Result<ArrayRef, Fault> {
    let rows = lists.offsets.len() - 1;
    let wanted = i64::from(size);
    let is_null = |row: usize| lists.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let other = (0..rows).find_map(|row| {
        let length = lists.offsets[row + 1] - lists.offsets[row];
        (!is_null(row) && length != wanted).then_some((row, length))
    });
    if let Some((row, length)) = other {
        return Err(Error::invalid_input(format!(
            "a new value of {} does not fit its type, {}: expected lists of {size} elements, found one of {length}",
            quoted(name),
            type_name(kind)
        ))
        .with("row", row)
        .into());
    }
    let elements = if lists.nulls.as_ref().is_some_and(|nulls| nulls.null_count() > 0) {
        let width = usize::try_from(size).unwrap_or_default();
        let mut places: Vec<Option<u64>> = Vec::with_capacity(rows * width);
        for row in 0..rows {
            let start = lists.offsets[row] as u64;
            places.extend((0..width as u64).map(|each| (!is_null(row)).then_some(start + each)));
        }
        take(&elements, &UInt64Array::from(places), None)?
    } else {
        elements
    };
    let nulls = lists.nulls.clone();
    Ok(Arc::new(FixedSizeListArray::try_new_with_length(field, size, elements, nulls, rows)?))
}

fn maps(name: &str, values: &ArrayRef, entries: &FieldRef, sorted: bool) -> Result<ArrayRef, Fault> {
    let maps = Lists::of(values)?;
    let (pairs, DataType::Struct(wanted)) = (maps.elements.as_struct(), entries.data_type()) else {
        return Err(unexpected(values.data_type(), entries.data_type()));
    };
    let mut parts = Vec::with_capacity(2);
    for (number, (part, to)) in ["key", "value"].into_iter().zip(wanted).enumerate() {
        let full = format!("{name}.{part}");
        let made = below(&full, pairs.column(number), &pairs.fields()[number], to)
            .and_then(|made| check_required(&full, &made, to, None).map(|()| made))
            .map_err(|fault| fault.in_row(|element| maps.row_of(element)))?;
        parts.push(made);
    }
    let offsets = maps.short_offsets()?;
    let pairs = StructArray::try_new_with_length(wanted.clone(), parts, None, maps.elements.len())?;
    Ok(Arc::new(MapArray::try_new(Arc::clone(entries), offsets, pairs, maps.nulls.clone(), sorted)?))
}

/// Errors: the first null of a required column, in a row in which its parent is not null.
fn check_required(
    name: &str,
    values: &ArrayRef,
    field: &Field,
    parent: Option<&StructArray>,
) -> Result<(), Fault> {
    let Some(nulls) = values.logical_nulls().filter(|nulls| !field.is_nullable() && nulls.null_count() > 0)
    else {
        return Ok(());
    };
    let first =
        (0..nulls.len()).find(|row| nulls.is_null(*row) && parent.is_none_or(|above| above.is_valid(*row)));
    match first {
        None => Ok(()),
        Some(row) => Err(Fault::At { row, column: name.to_owned(), why: Why::Null }),
    }
}

fn unexpected(from: &DataType, to: &DataType) -> Fault {
    Error::internal(format!("expected values of type {}, found {}", type_name(to), type_name(from))).into()
}
