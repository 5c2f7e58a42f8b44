//! Which types does a transform accept, and which does it return?
//!
//! Spec: Partition Transforms.

use super::Transform;
use crate::error::{Error, Result};
use crate::schema::{PrimitiveType, Type};

impl Transform {
    /// Can it be applied to values of a type?
    ///
    /// An unknown transform may take any primitive type.
    pub fn accepts(&self, source: &Type) -> bool {
        use PrimitiveType as P;
        let Type::Primitive(source) = source else { return *self == Self::Void };
        match self {
            Self::Identity => !matches!(source, P::Geometry { .. } | P::Geography { .. }),
            Self::Bucket(_) => matches!(
                source,
                P::Int
                    | P::Long
                    | P::Decimal { .. }
                    | P::Date
                    | P::Time
                    | P::Timestamp
                    | P::Timestamptz
                    | P::TimestampNs
                    | P::TimestamptzNs
                    | P::String
                    | P::Uuid
                    | P::Fixed(_)
                    | P::Binary
            ),
            Self::Truncate(_) => {
                matches!(source, P::Int | P::Long | P::Decimal { .. } | P::String | P::Binary)
            }
            Self::Year | Self::Month | Self::Day => *source == P::Date || is_timestamp(source),
            Self::Hour => is_timestamp(source),
            Self::Void | Self::Unknown(_) => true,
        }
    }

    /// The type of its values.
    ///
    /// For an unknown transform it is [`Type::Unrecognized`], with the transform as written. Readers of its values
    /// take the type in the file. Errors: `InvalidData` for a source type that it does not take.
    pub fn result_type(&self, source: &Type) -> Result<Type> {
        if !self.accepts(source) {
            return Err(Error::invalid_data(format!(
                "the transform {self} cannot be applied to type {source}"
            )));
        }
        Ok(match self {
            Self::Identity | Self::Truncate(_) | Self::Void => source.clone(),
            Self::Bucket(_) | Self::Year | Self::Month | Self::Hour => PrimitiveType::Int.into(),
            Self::Day => PrimitiveType::Date.into(),
            Self::Unknown(written) => Type::Unrecognized(written.clone()),
        })
    }

    /// Is the result of a larger value never smaller?
    ///
    /// True of truncation although it wraps for integers near the type's minimum: a projection has to mind that.
    pub fn is_order_preserving(&self) -> bool {
        matches!(self, Self::Identity | Self::Truncate(_) | Self::Year | Self::Month | Self::Day | Self::Hour)
    }
}

fn is_timestamp(source: &PrimitiveType) -> bool {
    use PrimitiveType as P;
    matches!(source, P::Timestamp | P::Timestamptz | P::TimestampNs | P::TimestamptzNs)
}
