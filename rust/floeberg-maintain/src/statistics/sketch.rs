//! About how many distinct values were there?
//!
//! In: values as bytes. Out: an estimate, and the bytes of a compact theta sketch.
//! Spec: Puffin, `apache-datasketches-theta-v1`.
//!
//! Invariant: the result depends on the set of values alone, not on their order nor on the threads: it is the smallest hashes, at
//! most 4096 of them. Up to so many values the estimate is exact. No bytes are no value, as in Apache `DataSketches` for Java.

use datasketches::error::Error as SketchError;
use datasketches::hash::value::raw_bytes;
use datasketches::theta::{ThetaSketch, ThetaSketchBuilder, ThetaUnionBuilder};
use floeberg_core::{Error, Result};

/// The logarithm of the number of hashes: the default of `DataSketches`.
const LG_K: u8 = 12;

/// A sketch in the making.
pub(super) struct Sketch(ThetaSketch);

/// A finished sketch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Finished {
    /// The compact form, ordered.
    pub(super) bytes: Vec<u8>,
    /// The estimate, rounded down.
    pub(super) distinct: u64,
}

impl Sketch {
    /// A sketch of nothing.
    pub(super) fn new() -> Result<Self> {
        ThetaSketchBuilder::default().lg_k(LG_K).build().map(Self).map_err(internal)
    }

    /// Adds a value.
    pub(super) fn add(&mut self, value: &[u8]) {
        if !value.is_empty() {
            self.0.update(raw_bytes::from_slice(value));
        }
    }

    /// The sketch of the values of all of them.
    pub(super) fn united<'a>(sketches: impl IntoIterator<Item = &'a Self>) -> Result<Finished> {
        let mut union = ThetaUnionBuilder::default().lg_k(LG_K).build().map_err(internal)?;
        for sketch in sketches {
            union.update(&sketch.0).map_err(internal)?;
        }
        let all = union.to_sketch(true);
        Ok(Finished { bytes: all.serialize(), distinct: all.estimate() as u64 })
    }
}

fn internal(error: SketchError) -> Error {
    Error::internal("a theta sketch with the default seed is made").caused_by(error)
}
