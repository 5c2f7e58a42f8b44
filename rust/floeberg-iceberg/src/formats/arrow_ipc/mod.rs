//! Files of Arrow's own format, in tests alone: what a format needs that nobody had in mind.

mod read;
mod write;

pub(crate) use read::IpcFile;
pub(crate) use write::layout;
