//! In which form does an engine take batches, where it is not the table's own?
//!
//! In: a schema, and batches in the table's form. Out: the same rows in the form that the engine checks.

mod leaves;
mod variant;
mod convert;
mod spark;

#[cfg(test)]
mod tests;

pub use spark::SparkSchema;
