//! Which types does an engine want for batches, if not the table's own?
//!
//! In: a schema, and batches with the table's types. Out: the same rows with the types that the engine wants.

mod leaves;
mod variant;
mod convert;
mod spark;

#[cfg(test)]
mod tests;

pub use spark::SparkSchema;
