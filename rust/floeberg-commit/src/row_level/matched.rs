//! Which rows of data files match a filter?
//!
//! In: the files that may hold such rows. Out: of each its task, the positions of the rows, and those that are deleted already.
//! Spec: Scan Planning; Column Projection.
//!
//! Invariant: rows that are deleted already do not match. Only the columns of the filter are read. Tasks have all deletes of their
//! files, also those that no row of the filter can have: other rows are copied by them.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use floeberg_core::expr::BoundExpr;
use floeberg_core::schema::Schema;
use floeberg_core::schema::reserved::{POS, metadata_column};
use floeberg_core::{Context as _, Error, Result};
use floeberg_exec::budget::memory_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::DataFile;
use floeberg_iceberg::plan::{FileScanTask, PlanRequest, PlanStream};
use floeberg_iceberg::read::{ReadRequest, TableReader, deleted_positions, read_task};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use crate::produce::ActionContext;

/// A data file with rows that match.
#[derive(Debug)]
pub(crate) struct Matched {
    /// The file and its deletes.
    pub task: FileScanTask,
    /// The positions of the rows that match.
    pub rows: RoaringTreemap,
    /// The positions of the rows that are deleted by position already.
    pub deleted: RoaringTreemap,
}

impl Matched {
    /// Do all rows that are left match? `false` if that is unknown, because of equality deletes.
    pub fn is_whole(&self) -> bool {
        u64::try_from(self.task.record_count) == Ok(self.rows.len() + self.deleted.len())
    }
}

impl Matched {
    /// The file, as an entry to remove.
    pub fn data_file(&self) -> WrittenFile {
        let file = DataFile::new(&self.task.file_path, self.task.file_format.name());
        WrittenFile { spec_id: self.task.spec_id, file, purpose: None }
    }
}

/// Reads the files of these paths. Those without matching rows are left out.
///
/// Errors: those of planning and reading.
pub(crate) fn matched(
    context: &ActionContext<'_>,
    filter: &BoundExpr,
    paths: &HashSet<String>,
) -> Result<Vec<Matched>> {
    let position = metadata_column(POS).ok_or_else(|| Error::internal("_pos is a metadata column"))?;
    let reader = Arc::new(TableReader::new(read_request(context, Schema::new(0, vec![position])?)?));
    let plan = PlanStream::open(PlanRequest {
        metadata: Arc::clone(&context.metadata),
        metadata_location: context.metadata.location.clone(),
        snapshot: context.parent()?,
        appends: None,
        statistics_of: None,
        schema: Arc::clone(context.metadata.current_schema()),
        // A plan by the filter leaves out equality deletes of rows that do not match it.
        filter: BoundExpr::True,
        reader: context.reader.clone(),
        verbose: false,
        memory: memory_budget()?,
    })?;
    let tasks = plan
        .into_tasks()
        .filter(|task| task.as_ref().map_or(true, |task| paths.contains(canonical(&task.file_path))));
    let residual = Arc::new(filter.clone());
    let tasks = tasks.map(|task| Ok(FileScanTask { residual: Arc::clone(&residual), ..task? }));
    let tasks = tasks.collect::<Result<Vec<_>>>()?;
    let found = ordered(&tasks, context.reader.threads, &context.reader.cancel, |task| {
        let mut rows = RoaringTreemap::new();
        for batch in read_task(&reader, task)? {
            let batch = batch.context("path", &task.file_path)?;
            let positions = batch.column(0).as_primitive::<Int64Type>();
            rows.extend(positions.values().iter().map(|position| *position as u64));
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let deleted = deleted_positions(&reader, task)?;
        Ok(Some(Matched { task: task.clone(), rows, deleted }))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// What reading columns of the table's data files needs beside tasks.
pub(super) fn read_request(context: &ActionContext<'_>, projected: Schema) -> Result<ReadRequest> {
    let metadata = &context.metadata;
    let schema = Arc::clone(metadata.current_schema());
    let request = ReadRequest::new(Arc::clone(&context.reader.store), schema, Arc::new(projected));
    Ok(request
        .with_specs(metadata.partition_specs.iter().cloned())
        .with_key_schemas(metadata.schemas_newest_first().cloned())
        .with_name_mapping(metadata.name_mapping()?.map(Arc::new))
        .with_memory(memory_budget()?)
        .with_cancel(context.reader.cancel.clone()))
}
