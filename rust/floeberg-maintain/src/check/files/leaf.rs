//! Do the values of a column fit its counts and bounds?
//!
//! Spec: Field-level Metrics and Statistics.
//!
//! Invariant: NaN is in no bounds, and -0.0 equals 0.0. Bounds of uuids are not compared: Iceberg Java orders them otherwise.

use std::cmp::Ordering;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Scalar};
use arrow_ord::cmp::{gt, lt};
use arrow_schema::{ArrowError, DataType};
use floeberg_core::arrow_values::{from_array, to_array};
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::value::Value;
use floeberg_core::value::ordering::compare;
use floeberg_core::value::single_value::from_bytes;
use floeberg_core::{Error, Result};

use crate::check::rules::rows::{
    LOWER_BOUNDS, NAN_COUNTS, NULL_COUNTS, REQUIRED_VALUES, UPPER_BOUNDS, VALUE_COUNTS,
};
use floeberg_core::finding::Findings;

/// A column of primitive values, in no list and no map.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) id: i32,
    pub(super) field_type: Type,
    /// Where it is in a batch.
    pub(super) path: Vec<usize>,
    /// Is it required, and all that it stands in?
    pub(super) is_required: bool,
    lower: Option<Bound>,
    upper: Option<Bound>,
    values: i64,
    nulls: i64,
    nans: i64,
}

/// A bound, as a value and as an array of one.
#[derive(Debug)]
struct Bound {
    value: Value,
    array: Option<ArrayRef>,
    /// The first value that is beyond it, and its row.
    beyond: Option<(i64, Value)>,
}

impl Bound {
    /// `None` for a bound that is not compared, and for one that is no value, which is a finding of its entry.
    fn new(field_type: &Type, bytes: Option<&Vec<u8>>) -> Option<Self> {
        use PrimitiveType as P;
        let Type::Primitive(primitive) = field_type else { return None };
        if matches!(primitive, P::Uuid | P::Unknown | P::Geometry { .. } | P::Geography { .. }) {
            return None;
        }
        let value = from_bytes(primitive, bytes?).ok()?;
        // A bound of fixed may be shorter than its type.
        let array = to_array(Some(&value), field_type, 1).ok();
        Some(Self { value, array, beyond: None })
    }
}

impl Leaf {
    pub(super) fn new(
        id: i32,
        field_type: Type,
        path: Vec<usize>,
        is_required: bool,
        lower: Option<&Vec<u8>>,
        upper: Option<&Vec<u8>>,
    ) -> Self {
        let (lower, upper) = (Bound::new(&field_type, lower), Bound::new(&field_type, upper));
        Self { id, field_type, path, is_required, lower, upper, values: 0, nulls: 0, nans: 0 }
    }

    /// Adds the values of a batch.
    ///
    /// Errors: `Internal` for values that are not of the type.
    pub(super) fn add(&mut self, array: &ArrayRef) -> Result<()> {
        let first = self.values;
        self.values += array.len() as i64;
        self.nulls += array.logical_null_count() as i64;
        match array.data_type() {
            DataType::Float32 => {
                let values = array.as_primitive::<Float32Type>();
                self.add_floats(values.iter().map(|value| value.map(f64::from)), first, array)
            }
            DataType::Float64 => self.add_floats(array.as_primitive::<Float64Type>().iter(), first, array),
            DataType::Null => Ok(()),
            _ => {
                let field_type = &self.field_type;
                if let Some(lower) = &mut self.lower {
                    compared(lower, array, field_type, first, Ordering::Less)?;
                }
                if let Some(upper) = &mut self.upper {
                    compared(upper, array, field_type, first, Ordering::Greater)?;
                }
                Ok(())
            }
        }
    }

    fn add_floats(
        &mut self,
        values: impl Iterator<Item = Option<f64>>,
        first: i64,
        array: &ArrayRef,
    ) -> Result<()> {
        let number = |bound: &Option<Bound>| match bound.as_ref().map(|bound| &bound.value) {
            Some(Value::Float(value)) => Some(f64::from(*value)),
            Some(Value::Double(value)) => Some(*value),
            _ => None,
        };
        let lower = number(&self.lower).unwrap_or(f64::NEG_INFINITY);
        let upper = number(&self.upper).unwrap_or(f64::INFINITY);
        let (mut below, mut above) = (None, None);
        for (row, value) in values.enumerate() {
            let Some(value) = value else { continue };
            if value.is_nan() {
                self.nans += 1;
            } else if value < lower {
                below = below.or(Some(row));
            } else if value > upper {
                above = above.or(Some(row));
            }
        }
        for (bound, row) in [(&mut self.lower, below), (&mut self.upper, above)] {
            if let (Some(bound), Some(row)) = (bound, row)
                && bound.beyond.is_none()
                && let Some(value) = from_array(array.as_ref(), row, &self.field_type)?
            {
                bound.beyond = Some((first + row as i64, value));
            }
        }
        Ok(())
    }

    /// Checks what was added against what the entry says. Counts of columns in structs are not compared: some writers count only rows
    /// whose struct is not null.
    pub(super) fn finish(self, found: &mut Findings, counts: [Option<i64>; 3]) {
        let part = format!("column {}", self.id);
        let [values, nulls, nans] = counts;
        if self.path.len() == 1 {
            for (rule, said, there) in
                [(&VALUE_COUNTS, values, self.values), (&NULL_COUNTS, nulls, self.nulls)]
            {
                if let Some(said) = said {
                    found.equal(rule, &part, (there, said));
                }
            }
        }
        if let Some(said) = nans
            && matches!(self.field_type, Type::Primitive(PrimitiveType::Float | PrimitiveType::Double))
        {
            found.equal(&NAN_COUNTS, &part, (self.nans, said));
        }
        if self.is_required && self.nulls > 0 {
            found.add(
                &REQUIRED_VALUES,
                &part,
                format_args!("found {} nulls in a required column", self.nulls),
            );
        }
        for (rule, bound, word) in
            [(&LOWER_BOUNDS, self.lower, "below"), (&UPPER_BOUNDS, self.upper, "above")]
        {
            if let Some(Bound { value, beyond: Some((row, beyond)), .. }) = bound {
                found.add(rule, &part, format_args!("row {row} has {beyond}, {word} the bound {value}"));
            }
        }
    }
}

/// Looks for a value beyond a bound.
fn compared(
    bound: &mut Bound,
    array: &ArrayRef,
    field_type: &Type,
    first: i64,
    beyond: Ordering,
) -> Result<()> {
    if bound.beyond.is_some() {
        return Ok(());
    }
    let row = match &bound.array {
        Some(one) if one.data_type() == array.data_type() => {
            let one = Scalar::new(one);
            let is_beyond: Result<BooleanArray, ArrowError> =
                if beyond == Ordering::Less { lt(array, &one) } else { gt(array, &one) };
            let is_beyond = is_beyond
                .map_err(|error| Error::internal("values are compared with a bound").caused_by(error))?;
            if is_beyond.true_count() == 0 { None } else { is_beyond.iter().position(|is| is == Some(true)) }
        }
        _ => {
            let mut row = None;
            for at in 0..array.len() {
                if let Some(value) = from_array(array.as_ref(), at, field_type)?
                    && compare(&value, &bound.value) == Some(beyond)
                {
                    row = Some(at);
                    break;
                }
            }
            row
        }
    };
    if let Some(row) = row
        && let Some(value) = from_array(array.as_ref(), row, field_type)?
    {
        bound.beyond = Some((first + row as i64, value));
    }
    Ok(())
}
