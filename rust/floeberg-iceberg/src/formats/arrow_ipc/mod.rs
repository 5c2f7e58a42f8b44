//! Files of Arrow's own format, in tests only: proof that a new format needs only its own folder.

mod read;
mod write;

pub(crate) use read::IpcFile;
pub(crate) use write::layout;
