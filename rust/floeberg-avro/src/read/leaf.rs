//! How does a writer's primitive become a value of the wanted type?
//!
//! In: the writer's type and the wanted one. Out: how to read it, and the column that takes it.
//! Spec: Appendix A, Avro; Schema Evolution (promotion).
//!
//! Invariant: only what the specification promotes is promoted; a pair that does not fit is an error here, before
//! any row is read.

use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::TimeUnit;
use floeberg_core::schema::PrimitiveType;

use super::column::{Offsets, Values};
use super::step::Read;
use crate::schema::{AvroType, Logical};

const MICROS: TimeUnit = TimeUnit::Microsecond;
const NANOS: TimeUnit = TimeUnit::Nanosecond;

/// How values of Iceberg's `fixed` type are written where the schema says Avro `fixed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FixedForm {
    /// As the Avro specification says: the bytes.
    Bare,
    /// Behind their length, as some writers do in manifests.
    Prefixed,
}

/// How to read a value and its column; `None` if the types do not fit.
pub(super) fn leaf(writer: &AvroType, wanted: &PrimitiveType, fixed: FixedForm) -> Option<(Read, Values)> {
    use PrimitiveType as P;
    let read = match (writer, wanted) {
        (AvroType::Null, _) => Read::Null,
        (AvroType::Boolean, P::Boolean) => Read::Boolean,
        (AvroType::Int(Logical::Plain | Logical::Date), P::Int | P::Date) => Read::Int32,
        (AvroType::Int(Logical::Plain), P::Long) => Read::Int64,
        // Writers of small numbers as `long`: exact, and checked value by value.
        (AvroType::Long(Logical::Plain), P::Int | P::Date) => Read::Int32,
        (AvroType::Long(Logical::Plain), P::Long) => Read::Int64,
        (AvroType::Long(Logical::Plain | Logical::Time(MICROS)), P::Time) => Read::Int64,
        (
            AvroType::Long(Logical::Plain | Logical::Timestamp { unit: MICROS, .. }),
            P::Timestamp | P::Timestamptz,
        ) => Read::Int64,
        (
            AvroType::Long(Logical::Plain | Logical::Timestamp { unit: NANOS, .. }),
            P::TimestampNs | P::TimestamptzNs,
        ) => Read::Int64,
        (AvroType::Float, P::Float) => Read::Float32,
        (AvroType::Float, P::Double) => Read::FloatAsDouble,
        (AvroType::Double, P::Double) => Read::Float64,
        (AvroType::String | AvroType::Bytes(Logical::Plain), P::String | P::Binary) => Read::Prefixed,
        (AvroType::Bytes(Logical::Plain), P::Geometry { .. } | P::Geography { .. }) => Read::Prefixed,
        (AvroType::Enum(symbols), P::String) => Read::Symbol(symbols.clone()),
        (AvroType::Fixed(size, _), P::Binary) => Read::FixedAsBytes(*size),
        (AvroType::Fixed(size, _), P::Fixed(length)) if *size == *length as usize => match fixed {
            FixedForm::Bare => Read::Fixed(*size),
            FixedForm::Prefixed => Read::FixedPrefixed(*size),
        },
        (AvroType::Bytes(Logical::Plain), P::Fixed(length)) => Read::FixedPrefixed(*length as usize),
        (AvroType::Fixed(16, _), P::Uuid) => Read::Fixed(16),
        (AvroType::String, P::Uuid) => Read::UuidText,
        (AvroType::Fixed(size, logical), P::Decimal { scale, .. }) if scale_fits(*logical, *scale) => {
            Read::DecimalFixed(*size)
        }
        (AvroType::Bytes(logical), P::Decimal { scale, .. }) if scale_fits(*logical, *scale) => {
            Read::DecimalBytes
        }
        _ => return None,
    };
    Some((read, values(wanted)))
}

fn scale_fits(logical: Logical, scale: u8) -> bool {
    match logical {
        Logical::Plain => true,
        Logical::Decimal { scale: written, .. } => written == i64::from(scale),
        _ => false,
    }
}

/// An empty column of a type.
fn values(wanted: &PrimitiveType) -> Values {
    use PrimitiveType as P;
    match wanted {
        P::Boolean => Values::Boolean(BooleanBufferBuilder::new(0)),
        P::Int | P::Date => Values::Int32(Vec::new()),
        P::Long | P::Time | P::Timestamp | P::Timestamptz | P::TimestampNs | P::TimestamptzNs => {
            Values::Int64(Vec::new())
        }
        P::Float => Values::Float32(Vec::new()),
        P::Double => Values::Float64(Vec::new()),
        P::Decimal { .. } => Values::Decimal(Vec::new()),
        P::String | P::Binary | P::Geometry { .. } | P::Geography { .. } => {
            Values::Bytes(Offsets::default(), Vec::new())
        }
        P::Uuid => Values::Fixed(16, Vec::new()),
        P::Fixed(length) => Values::Fixed(*length as usize, Vec::new()),
        P::Unknown => Values::Null(0),
    }
}
