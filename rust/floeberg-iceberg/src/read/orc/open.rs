//! An ORC file, open: its columns, its stripes.
//!
//! In: a location. Out: columns with field ids, and the stripes to read.
//! Spec: Appendix A, ORC; Column Projection.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::schema::NameMapping;
use floeberg_io::Store;

use super::OrcReader;
use crate::read::file::{FileFields, Unit, UnitRequest};

/// An ORC file whose footer was read.
#[derive(Debug)]
pub(in crate::read) struct OrcFile {
    /// The file.
    pub(super) file: floeberg_orc::OrcFile,
    /// Its columns.
    pub(in crate::read) fields: FileFields,
}

impl OrcFile {
    /// Opens a file and reads its footer. A mapping gives ids to a file that has none.
    pub(in crate::read) fn open(store: &dyn Store, location: &str, mapping: &NameMapping) -> Result<Self> {
        let file = floeberg_orc::OrcFile::open(store.open(location)?)?;
        let fields = FileFields::new(file.fields(), Some(mapping));
        Ok(Self { file, fields })
    }

    /// The stripes that start in a range of bytes.
    pub(in crate::read) fn units(&self, bytes: Option<&Range<u64>>) -> Vec<Unit> {
        let stripes = self.file.stripes().iter().enumerate();
        stripes
            .filter(|(_, stripe)| bytes.is_none_or(|bytes| bytes.contains(&stripe.offset)))
            .map(|(number, stripe)| Unit { number, rows: Some(stripe.rows.clone()) })
            .collect()
    }

    /// The rows of a stripe.
    pub(in crate::read) fn read(self: &Arc<Self>, request: &UnitRequest<'_>) -> OrcReader {
        OrcReader::new(Arc::clone(self), request)
    }
}
