//! How do the columns of a file become the selected columns?
//!
//! In: the columns of a file, and a schema. Out: a projection, which converts batches of the file to batches of the schema: by
//! field id, with casts, defaults and constants.

mod cast;
mod source;
mod assemble;
mod constant;
mod lineage;
mod resolve;
mod projection;

pub use cast::cast;
pub use constant::FileConstants;
pub use projection::Projection;
