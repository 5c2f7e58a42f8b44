//! Which field of a shredded variant does a leaf belong to?
//!
//! In: the columns of the variant. Out: their leaves, in the order of the file.
//!
//! Invariant: a field in an array is left out, as it has many values per row.

use std::sync::Arc;

use arrow_schema::{DataType, Field};
use floeberg_core::variant::path_of;
use floeberg_core::{Error, Result};

use super::leaf::{Leaf, TypedLeaf};
use super::shredded::primitive;

/// Adds the leaves of a shredded value or field: `value`, and those of `typed_value`.
pub(super) fn add_shredded(id: i32, place: &[Arc<Field>], leaves: &mut Vec<Leaf>) -> Result<()> {
    Walk { id, next: 0, names: Vec::new(), places: Vec::new(), arrays: 0, leaves }.place(place)
}

struct Walk<'a, 'b> {
    id: i32,
    /// The number of the next place. Places are numbered in the order of their columns `value`.
    next: usize,
    names: Vec<&'a str>,
    places: Vec<usize>,
    /// How many arrays the place is in.
    arrays: usize,
    leaves: &'b mut Vec<Leaf>,
}

impl<'a> Walk<'a, '_> {
    fn place(&mut self, place: &'a [Arc<Field>]) -> Result<()> {
        let [_, typed] = place else { return Err(no_place()) };
        self.places.push(self.next);
        self.next += 1;
        self.leaves.push(Leaf::Silent);
        self.typed(typed.data_type())?;
        self.places.pop();
        Ok(())
    }

    fn typed(&mut self, column: &'a DataType) -> Result<()> {
        match column {
            DataType::Struct(fields) => {
                for field in fields {
                    self.names.push(field.name());
                    self.group(field)?;
                    self.names.pop();
                }
            }
            DataType::List(element) => {
                self.arrays += 1;
                self.group(element)?;
                self.arrays -= 1;
            }
            _ if self.arrays > 0 => self.leaves.push(Leaf::Silent),
            _ => self.leaves.push(Leaf::Typed(TypedLeaf {
                id: self.id,
                path: path_of(&self.names),
                places: self.places.clone(),
                column: column.clone(),
                primitive: primitive(column)?,
            })),
        }
        Ok(())
    }

    fn group(&mut self, field: &'a Field) -> Result<()> {
        let DataType::Struct(place) = field.data_type() else { return Err(no_place()) };
        self.place(place)
    }
}

fn no_place() -> Error {
    Error::internal("a shredded variant has columns besides value and typed_value")
}
