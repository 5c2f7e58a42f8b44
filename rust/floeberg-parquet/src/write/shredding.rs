//! How are the variants of one file shredded, and which of their fields hold values of several types?
//!
//! Invariant: a field counts as having several types unless the opposite is known.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::StructArray;
use floeberg_core::Result;
use floeberg_core::variant::Shape;

use super::leaf::TypedLeaf;
use super::shredded::Shapes;

/// The shredded columns of a file, by field id.
#[derive(Debug, Default)]
pub(super) struct Shreddings(BTreeMap<i32, Shredding>);

/// How a column is shredded. Clones share what they find.
#[derive(Debug, Clone)]
pub(super) struct Shredding {
    shape: Arc<Shape>,
    mixed: Arc<[AtomicBool]>,
}

impl Shreddings {
    /// Of a file without rows.
    pub fn new(shapes: &Shapes) -> Self {
        let shredding = |(id, shape): (&i32, &Arc<Shape>)| {
            let mixed = (0..shape.places()).map(|_| AtomicBool::new(false)).collect();
            (*id, Shredding { shape: Arc::clone(shape), mixed })
        };
        Self(shapes.iter().map(shredding).collect())
    }

    /// The shredding of a column.
    pub fn of(&self, id: i32) -> Option<&Shredding> {
        self.0.get(&id)
    }

    /// Do all values of a shredded field have its type, nulls aside?
    pub fn is_uniform(&self, leaf: &TypedLeaf) -> bool {
        let mixed = |place: &usize, shredding: &Shredding| {
            shredding.mixed.get(*place).is_none_or(|mixed| mixed.load(Ordering::Relaxed))
        };
        self.of(leaf.id).is_some_and(|shredding| !leaf.places.iter().any(|place| mixed(place, shredding)))
    }
}

impl Shredding {
    /// Shreds values of the column.
    pub fn shred(&self, variants: &StructArray) -> Result<StructArray> {
        let shredded = self.shape.shred(variants)?;
        for (known, _) in self.mixed.iter().zip(shredded.mixed).filter(|(_, mixed)| *mixed) {
            known.store(true, Ordering::Relaxed);
        }
        Ok(shredded.columns)
    }
}
