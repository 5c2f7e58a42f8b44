//! Which rows and columns of which snapshot are wanted?
//!
//! A scan is a description: each method gives a new one, and nothing is read before it is planned or streamed.

use std::sync::Arc;

use floeberg_core::expr::{BoundExpr, Expr, bind};
use floeberg_core::schema::{NameMapping, Schema};
use floeberg_core::{Cancel, Context, Error, Result};

use crate::Table;
use crate::budget::{memory_budget, thread_budget};
use crate::metadata::{RefKind, Snapshot};
use crate::plan::{Plan, PlanRequest, plan};
use crate::read::{BatchStream, ReadRequest, count_rows, stream};

/// The property that holds the ids of columns for files without any. Spec: Name Mapping Serialization.
pub(crate) const NAME_MAPPING: &str = "schema.name-mapping.default";

/// Which snapshot is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SnapshotChoice {
    /// The table's current one, or none where the table has none.
    #[default]
    Current,
    /// The one of an id, with its own schema.
    Id(i64),
    /// A branch, with the table's current schema, or a tag, with its snapshot's.
    Ref(String),
    /// The one that was current at a moment, in milliseconds from 1970-01-01 UTC, with its own schema.
    AsOf(i64),
}

/// A scan of a table.
#[derive(Debug, Clone)]
pub struct Scan {
    table: Table,
    filter: Expr,
    selected: Option<Vec<String>>,
    case_sensitive: bool,
    snapshot: SnapshotChoice,
    limit: Option<u64>,
    batch_rows: Option<usize>,
}

impl Scan {
    /// All rows and columns of the current snapshot.
    pub fn new(table: Table) -> Self {
        Self {
            table,
            filter: Expr::True,
            selected: None,
            case_sensitive: true,
            snapshot: SnapshotChoice::Current,
            limit: None,
            batch_rows: None,
        }
    }

    /// Only rows that match, beside the filters it has.
    #[must_use]
    pub fn filter(self, filter: Expr) -> Self {
        Self { filter: self.filter.and(filter), ..self }
    }

    /// Only these columns, in the schema's order; nested ones are dotted, `*` is all.
    #[must_use]
    pub fn select(self, names: Vec<String>) -> Self {
        Self { selected: Some(names), ..self }
    }

    /// Whether names of columns are found without regard to case.
    #[must_use]
    pub fn case_sensitive(self, case_sensitive: bool) -> Self {
        Self { case_sensitive, ..self }
    }

    /// Of another snapshot.
    #[must_use]
    pub fn at(self, snapshot: SnapshotChoice) -> Self {
        Self { snapshot, ..self }
    }

    /// At most so many rows.
    #[must_use]
    pub fn limit(self, limit: Option<u64>) -> Self {
        Self { limit, ..self }
    }

    /// Batches of at most so many rows.
    #[must_use]
    pub fn batch_rows(self, rows: Option<usize>) -> Self {
        Self { batch_rows: rows, ..self }
    }

    /// Rows of a batch, at most; `None` is the default.
    pub fn batch_row_limit(&self) -> Option<usize> {
        self.batch_rows
    }

    /// The table.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The filter.
    pub fn row_filter(&self) -> &Expr {
        &self.filter
    }

    /// The columns that were asked for by name; `None` is all.
    pub fn selected_fields(&self) -> Option<&[String]> {
        self.selected.as_deref()
    }

    /// Are names found with regard to case?
    pub fn is_case_sensitive(&self) -> bool {
        self.case_sensitive
    }

    /// The choice of the snapshot.
    pub fn snapshot_choice(&self) -> &SnapshotChoice {
        &self.snapshot
    }

    /// At most so many rows.
    pub fn row_limit(&self) -> Option<u64> {
        self.limit
    }

    /// The snapshot that is read; `None` for a table that has none.
    ///
    /// Errors: `NotFound`, saying what there is.
    pub fn snapshot(&self) -> Result<Option<Arc<Snapshot>>> {
        let metadata = self.table.metadata();
        Ok(match &self.snapshot {
            SnapshotChoice::Current => metadata.current_snapshot().cloned(),
            SnapshotChoice::Id(id) => Some(Arc::clone(metadata.snapshot(*id)?)),
            SnapshotChoice::Ref(name) => Some(Arc::clone(metadata.snapshot_of_ref(name)?)),
            SnapshotChoice::AsOf(timestamp_ms) => Some(Arc::clone(metadata.snapshot_as_of(*timestamp_ms)?)),
        })
    }

    /// The schema that names and filters are bound to.
    pub fn schema(&self) -> Result<Arc<Schema>> {
        let metadata = self.table.metadata();
        match &self.snapshot {
            SnapshotChoice::Current => return Ok(Arc::clone(metadata.current_schema())),
            SnapshotChoice::Ref(name) if metadata.reference(name)?.kind == RefKind::Branch => {
                return Ok(Arc::clone(metadata.current_schema()));
            }
            SnapshotChoice::Ref(_) | SnapshotChoice::Id(_) | SnapshotChoice::AsOf(_) => {}
        }
        match self.snapshot()? {
            Some(snapshot) => metadata.schema_for_snapshot(&snapshot).map(Arc::clone),
            None => Ok(Arc::clone(metadata.current_schema())),
        }
    }

    /// The columns that come out. Errors: `InvalidInput` for an unknown name, with near matches.
    pub fn projection(&self) -> Result<Arc<Schema>> {
        let schema = self.schema()?;
        let Some(names) = &self.selected else { return Ok(schema) };
        if names.iter().any(|name| name == "*") {
            return Ok(schema);
        }
        let ids: Vec<i32> =
            names.iter().map(|name| schema.find(name, self.case_sensitive)).collect::<Result<_>>()?;
        Ok(Arc::new(schema.select(&ids)?))
    }

    /// The filter, bound to the schema. Errors: `InvalidInput`, naming the column and the literal.
    pub fn bound_filter(&self) -> Result<BoundExpr> {
        bind(&self.filter, self.schema()?.as_ref(), self.case_sensitive)
    }

    /// Which files are read, with which deletes. See [`plan`] for its errors.
    pub fn plan(&self, cancel: &Cancel) -> Result<Plan> {
        let request = PlanRequest {
            metadata: Arc::clone(self.table.metadata()),
            snapshot: self.snapshot()?,
            schema: self.schema()?,
            filter: self.bound_filter()?,
            store: Arc::clone(self.table.store()),
            relocation: Arc::clone(self.table.relocation()),
            threads: thread_budget()?,
            cancel: cancel.clone(),
        };
        let planned = plan(&request).context("table", self.table.metadata_location());
        planned.map_err(|error| self.table.explain_absence(error))
    }

    /// What reading a task of this scan needs beside the task.
    pub fn read_request(&self, cancel: &Cancel) -> Result<ReadRequest> {
        let metadata = self.table.metadata();
        let mapping = metadata.properties.get(NAME_MAPPING);
        let mapping = mapping.map(|json| NameMapping::from_json(json)).transpose();
        let mapping =
            mapping.context("property", NAME_MAPPING).context("table", self.table.metadata_location())?;
        let request = ReadRequest::new(Arc::clone(self.table.store()), self.schema()?, self.projection()?)
            .with_specs(metadata.partition_specs.iter().cloned())
            .with_key_schemas(metadata.schemas_newest_first().cloned())
            .with_name_mapping(mapping.map(Arc::new))
            .with_memory(memory_budget()?)
            .with_cancel(cancel.clone());
        Ok(match self.batch_rows {
            Some(rows) => request.with_batch_rows(rows),
            None => request,
        })
    }

    /// The rows, as batches in plan order.
    pub fn stream(&self, cancel: &Cancel) -> Result<BatchStream> {
        let request = Arc::new(self.read_request(cancel)?);
        let plan = self.plan(cancel)?;
        let tasks = (0..plan.len()).map(move |number| plan.task(number));
        Ok(stream(request, tasks, thread_budget()?, self.limit))
    }

    /// How many rows there are. Files without deletes that match as a whole are counted by their metadata.
    pub fn count(&self, cancel: &Cancel) -> Result<u64> {
        let plan = self.plan(cancel)?;
        let request = Arc::new(self.read_request(cancel)?);
        let mut rows: u64 = 0;
        for task in plan.tasks() {
            let task = task?;
            cancel.check()?;
            let counted = if task.deletes.is_empty() && *task.residual == BoundExpr::True {
                u64::try_from(task.record_count).map_err(|_| {
                    Error::invalid_data(format!("a data file has {} rows", task.record_count))
                        .with("path", &task.file_path)
                })?
            } else {
                count_rows(&request, &task)?
            };
            rows = rows.saturating_add(counted);
            if let Some(limit) = self.limit.filter(|limit| rows >= *limit) {
                return Ok(limit);
            }
        }
        Ok(rows)
    }
}
