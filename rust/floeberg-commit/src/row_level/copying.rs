//! What does it take to copy rows from data files to new ones, in any process?

use std::sync::Arc;

use floeberg_core::Cancel;
use floeberg_iceberg::read::ReadRequest;
use floeberg_iceberg::write::WriteTask;
use floeberg_io::Store;

/// How rows are read and written.
pub(crate) struct Copying<'a> {
    /// Reads the columns of the copies, and positions.
    pub request: ReadRequest,
    /// Where new files go.
    pub store: Arc<dyn Store>,
    /// Names the new files.
    pub task: WriteTask<'a>,
    /// How many files are read at the same time.
    pub threads: usize,
    /// Stops it.
    pub cancel: &'a Cancel,
}

/// What was copied.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Copied {
    /// So many rows.
    Rows(u64),
    /// The last row of a file.
    File,
}
