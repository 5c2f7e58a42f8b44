//! How do small batches become large ones, before they are split by partition?
//!
//! A batch of a thousand rows in 16 partitions would be 16 pieces of some sixty rows, and every piece costs as much as a
//! large one to hand over.
//!
//! Invariant: the rows and their order stay as they are.

use std::mem;

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use floeberg_core::{Error, Result};

/// The same rows in batches of at most so many, unless one was larger already.
pub(super) fn merged(batches: Vec<RecordBatch>, most: usize) -> Result<Vec<RecordBatch>> {
    let (mut done, mut small, mut rows) = (Vec::new(), Vec::<RecordBatch>::new(), 0);
    for batch in batches {
        let fits = rows + batch.num_rows() <= most;
        if !fits || small.last().is_some_and(|last| last.schema_ref() != batch.schema_ref()) {
            done.extend(one(mem::take(&mut small))?);
            rows = 0;
        }
        rows += batch.num_rows();
        small.push(batch);
    }
    done.extend(one(small)?);
    Ok(done)
}

fn one(mut batches: Vec<RecordBatch>) -> Result<Option<RecordBatch>> {
    if batches.len() < 2 {
        return Ok(batches.pop());
    }
    let schema = batches[0].schema();
    let merged = concat_batches(&schema, &batches);
    merged
        .map(Some)
        .map_err(|error| Error::internal("batches of one schema cannot be merged").caused_by(error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, RecordBatch};

    use super::merged;

    fn batch(name: &str, values: &[i32]) -> RecordBatch {
        let column: ArrayRef = Arc::new(Int32Array::from(values.to_vec()));
        RecordBatch::try_from_iter([(name, column)]).unwrap()
    }

    fn sizes(batches: &[RecordBatch]) -> Vec<usize> {
        batches.iter().map(RecordBatch::num_rows).collect()
    }

    #[test]
    fn small_batches_are_merged_up_to_a_number_of_rows() {
        let given = vec![batch("a", &[1, 2]), batch("a", &[3]), batch("a", &[4, 5]), batch("a", &[6; 9])];
        let found = merged(given, 4).unwrap();
        assert_eq!(sizes(&found), [3, 2, 9]);
        assert_eq!(found[0], batch("a", &[1, 2, 3]));
    }

    #[test]
    fn batches_of_different_schemas_stay_apart() {
        let given = vec![batch("a", &[1]), batch("b", &[2]), batch("b", &[3])];
        assert_eq!(sizes(&merged(given, 10).unwrap()), [1, 2]);
        assert!(merged(Vec::new(), 10).unwrap().is_empty());
    }
}
