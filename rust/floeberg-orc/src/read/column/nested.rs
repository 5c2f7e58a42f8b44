//! Structs, lists and maps.
//!
//! Spec: ORC v1, Struct, List and Map Columns.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, ListArray, MapArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, FieldRef, Fields};
use floeberg_core::{Error, Result};

use super::reader::{ColumnReader, Decode, MOST_ELEMENTS, offsets, valued};
use crate::read::rle::Integers;

/// Structs, with the fields that are read.
pub(super) struct Structs {
    pub(super) fields: Fields,
    pub(super) children: Vec<ColumnReader>,
}

impl Decode for Structs {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let children = self.children.iter_mut().map(|child| child.read(rows, nulls.as_ref()));
        let children = children.collect::<Result<Vec<_>>>()?;
        let array = StructArray::try_new_with_length(self.fields.clone(), children, nulls, rows);
        Ok(Arc::new(array.map_err(broken)?))
    }
}

/// Lists.
pub(super) struct Lists {
    pub(super) lengths: Integers,
    pub(super) element: ColumnReader,
}

impl Decode for Lists {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let (offsets, elements) = read_offsets(&mut self.lengths, rows, nulls.as_ref())?;
        let values = self.element.read(elements, None)?;
        let array = ListArray::try_new(FieldRef::clone(&self.element.field), offsets, values, nulls);
        Ok(Arc::new(array.map_err(broken)?))
    }
}

/// Maps.
pub(super) struct Maps {
    pub(super) lengths: Integers,
    /// The field of the entries.
    pub(super) entries: FieldRef,
    pub(super) key: ColumnReader,
    pub(super) value: ColumnReader,
}

impl Decode for Maps {
    fn decode(&mut self, rows: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
        let (offsets, elements) = read_offsets(&mut self.lengths, rows, nulls.as_ref())?;
        let pairs = vec![self.key.read(elements, None)?, self.value.read(elements, None)?];
        if pairs[0].null_count() > 0 {
            return Err(Error::invalid_data("a map of the ORC file has a key that is null"));
        }
        let DataType::Struct(fields) = self.entries.data_type() else {
            return Err(Error::internal("the entries of an Arrow map are not a struct"));
        };
        let pairs = StructArray::try_new(fields.clone(), pairs, None).map_err(broken)?;
        let array = MapArray::try_new(FieldRef::clone(&self.entries), offsets, pairs, nulls, false);
        Ok(Arc::new(array.map_err(broken)?))
    }
}

fn read_offsets(
    lengths: &mut Integers,
    rows: usize,
    nulls: Option<&NullBuffer>,
) -> Result<(OffsetBuffer<i32>, usize)> {
    let lengths = lengths.read(valued(rows, nulls))?;
    let offsets = offsets(lengths, nulls, MOST_ELEMENTS, "elements of lists or maps")?;
    let elements = offsets.last().map_or(0, |end| *end as usize);
    Ok((OffsetBuffer::new(offsets.into()), elements))
}

fn broken(error: ArrowError) -> Error {
    Error::internal("nested columns of an ORC file do not fit together").caused_by(error)
}
