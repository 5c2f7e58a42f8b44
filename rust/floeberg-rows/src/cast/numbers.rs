//! Which number of another type is the same number?
//!
//! Integers and decimals are compared as whole numbers of their last digit. Of a float, the shortest decimal that is nearest
//! to no other float counts: 0.1 is 0.1, as it is written, if a decimal has room for it.
//!
//! Invariant: a number that another type does not have is an error, never the next one.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType, Float64Type,
};
use arrow_array::{Array, ArrayRef, ArrowNativeTypeOp, ArrowPrimitiveType, PrimitiveArray};
use arrow_buffer::{ArrowNativeType, NullBuffer, i256};
use arrow_cast::cast::{CastOptions, cast_with_options};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use floeberg_core::Error;

use super::fault::{Fault, Why};
use super::floats::{from_decimal, to_decimal};
use super::names::type_name;
use super::whole::{Made, Miss, Wide, rescaled};

/// Numbers of any type in another type. `mask` marks the rows that count.
///
/// Errors: the first that the type does not have.
pub(super) fn numbers(
    array: &ArrayRef,
    to: &DataType,
    mask: Option<&NullBuffer>,
    name: &str,
) -> Result<ArrayRef, Fault> {
    use DataType as T;
    let column = Column { array, to, mask, name };
    match (array.data_type(), to) {
        // Whose bits are few: 32 of them hold every one.
        (T::Float16, _) => {
            let wider = cast(array, &T::Float32)?;
            if *to == T::Float32 { Ok(wider) } else { numbers(&wider, to, mask, name) }
        }
        (T::Float32 | T::Float64, T::Float16 | T::Float32 | T::Float64) => column.of_floats_to_floats(),
        (T::Float32 | T::Float64, _) => {
            let short = *array.data_type() == T::Float32;
            let floats = cast(array, &T::Float64)?;
            let floats = floats.as_primitive::<Float64Type>();
            match scale_of(to) {
                None => column.integers_of(|row| whole(floats.value(row)), floats.nulls()),
                Some(scale) => {
                    column.decimals_of(floats.nulls(), |row| to_decimal(floats.value(row), scale, short))
                }
            }
        }
        (T::Decimal256(_, scale), _) => column.of_whole::<Decimal256Type>(array, *scale),
        (from, _) => {
            let scale = scale_of(from).unwrap_or(0);
            column.of_whole::<Decimal128Type>(&unscaled(array)?, scale)
        }
    }
}

/// A column of numbers.
struct Column<'a> {
    array: &'a ArrayRef,
    to: &'a DataType,
    mask: Option<&'a NullBuffer>,
    name: &'a str,
}

impl Column<'_> {
    /// From whole numbers of 10 to the power of a negative scale.
    fn of_whole<T>(&self, array: &ArrayRef, scale: i8) -> Result<ArrayRef, Fault>
    where
        T: DecimalType,
        T::Native: ArrowNativeTypeOp + Wide,
    {
        let given = array.as_primitive::<T>();
        let nulls = given.nulls();
        match self.to {
            DataType::Float16 | DataType::Float32 | DataType::Float64 => {
                let wide = |row: usize| given.value(row).wide();
                self.floats_of(nulls, |row, bits| from_decimal(wide(row), scale, bits))
            }
            to => match scale_of(to) {
                None => self.integers_of(
                    |row| rescaled(given.value(row), scale, 0)?.wide().to_i128().ok_or(Miss::Beyond),
                    nulls,
                ),
                Some(wanted) => self.decimals_of(nulls, |row| {
                    match rescaled(given.value(row), scale, wanted) {
                        Ok(value) => Ok(value.wide()),
                        // 128 bits may be too few.
                        Err(Miss::Beyond) => rescaled(given.value(row).wide(), scale, wanted),
                        Err(miss) => Err(miss),
                    }
                }),
            },
        }
    }

    fn of_floats_to_floats(&self) -> Result<ArrayRef, Fault> {
        let made = cast(self.array, self.to)?;
        let (before, after) = (cast(self.array, &DataType::Float64)?, cast(&made, &DataType::Float64)?);
        let (before, after) = (before.as_primitive::<Float64Type>(), after.as_primitive::<Float64Type>());
        let changed = |row: &usize| {
            let value = before.value(*row);
            self.counts(before.nulls(), *row)
                && !value.is_nan()
                && (after.is_null(*row) || after.value(*row) != value)
        };
        match (0..before.len()).find(changed) {
            None => Ok(made),
            Some(row) => Err(self.fault(row, &Miss::Between)),
        }
    }

    /// An array of floats, of functions of the row and the bits of the float.
    fn floats_of(
        &self,
        nulls: Option<&NullBuffer>,
        value: impl Fn(usize, u32) -> Made<f64>,
    ) -> Result<ArrayRef, Fault> {
        let bits = match self.to {
            DataType::Float16 => 16,
            DataType::Float32 => 32,
            _ => 64,
        };
        let values = self.each(nulls, 0.0, |row| value(row, bits))?;
        let wide: ArrayRef = Arc::new(PrimitiveArray::<Float64Type>::new(values.into(), nulls.cloned()));
        Ok(cast(&wide, self.to)?)
    }

    fn integers_of(
        &self,
        value: impl Fn(usize) -> Made<i128>,
        nulls: Option<&NullBuffer>,
    ) -> Result<ArrayRef, Fault> {
        let (least, most) = range(self.to).ok_or_else(|| unexpected(self.to))?;
        let values = self.each(nulls, 0, |row| {
            value(row)
                .and_then(|value| if (least..=most).contains(&value) { Ok(value) } else { Err(Miss::Beyond) })
        })?;
        // All of them fit.
        let whole = PrimitiveArray::<Decimal128Type>::new(values.into(), nulls.cloned());
        let whole: ArrayRef = Arc::new(whole.with_data_type(DataType::Decimal128(38, 0)));
        Ok(cast(&whole, self.to)?)
    }

    fn decimals_of(
        &self,
        nulls: Option<&NullBuffer>,
        value: impl Fn(usize) -> Made<i256>,
    ) -> Result<ArrayRef, Fault> {
        let limit = |precision: u8| i256::usize_as(10).checked_pow(u32::from(precision)).unwrap_or(i256::MAX);
        let (precision, limit) = match self.to {
            DataType::Decimal32(precision, _)
            | DataType::Decimal64(precision, _)
            | DataType::Decimal128(precision, _)
            | DataType::Decimal256(precision, _) => (precision, limit(*precision)),
            other => return Err(unexpected(other).into()),
        };
        debug_assert!(*precision > 0);
        let values = self.each(nulls, i256::ZERO, |row| {
            let value = value(row)?;
            if value < limit && value > -limit { Ok(value) } else { Err(Miss::Beyond) }
        })?;
        // Their digits were counted, so none is cut off.
        Ok(match self.to {
            DataType::Decimal32(..) => {
                self.stored::<Decimal32Type>(values.iter().map(|each| each.as_i128() as i32).collect(), nulls)
            }
            DataType::Decimal64(..) => {
                self.stored::<Decimal64Type>(values.iter().map(|each| each.as_i128() as i64).collect(), nulls)
            }
            DataType::Decimal128(..) => {
                self.stored::<Decimal128Type>(values.iter().map(|each| each.as_i128()).collect(), nulls)
            }
            _ => self.stored::<Decimal256Type>(values, nulls),
        })
    }

    fn stored<T: ArrowPrimitiveType>(&self, values: Vec<T::Native>, nulls: Option<&NullBuffer>) -> ArrayRef {
        let made = PrimitiveArray::<T>::new(values.into(), nulls.cloned());
        Arc::new(made.with_data_type(self.to.clone()))
    }

    /// The values of all rows that count, and another one for the rest.
    fn each<N: Copy>(
        &self,
        nulls: Option<&NullBuffer>,
        other: N,
        value: impl Fn(usize) -> Made<N>,
    ) -> Result<Vec<N>, Fault> {
        let mut values = Vec::with_capacity(self.array.len());
        for row in 0..self.array.len() {
            let made = if self.counts(nulls, row) { value(row) } else { Ok(other) };
            values.push(made.map_err(|miss| self.fault(row, &miss))?);
        }
        Ok(values)
    }

    fn counts(&self, nulls: Option<&NullBuffer>, row: usize) -> bool {
        nulls.is_none_or(|nulls| nulls.is_valid(row)) && self.mask.is_none_or(|mask| mask.is_valid(row))
    }

    fn fault(&self, row: usize, miss: &Miss) -> Fault {
        let kind = type_name(self.to);
        let value = match array_value_to_string(self.array, row) {
            Ok(value) => value,
            Err(failure) => return failure.into(),
        };
        let why = match miss {
            Miss::Between if self.to.is_integer() => {
                let why = format!("is {value}, which is not a whole number");
                Why::Unfit(kind, why)
            }
            Miss::Between => Why::Rounded(kind, value),
            Miss::Beyond => {
                let why = format!("is {value}, and the column is {kind}");
                Why::Unfit(kind, why)
            }
        };
        Fault::At { row, column: self.name.to_owned(), why }
    }
}

/// The whole number that a float is.
fn whole(value: f64) -> Made<i128> {
    const BEYOND: f64 = 1.0e30;
    if !value.is_finite() || value.abs() > BEYOND {
        return Err(Miss::Beyond);
    }
    if value.fract() == 0.0 { Ok(value as i128) } else { Err(Miss::Between) }
}

/// Integers, and decimals of at most 128 bits, as whole numbers of their last digit.
fn unscaled(array: &ArrayRef) -> Result<ArrayRef, Fault> {
    Ok(match array.data_type() {
        DataType::Decimal32(..) => {
            Arc::new(array.as_primitive::<Decimal32Type>().unary::<_, Decimal128Type>(i128::from))
        }
        DataType::Decimal64(..) => {
            Arc::new(array.as_primitive::<Decimal64Type>().unary::<_, Decimal128Type>(i128::from))
        }
        DataType::Decimal128(..) => Arc::clone(array),
        _ => cast(array, &DataType::Decimal128(38, 0))?,
    })
}

fn scale_of(kind: &DataType) -> Option<i8> {
    match kind {
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale)
        | DataType::Decimal256(_, scale) => Some(*scale),
        _ => None,
    }
}

/// The least and the largest integer of a type.
fn range(kind: &DataType) -> Option<(i128, i128)> {
    use DataType as T;
    Some(match kind {
        T::Int8 => (i8::MIN.into(), i8::MAX.into()),
        T::Int16 => (i16::MIN.into(), i16::MAX.into()),
        T::Int32 => (i32::MIN.into(), i32::MAX.into()),
        T::Int64 => (i64::MIN.into(), i64::MAX.into()),
        T::UInt8 => (0, u8::MAX.into()),
        T::UInt16 => (0, u16::MAX.into()),
        T::UInt32 => (0, u32::MAX.into()),
        T::UInt64 => (0, u64::MAX.into()),
        _ => return None,
    })
}

fn cast(array: &ArrayRef, to: &DataType) -> Result<ArrayRef, arrow_schema::ArrowError> {
    cast_with_options(array, to, &CastOptions { safe: true, ..CastOptions::default() })
}

fn unexpected(kind: &DataType) -> Error {
    Error::internal(format!("expected a type of numbers, found {}", type_name(kind)))
}
