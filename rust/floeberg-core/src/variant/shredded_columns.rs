//! How do the columns of shredded values grow?
//!
//! In: values, row by row. Out: `value` and `typed_value`, of fields and elements too.
//! Spec: Parquet `VariantShredding.md`, Arrays, Objects.
//!
//! Invariant: all columns of a place have one length; recursion follows the shape, whose depth is limited.

use std::sync::Arc;

use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, Field, Fields};

use super::bytes::{Bytes, offset};
use super::dictionary::Dictionary;
use super::encode::{Entry, close_object, is_object, twice};
use super::scalar_column::ScalarColumn;
use super::shape::Part;
use super::value::Container;
use super::value::{Kind, NULL};
use crate::error::{Error, Result};

/// The columns of one place.
pub(super) struct ShreddedColumns {
    value: Bytes,
    typed: Typed,
    /// Is there a value of another type, but for null?
    is_mixed: bool,
}

enum Typed {
    ScalarColumn(ScalarColumn),
    /// Which rows have an object, and its fields in the order of their names.
    Object(NullBufferBuilder, Vec<(String, ShreddedColumns)>),
    /// Which rows have an array, where each ends among the elements, and these.
    Array(NullBufferBuilder, Vec<i32>, Box<ShreddedColumns>),
}

/// What is known of a row while it is taken apart.
pub(super) struct Row<'a> {
    names: Dictionary<'a>,
    /// Values of the shredded fields of the objects that are being taken apart, the innermost last.
    found: Vec<Option<&'a [u8]>>,
    /// Fields of an object that stay together.
    rest: Vec<Entry<'a>>,
}

impl<'a> Row<'a> {
    pub(super) fn new(names: Dictionary<'a>) -> Self {
        Self { names, found: Vec::new(), rest: Vec::new() }
    }
}

impl ShreddedColumns {
    /// Columns without rows.
    pub(super) fn new(part: &Part) -> Self {
        let nulls = NullBufferBuilder::new(0);
        let typed = match part {
            Part::Exact(kind, column) => Typed::ScalarColumn(ScalarColumn::new(*kind, column)),
            Part::Array(element) => Typed::Array(nulls, vec![0], Box::new(Self::new(element))),
            Part::Object(fields) => {
                let fields = fields.iter().map(|(name, part)| (name.clone(), Self::new(part)));
                Typed::Object(nulls, fields.collect())
            }
        };
        Self { value: Bytes::new(), typed, is_mixed: false }
    }

    /// Appends a value.
    pub(super) fn append<'a>(&mut self, value: &'a [u8], row: &mut Row<'a>) -> Result<()> {
        let is_typed = match &mut self.typed {
            Typed::ScalarColumn(scalars) => scalars.append(value)?,
            Typed::Object(nulls, fields) if is_object(value) => {
                nulls.append_non_null();
                return append_object(value, row, fields, &mut self.value);
            }
            Typed::Array(nulls, ends, elements) if is_array(value) => {
                nulls.append_non_null();
                for element in Container::new(value)?.elements() {
                    elements.append(element?, row)?;
                }
                ends.push(offset(elements.value.len())?);
                true
            }
            Typed::Object(..) | Typed::Array(..) => false,
        };
        if is_typed {
            self.value.skip();
            return Ok(());
        }
        self.is_mixed |= value != NULL;
        self.typed.skip();
        self.value.append(value)
    }

    /// Appends a value that is missing.
    pub(super) fn skip(&mut self) {
        self.value.skip();
        self.typed.skip();
    }

    /// Says of this place and of those in it whether there are values of another type.
    pub(super) fn add_mixed(&self, mixed: &mut Vec<bool>) {
        mixed.push(self.is_mixed);
        match &self.typed {
            Typed::ScalarColumn(_) => {}
            Typed::Object(_, fields) => fields.iter().for_each(|(_, place)| place.add_mixed(mixed)),
            Typed::Array(_, _, element) => element.add_mixed(mixed),
        }
    }

    /// `value` and `typed_value`. Errors: `InvalidData` for a string that is no text.
    pub(super) fn finish(self) -> Result<Vec<ArrayRef>> {
        Ok(vec![Arc::new(self.value.finish()?), self.typed.finish()?])
    }

    /// The columns, in the group of a field or an element, which is always there.
    fn group(self) -> Result<StructArray> {
        let columns = self.finish()?;
        let column = |(name, column): (&str, &ArrayRef)| Field::new(name, column.data_type().clone(), true);
        let fields: Fields = ["value", "typed_value"].into_iter().zip(&columns).map(column).collect();
        StructArray::try_new(fields, columns, None).map_err(no_columns)
    }
}

impl Typed {
    fn skip(&mut self) {
        match self {
            Self::ScalarColumn(scalars) => scalars.skip(),
            Self::Object(nulls, fields) => {
                nulls.append_null();
                for (_, place) in fields {
                    place.skip();
                }
            }
            Self::Array(nulls, ends, _) => {
                nulls.append_null();
                ends.extend(ends.last().copied());
            }
        }
    }

    fn finish(self) -> Result<ArrayRef> {
        match self {
            Self::ScalarColumn(scalars) => scalars.finish(),
            Self::Object(mut nulls, places) => {
                let mut fields = Vec::with_capacity(places.len());
                let mut columns: Vec<ArrayRef> = Vec::with_capacity(places.len());
                for (name, place) in places {
                    let group = place.group()?;
                    fields.push(Field::new(name, DataType::Struct(group.fields().clone()), false));
                    columns.push(Arc::new(group));
                }
                let object = StructArray::try_new(fields.into(), columns, nulls.finish());
                Ok(Arc::new(object.map_err(no_columns)?))
            }
            Self::Array(mut nulls, ends, elements) => {
                let elements = elements.group()?;
                let field = Field::new("element", DataType::Struct(elements.fields().clone()), false);
                let ends = OffsetBuffer::new(ends.into());
                let lists = ListArray::try_new(Arc::new(field), ends, Arc::new(elements), nulls.finish());
                Ok(Arc::new(lists.map_err(no_columns)?))
            }
        }
    }
}

/// Appends the fields of an object: those that are shredded to their columns, the others, if there are any, to `rest`.
fn append_object<'a>(
    value: &'a [u8],
    row: &mut Row<'a>,
    places: &mut [(String, ShreddedColumns)],
    rest: &mut Bytes,
) -> Result<()> {
    let first = row.found.len();
    row.found.resize(first + places.len(), None);
    row.rest.clear();
    let start = rest.data.len();
    for field in Container::new(value)?.fields() {
        let (id, value) = field?;
        let name = row.names.name(id)?;
        if let Ok(number) = places.binary_search_by(|(known, _)| known.as_bytes().cmp(name)) {
            if row.found[first + number].replace(value).is_some() {
                return Err(twice(name));
            }
        } else {
            row.rest.push(Entry { name, id, offset: rest.data.len() - start });
            rest.data.extend_from_slice(value);
        }
    }
    if row.rest.is_empty() {
        rest.skip();
    } else {
        close_object(&mut rest.data, start, &mut row.rest)?;
        rest.end()?;
    }
    for (number, (_, place)) in places.iter_mut().enumerate() {
        match row.found[first + number] {
            Some(value) => place.append(value, row)?,
            None => place.skip(),
        }
    }
    row.found.truncate(first);
    Ok(())
}

fn is_array(value: &[u8]) -> bool {
    value.first().is_some_and(|header| Kind::of(*header) == Kind::Array)
}

fn no_columns(error: arrow_schema::ArrowError) -> Error {
    Error::internal("shredded variants do not fit into columns").caused_by(error)
}
