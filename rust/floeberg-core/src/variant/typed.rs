//! Which value of a type has a field of a variant?
//!
//! In: variants, or their bounds, and a path. Out: values of one type.
//! Spec: Parquet `VariantEncoding.md`; Iceberg, Bounds for Variant.
//!
//! Invariant: values are converted without loss, but for a number that becomes a double. So the order of values is that of their
//! variants, and a converted bound is a bound of converted values.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BinaryArray, StructArray};
use arrow_schema::DataType;

use super::bounds::write;
use super::dictionary::Dictionary;
use super::encode::Primitive;
use super::path::{Step, VariantPath};
use super::scalar::Scalar;
use super::value::{Container, Kind, NULL, first_value};
use crate::arrow_values::values_to_array;
use crate::error::{Error, Result};
use crate::primitive::PrimitiveType;
use crate::schema::Type;
use crate::value::Value;

/// What a field of a variant is beside a type.
enum Found {
    /// There is no such field, or it is null.
    Null,
    /// The value in the type.
    Value(Value),
    /// A value of another kind, which is named.
    Other(&'static str),
}

/// The values of a field of each variant, in a type. Null where there is none.
///
/// Errors: `InvalidData` for damaged variants; `InvalidInput` for a value that cannot be converted, unless such values become null.
pub fn typed_field(
    variants: &StructArray,
    path: &VariantPath,
    primitive: &PrimitiveType,
    fails_as_null: bool,
) -> Result<ArrayRef> {
    let mut values = Vec::with_capacity(variants.len());
    let columns = Variants::of(variants)?;
    for row in 0..variants.len() {
        let found = match columns.field(row, path)? {
            Some(value) => converted(value, primitive)?,
            None => Found::Null,
        };
        values.push(match found {
            Found::Null => None,
            Found::Value(value) => Some(value),
            Found::Other(_) if fails_as_null => None,
            Found::Other(kind) => {
                return Err(Error::invalid_input(format!(
                    "a variant has {kind} where a value of type {primitive} is asked for: TRY_CAST and TRY_VARIANT_GET \
                     give null there"
                )));
            }
        });
    }
    let values: Vec<_> = values.iter().map(Option::as_ref).collect();
    values_to_array(&values, &Type::Primitive(primitive.clone()))
}

/// A field of each variant, as a variant. Null where there is no such field, and where it is null.
///
/// Errors: `InvalidData` for damaged variants.
pub fn variant_field(variants: &StructArray, path: &VariantPath) -> Result<StructArray> {
    let columns = Variants::of(variants)?;
    let fields: Vec<Option<&[u8]>> = (0..variants.len())
        .map(|row| Ok(columns.field(row, path)?.filter(|value| *value != NULL)))
        .collect::<Result<_>>()?;
    let nulls = fields.iter().map(Option::is_some).collect::<Vec<_>>().into();
    let values = BinaryArray::from_iter_values(fields.iter().map(|field| field.unwrap_or(NULL)));
    let (offsets, data, _) = columns.metadata.clone().into_parts();
    let metadata = BinaryArray::try_new(offsets, data, None);
    let arrays: Vec<ArrayRef> = vec![Arc::new(metadata.map_err(unfit)?), Arc::new(values)];
    let target = crate::schema::arrow::variant_fields();
    StructArray::try_new(target, arrays, Some(nulls)).map_err(unfit)
}

/// The bounds of a field among the bounds of variants, in a type; each `None` if it is not there, or of another kind.
///
/// `path` is normalized. Bytes that are not bounds, and two bounds of different kinds, say nothing.
pub fn field_bounds(
    lower: Option<&[u8]>,
    upper: Option<&[u8]>,
    path: &str,
    primitive: &PrimitiveType,
) -> [Option<Value>; 2] {
    let both = [lower, upper].map(|bytes| bytes.and_then(|bytes| bound_of(bytes, path)));
    if let [Some(lower), Some(upper)] = both {
        // Both have the same type; true and false are one.
        let kind = |bytes| match Scalar::of(bytes) {
            Ok(Some(Scalar { kind: Primitive::True, .. })) => Some(Primitive::False),
            Ok(scalar) => scalar.map(|scalar| scalar.kind),
            Err(_) => None,
        };
        if kind(lower) != kind(upper) {
            return [None, None];
        }
    }
    both.map(|bytes| match converted(bytes?, primitive) {
        Ok(Found::Value(value)) => Some(value),
        _ => None,
    })
}

/// A value of a typed column in another type; `None` if it is of another kind.
pub fn value_in_type(value: &Value, column: &DataType, primitive: &PrimitiveType) -> Option<Value> {
    let mut bytes = Vec::new();
    write(&mut bytes, column, value).ok()?;
    match converted(&bytes, primitive) {
        Ok(Found::Value(value)) => Some(value),
        _ => None,
    }
}

/// The bytes of one bound.
fn bound_of<'a>(bytes: &'a [u8], path: &str) -> Option<&'a [u8]> {
    let (dictionary, length) = Dictionary::at_start(bytes).ok()?;
    field(bytes.get(length..)?, dictionary, path.as_bytes()).ok().flatten()
}

/// The columns of variants.
struct Variants<'a> {
    group: &'a StructArray,
    metadata: &'a BinaryArray,
    value: &'a BinaryArray,
}

impl<'a> Variants<'a> {
    fn of(group: &'a StructArray) -> Result<Self> {
        let column = |name: &str| group.column_by_name(name).and_then(|column| column.as_binary_opt());
        match (column("metadata"), column("value")) {
            (Some(metadata), Some(value)) => Ok(Self { group, metadata, value }),
            _ => Err(Error::internal("a variant does not have the columns metadata and value")),
        }
    }

    /// The bytes of a field in a row.
    fn field(&self, row: usize, path: &VariantPath) -> Result<Option<&'a [u8]>> {
        if self.group.is_null(row) {
            return Ok(None);
        }
        let mut value = first_value(self.value.value(row))?;
        if path.is_root() {
            return Ok(Some(value));
        }
        let dictionary = Dictionary::new(self.metadata.value(row))?;
        for step in &path.steps {
            let next = match step {
                Step::Field(name) => field(value, dictionary, name.as_bytes())?,
                Step::Element(index) => element(value, *index)?,
            };
            let Some(next) = next else { return Ok(None) };
            value = next;
        }
        Ok(Some(value))
    }
}

/// The field of a value; `None` if it is no object, or has no such field.
fn field<'a>(value: &'a [u8], dictionary: Dictionary<'a>, wanted: &[u8]) -> Result<Option<&'a [u8]>> {
    if value.first().map(|header| Kind::of(*header)) != Some(Kind::Object) {
        return Ok(None);
    }
    Container::new(value)?.field_named(|id| Ok(dictionary.name(id)? == wanted))
}

/// The element of a value; `None` if it is no array, or has no such element.
fn element(value: &[u8], index: usize) -> Result<Option<&[u8]>> {
    if value.first().map(|header| Kind::of(*header)) != Some(Kind::Array) {
        return Ok(None);
    }
    Container::new(value)?.element(index)
}

/// A value in a type.
fn converted(value: &[u8], wanted: &PrimitiveType) -> Result<Found> {
    if value.first() == Some(&NULL[0]) {
        return Ok(Found::Null);
    }
    let Some(scalar) = Scalar::of(value)? else {
        return Ok(Found::Other(match value.first().map(|header| Kind::of(*header)) {
            Some(Kind::Object) => "an object",
            Some(Kind::Array) => "an array",
            _ => "a value of an unknown type",
        }));
    };
    Ok(match in_type(&scalar, wanted)? {
        Some(value) => Found::Value(value),
        None => Found::Other(name_of(scalar.kind)),
    })
}

fn in_type(scalar: &Scalar<'_>, wanted: &PrimitiveType) -> Result<Option<Value>> {
    use Primitive as P;
    use PrimitiveType as T;
    let number = || match scalar.kind {
        P::Int8 | P::Int16 | P::Int32 | P::Int64 => signed(scalar.data),
        _ => None,
    };
    let micros = |kind: P, nanos: P| match scalar.kind {
        kind_found if kind_found == kind => signed(scalar.data),
        kind_found if kind_found == nanos => {
            signed(scalar.data).filter(|nanos| nanos % 1000 == 0).map(|nanos| nanos / 1000)
        }
        _ => None,
    };
    let nanos = |kind: P, micros: P| match scalar.kind {
        kind_found if kind_found == kind => signed(scalar.data),
        kind_found if kind_found == micros => signed(scalar.data).and_then(|micros| micros.checked_mul(1000)),
        _ => None,
    };
    Ok(match wanted {
        T::Boolean => match scalar.kind {
            P::True => Some(Value::Boolean(true)),
            P::False => Some(Value::Boolean(false)),
            _ => None,
        },
        T::Int => whole(scalar, number())?.and_then(|number| i32::try_from(number).ok()).map(Value::Int),
        T::Long => whole(scalar, number())?.map(Value::Long),
        T::Float => match scalar.kind {
            P::Float => float(scalar).map(Value::Float),
            _ => double(scalar, number())?
                .map(|number| (number, number as f32))
                .filter(|(number, float)| f64::from(*float) == *number || number.is_nan())
                .map(|(_, float)| Value::Float(float)),
        },
        T::Double => double(scalar, number())?.map(Value::Double),
        T::Decimal { precision, scale } => {
            let decimal = match number() {
                Some(number) => Some(super::scalar::Decimal { unscaled: i128::from(number), scale: 0 }),
                None => scalar.decimal()?,
            };
            let unscaled = decimal.and_then(|decimal| decimal.at_scale(*scale).in_column(*precision, *scale));
            unscaled.map(|unscaled| Value::Decimal { unscaled, scale: *scale })
        }
        T::Date => match scalar.kind {
            P::Date => signed(scalar.data).and_then(|days| i32::try_from(days).ok()).map(Value::Date),
            _ => None,
        },
        T::Time => match scalar.kind {
            P::Time => signed(scalar.data).map(Value::Time),
            _ => None,
        },
        T::Timestamp => micros(P::Timestamp, P::TimestampNanos).map(Value::Timestamp),
        T::Timestamptz => micros(P::Timestamptz, P::TimestamptzNanos).map(Value::Timestamptz),
        T::TimestampNs => nanos(P::TimestampNanos, P::Timestamp).map(Value::TimestampNs),
        T::TimestamptzNs => nanos(P::TimestamptzNanos, P::Timestamptz).map(Value::TimestamptzNs),
        T::String => match scalar.kind {
            P::String => Some(Value::String(
                std::str::from_utf8(scalar.data)
                    .map_err(|error| {
                        Error::invalid_data("a string of a variant is not valid UTF-8").caused_by(error)
                    })?
                    .to_owned(),
            )),
            _ => None,
        },
        T::Binary => (scalar.kind == P::Binary).then(|| Value::Binary(scalar.data.to_vec())),
        T::Uuid if scalar.kind == P::Uuid => scalar.data.try_into().ok().map(Value::Uuid),
        T::Uuid | T::Fixed(_) | T::Unknown | T::Geometry { .. } | T::Geography { .. } => None,
    })
}

/// A whole number: of an integer, of a decimal without a fraction, or of a float without one.
fn whole(scalar: &Scalar<'_>, integer: Option<i64>) -> Result<Option<i64>> {
    /// From here on, neighbouring doubles are more than one apart, and 2^63 is not a long.
    const MOST: f64 = 9_007_199_254_740_992.0;
    if integer.is_some() {
        return Ok(integer);
    }
    if let Some(decimal) = scalar.decimal()? {
        let unit = 10_i128.checked_pow(u32::from(decimal.scale));
        let whole = unit.filter(|unit| decimal.unscaled % unit == 0).map(|unit| decimal.unscaled / unit);
        return Ok(whole.and_then(|whole| i64::try_from(whole).ok()));
    }
    let double = double(scalar, None)?.filter(|number| number.fract() == 0.0 && number.abs() <= MOST);
    Ok(double.map(|number| number as i64))
}

/// The nearest double of a number.
fn double(scalar: &Scalar<'_>, integer: Option<i64>) -> Result<Option<f64>> {
    if let Some(integer) = integer {
        return Ok(Some(integer as f64));
    }
    Ok(match scalar.kind {
        Primitive::Double => scalar.data.try_into().ok().map(f64::from_le_bytes),
        Primitive::Float => float(scalar).map(f64::from),
        _ => match scalar.decimal()? {
            // A division would round twice, and the order of two rounded numbers could be another one.
            Some(decimal) => format!("{}e-{}", decimal.unscaled, decimal.scale).parse().ok(),
            None => None,
        },
    })
}

fn float(scalar: &Scalar<'_>) -> Option<f32> {
    scalar.data.try_into().ok().map(f32::from_le_bytes)
}

/// A little-endian number of one to eight bytes.
fn signed(data: &[u8]) -> Option<i64> {
    let last = *data.last()?;
    let mut wide = [if last & 0x80 == 0 { 0 } else { 0xff }; 8];
    wide.get_mut(..data.len())?.copy_from_slice(data);
    Some(i64::from_le_bytes(wide))
}

fn name_of(kind: Primitive) -> &'static str {
    use Primitive as P;
    match kind {
        P::True | P::False => "a boolean",
        P::Int8 | P::Int16 | P::Int32 | P::Int64 => "an integer",
        P::Double | P::Float => "a float",
        P::Decimal4 | P::Decimal8 | P::Decimal16 => "a decimal",
        P::Date => "a date",
        P::Timestamptz | P::TimestamptzNanos => "a timestamp with a zone",
        P::Timestamp | P::TimestampNanos => "a timestamp without a zone",
        P::Binary => "bytes",
        P::String => "a text",
        P::Time => "a time",
        P::Uuid => "a UUID",
    }
}

fn unfit(error: arrow_schema::ArrowError) -> Error {
    Error::internal("the fields of variants do not fit into a column").caused_by(error)
}
