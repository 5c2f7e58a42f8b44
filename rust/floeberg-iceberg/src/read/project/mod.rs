//! How do the columns of a file become the columns that were asked for?

mod cast;
mod assemble;
mod constant;
mod metadata_column;
mod projection;
mod resolve;

pub(in crate::read) use cast::cast;
pub(crate) use constant::PartitionConstants;
pub(in crate::read) use constant::promote;
pub(crate) use projection::Projection;
