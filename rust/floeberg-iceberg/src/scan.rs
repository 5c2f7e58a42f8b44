//! Which rows and columns of which snapshot are read?
//!
//! A scan is a description: each method returns a new one, and nothing is read before it is planned or streamed.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use floeberg_core::expr::{BoundExpr, Expr, bind};
use floeberg_core::schema::reserved::{DELETED, PARTITION};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Context, Error, Result};

use crate::Table;
use crate::aggregate::{self, AggregateResult, Extreme, ExtremeRequest, column_of};
use crate::metadata::{RefKind, Snapshot, partition_struct, with_metadata_columns};
use crate::plan::{Appends, Plan, PlanRequest, PlanStream, ServedScan, plan, served_plan, served_request};
use crate::read::{BatchStream, ReadRequest, TableReader, first_rows, stream};
use floeberg_exec::budget::{memory_budget, thread_budget};
use floeberg_io::StoreOptions;

/// Which snapshot is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum SnapshotChoice {
    /// The table's current snapshot, if it has one.
    #[default]
    Current,
    /// The snapshot with an id, with its own schema.
    Id(i64),
    /// The snapshot with an id, with the table's current schema.
    InCurrentSchema(i64),
    /// A branch, with the table's current schema, or a tag, with its snapshot's.
    Ref(String),
    /// The snapshot that was current at a time, in milliseconds from 1970-01-01 UTC, with its own schema.
    AsOf(i64),
    /// The branch that is read instead of the current snapshot while its changes are audited. The user did not ask for it.
    Audit(String),
}

impl SnapshotChoice {
    /// Did the user choose a snapshot?
    pub fn is_chosen(&self) -> bool {
        !matches!(self, Self::Current | Self::Audit(_))
    }
}

/// A scan of a table.
#[derive(Debug, Clone)]
pub struct Scan {
    table: Table,
    filter: Expr,
    selected: Option<Vec<String>>,
    case_sensitive: bool,
    snapshot: SnapshotChoice,
    appends: Option<AppendsAfter>,
    limit: Option<u64>,
    batch_rows: Option<usize>,
    /// The schema that rows are read in; `None` is that of the choice of the snapshot.
    in_schema: Option<Arc<Schema>>,
    resolved: Resolved,
}

/// A limit up to so many rows is looked for in one file after the other.
const FEW_ROWS: u64 = 1_000;

/// What a scan finds in its table, once each. A scan of something else finds it anew.
#[derive(Debug, Clone, Default)]
struct Resolved {
    projection: OnceLock<Arc<Schema>>,
    filter_schema: OnceLock<Arc<Schema>>,
    filter: OnceLock<BoundExpr>,
    /// The plan of a server.
    served: OnceLock<Arc<Plan>>,
}

/// A value, which is found where it is not known. An error is found again.
fn once<T: Clone>(known: &OnceLock<T>, find: impl FnOnce() -> Result<T>) -> Result<T> {
    if let Some(found) = known.get() {
        return Ok(found.clone());
    }
    let found = find()?;
    Ok(known.get_or_init(|| found).clone())
}

/// Only rows of files that appends added after a snapshot, exclusive; `None` is from the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppendsAfter(pub Option<i64>);

impl Scan {
    /// All rows and columns of the current snapshot.
    pub fn new(table: Table) -> Self {
        Self {
            table,
            filter: Expr::True,
            selected: None,
            case_sensitive: true,
            snapshot: SnapshotChoice::Current,
            appends: None,
            limit: None,
            batch_rows: None,
            in_schema: None,
            resolved: Resolved::default(),
        }
    }

    /// Only rows that match, in addition to earlier filters.
    #[must_use]
    pub fn filter(self, filter: Expr) -> Self {
        Self { filter: self.filter.and(filter), resolved: Resolved::default(), ..self }
    }

    /// Only these columns, in the schema's order; nested ones are dotted, `*` is all.
    ///
    /// Named metadata columns (`_file`, `_pos`, ..) come after them. With `_deleted`, deleted rows are returned too.
    #[must_use]
    pub fn select(self, names: Vec<String>) -> Self {
        Self { selected: Some(names), resolved: Resolved::default(), ..self }
    }

    /// Whether names of columns are found without regard to case.
    #[must_use]
    pub fn case_sensitive(self, case_sensitive: bool) -> Self {
        Self { case_sensitive, resolved: Resolved::default(), ..self }
    }

    /// Of another snapshot.
    #[must_use]
    pub fn at(self, snapshot: SnapshotChoice) -> Self {
        Self { snapshot, resolved: Resolved::default(), ..self }
    }

    /// In another schema, whose columns are found by their field ids.
    #[must_use]
    pub(crate) fn in_schema(self, schema: Arc<Schema>) -> Self {
        Self { in_schema: Some(schema), resolved: Resolved::default(), ..self }
    }

    /// Only what appends added up to the snapshot, without deletes, with the table's current schema.
    #[must_use]
    pub fn appends_after(self, appends: Option<AppendsAfter>) -> Self {
        Self { appends, resolved: Resolved::default(), ..self }
    }

    /// At most this many rows.
    #[must_use]
    pub fn limit(self, limit: Option<u64>) -> Self {
        Self { limit, resolved: Resolved::default(), ..self }
    }

    /// Batches of at most this many rows.
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

    /// The columns that were selected by name; `None` is all.
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

    /// At most this many rows.
    pub fn row_limit(&self) -> Option<u64> {
        self.limit
    }

    /// The snapshot that is read; `None` for a table without snapshots.
    ///
    /// Errors: `NotFound`, listing the known ones.
    pub fn snapshot(&self) -> Result<Option<Arc<Snapshot>>> {
        let metadata = self.table.metadata();
        Ok(match &self.snapshot {
            SnapshotChoice::Current => metadata.current_snapshot().cloned(),
            SnapshotChoice::Id(id) | SnapshotChoice::InCurrentSchema(id) => {
                Some(Arc::clone(metadata.snapshot(*id)?))
            }
            SnapshotChoice::Ref(name) | SnapshotChoice::Audit(name) => {
                Some(Arc::clone(metadata.snapshot_of_ref(name)?))
            }
            SnapshotChoice::AsOf(timestamp_ms) => Some(Arc::clone(metadata.snapshot_as_of(*timestamp_ms)?)),
        })
    }

    /// The requested range of appends.
    pub fn appends_choice(&self) -> Option<AppendsAfter> {
        self.appends
    }

    /// The appends to read; `None` for a scan of all live files. See [`Appends::between`] for its errors.
    pub fn appends(&self) -> Result<Option<Arc<Appends>>> {
        let Some(AppendsAfter(after)) = self.appends else { return Ok(None) };
        match (self.snapshot()?, after) {
            (Some(last), _) => {
                Appends::between(self.table.metadata(), after, &last).map(|appends| Some(Arc::new(appends)))
            }
            (None, None) => Ok(None),
            (None, Some(after)) => {
                Err(Error::invalid_input(format!("snapshot {after} not found: the table has no snapshots")))
            }
        }
    }

    /// The schema that names and filters are bound to.
    pub fn schema(&self) -> Result<Arc<Schema>> {
        if let Some(schema) = &self.in_schema {
            return Ok(Arc::clone(schema));
        }
        let metadata = self.table.metadata();
        if self.appends.is_some() {
            return Ok(Arc::clone(metadata.current_schema()));
        }
        match &self.snapshot {
            SnapshotChoice::Current | SnapshotChoice::InCurrentSchema(_) | SnapshotChoice::Audit(_) => {
                return Ok(Arc::clone(metadata.current_schema()));
            }
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

    /// The columns of the result. Errors: `InvalidInput` for an unknown name, with near matches.
    pub fn projection(&self) -> Result<Arc<Schema>> {
        once(&self.resolved.projection, || self.find_projection())
    }

    fn find_projection(&self) -> Result<Arc<Schema>> {
        let schema = self.schema()?;
        let Some(names) = &self.selected else { return Ok(schema) };
        let (all, named): (Vec<_>, Vec<_>) = names.iter().map(String::as_str).partition(|name| *name == "*");
        if named.is_empty() && !all.is_empty() {
            return Ok(schema);
        }
        let known = self.with_metadata_columns(&schema, named.iter().copied())?;
        let mut ids: Vec<i32> =
            named.iter().map(|name| known.find(name, self.case_sensitive)).collect::<Result<_>>()?;
        if !all.is_empty() {
            ids.extend(schema.fields().iter().map(|field| field.id));
        }
        Ok(Arc::new(known.select(&ids)?))
    }

    /// The schema with the metadata columns that the filter tests.
    pub(crate) fn filter_schema(&self) -> Result<Arc<Schema>> {
        let find = || self.with_metadata_columns(&self.schema()?, self.filter.column_names().into_iter());
        once(&self.resolved.filter_schema, find)
    }

    /// For each spec the ids of its fields in `_partition`; empty if the column is neither selected nor tested.
    pub(crate) fn partition_fields(&self) -> Result<BTreeMap<i32, Vec<i32>>> {
        let is_partition = |field: &Field| field.id == PARTITION;
        let is_in = |schema: Arc<Schema>| schema.fields().iter().any(is_partition);
        if is_in(self.projection()?) || is_in(self.filter_schema()?) {
            return Ok(partition_struct(self.table.metadata())?.field_ids);
        }
        Ok(BTreeMap::new())
    }

    fn with_metadata_columns<'a>(
        &self,
        schema: &Arc<Schema>,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Arc<Schema>> {
        let metadata = self.table.metadata();
        with_metadata_columns(schema, names, self.case_sensitive, metadata)
            .context("table", self.table.metadata_location())
    }

    /// The filter, bound to the schema. Errors: `InvalidInput`, naming the column and the literal.
    pub fn bound_filter(&self) -> Result<BoundExpr> {
        once(&self.resolved.filter, || self.bind_filter())
    }

    fn bind_filter(&self) -> Result<BoundExpr> {
        let bound = bind(&self.filter, self.filter_schema()?.as_ref(), self.case_sensitive)?;
        if bound.column_ids().contains(&DELETED) {
            return Err(Error::invalid_input(
                "rows cannot be filtered by _deleted: select the column and filter the result",
            ));
        }
        Ok(bound)
    }

    /// The body of the request by which a server plans the scan. See [`served_request`](crate::plan::served_request) for its errors.
    pub fn served_request(&self) -> Result<Option<serde_json::Value>> {
        served_request(&self.to_be_served()?)
    }

    fn to_be_served(&self) -> Result<ServedScan> {
        let after = self.appends.map(|AppendsAfter(after)| after);
        Ok(ServedScan {
            metadata: Arc::clone(self.table.metadata()),
            relocation: Arc::clone(self.table.relocation()),
            snapshot: self.snapshot()?,
            appends: after.zip(self.appends()?),
            schema: self.schema()?,
            filter_schema: self.filter_schema()?,
            projection: self.projection()?,
            has_selection: self.selected.is_some(),
            filter: self.bound_filter()?,
            case_sensitive: self.case_sensitive,
            limit: self.limit,
        })
    }

    /// The same scan with the plan that a server made of it, and the options of stores that read its files, where it sent some.
    ///
    /// Errors: those of [`served_plan`](crate::plan::served_plan), and of opening a store.
    pub fn served(&self, answers: &[serde_json::Value], storage: Option<StoreOptions>) -> Result<Self> {
        let plan =
            served_plan(&self.to_be_served()?, answers).context("table", self.table.metadata_location())?;
        let table =
            storage.map_or_else(|| Ok(self.table.clone()), |storage| self.table.with_storage(storage))?;
        let resolved = Resolved { served: OnceLock::from(Arc::new(plan)), ..self.resolved.clone() };
        Ok(Self { table, resolved, ..self.clone() })
    }

    /// The plan that a server made of this scan.
    pub fn served_plan(&self) -> Option<Plan> {
        self.resolved.served.get().map(|plan| plan.as_ref().clone())
    }

    /// Which files are read, with which deletes. See [`plan`](crate::plan::plan) for its errors.
    pub fn plan(&self, cancel: &Cancel) -> Result<Plan> {
        match self.served_plan() {
            Some(plan) => Ok(plan),
            None => plan(self.plan_request(cancel)?),
        }
    }

    /// The same as a stream: batches of files can be taken while later manifests are still read.
    pub fn plan_stream(&self, cancel: &Cancel) -> Result<PlanStream> {
        match self.resolved.served.get() {
            Some(plan) => Ok(PlanStream::planned(Arc::clone(plan))),
            None => PlanStream::open(self.plan_request(cancel)?),
        }
    }

    /// The request for [`plan`](crate::plan::plan), for callers that change parts of it.
    pub fn plan_request(&self, cancel: &Cancel) -> Result<PlanRequest> {
        Ok(PlanRequest {
            metadata: Arc::clone(self.table.metadata()),
            metadata_location: self.table.metadata_location().to_owned(),
            snapshot: self.snapshot()?,
            appends: self.appends()?,
            manifests: None,
            statistics_of: None,
            schema: self.filter_schema()?,
            filter: self.bound_filter()?,
            reader: self.table.manifest_reader(cancel)?,
            memory: memory_budget()?,
            to_change: None,
            verbose: false,
        })
    }

    /// Everything that reading a task of this scan needs besides the task.
    pub fn read_request(&self, cancel: &Cancel) -> Result<ReadRequest> {
        let metadata = self.table.metadata();
        let mapping = metadata.name_mapping().context("table", self.table.metadata_location())?;
        let request =
            ReadRequest::new(Arc::clone(self.table.store()), self.filter_schema()?, self.projection()?)
                .with_specs(metadata.partition_specs.iter().cloned())
                .with_partition_fields(self.partition_fields()?)
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
        self.stream_of(self.read_request(cancel)?, self.plan_stream(cancel)?)
    }

    /// The rows of a plan of this scan.
    pub(crate) fn stream_of(&self, request: ReadRequest, plan: PlanStream) -> Result<BatchStream> {
        let (reader, tasks) = (Arc::new(TableReader::new(request)), plan.into_tasks());
        // Without a filter, the first rows of a few files are those that are wanted.
        match self.limit {
            Some(limit) if limit <= FEW_ROWS && matches!(self.filter, Expr::True) => {
                Ok(first_rows(reader, tasks, limit))
            }
            limit => Ok(stream(reader, tasks, thread_budget()?, limit)),
        }
    }

    /// How many rows there are. Files without deletes whose rows all match are counted by their metadata. For position deletes,
    /// only the positions are read.
    pub fn count(&self, cancel: &Cancel) -> Result<AggregateResult<u64>> {
        let plan = self.plan(cancel)?;
        let reader = TableReader::new(self.read_request(cancel)?);
        aggregate::count(&plan, &reader, self.limit, thread_budget()?, cancel)
    }

    /// The smallest or the largest value of a column; `None` if no row has one. Nulls and NaN are ignored.
    ///
    /// Errors: `InvalidInput` for a column whose values have no order, and for a scan with a limit or with deleted rows.
    pub fn extreme(
        &self,
        column: &str,
        which: Extreme,
        cancel: &Cancel,
    ) -> Result<AggregateResult<Option<Value>>> {
        if self.limit.is_some() {
            return Err(Error::invalid_input(
                "a scan with a limit has no minimum or maximum: the limit may keep any rows. Remove the limit",
            ));
        }
        if self.projection()?.fields().iter().any(|field| field.id == DELETED) {
            return Err(Error::invalid_input(
                "a scan of _deleted has no minimum or maximum: it returns deleted rows too. Deselect _deleted",
            ));
        }
        let schema = self.schema()?;
        let field = column_of(&schema, column, self.case_sensitive)?;
        let plan = match self.served_plan() {
            Some(plan) => plan,
            None => plan(PlanRequest { statistics_of: Some(field.id), ..self.plan_request(cancel)? })?,
        };
        let read = self.clone().select(vec![column.to_owned()]).read_request(cancel)?;
        let threads = thread_budget()?;
        let request = ExtremeRequest {
            plan: &plan,
            read: &Arc::new(TableReader::new(read)),
            field,
            which,
            threads,
            cancel,
        };
        aggregate::extreme(request)
    }
}
