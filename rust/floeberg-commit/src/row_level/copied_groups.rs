//! Which files can be written again by copying their row groups?
//!
//! In: data files whose rows all stay, and the recipe of new files. Out: the new files, and the files whose rows are to be encoded.
//! Spec: Row Lineage; Column Projection.
//!
//! ```text
//! file -> chunks that are stored as the table stores them  -> copied  -> row group
//!      -> other columns, and row ids that it inherits      -> encoded ->
//! ```
//!
//! Invariant: a file with deletes, of another partition or another spec, is not copied. Files are copied only if they fill a new file, or
//! are all there are: else each rewrite would leave one more small file.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use arrow_array::RecordBatch;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::{Context as _, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::{Ahead, Job, OrderedStream};
use floeberg_iceberg::plan::{FileFormat, FileScanTask};
use floeberg_iceberg::read::{ReadRequest, TableReader, TaskBatches, read_task};
use floeberg_iceberg::write::{CopyLayout, GroupCopier, Receipt, StoredGroup, WriteRecipe};
use floeberg_io::Store;

use super::copying::{Copied, Copying};
use super::matched::Matched;

/// Copies the row groups of the files that allow it: the files that hold them, and the other files.
///
/// Errors: those of reading, and of writing by the table's properties.
pub(super) fn copied_groups(
    copying: &Copying<'_>,
    files: Vec<Matched>,
    recipe: &WriteRecipe,
    report: &dyn Fn(Copied),
) -> Result<(Option<Receipt>, Vec<Matched>)> {
    let of_spec = |file: &&Matched| may_be_copied(file) && file.task.spec_id == recipe.spec().spec_id;
    let Some(first) = files.iter().find(of_spec) else { return Ok((None, files)) };
    let partition = Arc::clone(&first.task.partition);
    let is_candidate = |file: &&Matched| of_spec(file) && file.task.partition == partition;
    let bytes = files.iter().filter(is_candidate).map(|file| file.task.file_size_in_bytes);
    let bytes = bytes.fold(0, |sum: u64, bytes| sum.saturating_add(u64::try_from(bytes).unwrap_or(0)));
    let store = Arc::clone(&copying.store);
    let values = partition.iter().map(|(_, value)| value.clone()).collect();
    let Some(mut copier) = GroupCopier::new(recipe, Arc::clone(&store), copying.task, values)? else {
        return Ok((None, files));
    };
    let are_all = files.iter().all(|file| is_candidate(&file));
    if !are_all && bytes < copier.file_size() {
        return Ok((None, files));
    }
    let (candidates, mut others): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_candidate(&file));
    let copies = GroupCopies {
        store,
        layout: copier.copies().clone(),
        schema: Arc::clone(recipe.schema()),
        request: copying.request.clone(),
        readers: Mutex::default(),
    };
    let ahead =
        Ahead { threads: copying.threads, memory: memory_budget()? / 4, cancel: copying.cancel.clone() };
    let mut stream = OrderedStream::new(Arc::new(copies), candidates.into_iter().map(Ok), ahead);
    let (mut copied, mut copied_bytes) = (Vec::new(), 0_u64);
    while let Poll::Ready(Some(copy)) = stream.next_until(None) {
        match copy? {
            Copy::Group(group, encoded) => {
                report(Copied::Rows(group.rows()));
                copied_bytes = copied_bytes.saturating_add(group.bytes());
                copier.append(group, &encoded)?;
            }
            Copy::Copied(file) => {
                report(Copied::File);
                copied.push(*file);
            }
            Copy::Left(file) => others.push(*file),
        }
    }
    if copied.is_empty() || (!others.is_empty() && copied_bytes < copier.file_size()) {
        others.append(&mut copied);
        return Ok((None, others));
    }
    Ok((Some(copier.finish()?), others))
}

/// Do all rows of a file stay, and is it of a format whose row groups can be copied?
fn may_be_copied(file: &Matched) -> bool {
    let Matched { task, rows, deleted } = file;
    task.file_format == FileFormat::Parquet
        && task.deletes.is_empty()
        && task.byte_range.is_none()
        && rows.is_empty()
        && deleted.is_empty()
}

/// Reads row groups as they are stored.
struct GroupCopies {
    store: Arc<dyn Store>,
    layout: CopyLayout,
    /// The columns of the new files.
    schema: Arc<Schema>,
    request: ReadRequest,
    /// Readers of the columns that are encoded, by their ids.
    readers: Mutex<HashMap<Vec<i32>, Arc<TableReader>>>,
}

/// A piece of a file.
enum Copy {
    /// A row group, with the rows of the columns that are encoded.
    Group(StoredGroup, Vec<RecordBatch>),
    /// All row groups were returned.
    Copied(Box<Matched>),
    /// The file cannot be copied.
    Left(Box<Matched>),
}

impl Job for GroupCopies {
    type Task = Matched;
    type Part = Matched;
    type Item = Copy;

    const THREAD: &'static str = "floeberg-copy";

    fn open(&self, task: Matched) -> Result<Vec<Matched>> {
        Ok(vec![task])
    }

    fn work(&self, file: Matched, give: &mut dyn FnMut(Copy) -> Result<bool>) -> Result<()> {
        let task = &file.task;
        let size = u64::try_from(task.file_size_in_bytes).unwrap_or(0);
        let source = self.store.open_sized(&task.location, size).context("path", &task.file_path)?;
        let Some(stored) = self.layout.stored(source).context("path", &task.file_path)? else {
            return give(Copy::Left(Box::new(file))).map(drop);
        };
        let mut rows = match stored.encoded() {
            [] => None,
            ids => {
                let whole = FileScanTask { residual: Arc::new(BoundExpr::True), ..task.clone() };
                Some(Rows { batches: read_task(&self.reader(ids)?, &whole)?, rest: None })
            }
        };
        for (number, group_rows) in stored.group_rows().enumerate() {
            let group = stored.read(number).context("path", &task.file_path)?;
            let encoded = rows.as_mut().map(|rows| rows.take(group_rows)).transpose();
            let encoded = encoded.context("path", &task.file_path)?.unwrap_or_default();
            if !give(Copy::Group(group, encoded))? {
                return Ok(());
            }
        }
        give(Copy::Copied(Box::new(file))).map(drop)
    }

    fn bytes(item: &Copy) -> u64 {
        match item {
            Copy::Group(group, encoded) => {
                let encoded = encoded.iter().map(RecordBatch::get_array_memory_size).sum::<usize>();
                group.bytes() + encoded as u64
            }
            Copy::Copied(_) | Copy::Left(_) => 0,
        }
    }
}

impl GroupCopies {
    /// The reader of columns by their ids.
    fn reader(&self, ids: &[i32]) -> Result<Arc<TableReader>> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reader) = readers.get(ids) {
            return Ok(Arc::clone(reader));
        }
        let fields = self.schema.fields().iter().filter(|field| ids.contains(&field.id));
        let projected = Schema::new(self.schema.schema_id(), fields.cloned().collect())?;
        let request = ReadRequest { projected: Arc::new(projected), ..self.request.clone() };
        let reader = Arc::new(TableReader::new(request));
        readers.insert(ids.to_vec(), Arc::clone(&reader));
        Ok(reader)
    }
}

/// The rows of a file, taken a number at a time.
struct Rows {
    batches: TaskBatches,
    rest: Option<RecordBatch>,
}

impl Rows {
    /// The next rows; fewer if the file ends.
    fn take(&mut self, rows: u64) -> Result<Vec<RecordBatch>> {
        let mut left = usize::try_from(rows).unwrap_or(usize::MAX);
        let mut taken = Vec::new();
        while left > 0 {
            let Some(batch) = self.rest.take().map(Ok).or_else(|| self.batches.next()).transpose()? else {
                break;
            };
            let part = batch.slice(0, left.min(batch.num_rows()));
            if part.num_rows() < batch.num_rows() {
                self.rest = Some(batch.slice(part.num_rows(), batch.num_rows() - part.num_rows()));
            }
            left -= part.num_rows();
            taken.push(part);
        }
        Ok(taken)
    }
}
