//! Is it safe to read an array that someone else made?
//!
//! In: an array of any type, whose buffers have the sizes that its length needs. Out: nothing, or which of its offsets, indices,
//! run ends or views lead out of them.
//!
//! Invariant: the work is bounded by the rows of the array, without the neighbours of a slice. After this check, no kernel reads
//! outside a buffer. Whether bytes are UTF-8 is another question: [`first_non_utf8`](super::first_non_utf8).

use std::fmt::Display;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListViewArray, OffsetSizeTrait, make_array};
use arrow_schema::{ArrowError, DataType};

use crate::error::{Error, Result};

/// Errors: `InvalidInput`, with the first row if it is known.
pub fn check_layout(array: &dyn Array) -> Result<()> {
    check(array).map_err(|why| Error::invalid_input(format!("an Arrow array is damaged: {why}")))
}

fn check(array: &dyn Array) -> Result<(), String> {
    use DataType as T;
    if let Some(nulls) = array.nulls() {
        let counted = nulls.len() - nulls.inner().count_set_bits();
        if counted != nulls.null_count() {
            return Err(format!("it claims {} nulls but has {counted}", nulls.null_count()));
        }
    }
    match array.data_type() {
        T::Utf8 => ascending(array.as_string::<i32>().offsets(), array.as_string::<i32>().values().len()),
        T::LargeUtf8 => {
            ascending(array.as_string::<i64>().offsets(), array.as_string::<i64>().values().len())
        }
        T::Binary => ascending(array.as_binary::<i32>().offsets(), array.as_binary::<i32>().values().len()),
        T::LargeBinary => {
            ascending(array.as_binary::<i64>().offsets(), array.as_binary::<i64>().values().len())
        }
        T::Utf8View => of_arrow(array.as_string_view().clone().to_binary_view().to_data().validate_values()),
        T::BinaryView | T::Dictionary(..) | T::RunEndEncoded(..) => {
            let data = array.to_data();
            of_arrow(data.validate_values())?;
            // The values of a dictionary are its only child, those of runs the one behind their ends.
            data.child_data().last().map_or(Ok(()), |values| check(&make_array(values.clone())))
        }
        T::List(_) => lists(array.as_list::<i32>().offsets(), array.as_list::<i32>().values()),
        T::LargeList(_) => lists(array.as_list::<i64>().offsets(), array.as_list::<i64>().values()),
        T::Map(..) => {
            let maps = array.as_map();
            let entries = maps.entries();
            ascending(maps.offsets(), entries.len())?;
            let [first, last] = ends(maps.offsets());
            check(&entries.slice(first, last - first))
        }
        T::ListView(_) => {
            let views: &ListViewArray = array.as_list_view();
            list_views(views.offsets(), views.sizes(), views.values())
        }
        T::LargeListView(_) => {
            let views = array.as_list_view::<i64>();
            list_views(views.offsets(), views.sizes(), views.values())
        }
        T::FixedSizeList(..) => check(array.as_fixed_size_list().values()),
        T::Struct(_) => array.as_struct().columns().iter().try_for_each(|child| check(child)),
        T::Union(..) => Err("it is a union, which a table cannot hold".to_owned()),
        _ => Ok(()),
    }
}

fn of_arrow(checked: Result<(), ArrowError>) -> Result<(), String> {
    checked.map_err(|failure| match failure {
        ArrowError::InvalidArgumentError(why) => why,
        other => other.to_string(),
    })
}

/// Do offsets never fall, and stay within this many values?
fn ascending<O: OffsetSizeTrait + Display>(offsets: &[O], values: usize) -> Result<(), String> {
    let falls = offsets.windows(2).position(|pair| pair[1] < pair[0]);
    if let Some(row) = falls {
        return Err(format!("in row {row} its offsets fall from {} to {}", offsets[row], offsets[row + 1]));
    }
    let Some((first, last)) = offsets.first().zip(offsets.last()) else { return Ok(()) };
    if *first < O::default() || last.to_usize().is_none_or(|last| last > values) {
        return Err(format!("its offsets go from {first} to {last}, but it has {values} values"));
    }
    Ok(())
}

/// The first and the last offset, which were checked.
fn ends<O: OffsetSizeTrait>(offsets: &[O]) -> [usize; 2] {
    [offsets.first(), offsets.last()].map(|offset| offset.map_or(0, |offset| offset.as_usize()))
}

fn lists<O: OffsetSizeTrait + Display>(offsets: &[O], values: &ArrayRef) -> Result<(), String> {
    ascending(offsets, values.len())?;
    let [first, last] = ends(offsets);
    check(&values.slice(first, last - first))
}

/// Lists that say where they begin and how long they are, in any order.
fn list_views<O: OffsetSizeTrait + Display>(
    offsets: &[O],
    sizes: &[O],
    values: &ArrayRef,
) -> Result<(), String> {
    let (mut first, mut last) = (values.len(), 0);
    for (row, (offset, size)) in offsets.iter().zip(sizes).enumerate() {
        let range = offset.to_usize().zip(size.to_usize());
        let end =
            range.and_then(|(offset, size)| offset.checked_add(size)).filter(|end| *end <= values.len());
        let Some((offset, end)) = offset.to_usize().zip(end) else {
            return Err(format!(
                "in row {row} a list of {size} elements starts at {offset}, but there are {}",
                values.len()
            ));
        };
        first = first.min(offset);
        last = last.max(end);
    }
    check(&values.slice(first.min(last), last.saturating_sub(first)))
}
