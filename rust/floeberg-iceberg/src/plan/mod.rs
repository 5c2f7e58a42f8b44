//! Which files must be read, with which deletes?

mod task;

pub use task::{DeleteFile, DeleteKind, FileFormat, FileScanTask};
