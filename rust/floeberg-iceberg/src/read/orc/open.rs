//! An ORC file, open: its columns, its stripes.
//!
//! In: a location. Out: columns with field ids, and the stripes to read.
//! Spec: Appendix A, ORC; Column Projection.

use std::ops::Range;
use std::sync::Arc;

use floeberg_core::Result;
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::NameMapping;
use floeberg_io::Store;

use super::OrcReader;
use crate::read::file::{FileFields, Unit, UnitRequest};
use crate::read::filter::FileFilter;

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

    /// The stripes that start in a range of bytes and are not deleted whole.
    pub(in crate::read) fn units(
        &self,
        bytes: Option<&Range<u64>>,
        deletes: &DeletedRows,
        filter: &FileFilter,
    ) -> Vec<Unit> {
        if let FileFilter::None = filter {
            return Vec::new();
        }
        let stripes = self.file.stripes().iter().enumerate();
        let inside = stripes.filter(|(_, stripe)| bytes.is_none_or(|bytes| bytes.contains(&stripe.offset)));
        inside
            .map(|(number, stripe)| Unit { number, rows: Some(stripe.rows.clone()) })
            .filter(|unit| {
                let left = |rows: &Range<u64>| deletes.count(rows.clone()) < rows.end - rows.start;
                unit.rows.as_ref().is_some_and(left)
            })
            .collect()
    }

    /// The rows of a stripe.
    pub(in crate::read) fn read(self: &Arc<Self>, request: &UnitRequest<'_>) -> OrcReader {
        OrcReader::new(Arc::clone(self), request)
    }
}
