//! Which columns can hold the rows of an Arrow schema?
//!
//! In: an Arrow schema and a format version. Out: a schema with ids from 1.
//! Spec: Schemas and Data Types; Appendix A.
//!
//! Invariant: a column's type can hold every value of the Arrow type; otherwise the error says what to do. One error names all
//! columns.

mod extension;

use arrow_schema::{DataType, Field as ArrowField, Fields, TimeUnit};

pub use self::extension::extension_type;
use super::json::MAX_DEPTH;
use super::{Field, FreshIds, ListType, MapType, PrimitiveType, Schema, StructType, Type};
use crate::error::{Error, Result, beginning};
use crate::value::decimal::MAX_PRECISION;

/// Zones that are UTC by another name.
const UTC_NAMES: [&str; 8] = ["UTC", "Etc/UTC", "Z", "Zulu", "+00:00", "-00:00", "+0000", "GMT"];

/// The schema of a table that holds the rows of an Arrow schema. Large, view, dictionary and run-end forms become the
/// types of their values. `arrow.uuid`, `arrow.parquet.variant` and `geoarrow.wkb` become the types that they name. A
/// field's `doc` becomes its comment.
///
/// The format version decides over nanoseconds and Arrow's null type, which need v3.
///
/// Errors: `InvalidInput`, naming each column without a type, with advice.
pub fn schema_from_arrow(schema: &arrow_schema::Schema, format_version: u8) -> Result<Schema> {
    let mut reader = Reader { format_version, problems: Vec::new() };
    let fields = reader.fields(schema.fields(), "", MAX_DEPTH);
    if !reader.problems.is_empty() {
        return Err(Error::invalid_input(format!(
            "an Arrow schema does not fit a table of format version {format_version}: {}",
            reader.problems.join("; ")
        )));
    }
    Schema::new(0, FreshIds::after(0).fields(&fields)?).map_err(Error::of_input)
}

/// Does a zone's name mean UTC?
pub fn is_utc(zone: &str) -> bool {
    UTC_NAMES.iter().any(|name| name.eq_ignore_ascii_case(zone))
}

struct Reader {
    format_version: u8,
    problems: Vec<String>,
}

impl Reader {
    fn fields(&mut self, fields: &Fields, parent: &str, depth: usize) -> Vec<Field> {
        fields.iter().map(|field| self.field(field, field.name(), parent, depth)).collect()
    }

    /// A field by its name in the table; its id is given later.
    fn field(&mut self, field: &ArrowField, name: &str, parent: &str, depth: usize) -> Field {
        let full_name = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        let field_type = self.field_type(field, &full_name, depth).unwrap_or_else(|problem| {
            self.problems.push(format!("column {:?} {problem}", beginning(&full_name)));
            PrimitiveType::Unknown.into()
        });
        let required = !field.is_nullable() && field_type != PrimitiveType::Unknown.into();
        let doc = field.metadata().get("doc").cloned();
        Field { required, doc, ..Field::optional(0, name, field_type) }
    }

    /// Errors: what is wrong with the column.
    fn field_type(&mut self, field: &ArrowField, name: &str, depth: usize) -> Result<Type, String> {
        let Some(depth) = depth.checked_sub(1) else {
            return Err(format!("is nested more than {MAX_DEPTH} levels deep"));
        };
        if let Some(named) = extension_type(field)? {
            return Ok(named);
        }
        match written_out(field.data_type()) {
            DataType::Struct(fields) => {
                Ok(Type::Struct(StructType { fields: self.fields(fields, name, depth) }))
            }
            DataType::List(element)
            | DataType::LargeList(element)
            | DataType::ListView(element)
            | DataType::LargeListView(element)
            | DataType::FixedSizeList(element, _) => {
                let element = self.field(element, "element", name, depth);
                Ok(Type::List(Box::new(ListType { element })))
            }
            DataType::Map(entries, _) => {
                let DataType::Struct(entry) = entries.data_type() else {
                    return Err("is a map whose entries are not a struct".to_owned());
                };
                let [key, value] = entry.as_ref() else {
                    return Err("is a map whose entries are not a key and a value".to_owned());
                };
                let key = Field { required: true, ..self.field(key, "key", name, depth) };
                let value = self.field(value, "value", name, depth);
                Ok(Type::Map(Box::new(MapType { key, value })))
            }
            other => self.primitive(other).map(Type::Primitive),
        }
    }

    fn primitive(&self, data_type: &DataType) -> Result<PrimitiveType, String> {
        use DataType as T;
        use PrimitiveType as P;
        Ok(match data_type {
            T::Null if self.format_version < 3 => {
                return Err("is of Arrow's null type, which needs format version 3: cast it".to_owned());
            }
            T::Null => P::Unknown,
            T::Boolean => P::Boolean,
            T::Int8 | T::Int16 | T::Int32 | T::UInt8 | T::UInt16 => P::Int,
            T::Int64 | T::UInt32 => P::Long,
            T::UInt64 => {
                return Err("is uint64, which no integer type of a table can hold: cast it to int64 or \
                     decimal128(20, 0)"
                    .to_owned());
            }
            T::Float16 | T::Float32 => P::Float,
            T::Float64 => P::Double,
            T::Decimal32(precision, scale)
            | T::Decimal64(precision, scale)
            | T::Decimal128(precision, scale)
            | T::Decimal256(precision, scale) => decimal(*precision, *scale)?,
            T::Date32 | T::Date64 => P::Date,
            T::Time32(_) | T::Time64(_) => P::Time,
            T::Timestamp(unit, zone) => self.timestamp(*unit, zone.as_deref())?,
            T::Utf8 | T::LargeUtf8 | T::Utf8View => P::String,
            T::Binary | T::LargeBinary | T::BinaryView => P::Binary,
            T::FixedSizeBinary(length) => P::Fixed(*length as u32),
            other => return Err(format!("is {}, which no type of a table can hold", beginning(other))),
        })
    }

    fn timestamp(&self, unit: TimeUnit, zone: Option<&str>) -> Result<PrimitiveType, String> {
        if let Some(other) = zone.filter(|zone| !is_utc(zone)) {
            let shown = beginning(other);
            return Err(format!("has the time zone {shown:?}, but a table stores only UTC: cast it to UTC"));
        }
        match (unit, zone) {
            (TimeUnit::Nanosecond, _) if self.format_version < 3 => Err(
                "has nanoseconds, which need format version 3: cast it to microseconds, or set format_version=3"
                    .to_owned(),
            ),
            (TimeUnit::Nanosecond, None) => Ok(PrimitiveType::TimestampNs),
            (TimeUnit::Nanosecond, Some(_)) => Ok(PrimitiveType::TimestamptzNs),
            (_, None) => Ok(PrimitiveType::Timestamp),
            (_, Some(_)) => Ok(PrimitiveType::Timestamptz),
        }
    }
}

/// The type of the values of dictionaries and runs.
pub fn written_out(data_type: &DataType) -> &DataType {
    match data_type {
        DataType::Dictionary(_, values) => written_out(values),
        DataType::RunEndEncoded(_, values) => written_out(values.data_type()),
        other => other,
    }
}

fn decimal(precision: u8, scale: i8) -> Result<PrimitiveType, String> {
    match u8::try_from(scale) {
        Ok(scale) if precision <= MAX_PRECISION && scale <= precision => {
            Ok(PrimitiveType::Decimal { precision, scale })
        }
        _ => Err(format!(
            "is a decimal of precision {precision} and scale {scale}: a table has up to {MAX_PRECISION} digits, and a scale \
             from 0 up to the precision"
        )),
    }
}
