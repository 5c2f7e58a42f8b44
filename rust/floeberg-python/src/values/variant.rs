//! How do values of Python become variants?
//!
//! In: what `floeberg.variant.to_python` gives, and numbers of numpy. Out: a column of variants.
//!
//! Invariant: a value that a variant cannot hold is an error with its row and path, never another value.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef};
use arrow_schema::Field;
use floeberg_core::variant::{MOST_DEPTH, VariantValue, Variants};
use floeberg_core::{Error, Result};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};

use crate::arrow::Column;
use crate::error::to_exception;
use crate::runtime;

const EPOCH_ORDINAL: i32 = 719_163;
const SECONDS_PER_DAY: i64 = 86_400;
const MICROS_PER_SECOND: i64 = 1_000_000;

/// A column of variants, a row a value; `None` is null.
#[pyfunction]
pub fn encode_variants(py: Python<'_>, values: Vec<Bound<'_, PyAny>>) -> PyResult<Column> {
    let reading = Reading::new(py)?;
    let mut read = Vec::with_capacity(values.len());
    for (row, value) in values.iter().enumerate() {
        let value = if value.is_none() { None } else { Some(reading.value_of(value, row)?) };
        read.push(value);
    }
    runtime::call(py, || {
        let mut variants = Variants::default();
        for (row, value) in read.iter().enumerate() {
            variants.append(value.as_ref()).map_err(|error| error.with("row", row))?;
        }
        let column: ArrayRef = Arc::new(variants.finish()?);
        Ok(Column(Field::new("", column.data_type().clone(), true), column))
    })
}

/// Metadata and value of one variant; `None` is variant's null.
#[pyfunction]
pub fn encode_variant<'py>(
    py: Python<'py>,
    value: Bound<'py, PyAny>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let read = Reading::new(py)?.value_of(&value, 0)?;
    let (metadata, value) = runtime::call(py, || read.encode())?;
    Ok((PyBytes::new(py, &metadata), PyBytes::new(py, &value)))
}

/// Why a value cannot be stored in a variant.
enum Refusal {
    /// The names and numbers that lead to it, the innermost first, and what is wrong.
    Why(Vec<String>, String),
    /// What looking at it raised.
    Raised(PyErr),
}

impl From<PyErr> for Refusal {
    fn from(raised: PyErr) -> Self {
        Self::Raised(raised)
    }
}

/// The classes of values that Python's own types are not.
struct Reading<'py> {
    date: Bound<'py, PyAny>,
    time: Bound<'py, PyAny>,
    datetime: Bound<'py, PyAny>,
    decimal: Bound<'py, PyAny>,
    uuid: Bound<'py, PyAny>,
    epoch: Bound<'py, PyAny>,
    epoch_utc: Bound<'py, PyAny>,
}

impl<'py> Reading<'py> {
    fn new(py: Python<'py>) -> PyResult<Self> {
        let module = py.import("datetime")?;
        let datetime = module.getattr("datetime")?;
        let utc = module.getattr("timezone")?.getattr("utc")?;
        Ok(Self {
            date: module.getattr("date")?,
            time: module.getattr("time")?,
            decimal: py.import("decimal")?.getattr("Decimal")?,
            uuid: py.import("uuid")?.getattr("UUID")?,
            epoch: datetime.call1((1970, 1, 1))?,
            epoch_utc: datetime.call1((1970, 1, 1, 0, 0, 0, 0, utc))?,
            datetime,
        })
    }

    fn value_of(&self, value: &Bound<'py, PyAny>, row: usize) -> PyResult<VariantValue> {
        self.value(value, 0).map_err(|refusal| match refusal {
            Refusal::Raised(raised) => raised,
            Refusal::Why(mut path, why) => {
                path.reverse();
                let mut error =
                    Error::invalid_input(format!("a value cannot be a variant: {why}")).with("row", row);
                if !path.is_empty() {
                    error = error.with("path", path.concat());
                }
                to_exception(value.py(), &error)
            }
        })
    }

    fn value(&self, value: &Bound<'py, PyAny>, depth: usize) -> Result<VariantValue, Refusal> {
        if depth > MOST_DEPTH {
            return Err(refused(format!("it nests deeper than {MOST_DEPTH} levels")));
        }
        if value.is_none() {
            return Ok(VariantValue::Null);
        }
        if let Ok(truth) = value.cast::<PyBool>() {
            return Ok(VariantValue::Boolean(truth.is_true()));
        }
        if value.is_instance_of::<PyInt>() {
            return integer(value);
        }
        if value.is_instance_of::<PyFloat>() {
            return Ok(VariantValue::Double(value.extract()?));
        }
        if let Ok(text) = value.cast::<PyString>() {
            let text =
                text.to_cow().map_err(|_| refused("a string cannot be encoded as UTF-8".to_owned()))?;
            return Ok(VariantValue::String(text.into_owned()));
        }
        if value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() {
            return Ok(VariantValue::Binary(value.extract()?));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            let mut elements = Vec::with_capacity(value.len()?);
            for (number, element) in value.try_iter()?.enumerate() {
                let read = self.value(&element?, depth + 1);
                elements.push(read.map_err(|refusal| within(refusal, || format!("[{number}]")))?);
            }
            return Ok(VariantValue::Array(elements));
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            return self.object(mapping, depth);
        }
        self.other(value, depth)
    }

    fn object(&self, mapping: &Bound<'py, PyMapping>, depth: usize) -> Result<VariantValue, Refusal> {
        let mut fields = BTreeMap::new();
        for item in mapping.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(name) = name.cast_into::<PyString>() else {
                return Err(refused("a name of a field is not a str".to_owned()));
            };
            let name = name
                .to_cow()
                .map_err(|_| refused("a name cannot be encoded as UTF-8".to_owned()))?
                .into_owned();
            let read =
                self.value(&value, depth + 1).map_err(|refusal| within(refusal, || format!(".{name}")))?;
            fields.insert(name, read);
        }
        Ok(VariantValue::Object(fields))
    }

    /// What is neither a container nor one of Python's own types.
    fn other(&self, value: &Bound<'py, PyAny>, depth: usize) -> Result<VariantValue, Refusal> {
        if value.is_instance(&self.datetime)? {
            return self.moment(value);
        }
        if value.is_instance(&self.date)? {
            let days = value.call_method0("toordinal")?.extract::<i32>()? - EPOCH_ORDINAL;
            return Ok(VariantValue::Date(days));
        }
        if value.is_instance(&self.time)? {
            if !value.getattr("tzinfo")?.is_none() {
                return Err(refused(
                    "a time has a time zone, and variants have no such type: remove the zone".to_owned(),
                ));
            }
            let part = |name| value.getattr(name)?.extract::<i64>();
            let seconds = (part("hour")? * 60 + part("minute")?) * 60 + part("second")?;
            return Ok(VariantValue::Time(seconds * MICROS_PER_SECOND + part("microsecond")?));
        }
        if value.is_instance(&self.decimal)? {
            return decimal(value);
        }
        if value.is_instance(&self.uuid)? {
            return Ok(VariantValue::Uuid(value.getattr("bytes")?.extract()?));
        }
        // A number or truth of numpy, which is neither.
        if let Some(kind) = value.getattr_opt("dtype")?.map(|dtype| dtype.getattr("kind")).transpose()?
            && value.hasattr("item")?
            && value.getattr_opt("ndim")?.is_some_and(|ndim| ndim.eq(0).unwrap_or(false))
            && matches!(kind.extract::<String>()?.as_str(), "b" | "i" | "u" | "f")
        {
            let item = value.call_method0("item")?;
            if !item.get_type().is(value.get_type()) {
                return self.value(&item, depth);
            }
        }
        let class = value.get_type().name()?;
        Err(refused(format!("found an object of type {class}")))
    }

    fn moment(&self, value: &Bound<'py, PyAny>) -> Result<VariantValue, Refusal> {
        // pandas' NaT is a datetime, and equals nothing.
        if !value.eq(value)? {
            return Err(refused("it is not a point in time: use None for null".to_owned()));
        }
        let has_zone = !value.call_method0("utcoffset")?.is_none();
        let epoch = if has_zone { &self.epoch_utc } else { &self.epoch };
        let since = value.sub(epoch).map_err(|_| refused("it is not a point in time".to_owned()))?;
        let part = |name: &str| {
            let part = since.getattr(name).and_then(|part| part.extract::<i64>());
            part.map_err(|_| refused("it is not a point in time".to_owned()))
        };
        let seconds = part("days")? * SECONDS_PER_DAY + part("seconds")?;
        let micros = seconds * MICROS_PER_SECOND + part("microseconds")?;
        // pandas has moments of nanoseconds.
        let below = match value.getattr_opt("nanosecond")? {
            Some(nanos) => nanos.extract::<i64>()?,
            None => 0,
        };
        if below == 0 {
            let made = if has_zone { VariantValue::Timestamptz } else { VariantValue::Timestamp };
            return Ok(made(micros));
        }
        let nanos = micros.checked_mul(1000).and_then(|nanos| nanos.checked_add(below));
        let nanos = nanos.ok_or_else(|| refused("its nanoseconds are out of range".to_owned()))?;
        let made = if has_zone { VariantValue::TimestamptzNanos } else { VariantValue::TimestampNanos };
        Ok(made(nanos))
    }
}

/// One of 64 bits, or else an exact number.
fn integer(value: &Bound<'_, PyAny>) -> Result<VariantValue, Refusal> {
    if let Ok(number) = value.extract::<i64>() {
        return Ok(VariantValue::Integer(number));
    }
    let unscaled = value.extract::<i128>().ok().filter(|number| number.unsigned_abs() < 10_u128.pow(38));
    let unscaled = unscaled.ok_or_else(|| refused("an integer has more than 38 digits".to_owned()))?;
    Ok(VariantValue::Decimal { unscaled, scale: 0 })
}

fn decimal(value: &Bound<'_, PyAny>) -> Result<VariantValue, Refusal> {
    const MOST: i32 = 38;
    let parts = value.call_method0("as_tuple")?;
    let (sign, digits): (i32, Vec<u8>) =
        (parts.getattr("sign")?.extract()?, parts.getattr("digits")?.extract()?);
    let Ok(exponent) = parts.getattr("exponent")?.extract::<i32>() else {
        return Err(refused(format!("the decimal {} is not a number", value.str()?)));
    };
    let too_long = || refused(format!("a decimal has more than {MOST} digits"));
    let mut unscaled = 0_i128;
    for digit in digits {
        unscaled =
            unscaled.checked_mul(10).and_then(|all| all.checked_add(digit.into())).ok_or_else(too_long)?;
    }
    if exponent > 0 && unscaled != 0 {
        let zeros = 10_i128.checked_pow(exponent.unsigned_abs()).ok_or_else(too_long)?;
        unscaled = unscaled.checked_mul(zeros).ok_or_else(too_long)?;
    }
    let scale = u8::try_from(-exponent.min(0)).map_err(|_| too_long())?;
    if i32::from(scale) > MOST || unscaled.unsigned_abs() >= 10_u128.pow(38) {
        return Err(too_long());
    }
    Ok(VariantValue::Decimal { unscaled: if sign == 1 { -unscaled } else { unscaled }, scale })
}

fn refused(why: String) -> Refusal {
    Refusal::Why(Vec::new(), why)
}

fn within(refusal: Refusal, step: impl FnOnce() -> String) -> Refusal {
    match refusal {
        Refusal::Why(mut path, why) => {
            path.push(step());
            Refusal::Why(path, why)
        }
        raised @ Refusal::Raised(_) => raised,
    }
}
