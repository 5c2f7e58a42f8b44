//! How do the columns of a file become the selected columns?

mod cast;
mod source;
mod assemble;
mod constant;
mod lineage;
mod resolve;
mod projection;

pub(crate) use cast::cast;
pub(crate) use constant::FileConstants;
pub(crate) use projection::Projection;
