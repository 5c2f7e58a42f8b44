//! A task whose file is open: everything that was known before the first row.
//!
//! In: a task. Out: its row groups to read, each a reader of batches.
//!
//! Invariant: what cannot be read or applied is found here, before any row comes out.

use std::sync::Arc;

use floeberg_core::rows::{DeletedRows, Kept};
use floeberg_core::schema::Schema;
use floeberg_core::{Context, Error, Result};

use super::ReadRequest;
use super::deletes;
use super::file::OpenFile;
use super::filter::FileFilter;
use super::groups::{Group, groups};
use super::left_rows::LeftRows;
use super::pages;
use super::project::{PartitionConstants, Projection};
use super::row_group::{GroupReader, GroupRequest};
use crate::plan::{FileFormat, FileScanTask};

/// Batches that the decoder drops rows from are this many times smaller: what was decoded is then still in the
/// processor's cache when it is filtered.
const MASKED_SHARE: usize = 4;

/// From so many compressed bytes in its row groups a file's page index is worth reading.
const PAGES_FROM: u64 = 256 << 10;

/// A task whose file is open.
#[derive(Debug)]
pub(super) struct OpenTask {
    /// The row groups to read, in the file's order.
    pub(super) groups: Vec<Group>,
    file: Arc<OpenFile>,
    projection: Arc<Projection>,
    filter: FileFilter,
    deletes: DeletedRows,
    batch_rows: usize,
}

impl OpenTask {
    /// Opens the file of a task and reads its deletes.
    pub(super) fn open(request: &ReadRequest, task: &FileScanTask) -> Result<Self> {
        Self::open_with(request, task, &request.projected)
    }

    /// Opens a task to read other columns than the request's.
    pub(super) fn open_with(request: &ReadRequest, task: &FileScanTask, projected: &Schema) -> Result<Self> {
        Self::try_open(request, task, projected).context("path", &task.location)
    }

    fn try_open(request: &ReadRequest, task: &FileScanTask, projected: &Schema) -> Result<Self> {
        match task.file_format {
            FileFormat::Parquet => {}
            FileFormat::Avro => return Err(Error::unsupported("Avro data files cannot be read yet")),
            FileFormat::Orc => return Err(Error::unsupported("ORC data files cannot be read yet")),
            FileFormat::Puffin => return Err(Error::invalid_data("a data file is said to be Puffin")),
        }
        let deletes = deletes::load(request, task)?;
        let mapping = request.name_mapping.as_deref();
        let file = OpenFile::open(request.store.as_ref(), &task.location, mapping)?;
        let constants = match request.specs.get(&task.spec_id) {
            Some(spec) => PartitionConstants::new(spec, &task.partition),
            None if task.partition.is_empty() => PartitionConstants::default(),
            None => {
                return Err(Error::invalid_data(format!(
                    "the file is partitioned by spec {}, which the table does not have",
                    task.spec_id
                )));
            }
        };
        let projection = Projection::new(projected, &file.fields, &constants)?;
        let filter = FileFilter::new(&task.residual, &request.schema, &file.fields, &constants)?;
        let groups = groups(&file, task.byte_range.as_ref(), &deletes, &filter);
        let file = match &filter {
            FileFilter::Rows(predicate) if bytes_of(&file, &groups) >= PAGES_FROM => {
                let numbers: Vec<_> = groups.iter().map(|group| group.number).collect();
                let tested: Vec<_> = predicate.leaves().iter().copied().collect();
                let read: Vec<_> = predicate.leaves().union(&projection.leaves).copied().collect();
                file.with_page_index(&numbers, &tested, &read)?
            }
            _ => file,
        };
        Ok(Self {
            groups,
            file: Arc::new(file),
            projection: Arc::new(projection),
            filter,
            deletes,
            batch_rows: request.batch_rows,
        })
    }

    /// How many rows of a group are left, where no filter must look at them.
    pub(super) fn kept_rows(&self, group: &Group) -> Option<u64> {
        match self.filter {
            FileFilter::All => {
                Some(group.rows.end - group.rows.start - self.deletes.count(group.rows.clone()))
            }
            FileFilter::None => Some(0),
            FileFilter::Rows(_) => None,
        }
    }

    /// The batches of one of [`Self::groups`].
    pub(super) fn read(&self, group: &Group) -> Result<GroupReader> {
        let predicate = match &self.filter {
            FileFilter::Rows(predicate) => Some(Arc::clone(predicate)),
            FileFilter::All | FileFilter::None => None,
        };
        let pages =
            predicate.as_ref().and_then(|filter| pages::select(&self.file, &filter.expr, group.number));
        let mut rows = match self.deletes.kept(group.rows.clone())? {
            Kept::All => LeftRows::default(),
            Kept::None => LeftRows::none(),
            Kept::Some(mask) if predicate.is_none() => LeftRows::new(mask),
            Kept::Some(mask) => LeftRows::by_decoder(mask),
        };
        rows.selection = match (pages, rows.selection) {
            (Some(pages), Some(left)) => Some(pages.intersection(&left)),
            (pages, left) => pages.or(left),
        };
        let share = if rows.decoder_drops { MASKED_SHARE } else { 1 };
        GroupReader::new(GroupRequest {
            file: Arc::clone(&self.file),
            projection: Arc::clone(&self.projection),
            group: group.number,
            rows,
            predicate,
            batch_rows: (self.batch_rows / share).max(1),
        })
    }
}

/// The compressed bytes of row groups.
fn bytes_of(file: &OpenFile, groups: &[Group]) -> u64 {
    let sizes = groups.iter().map(|group| file.metadata().row_group(group.number).compressed_size());
    sizes.fold(0, |sum, size| sum.saturating_add(u64::try_from(size).unwrap_or(0)))
}
