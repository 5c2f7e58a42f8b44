//! An ORC file, open: its columns, its stripes.
//!
//! In: an open file. Out: columns with field ids, and its stripes.
//! Spec: Appendix A, ORC; Column Projection.

use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::schema::NameMapping;
use floeberg_files::FileFields;
use floeberg_io::Source;

/// An ORC file whose footer was read.
#[derive(Debug)]
pub(crate) struct OrcFile {
    /// The file.
    pub(super) file: floeberg_orc::OrcFile,
    /// Its columns.
    pub(super) fields: FileFields,
}

impl OrcFile {
    /// Reads the footer of an open file. A mapping gives ids to a file that has none.
    pub(crate) fn open(source: Arc<dyn Source>, mapping: &NameMapping) -> Result<Self> {
        let file = floeberg_orc::OrcFile::open(source)?;
        let fields = FileFields::new(file.fields(), Some(mapping));
        Ok(Self { file, fields })
    }
}
