//! Which values do dictionaries and runs stand for?

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int16Type, Int32Type, Int64Type, RunEndIndexType};
use arrow_array::{Array, ArrayRef, RunArray, StructArray, UInt64Array, make_array};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use arrow_select::take::take;

use super::fault::Fault;
use super::fields::{element, entries};

/// The values of dictionaries and runs, which may be nested.
pub fn written_out(array: &ArrayRef) -> Result<ArrayRef, Fault> {
    match array.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = array.as_any_dictionary();
            written_out(&take(dictionary.values(), dictionary.keys(), None)?)
        }
        DataType::RunEndEncoded(ends, _) => {
            let values = match ends.data_type() {
                DataType::Int16 => expanded(array.as_run::<Int16Type>()),
                DataType::Int32 => expanded(array.as_run::<Int32Type>()),
                _ => expanded(array.as_run::<Int64Type>()),
            };
            written_out(&values?)
        }
        _ => Ok(Arc::clone(array)),
    }
}

fn expanded<R: RunEndIndexType>(runs: &RunArray<R>) -> Result<ArrayRef, Fault> {
    let mut places = Vec::with_capacity(runs.len());
    let first = runs.get_start_physical_index();
    for (number, end) in runs.run_ends().sliced_values().enumerate() {
        let end = arrow_buffer::ArrowNativeType::as_usize(end).min(runs.len());
        places.resize(end.max(places.len()), (first + number) as u64);
    }
    Ok(take(runs.values(), &UInt64Array::from(places), None)?)
}

/// The same values without runs below them: what is null there has no mask of its own.
pub(super) fn without_runs(array: &ArrayRef) -> Result<ArrayRef, Fault> {
    let kind = array.data_type();
    if !has_runs(kind) {
        return Ok(Arc::clone(array));
    }
    match kind {
        DataType::RunEndEncoded(..) => without_runs(&written_out(array)?),
        DataType::Dictionary(_, values) if has_runs(values) => without_runs(&written_out(array)?),
        DataType::Struct(fields) => {
            let parent = array.as_struct();
            let children = parent.columns().iter().map(without_runs).collect::<Result<Vec<_>, _>>()?;
            let fields: Fields =
                fields.iter().zip(&children).map(|(field, child)| with_type(field, child)).collect();
            let nulls = parent.nulls().cloned();
            Ok(Arc::new(StructArray::try_new_with_length(fields, children, nulls, parent.len())?))
        }
        _ => {
            // One child: elements of lists, or entries of maps.
            let data = array.to_data();
            let Some(child) = data.child_data().first() else { return Ok(Arc::clone(array)) };
            let child = without_runs(&make_array(child.clone()))?;
            let made = match kind {
                DataType::List(field) => DataType::List(with_type(field, &child)),
                DataType::LargeList(field) => DataType::LargeList(with_type(field, &child)),
                DataType::ListView(field) => DataType::ListView(with_type(field, &child)),
                DataType::LargeListView(field) => DataType::LargeListView(with_type(field, &child)),
                DataType::FixedSizeList(field, size) => {
                    DataType::FixedSizeList(with_type(field, &child), *size)
                }
                DataType::Map(field, sorted) => DataType::Map(with_type(field, &child), *sorted),
                _ => return Ok(Arc::clone(array)),
            };
            let data = data.into_builder().data_type(made).child_data(vec![child.to_data()]);
            Ok(make_array(data.build()?))
        }
    }
}

fn with_type(field: &FieldRef, child: &ArrayRef) -> FieldRef {
    let is_nullable = field.is_nullable() || child.is_nullable();
    Arc::new(Field::clone(field).with_data_type(child.data_type().clone()).with_nullable(is_nullable))
}

/// Has a type runs at any depth?
fn has_runs(kind: &DataType) -> bool {
    match kind {
        DataType::RunEndEncoded(..) => true,
        DataType::Dictionary(_, values) => has_runs(values),
        DataType::Struct(fields) => fields.iter().any(|field| has_runs(field.data_type())),
        _ => match (element(kind), entries(kind)) {
            (Some(element), _) => has_runs(element.data_type()),
            (_, Some(parts)) => parts.iter().any(|part| has_runs(part.data_type())),
            _ => false,
        },
    }
}
