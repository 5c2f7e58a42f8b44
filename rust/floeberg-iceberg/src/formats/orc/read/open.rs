//! An ORC file, open: its columns, its stripes.
//!
//! In: a location. Out: columns with field ids, and its stripes.
//! Spec: Appendix A, ORC; Column Projection.

use floeberg_core::Result;
use floeberg_core::schema::NameMapping;
use floeberg_files::FileFields;
use floeberg_io::Store;

/// An ORC file whose footer was read.
#[derive(Debug)]
pub(crate) struct OrcFile {
    /// The file.
    pub(super) file: floeberg_orc::OrcFile,
    /// Its columns.
    pub(super) fields: FileFields,
}

impl OrcFile {
    /// Opens a file and reads its footer. A mapping gives ids to a file that has none.
    pub(crate) fn open(store: &dyn Store, location: &str, mapping: &NameMapping) -> Result<Self> {
        let file = floeberg_orc::OrcFile::open(store.open(location)?)?;
        let fields = FileFields::new(file.fields(), Some(mapping));
        Ok(Self { file, fields })
    }
}
