//! In which form does an engine take batches, where it is not the table's own?
//!
//! In: a schema, and batches in the table's form. Out: the same rows in the form that the engine checks.

mod convert;
mod leaves;
mod spark;
mod variant;

#[cfg(test)]
mod tests;

pub use spark::SparkForm;
