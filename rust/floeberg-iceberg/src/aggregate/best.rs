//! Which value of an array is the smallest, or the largest?
//!
//! In: an array of a primitive type. Out: the row of the value.
//!
//! Invariant: the order is that of `value::ordering`; nulls and NaN take no part.

use std::cmp::Ordering;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, TimeUnit};
use floeberg_core::arrow_values::from_array;
use floeberg_core::schema::Type;
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::{Error, Result};

/// Which end of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extreme {
    /// The minimum.
    Smallest,
    /// The maximum.
    Largest,
}

impl Extreme {
    /// Is a value further out than another? False if they have no order.
    pub(crate) fn is_better(self, value: &Value, than: &Value) -> bool {
        self.prefers(compare(value, than))
    }

    /// May a value within a bound be further out than the best?
    pub(super) fn may_improve(self, bound: &Value, best: &Value) -> bool {
        let order = compare(bound, best);
        order.is_none() || self.prefers(order)
    }

    /// Is this the order of a value to one that it is further out than?
    fn prefers(self, order: Option<Ordering>) -> bool {
        order
            == Some(match self {
                Self::Smallest => Ordering::Less,
                Self::Largest => Ordering::Greater,
            })
    }
}

/// The value furthest out in a batch that holds one column, at whatever depth of structs.
pub(crate) fn best_of(batch: &RecordBatch, field_type: &Type, which: Extreme) -> Result<Option<Value>> {
    let Some((array, nulls)) = leaf(batch) else { return Ok(None) };
    match best_row(&array, nulls.as_ref(), which)? {
        Some(row) => from_array(&array, row, field_type),
        None => Ok(None),
    }
}

/// The one column, and which of its rows are null by themselves or by a struct around them.
fn leaf(batch: &RecordBatch) -> Option<(ArrayRef, Option<NullBuffer>)> {
    let mut array = ArrayRef::clone(batch.columns().first()?);
    let mut nulls = array.logical_nulls();
    while let Some(outer) = array.as_struct_opt() {
        let inner = ArrayRef::clone(outer.columns().first()?);
        nulls = NullBuffer::union(nulls.as_ref(), inner.logical_nulls().as_ref());
        array = inner;
    }
    Some((array, nulls))
}

fn best_row(array: &ArrayRef, nulls: Option<&NullBuffer>, which: Extreme) -> Result<Option<usize>> {
    macro_rules! of_primitive {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>().values();
            search(array.len(), nulls, |row| Some(values[row]), which)
        }};
    }
    macro_rules! of_float {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>().values();
            search(array.len(), nulls, |row| Some(values[row]).filter(|value| !value.is_nan()), which)
        }};
    }
    Ok(match array.data_type() {
        DataType::Null => None,
        DataType::Boolean => {
            let values = array.as_boolean();
            search(array.len(), nulls, |row| Some(values.value(row)), which)
        }
        DataType::Int32 => of_primitive!(Int32Type),
        DataType::Int64 => of_primitive!(Int64Type),
        DataType::Float32 => of_float!(Float32Type),
        DataType::Float64 => of_float!(Float64Type),
        DataType::Decimal128(..) => of_primitive!(Decimal128Type),
        DataType::Date32 => of_primitive!(Date32Type),
        DataType::Time64(TimeUnit::Microsecond) => of_primitive!(Time64MicrosecondType),
        DataType::Timestamp(TimeUnit::Microsecond, _) => of_primitive!(TimestampMicrosecondType),
        DataType::Timestamp(TimeUnit::Nanosecond, _) => of_primitive!(TimestampNanosecondType),
        DataType::Utf8 => {
            let values = array.as_string::<i32>();
            search(array.len(), nulls, |row| Some(values.value(row).as_bytes()), which)
        }
        DataType::Binary => {
            let values = array.as_binary::<i32>();
            search(array.len(), nulls, |row| Some(values.value(row)), which)
        }
        DataType::FixedSizeBinary(_) => {
            let values = array.as_fixed_size_binary();
            search(array.len(), nulls, |row| Some(values.value(row)), which)
        }
        other => return Err(Error::internal(format!("arrays of type {other} have no order"))),
    })
}

fn search<T: PartialOrd>(
    rows: usize,
    nulls: Option<&NullBuffer>,
    value: impl Fn(usize) -> Option<T>,
    which: Extreme,
) -> Option<usize> {
    let mut best: Option<(usize, T)> = None;
    for row in 0..rows {
        if nulls.is_some_and(|nulls| nulls.is_null(row)) {
            continue;
        }
        let Some(value) = value(row) else { continue };
        if best.as_ref().is_none_or(|(_, known)| which.prefers(value.partial_cmp(known))) {
            best = Some((row, value));
        }
    }
    best.map(|(row, _)| row)
}
