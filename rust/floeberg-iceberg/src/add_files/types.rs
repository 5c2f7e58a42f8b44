//! Is the type of a file's column that of the table, or promoted to it?
//!
//! In: a column of the table, and of a file of another writer. Out: nothing, or an error that names the column and both types.
//! Spec: Schema Evolution (type promotion); Appendix A.
//!
//! Invariant: no value gets another meaning and none loses digits. Types that Iceberg does not have are taken where each value has
//! one of the table's type: narrow and unsigned integers, half floats, milliseconds, and bytes that are text.

use std::collections::BTreeSet;

use arrow_schema::{DataType, TimeUnit};
use floeberg_core::schema::arrow::type_to_arrow;
use floeberg_core::schema::{PrimitiveType, Type};
use floeberg_core::{Error, Result};
use floeberg_files::FileField;

/// What decides which types fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct TypeRules<'a> {
    /// Dates become timestamps from version 3 on.
    pub format_version: u8,
    /// Leaves of the file with timestamps that may be instants or not.
    pub undecided_zones: &'a BTreeSet<usize>,
}

impl TypeRules<'_> {
    /// Checks a column of a primitive type; types of other columns are compared by those who read them.
    ///
    /// Errors: `InvalidInput`.
    pub(super) fn check(self, wanted: &Type, file: &FileField, name: &str) -> Result<()> {
        let Type::Primitive(primitive) = wanted else { return Ok(()) };
        if self.fits(primitive, file)? {
            return Ok(());
        }
        Err(Error::invalid_input(format!(
            "the column {name:?} is {wanted} in the table and {} in the file, which is not promoted to it: write the file again \
             with a column of that type, change the type of the column in the table, or leave the file out",
            named(&file.data_type)
        )))
    }

    fn fits(self, wanted: &PrimitiveType, file: &FileField) -> Result<bool> {
        use DataType as T;
        use PrimitiveType as P;
        use TimeUnit::{Microsecond, Millisecond, Second};
        let stored = &file.data_type;
        Ok(match (wanted, stored) {
            (_, T::Null) => true,
            // Its values would be lost.
            (P::Unknown, _) => false,
            (P::Int, T::Int8 | T::Int16 | T::UInt8 | T::UInt16) => true,
            (P::Long, integer) if integer.is_integer() => true,
            (P::Float, T::Float16) | (P::Double, T::Float16 | T::Float32) => true,
            (P::Decimal { precision, scale }, T::Decimal128(digits, of_these)) => {
                digits <= precision && i16::from(*of_these) == i16::from(*scale)
            }
            (P::Time, T::Time32(Millisecond)) => true,
            (P::Timestamp | P::TimestampNs, T::Date32) => self.format_version >= 3,
            (P::Timestamp | P::Timestamptz, T::Timestamp(Second | Millisecond | Microsecond, zone)) => {
                self.undecided_zones.contains(&file.leaves.start)
                    || zone.is_some() == (*wanted == P::Timestamptz)
            }
            (P::TimestampNs | P::TimestamptzNs, T::Timestamp(TimeUnit::Nanosecond, zone)) => {
                zone.is_some() == (*wanted == P::TimestamptzNs)
            }
            (P::String, T::Binary) => true,
            (wanted, stored) => type_to_arrow(&Type::Primitive(wanted.clone()))? == *stored,
        })
    }
}

/// The type in Iceberg's words, where it has one.
fn named(stored: &DataType) -> String {
    use DataType as T;
    let name = match stored {
        T::Boolean => "boolean",
        T::Int32 => "int",
        T::Int64 => "long",
        T::Float32 => "float",
        T::Float64 => "double",
        T::Date32 => "date",
        T::Utf8 => "string",
        T::Binary => "binary",
        T::FixedSizeBinary(length) => return format!("fixed({length})"),
        T::Decimal128(precision, scale) => return format!("decimal({precision},{scale})"),
        T::Time32(unit) | T::Time64(unit) => return format!("time{}", in_unit(*unit)),
        T::Timestamp(unit, zone) => {
            let name = if zone.is_some() { "timestamptz" } else { "timestamp" };
            return format!("{name}{}", in_unit(*unit));
        }
        T::Struct(_) => "a struct",
        T::List(_) | T::LargeList(_) | T::FixedSizeList(..) => "a list",
        T::Map(..) => "a map",
        other => return other.to_string().to_lowercase(),
    };
    name.to_owned()
}

fn in_unit(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => " in seconds",
        TimeUnit::Millisecond => " in milliseconds",
        TimeUnit::Microsecond => "",
        TimeUnit::Nanosecond => " in nanoseconds",
    }
}
