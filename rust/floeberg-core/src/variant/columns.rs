//! What do the columns of a shredded variant hold in one row?
//!
//! In: the columns of a batch, as a [`Layout`] says. Out: typed arrays, and their values as variant encodes them.
//!
//! Invariant: a batch is taken apart once; what follows for each row looks up no type.
//!
//! [`Layout`]: super::Layout

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time64MicrosecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, FixedSizeBinaryArray, ListArray, PrimitiveArray, StringArray,
    StructArray,
};
use arrow_schema::{DataType, TimeUnit};

use super::encode::{self, Primitive};
use super::layout::{Typed, ValueColumns};
use crate::error::{Error, Result};

/// The columns of one value.
pub(super) struct Columns<'a> {
    /// Are the columns in a group that may be null?
    group: Option<&'a StructArray>,
    value: Option<&'a BinaryArray>,
    pub(super) typed: Option<TypedColumn<'a>>,
}

/// A `typed_value` column.
pub(super) enum TypedColumn<'a> {
    Primitive(Leaf<'a>),
    /// Which rows have an object, and the columns of its fields.
    Object(&'a StructArray, Vec<FieldColumns<'a>>),
    Array(&'a ListArray, Box<Columns<'a>>),
}

/// The columns of a shredded field.
pub(super) struct FieldColumns<'a> {
    pub(super) name: &'a str,
    /// The number of the name among the names of all shredded fields.
    pub(super) name_number: usize,
    pub(super) columns: Columns<'a>,
}

/// A typed column of values without parts.
pub(super) enum Leaf<'a> {
    Boolean(&'a BooleanArray),
    Int8(&'a PrimitiveArray<Int8Type>),
    Int16(&'a PrimitiveArray<Int16Type>),
    Int32(&'a PrimitiveArray<Int32Type>),
    Int64(&'a PrimitiveArray<Int64Type>),
    Float(&'a PrimitiveArray<Float32Type>),
    Double(&'a PrimitiveArray<Float64Type>),
    Decimal(&'a PrimitiveArray<Decimal128Type>),
    Date(&'a PrimitiveArray<Date32Type>),
    Time(&'a PrimitiveArray<Time64MicrosecondType>),
    Micros(Primitive, &'a PrimitiveArray<TimestampMicrosecondType>),
    Nanos(Primitive, &'a PrimitiveArray<TimestampNanosecondType>),
    Binary(&'a BinaryArray),
    String(&'a StringArray),
    Uuid(&'a FixedSizeBinaryArray),
}

/// The names of all shredded fields, each once.
pub(super) type Names<'a> = Vec<&'a str>;

impl<'a> Columns<'a> {
    /// Of the columns of a group.
    pub(super) fn new(
        group: &'a StructArray,
        place: &'a ValueColumns,
        names: &mut Names<'a>,
    ) -> Result<Self> {
        let value = match place.value {
            Some(number) => Some(column(group, number)?.as_binary_opt().ok_or_else(unexpected)?),
            None => None,
        };
        let typed = match &place.typed {
            Some((number, typed)) => Some(typed_column(column(group, *number)?, typed, names)?),
            None => None,
        };
        Ok(Self { group: (group.null_count() > 0).then_some(group), value, typed })
    }

    /// The value of a row, where it is stored as one.
    pub(super) fn value(&self, row: usize) -> Option<&'a [u8]> {
        let value = self.value?;
        (value.is_valid(row) && self.is_there(row)).then(|| value.value(row))
    }

    /// The typed column, where it holds the row.
    pub(super) fn typed(&self, row: usize) -> Option<&TypedColumn<'a>> {
        self.typed.as_ref().filter(|typed| typed.is_valid(row) && self.is_there(row))
    }

    fn is_there(&self, row: usize) -> bool {
        self.group.is_none_or(|group| group.is_valid(row))
    }
}

impl TypedColumn<'_> {
    fn is_valid(&self, row: usize) -> bool {
        match self {
            Self::Primitive(leaf) => leaf.array().is_valid(row),
            Self::Object(group, _) => group.is_valid(row),
            Self::Array(list, _) => list.is_valid(row),
        }
    }
}

impl Leaf<'_> {
    fn array(&self) -> &dyn Array {
        match self {
            Self::Boolean(array) => array,
            Self::Int8(array) => array,
            Self::Int16(array) => array,
            Self::Int32(array) => array,
            Self::Int64(array) => array,
            Self::Float(array) => array,
            Self::Double(array) => array,
            Self::Decimal(array) => array,
            Self::Date(array) => array,
            Self::Time(array) => array,
            Self::Micros(_, array) => array,
            Self::Nanos(_, array) => array,
            Self::Binary(array) => array,
            Self::String(array) => array,
            Self::Uuid(array) => array,
        }
    }

    /// Appends the value of a row, which is not null.
    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) -> Result<()> {
        use Primitive as P;
        use encode::primitive;
        match self {
            Self::Boolean(array) => primitive(out, if array.value(row) { P::True } else { P::False }, &[]),
            Self::Int8(array) => primitive(out, P::Int8, &array.value(row).to_le_bytes()),
            Self::Int16(array) => primitive(out, P::Int16, &array.value(row).to_le_bytes()),
            Self::Int32(array) => primitive(out, P::Int32, &array.value(row).to_le_bytes()),
            Self::Int64(array) => primitive(out, P::Int64, &array.value(row).to_le_bytes()),
            Self::Float(array) => primitive(out, P::Float, &array.value(row).to_le_bytes()),
            Self::Double(array) => primitive(out, P::Double, &array.value(row).to_le_bytes()),
            Self::Decimal(array) => {
                return encode::decimal(out, array.precision(), array.scale(), array.value(row));
            }
            Self::Date(array) => primitive(out, P::Date, &array.value(row).to_le_bytes()),
            Self::Time(array) => primitive(out, P::Time, &array.value(row).to_le_bytes()),
            Self::Micros(kind, array) => primitive(out, *kind, &array.value(row).to_le_bytes()),
            Self::Nanos(kind, array) => primitive(out, *kind, &array.value(row).to_le_bytes()),
            Self::Binary(array) => return encode::sized(out, P::Binary, array.value(row)),
            Self::String(array) => return encode::string(out, array.value(row).as_bytes()),
            Self::Uuid(array) => primitive(out, P::Uuid, array.value(row)),
        }
        Ok(())
    }
}

fn typed_column<'a>(array: &'a ArrayRef, typed: &'a Typed, names: &mut Names<'a>) -> Result<TypedColumn<'a>> {
    match typed {
        Typed::Primitive => Ok(TypedColumn::Primitive(leaf(array)?)),
        Typed::Object(fields) => {
            let group = array.as_struct_opt().ok_or_else(unexpected)?;
            let fields = fields.iter().map(|field| {
                let columns = column(group, field.group)?.as_struct_opt().ok_or_else(unexpected)?;
                let name_number = number_of(&field.name, names);
                Ok(FieldColumns {
                    name: &field.name,
                    name_number,
                    columns: Columns::new(columns, &field.place, names)?,
                })
            });
            Ok(TypedColumn::Object(group, fields.collect::<Result<_>>()?))
        }
        Typed::Array(element) => {
            let list = array.as_list_opt::<i32>().ok_or_else(unexpected)?;
            let columns = list.values().as_struct_opt().ok_or_else(unexpected)?;
            Ok(TypedColumn::Array(list, Box::new(Columns::new(columns, element, names)?)))
        }
    }
}

fn leaf(array: &ArrayRef) -> Result<Leaf<'_>> {
    use DataType as T;
    Ok(match array.data_type() {
        T::Boolean => Leaf::Boolean(array.as_boolean()),
        T::Int8 => Leaf::Int8(array.as_primitive()),
        T::Int16 => Leaf::Int16(array.as_primitive()),
        T::Int32 => Leaf::Int32(array.as_primitive()),
        T::Int64 => Leaf::Int64(array.as_primitive()),
        T::Float32 => Leaf::Float(array.as_primitive()),
        T::Float64 => Leaf::Double(array.as_primitive()),
        T::Decimal128(..) => Leaf::Decimal(array.as_primitive()),
        T::Date32 => Leaf::Date(array.as_primitive()),
        T::Time64(TimeUnit::Microsecond) => Leaf::Time(array.as_primitive()),
        T::Timestamp(TimeUnit::Microsecond, zone) => {
            let kind = if zone.is_some() { Primitive::Timestamptz } else { Primitive::Timestamp };
            Leaf::Micros(kind, array.as_primitive())
        }
        T::Timestamp(TimeUnit::Nanosecond, zone) => {
            let kind = if zone.is_some() { Primitive::TimestamptzNanos } else { Primitive::TimestampNanos };
            Leaf::Nanos(kind, array.as_primitive())
        }
        T::Binary => Leaf::Binary(array.as_binary()),
        T::Utf8 => Leaf::String(array.as_string()),
        T::FixedSizeBinary(16) => Leaf::Uuid(array.as_fixed_size_binary()),
        _ => return Err(unexpected()),
    })
}

fn number_of<'a>(name: &'a str, names: &mut Names<'a>) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

fn column(group: &StructArray, number: usize) -> Result<&ArrayRef> {
    group.columns().get(number).ok_or_else(unexpected)
}

fn unexpected() -> Error {
    Error::internal("the decoded columns of a variant are not those of the file")
}
