//! Which rows do delete files delete, by data file?
//!
//! In: delete files, by path. Out: the data files that they apply to, and positions of deleted rows; the live delete files of the base.
//! Spec: Scan Planning; Equality Delete Files; Position Delete Files.
//!
//! Invariant: all data files that one of the delete files applies to are found, with all of their deletes. Positions are those of
//! rows that are in the data file, not of a count that a manifest claims.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::Array as _;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{DELETED, POS, metadata_column};
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{
    DataFile, EntryRequest, FileContent, ManifestContent, ManifestEntries, ManifestFile,
};
use floeberg_iceberg::plan::{DeleteFile, DeleteKind, FileScanTask, PlanStream};
use floeberg_iceberg::read::{ReadRequest, TableReader, deleted_positions, read_task};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use super::matched::{Matched, plan_request, read_request};
use crate::produce::{ActionContext, base_manifests, has_live_files};

/// Data files, and the equality deletes that apply to any data file.
#[derive(Debug, Default)]
pub(crate) struct HitFiles {
    /// The tasks to which one of the wanted delete files applies.
    pub tasks: Vec<FileScanTask>,
    /// The paths of all equality delete files that apply to a task.
    pub equality_paths: HashSet<String>,
}

/// Finds the tasks of the base to which one of these delete files applies. Deletion vectors are not among them: several share a
/// path.
///
/// Errors: those of planning.
pub(crate) fn hit_by(context: &ActionContext<'_>, paths: &HashSet<String>) -> Result<HitFiles> {
    let request = plan_request(context, context.parent()?, BoundExpr::True, None)?;
    let mut hit = HitFiles::default();
    for task in PlanStream::open(request)?.into_tasks() {
        let task = task?;
        for delete in &task.deletes {
            let path = canonical(&delete.file_path);
            if matches!(delete.kind, DeleteKind::Equality { .. }) && !hit.equality_paths.contains(path) {
                hit.equality_paths.insert(path.to_owned());
            }
        }
        if task.deletes.iter().any(|delete| is_one_of(delete, paths)) {
            hit.tasks.push(task);
        }
    }
    Ok(hit)
}

/// What is made of the entries of each manifest with live delete files of the base.
///
/// Errors: those of reading manifests, and of `make`.
pub(crate) fn of_live_deletes<T: Send>(
    context: &ActionContext<'_>,
    make: impl Fn(&ManifestEntries) -> Result<Vec<T>> + Sync,
) -> Result<Vec<T>> {
    let manifests = base_manifests(context)?;
    let of_deletes = manifests.iter().filter(|manifest| manifest.content == ManifestContent::Deletes);
    let deletes: Vec<&ManifestFile> = of_deletes.filter(|manifest| has_live_files(manifest)).collect();
    let made = ordered(&deletes, context.reader.threads, &context.reader.cancel, |manifest| {
        let entries = context.entries(manifest, &EntryRequest::default());
        make(&entries.context("manifest", &manifest.manifest_path)?)
    })?;
    Ok(made.into_iter().flatten().collect())
}

/// The delete file of an entry, as a file to remove.
pub(crate) fn listed_delete_file(entries: &ManifestEntries, row: usize) -> Result<WrittenFile> {
    let details = entries.details()?;
    let (referenced, offsets) = (&details.referenced_data_file, &details.content_offset);
    let is_of_keys = entries.file_content.value(row) == FileContent::EqualityDeletes as i32;
    let content = if is_of_keys { FileContent::EqualityDeletes } else { FileContent::PositionDeletes };
    let file = DataFile {
        content,
        file_size_in_bytes: entries.file_size_in_bytes.value(row),
        referenced_data_file: (referenced.is_valid(row) && !is_of_keys)
            .then(|| referenced.value(row).to_owned()),
        content_offset: offsets.is_valid(row).then(|| offsets.value(row)),
        ..DataFile::new(entries.file_path.value(row), entries.file_format.value(row))
    };
    Ok(WrittenFile { spec_id: entries.spec_id, file, purpose: None })
}

/// Is it a file of position deletes or of equality deletes with one of these paths?
pub(crate) fn is_one_of(delete: &DeleteFile, paths: &HashSet<String>) -> bool {
    !matches!(delete.kind, DeleteKind::Vector { .. }) && paths.contains(canonical(&delete.file_path))
}

/// Finds positions of deleted rows.
pub(crate) struct DeletedRowsReader(Arc<TableReader>);

impl DeletedRowsReader {
    /// A reader of the base.
    pub fn new(context: &ActionContext<'_>) -> Result<Self> {
        Ok(Self::of(read_request(context, Self::columns()?)?))
    }

    /// A reader of files, by a request of its [`columns`](Self::columns).
    pub fn of(request: ReadRequest) -> Self {
        Self(Arc::new(TableReader::new(request)))
    }

    /// The columns that it reads.
    pub fn columns() -> Result<Schema> {
        let column = |id| metadata_column(id).ok_or_else(|| Error::internal("a metadata column has a type"));
        Schema::new(0, vec![column(POS)?, column(DELETED)?])
    }

    /// The rows of a data file for which new deletes are to be written: those that its equality deletes delete and no position delete,
    /// or without equality deletes, all that are deleted by position. `None` where there is none.
    ///
    /// Errors: those of reading.
    pub fn to_write(&self, task: &FileScanTask) -> Result<Option<Matched>> {
        let is_of_keys = |delete: &DeleteFile| matches!(delete.kind, DeleteKind::Equality { .. });
        let by_position = self.by_position(task, |delete| !is_of_keys(delete))?;
        let (rows, deleted) = if task.deletes.iter().any(|delete| is_of_keys(delete)) {
            (self.by_key(task)? - &by_position, by_position)
        } else {
            (by_position, RoaringTreemap::new())
        };
        Ok((!rows.is_empty()).then(|| Matched { task: task.clone(), rows, deleted }))
    }

    /// The rows of a data file that its vector and its position deletes delete, among those that a condition chooses.
    ///
    /// Errors: those of reading deletes.
    fn by_position(
        &self,
        task: &FileScanTask,
        is_chosen: impl Fn(&DeleteFile) -> bool,
    ) -> Result<RoaringTreemap> {
        deleted_positions(&self.0, &with_deletes_of(task, is_chosen))
    }

    /// The rows of a data file that its equality deletes delete.
    ///
    /// Errors: those of reading.
    fn by_key(&self, task: &FileScanTask) -> Result<RoaringTreemap> {
        let task = with_deletes_of(task, |delete| matches!(delete.kind, DeleteKind::Equality { .. }));
        let mut found = RoaringTreemap::new();
        for batch in read_task(&self.0, &task)? {
            let batch = batch.context("path", &task.file_path)?;
            let positions = batch.column(0).as_primitive::<Int64Type>();
            let deleted = batch.column(1).as_boolean().values();
            let rows = deleted.set_indices().map(|row| positions.value(row) as u64);
            found.append(rows).map_err(|error| {
                Error::internal("positions ascend").with("path", &task.file_path).caused_by(error)
            })?;
        }
        Ok(found)
    }
}

/// The whole data file, with some of its deletes.
fn with_deletes_of(task: &FileScanTask, is_chosen: impl Fn(&DeleteFile) -> bool) -> FileScanTask {
    let deletes = task.deletes.iter().filter(|delete| is_chosen(delete)).cloned().collect();
    FileScanTask { deletes, residual: Arc::new(BoundExpr::True), ..task.clone() }
}
