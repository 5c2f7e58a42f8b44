//! Which columns does a file have, with which field ids, and as which Arrow types are they read?
//!
//! In: the types of a footer. Out: a tree of columns, and its Arrow form.
//! Spec: Iceberg, Appendix A, ORC; ORC v1, Type Information.
//!
//! Invariant: every type is used at most once, and parents come before their children, so the tree is no larger than the footer.
//! Every column may be null, whatever the file says.

use std::ops::Range;
use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields, Metadata, TimeUnit};
use floeberg_core::schema::arrow::{FIELD_ID_KEY, UTC};
use floeberg_core::{Context, Error, Result};

use crate::wire::{OrcType, TypeKind};

/// How deep columns may be nested.
const DEEPEST: usize = 100;

/// What a decimal is that does not say it.
const USUAL_DECIMAL: (u32, u32) = (38, 10);

/// A column of a file, or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    /// Its number in the file.
    pub(crate) number: u32,
    /// Its type in the file.
    pub(crate) kind: TypeKind,
    /// Its name, id and Arrow type, with all of its parts.
    pub(crate) field: FieldRef,
    /// Its leaves among those of the file.
    pub(crate) leaves: Range<usize>,
    /// A struct's fields, a list's element, a map's key and value.
    pub(crate) children: Vec<Column>,
}

/// The column of a file's rows. Errors: `Unsupported` where rows are not structs, `InvalidData` for types that make
/// no tree.
pub(crate) fn columns(types: &[OrcType]) -> Result<Column> {
    match types.first() {
        Some(row) if row.kind == TypeKind::Struct => {}
        Some(_) => return Err(Error::unsupported("ORC files whose rows are not structs cannot be read")),
        None => return Err(Error::invalid_data("the ORC file has no types")),
    }
    Builder { types, next: 0, leaf: 0 }.column(0, "row", 0)
}

/// The Arrow fields of a struct.
pub(crate) fn fields_of(column: &Column) -> Fields {
    column.children.iter().map(|child| FieldRef::clone(&child.field)).collect()
}

/// The column of a leaf; `None` if it is within a list or a map.
pub(crate) fn leaf_column(row: &Column, leaf: usize) -> Option<&Column> {
    let child = row.children.iter().find(|child| child.leaves.contains(&leaf))?;
    match child.kind {
        _ if child.children.is_empty() => Some(child),
        TypeKind::Struct => leaf_column(child, leaf),
        _ => None,
    }
}

/// Calls a function with a column and all of its parts.
pub(crate) fn each_column(column: &Column, call: &mut dyn FnMut(&Column)) {
    call(column);
    column.children.iter().for_each(|child| each_column(child, call));
}

struct Builder<'a> {
    types: &'a [OrcType],
    /// The lowest number that was not used yet.
    next: usize,
    leaf: usize,
}

impl Builder<'_> {
    fn column(&mut self, number: u32, name: &str, depth: usize) -> Result<Column> {
        let place = number as usize;
        if place < self.next || depth > DEEPEST {
            return Err(Error::invalid_data(format!(
                "the type {number} of the ORC file is not part of its schema"
            )));
        }
        self.next = place + 1;
        let Some(found) = self.types.get(place) else {
            return Err(Error::invalid_data(format!(
                "the ORC file names the type {number}, but does not have it"
            )));
        };
        let start = self.leaf;
        let children = self.children(found, depth).context("column", name)?;
        let data_type = data_type(found, &children).context("column", name)?;
        // A struct of nothing is a leaf: there is one or a null.
        if children.is_empty() {
            self.leaf += 1;
        }
        let metadata = match found.attribute("iceberg.id") {
            Some(id) if id.parse::<i32>().is_ok() => Metadata::new().with(FIELD_ID_KEY, id),
            Some(id) => {
                return Err(Error::invalid_data(format!("{id:?} is not a field id")).with("column", name));
            }
            None => Metadata::new(),
        };
        let field = Arc::new(Field::new(name, data_type, true).with_metadata(metadata));
        Ok(Column { number, kind: found.kind, field, leaves: start..self.leaf, children })
    }

    fn children(&mut self, parent: &OrcType, depth: usize) -> Result<Vec<Column>> {
        let parts = parent.subtypes.as_slice();
        let wrong = |wanted: usize| {
            let found = parts.len();
            Err(Error::invalid_data(format!("expected {wanted} parts of an ORC type, found {found}")))
        };
        match parent.kind {
            TypeKind::Struct if parent.names.len() != parts.len() => wrong(parent.names.len()),
            TypeKind::Struct => {
                let named = parts.iter().zip(&parent.names);
                named.map(|(part, name)| self.column(*part, name, depth + 1)).collect()
            }
            TypeKind::List => match parts {
                [element] => Ok(vec![self.column(*element, "element", depth + 1)?]),
                _ => wrong(1),
            },
            TypeKind::Map => match parts {
                [key, value] => {
                    Ok(vec![self.column(*key, "key", depth + 1)?, self.column(*value, "value", depth + 1)?])
                }
                _ => wrong(2),
            },
            // Its parts are never read.
            TypeKind::Union => {
                if let Some(last) = parts.last() {
                    self.next = self.next.max((*last as usize).min(self.types.len()));
                }
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        }
    }
}

fn data_type(orc: &OrcType, children: &[Column]) -> Result<DataType> {
    let timestamp = |zone: Option<&str>| {
        let unit = match orc.attribute("iceberg.timestamp-unit") {
            Some("NANOS") => TimeUnit::Nanosecond,
            _ => TimeUnit::Microsecond,
        };
        DataType::Timestamp(unit, zone.map(Into::into))
    };
    Ok(match orc.kind {
        TypeKind::Boolean => DataType::Boolean,
        TypeKind::Byte | TypeKind::Short | TypeKind::Int => DataType::Int32,
        TypeKind::Long if orc.attribute("iceberg.long-type") == Some("TIME") => {
            DataType::Time64(TimeUnit::Microsecond)
        }
        TypeKind::Long => DataType::Int64,
        TypeKind::Float => DataType::Float32,
        TypeKind::Double => DataType::Float64,
        TypeKind::String | TypeKind::Varchar | TypeKind::Char => DataType::Utf8,
        TypeKind::Binary => binary(orc)?,
        TypeKind::Timestamp => timestamp(None),
        TypeKind::TimestampInstant => timestamp(Some(UTC)),
        TypeKind::Date => DataType::Date32,
        TypeKind::Decimal => {
            let precision = orc.precision.unwrap_or(USUAL_DECIMAL.0);
            let scale = orc.scale.unwrap_or(USUAL_DECIMAL.1);
            if !(1..=38).contains(&precision) || scale > precision {
                return Err(Error::invalid_data(format!(
                    "decimal({precision}, {scale}) is not a valid type"
                )));
            }
            DataType::Decimal128(precision as u8, scale as i8)
        }
        TypeKind::Struct => {
            DataType::Struct(children.iter().map(|child| FieldRef::clone(&child.field)).collect())
        }
        TypeKind::List => match children {
            [element] => DataType::List(FieldRef::clone(&element.field)),
            _ => return Err(Error::internal("a list without its element")),
        },
        TypeKind::Map => match children {
            [key, value] => map_type(&key.field, &value.field),
            _ => return Err(Error::internal("a map without its key and value")),
        },
        // Arrow's null stands for what cannot be read; reading it is an error.
        TypeKind::Union => DataType::Null,
    })
}

/// A map, whose keys are never null.
pub(crate) fn map_type(key: &FieldRef, value: &FieldRef) -> DataType {
    let key = Arc::new(Field::clone(key).with_nullable(false));
    let entry = Fields::from(vec![key, FieldRef::clone(value)]);
    DataType::Map(Arc::new(Field::new("key_value", DataType::Struct(entry), false)), false)
}

fn binary(orc: &OrcType) -> Result<DataType> {
    match orc.attribute("iceberg.binary-type") {
        Some("UUID") => Ok(DataType::FixedSizeBinary(16)),
        Some("FIXED") => {
            let length = orc.attribute("iceberg.length").and_then(|length| length.parse().ok());
            match length {
                Some(length) if length >= 0 => Ok(DataType::FixedSizeBinary(length)),
                _ => Err(Error::invalid_data("a fixed type of the ORC file has no length")),
            }
        }
        _ => Ok(DataType::Binary),
    }
}
