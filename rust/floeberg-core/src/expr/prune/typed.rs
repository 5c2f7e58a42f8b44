//! How are bounds compared as numbers and bytes, without building values?
//!
//! In: literals of a test, and the bounds of its column in the binary single-value form. Out: both in one form, with
//! the order of [`crate::value::ordering`].
//! Spec: Appendix D, Binary single-value serialization; Expressions specification, Comparisons.
//!
//! Invariant: agrees with [`super::bounds::Bounds`] about values that [`single_value::from_bytes`] gives.

use std::cmp::Ordering;

use super::bounds::beginning_to;
use super::known::Known;
use crate::expr::{BoundPredicate, Operator, Share, StatsColumn};
use crate::schema::{PrimitiveType, Type};
use crate::value::Value;
use crate::value::single_value::{float_from_bytes, integer_from_bytes, unscaled_from_bytes};

/// The literals of a test in the form that its column's bounds are compared in.
pub(super) enum Literals<'a> {
    /// Booleans, ints, longs, days, and units of time.
    Integers(&'a PrimitiveType, Vec<i64>),
    /// Floats and doubles.
    Floats(&'a PrimitiveType, Vec<f64>),
    /// Unscaled decimals, all of the column's scale.
    Decimals(Vec<i128>),
    /// Strings, fixed and binary.
    Bytes(&'a PrimitiveType, Vec<&'a [u8]>),
}

impl<'a> Literals<'a> {
    /// Those of a test. `None` for a test of a transform; for uuids and geometries, since the order of their bounds
    /// is unknown; for nested types; for prefixes of values other than strings; and for literals of another type.
    pub fn of(test: &'a BoundPredicate) -> Option<Self> {
        use PrimitiveType as P;
        use Value as V;
        let Type::Primitive(primitive) = &test.column.field_type else { return None };
        let is_prefix = matches!(test.op, Operator::StartsWith | Operator::NotStartsWith);
        if test.transform.is_some() || (is_prefix && *primitive != P::String) {
            return None;
        }
        let literals = test.literals.iter();
        Some(match primitive {
            P::Float | P::Double => {
                let number = |literal: &V| match (primitive, literal) {
                    (P::Float, V::Float(number)) => Some(f64::from(*number)),
                    (P::Double, V::Double(number)) => Some(*number),
                    _ => None,
                };
                Self::Floats(primitive, literals.map(number).collect::<Option<_>>()?)
            }
            P::Decimal { scale: own, .. } => {
                let number = |literal: &V| match literal {
                    V::Decimal { unscaled, scale } if scale == own => Some(*unscaled),
                    _ => None,
                };
                Self::Decimals(literals.map(number).collect::<Option<_>>()?)
            }
            P::String | P::Fixed(_) | P::Binary => {
                let bytes = |literal: &'a V| match (primitive, literal) {
                    (P::String, V::String(text)) => Some(text.as_bytes()),
                    (P::Fixed(_), V::Fixed(bytes)) | (P::Binary, V::Binary(bytes)) => Some(bytes.as_slice()),
                    _ => None,
                };
                Self::Bytes(primitive, literals.map(bytes).collect::<Option<_>>()?)
            }
            P::Uuid | P::Unknown | P::Geometry { .. } | P::Geography { .. } => return None,
            _ => {
                let number = |literal: &V| integer(primitive, literal);
                Self::Integers(primitive, literals.map(number).collect::<Option<_>>()?)
            }
        })
    }
}

fn integer(primitive: &PrimitiveType, literal: &Value) -> Option<i64> {
    use PrimitiveType as P;
    use Value as V;
    match (primitive, literal) {
        (P::Boolean, V::Boolean(value)) => Some(i64::from(*value)),
        (P::Int, V::Int(value)) | (P::Date, V::Date(value)) => Some(i64::from(*value)),
        (P::Long, V::Long(value))
        | (P::Time, V::Time(value))
        | (P::Timestamp, V::Timestamp(value))
        | (P::Timestamptz, V::Timestamptz(value))
        | (P::TimestampNs, V::TimestampNs(value))
        | (P::TimestamptzNs, V::TimestamptzNs(value)) => Some(*value),
        _ => None,
    }
}

/// The statistics of a column in one set of rows, with decoded bounds. A NaN bound proves nothing and is left out.
pub(super) struct Typed<T> {
    nulls: Share,
    nans: Share,
    lower: Option<T>,
    upper: Option<T>,
}

impl<T> Typed<T> {
    #[inline]
    fn new<'a>(column: &'a impl StatsColumn, number: usize, decode: impl Fn(&'a [u8]) -> Option<T>) -> Self {
        Self {
            nulls: column.nulls(number),
            nans: column.nans(number),
            lower: column.lower(number).and_then(&decode),
            upper: column.upper(number).and_then(&decode),
        }
    }
}

impl Typed<i64> {
    /// Of a type of whole numbers.
    #[inline]
    pub fn integers(primitive: &PrimitiveType, column: &impl StatsColumn, number: usize) -> Self {
        Self::new(column, number, |bytes| integer_from_bytes(primitive, bytes).ok())
    }
}

impl Typed<f64> {
    /// Of float or double.
    #[inline]
    pub fn floats(primitive: &PrimitiveType, column: &impl StatsColumn, number: usize) -> Self {
        let decode = |bytes: &[u8]| float_from_bytes(primitive, bytes).ok().filter(|bound| !bound.is_nan());
        Self::new(column, number, decode)
    }
}

impl Typed<i128> {
    /// Of decimals of one scale.
    #[inline]
    pub fn decimals(column: &impl StatsColumn, number: usize) -> Self {
        Self::new(column, number, unscaled_from_bytes)
    }
}

impl<'a> Typed<&'a [u8]> {
    /// Of strings, fixed or binary.
    #[inline]
    pub fn bytes(primitive: &PrimitiveType, column: &'a impl StatsColumn, number: usize) -> Self {
        let is_value = |bytes: &&[u8]| match primitive {
            PrimitiveType::String => std::str::from_utf8(bytes).is_ok(),
            PrimitiveType::Fixed(length) => bytes.len() <= *length as usize,
            _ => true,
        };
        Self::new(column, number, |bytes| Some(bytes).filter(is_value))
    }
}

/// What numbers and bytes differ in.
pub(super) trait Bound: PartialOrd + Copy {
    /// As text, where the type is one of bytes.
    fn text(&self) -> Option<&[u8]>;
}

impl Bound for i64 {
    fn text(&self) -> Option<&[u8]> {
        None
    }
}

impl Bound for f64 {
    fn text(&self) -> Option<&[u8]> {
        None
    }
}

impl Bound for i128 {
    fn text(&self) -> Option<&[u8]> {
        None
    }
}

impl Bound for &[u8] {
    fn text(&self) -> Option<&[u8]> {
        Some(self)
    }
}

impl<T: Bound> Known<T> for Typed<T> {
    #[inline]
    fn nulls(&self) -> Share {
        self.nulls
    }

    #[inline]
    fn nans(&self) -> Share {
        self.nans
    }

    #[inline]
    fn lower_to(&self, literal: &T) -> Option<Ordering> {
        self.lower?.partial_cmp(literal)
    }

    #[inline]
    fn upper_to(&self, literal: &T) -> Option<Ordering> {
        self.upper?.partial_cmp(literal)
    }

    fn are_one_of(&self, literals: &[T]) -> bool {
        let only = self.lower.filter(|lower| self.upper_to(lower) == Some(Ordering::Equal));
        only.is_some_and(|only| {
            let order = |literal: &T| literal.partial_cmp(&only).unwrap_or(Ordering::Less);
            literals.binary_search_by(order).is_ok()
        })
    }

    fn exclude_prefix(&self, prefix: &T) -> bool {
        let Some(prefix) = prefix.text() else { return false };
        let beginning = |bound: &Option<T>| bound.as_ref()?.text().map(|bound| beginning_to(bound, prefix));
        beginning(&self.lower) == Some(Ordering::Greater) || beginning(&self.upper) == Some(Ordering::Less)
    }

    fn share_prefix(&self, prefix: &T) -> bool {
        let Some(prefix) = prefix.text() else { return false };
        let begins = |bound: &Option<T>| {
            bound.as_ref().and_then(Bound::text).is_some_and(|bound| bound.starts_with(prefix))
        };
        begins(&self.lower) && begins(&self.upper)
    }
}
