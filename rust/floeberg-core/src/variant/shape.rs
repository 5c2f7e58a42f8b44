//! How are the values of a column shredded?
//!
//! In: the inferred types. Out: their columns in files, as Arrow types.
//! Spec: Parquet `VariantShredding.md`, Shredded Value Types, Arrays, Objects.
//!
//! Invariant: every place has both `value` and `typed_value`; fields are in the order of their names.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, TimeUnit};

use super::encode::Primitive;

/// How the values of a column of variants are shredded.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape(pub(super) Part);

/// How the values of one place are shredded.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    /// As exactly one type, in a column of its own type; `True` is both booleans.
    Exact(Primitive, DataType),
    /// As arrays of such elements.
    Array(Box<Part>),
    /// As objects with columns of their own for these fields.
    Object(Vec<(String, Part)>),
}

impl Shape {
    /// How many places have columns: values, fields and elements.
    pub fn places(&self) -> usize {
        self.0.places()
    }

    /// The columns of the group that stores the variants.
    pub fn fields(&self) -> Fields {
        let metadata = Field::new("metadata", DataType::Binary, false);
        [Arc::new(metadata)].into_iter().chain(self.0.place().iter().cloned()).collect()
    }
}

impl Part {
    /// How many places there are, this one and those in it.
    fn places(&self) -> usize {
        1 + match self {
            Self::Exact(..) => 0,
            Self::Array(element) => element.places(),
            Self::Object(fields) => fields.iter().map(|(_, part)| part.places()).sum(),
        }
    }

    /// The columns of one place.
    pub(super) fn place(&self) -> Fields {
        let value = Field::new("value", DataType::Binary, true);
        Fields::from(vec![value, Field::new("typed_value", self.data_type(), true)])
    }

    fn data_type(&self) -> DataType {
        match self {
            Self::Exact(_, column) => column.clone(),
            Self::Array(element) => {
                let element = DataType::Struct(element.place());
                DataType::List(Arc::new(Field::new("element", element, false)))
            }
            Self::Object(fields) => {
                let group = |(name, part): &(String, Self)| {
                    Field::new(name.clone(), DataType::Struct(part.place()), false)
                };
                DataType::Struct(fields.iter().map(group).collect())
            }
        }
    }

    /// As values of a type. Decimals are whole numbers here.
    pub(super) fn exact(kind: Primitive) -> Self {
        use Primitive as P;
        let utc = || Some("UTC".into());
        let column = match kind {
            P::True | P::False => DataType::Boolean,
            P::Int8 => DataType::Int8,
            P::Int16 => DataType::Int16,
            P::Int32 => DataType::Int32,
            P::Int64 => DataType::Int64,
            P::Float => DataType::Float32,
            P::Double => DataType::Float64,
            P::Decimal4 => DataType::Decimal128(9, 0),
            P::Decimal8 => DataType::Decimal128(18, 0),
            P::Decimal16 => DataType::Decimal128(38, 0),
            P::Date => DataType::Date32,
            P::Time => DataType::Time64(TimeUnit::Microsecond),
            P::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            P::Timestamptz => DataType::Timestamp(TimeUnit::Microsecond, utc()),
            P::TimestampNanos => DataType::Timestamp(TimeUnit::Nanosecond, None),
            P::TimestamptzNanos => DataType::Timestamp(TimeUnit::Nanosecond, utc()),
            P::Binary => DataType::Binary,
            P::String => DataType::Utf8,
            P::Uuid => DataType::FixedSizeBinary(16),
        };
        Self::Exact(kind, column)
    }

    /// As decimals of this precision and scale.
    pub(super) fn decimals(precision: u8, scale: u8) -> Self {
        Self::Exact(Primitive::decimal_of(precision), DataType::Decimal128(precision, scale as i8))
    }
}
