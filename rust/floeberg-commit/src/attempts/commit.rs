//! How is a commit tried, and which of its files stay?
//!
//! In: operations, and one base after the other. Out: attempts.
//! Spec: Commit Conflict Resolution and Retry; Sequence Numbers.
//!
//! Invariant: files of an attempt are removed only when its outcome is known. Files that a snapshot names are never removed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use floeberg_core::{Cancel, Context, Error, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{ManifestCache, ManifestReader};
use floeberg_iceberg::metadata::{TableMetadata, check_key_length, key_management_of, new_key_ring};
use floeberg_iceberg::write::Receipt;
use floeberg_io::{Store, StoreOptions, open_store};
use floeberg_properties::{ENCRYPTION_KEY_ID, ENCRYPTION_KEY_LENGTH};

use super::columns_at_start::columns_at_start;
use crate::actions::{attempt, count, deletes_to_write, groups_to_copy, take_deletes};
use crate::apply::TableMetadataBuilder;
use crate::conflicts::Validation;
use crate::produce::ActionContext;
use crate::refs::CommitKey;
use crate::row_level::{DeleteGroup, GroupCopy, unchecked};
use crate::state::{CommitFiles, FoundRowsCache, Progress, check_properties, now_ms};
use crate::{Attempt, Operation, Previous, Requirement, RowCounts};

/// What is to be committed.
#[derive(Debug, Clone)]
pub struct CommitRequest {
    /// The operations, in order. Each works on the result of the one before.
    pub operations: Vec<Operation>,
    /// The table when the operations began; `None` for a new one.
    pub starting: Option<Table>,
    /// The storage options of a new table. An existing table has its own.
    pub storage: StoreOptions,
    /// What the user says of the snapshots.
    pub properties: BTreeMap<String, String>,
    /// The branch that snapshots go to.
    pub branch: String,
    /// The key of the commit, by which its snapshot is found again.
    pub key: String,
    /// The snapshots of the branch that the new rows were made from, if older than `starting`: commits of others since then can
    /// conflict too. `None` is a branch without a snapshot.
    pub validate_from_snapshot_ids: Vec<Option<i64>>,
    /// Were all added files written by the committer itself, under unique names? Other files are checked: they must exist, and
    /// must not be in the table yet.
    pub files_are_new: bool,
    /// Is the snapshot only added to the table, so that no branch names it? It is published later, by
    /// [`Operation::Cherrypick`].
    pub stage_only: bool,
    /// Does an operation on rows that changes none leave a snapshot all the same? It is the record of a key, of properties, or of
    /// staged work.
    pub leaves_record: bool,
}

/// A commit that can be retried until it succeeds.
#[derive(Debug)]
pub struct Commit {
    request: CommitRequest,
    key: CommitKey,
    store: Arc<dyn Store>,
    kept: CommitFiles,
    found_rows_cache: FoundRowsCache,
    progress: Progress,
    /// Held while an attempt is made, so that nothing is removed under it.
    attempting: Mutex<()>,
}

impl Commit {
    /// Begins a commit. Nothing is read or written.
    ///
    /// Errors: `InvalidInput` without operations, branch or key, and for reserved snapshot properties;
    /// `Unsupported` for a relocated table.
    pub fn begin(mut request: CommitRequest) -> Result<Self> {
        if request.operations.is_empty() {
            return Err(Error::invalid_input("a commit needs at least one operation"));
        }
        if request.branch.is_empty() || request.key.is_empty() {
            return Err(Error::invalid_input("a commit needs a branch and a key"));
        }
        check_properties(&request.properties)?;
        if request.stage_only {
            check_staged(&request.operations)?;
        }
        let names =
            request.operations.iter().filter(|operation| operation.changes_rows()).map(Operation::name);
        let key = CommitKey::new(&request.key, &request.branch, names);
        request.properties.extend(key.properties());
        for (name, value) in [("engine-name", "floeberg"), ("engine-version", env!("CARGO_PKG_VERSION"))] {
            request.properties.entry(name.to_owned()).or_insert_with(|| value.to_owned());
        }
        let store = if let Some(table) = &request.starting {
            check_in_place(table)?;
            Arc::clone(table.store())
        } else {
            request.storage = of_new_table(&request.operations, request.storage)?;
            open_store(&request.storage)?
        };
        Ok(Self {
            request,
            key,
            store,
            kept: CommitFiles::new(),
            found_rows_cache: FoundRowsCache::default(),
            progress: Progress::default(),
            attempting: Mutex::new(()),
        })
    }

    /// A table as operations leave it, which write no snapshot. Nothing is read or written.
    ///
    /// Errors: those of [`Commit::begin`] and [`Commit::attempt`].
    pub fn table_after(operations: Vec<Operation>, table: &Table, branch: &str) -> Result<Table> {
        let commit = Self::begin(CommitRequest {
            operations,
            starting: Some(table.clone()),
            storage: StoreOptions::default(),
            properties: BTreeMap::new(),
            branch: branch.to_owned(),
            // No snapshot has it.
            key: "table-after".to_owned(),
            validate_from_snapshot_ids: Vec::new(),
            files_are_new: true,
            stage_only: false,
            leaves_record: false,
        })?;
        commit.attempt(Some(table), &Cancel::default())?.table(table.metadata_location())
    }

    /// Tries the operations on a base, and writes the manifests and manifest lists that they need.
    ///
    /// Errors: `CommitConflict` if an operation conflicts with this base, `AlreadyExists` if the table to create exists,
    /// `NotFound` without the table to change; those of the operations and of the store. Files that were written stay for the
    /// next attempt, or until [`Commit::abandon`].
    pub fn attempt(&self, base: Option<&Table>, cancel: &Cancel) -> Result<Attempt> {
        let _alone = self.attempting.lock().unwrap_or_else(PoisonError::into_inner);
        match base {
            Some(table) => self.try_on(Some(table), cancel).context("table", table.metadata_location()),
            None => self.try_on(None, cancel),
        }
    }

    fn try_on(&self, base: Option<&Table>, cancel: &Cancel) -> Result<Attempt> {
        let starting = self.request.starting.as_ref().map(|table| table.metadata().as_ref());
        base.map_or(Ok(()), check_in_place)?;
        self.learn_keys(base)?;
        check_same_table(starting, base)?;
        self.check_branch(starting, base)?;
        let columns_at_start = columns_at_start(
            starting,
            base.map(|table| table.metadata().as_ref()),
            &self.request.operations,
        )?;
        let previous = base.map(|table| Previous {
            metadata: table.metadata(),
            metadata_location: table.metadata_location(),
        });
        let mut builder = TableMetadataBuilder::begin(previous, now_ms()?)?;
        if let (None, [Operation::Rebuild(rebuild), ..]) = (base, self.request.operations.as_slice()) {
            builder.begin_with(&rebuild.metadata);
        }
        let reader = self.reader(cancel)?;
        let (mut updates, mut files) = (Vec::new(), BTreeSet::new());
        let (mut counts, mut is_repaired, mut row_proof) = (RowCounts::default(), false, None);
        let validation = self.validation(base);
        self.found_rows_cache.begin(validation.base, &self.request.branch);
        for ((number, operation), columns_at_start) in
            self.request.operations.iter().enumerate().zip(&columns_at_start)
        {
            let validation = Validation { columns_at_start: columns_at_start.as_ref(), ..validation };
            let makes_table = matches!(operation, Operation::CreateTable(_) | Operation::Rebuild(_));
            if number == 0 && base.is_none() && !makes_table {
                return Err(Error::not_found("the table does not exist, or was dropped"));
            }
            let metadata = Arc::new(builder.metadata().clone());
            let context = self.context(number, metadata, &reader, builder.now_ms());
            let produced = attempt(&context, validation, operation).context("operation", operation.name())?;
            for update in &produced.updates {
                builder.apply(update).context("operation", operation.name())?;
            }
            builder.repair(&produced.repair);
            is_repaired |= !produced.repair.is_empty();
            updates.extend(produced.updates);
            files.extend(produced.files);
            counts += produced.counts;
            row_proof = produced.row_proof.or(row_proof);
        }
        let requirements = Requirement::of_updates(validation.base, &updates);
        let metadata = builder.finish()?;
        Ok(Attempt::new(
            base.cloned(),
            self.request.storage.clone(),
            Arc::clone(&self.store),
            metadata,
            requirements,
            updates,
            files,
        )
        .with_counts(counts)
        .with_repaired(is_repaired, row_proof)
        .with_rebased(self.is_rebased(validation.base)))
    }

    /// Were rows of the operations found on an older state of the branch than a base?
    fn is_rebased(&self, base: Option<&TableMetadata>) -> bool {
        let head = base.and_then(|base| base.branch_head(&self.request.branch));
        let is_older = |operation: &Operation| match operation {
            Operation::RowDelta(delta) => delta.stands_on_rows() && delta.read_snapshot_id != head,
            _ => false,
        };
        self.found_rows_cache.is_moved() || self.request.operations.iter().any(is_older)
    }

    /// What the operations would change of a base: one that deletes or replaces rows. Nothing is written.
    ///
    /// Errors: `InvalidInput` for other operations; those of [`Commit::attempt`], but no conflict.
    pub fn count(&self, base: &Table, cancel: &Cancel) -> Result<RowCounts> {
        let counted = || {
            let [operation] = self.request.operations.as_slice() else {
                return Err(Error::invalid_input("a dry run is of one operation"));
            };
            self.learn_keys(Some(base))?;
            let reader = self.reader(cancel)?;
            let context = self.context(0, Arc::clone(base.metadata()), &reader, now_ms()?);
            count(&context, self.validation(Some(base)), operation).context("operation", operation.name())
        };
        counted().context("table", base.metadata_location())
    }

    /// What other processes may copy for the attempt on a base: the groups of files whose copies are not there yet. Only a commit of one
    /// operation, which writes data files again, has any.
    ///
    /// Errors: those of [`Commit::attempt`], but for those of reading and writing rows.
    pub fn groups_to_copy(&self, base: &Table, cancel: &Cancel) -> Result<Vec<GroupCopy>> {
        let [operation @ Operation::RewriteDataFiles(rewrite)] = self.request.operations.as_slice() else {
            return Ok(Vec::new());
        };
        self.for_others(base, operation, cancel, |context, validation| {
            groups_to_copy(context, validation, rewrite, &base.options().storage)
        })
    }

    /// What other processes may write for the attempt on a base: the delete files of groups of data files that are not there yet. Only a
    /// commit of one operation, which writes delete files again, has any.
    ///
    /// Errors: those of [`Commit::attempt`], but for those of reading and writing deletes.
    pub fn deletes_to_write(&self, base: &Table, cancel: &Cancel) -> Result<Vec<DeleteGroup>> {
        let [operation @ Operation::RewriteDeletes(rewrite)] = self.request.operations.as_slice() else {
            return Ok(Vec::new());
        };
        self.for_others(base, operation, cancel, |context, _| {
            deletes_to_write(context, rewrite, &base.options().storage)
        })
    }

    /// What an operation lacks on a base.
    fn for_others<T>(
        &self,
        base: &Table,
        operation: &Operation,
        cancel: &Cancel,
        find: impl FnOnce(&ActionContext<'_>, Validation<'_>) -> Result<T>,
    ) -> Result<T> {
        let wanted = || {
            let starting = self.request.starting.as_ref().map(|table| table.metadata().as_ref());
            check_in_place(base)?;
            self.learn_keys(Some(base))?;
            check_same_table(starting, Some(base))?;
            self.check_branch(starting, Some(base))?;
            base.metadata().check_writable_by(self.store.as_ref())?;
            let columns = columns_at_start(starting, Some(base.metadata()), &self.request.operations)?;
            let columns_at_start = columns.first().and_then(Option::as_ref);
            let reader = self.reader(cancel)?;
            let context = self.context(0, Arc::clone(base.metadata()), &reader, now_ms()?);
            let validation = Validation { columns_at_start, ..self.validation(Some(base)) };
            find(&context, validation).context("operation", operation.name())
        };
        wanted().context("table", base.metadata_location())
    }

    /// Takes copies, or delete files, that another process made of a group. They are used where the group has the same key, and removed
    /// with the files of failed attempts otherwise.
    ///
    /// Errors: `InvalidInput` for impossible counts, and for deletes of other data files.
    pub fn take_copies(&self, key: &str, copies: Receipt) -> Result<()> {
        let copies = unchecked(copies)?;
        if let [Operation::RewriteDeletes(_)] = self.request.operations.as_slice() {
            return take_deletes(&self.kept, key, copies);
        }
        self.kept.take_copies(key, copies);
        Ok(())
    }

    /// How far the attempt is.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Takes in the keys that a base lists: another writer may have added some.
    fn learn_keys(&self, base: Option<&Table>) -> Result<()> {
        if let (Some(keys), Some(base)) = (self.store.keys(), base) {
            keys.learn(base.metadata().parsed_encryption_keys()?);
        }
        Ok(())
    }

    fn reader(&self, cancel: &Cancel) -> Result<ManifestReader> {
        let starting = self.request.starting.as_ref();
        Ok(ManifestReader {
            store: Arc::clone(&self.store),
            relocation: Arc::default(),
            cache: Arc::new(ManifestCache::new(0)),
            threads: thread_budget()?,
            cancel: cancel.clone(),
            is_planned_by_server: starting.is_some_and(|table| table.options().planner.is_some()),
        })
    }

    fn validation<'a>(&'a self, base: Option<&'a Table>) -> Validation<'a> {
        Validation {
            starting: self.request.starting.as_ref().map(|table| table.metadata().as_ref()),
            base: base.map(|table| table.metadata().as_ref()),
            adds_files: self.request.operations.iter().any(Operation::adds_files),
            validate_from_snapshot_ids: &self.request.validate_from_snapshot_ids,
            columns_at_start: None,
        }
    }

    fn context<'a>(
        &'a self,
        operation: usize,
        metadata: Arc<TableMetadata>,
        reader: &'a ManifestReader,
        now_ms: i64,
    ) -> ActionContext<'a> {
        ActionContext {
            metadata,
            specs: OnceLock::new(),
            base_manifests: Mutex::new(None),
            reader,
            kept: &self.kept,
            found_rows_cache: &self.found_rows_cache,
            progress: &self.progress,
            files_are_new: self.request.files_are_new,
            operation,
            branch: &self.request.branch,
            stage_only: self.request.stage_only,
            leaves_record: self.request.leaves_record || self.request.stage_only,
            properties: &self.request.properties,
            now_ms,
        }
    }

    /// The snapshot of a table that an attempt of this commit added, the last of several; `None` if no attempt succeeded.
    pub fn find_own(&self, table: &Table) -> Option<i64> {
        let mut newest_first = table.metadata().snapshots.iter().rev().map(|snapshot| snapshot.snapshot_id);
        newest_first.find(|id| self.kept.has_drawn(*id))
    }

    /// The snapshot of a table that an earlier commit with the same key added: [`CommitKey::find`].
    pub fn find_earlier(&self, table: &Table) -> Result<Option<i64>> {
        self.key.find(table.metadata())
    }

    /// Errors: `CommitConflict` if the branch was removed since the commit began.
    fn check_branch(&self, starting: Option<&TableMetadata>, base: Option<&Table>) -> Result<()> {
        let branch = self.request.branch.as_str();
        let has = |metadata: &TableMetadata| metadata.refs.contains_key(branch);
        let is_gone = starting.is_some_and(has) && base.is_some_and(|table| !has(table.metadata()));
        if is_gone && self.request.operations.iter().any(Operation::changes_rows) {
            let error =
                Error::new(ErrorKind::CommitConflict, "the branch was removed since the commit began");
            return Err(error.with("branch", branch));
        }
        Ok(())
    }

    /// Removes the files of failed attempts, after this one succeeded. Returns the files that could not be removed.
    pub fn finished(&self, attempt: &Attempt) -> Vec<String> {
        let _alone = self.attempting.lock().unwrap_or_else(PoisonError::into_inner);
        self.kept.remove_all_but(self.store.as_ref(), attempt.files())
    }

    /// Removes every file that the attempts wrote, once it is known that no attempt succeeded. Returns the files that could not be
    /// removed.
    pub fn abandon(&self) -> Vec<String> {
        let _alone = self.attempting.lock().unwrap_or_else(PoisonError::into_inner);
        self.kept.remove_all_but(self.store.as_ref(), &BTreeSet::new())
    }
}

/// The options of the stores of a table that is made, with keys if it is encrypted.
///
/// Errors: `Unsupported` without a service that manages keys, and below version 3, as in Iceberg Java.
fn of_new_table(operations: &[Operation], storage: StoreOptions) -> Result<StoreOptions> {
    let Some(Operation::CreateTable(table)) = operations.first() else { return Ok(storage) };
    let names = [ENCRYPTION_KEY_ID, ENCRYPTION_KEY_LENGTH.name];
    let found = names.into_iter().find(|name| table.properties.contains_key(*name));
    if let Some(name) = found.filter(|_| table.format_version < 3) {
        return Err(Error::unsupported(format!(
            "the property {name:?} needs a table of version 3 or above, found version {}",
            table.format_version
        )));
    }
    let Some(master_key_id) = table.properties.get(ENCRYPTION_KEY_ID) else { return Ok(storage) };
    let Some(management) = key_management_of(&storage)? else {
        return Err(Error::unsupported(format!(
            "the property {ENCRYPTION_KEY_ID:?} encrypts the table, and nothing wraps keys: pass `key_management`, or the option \
             `encryption.kms-impl`, to the catalog"
        )));
    };
    let keys = new_key_ring(management, master_key_id, &table.properties)?;
    check_key_length(&keys)?;
    Ok(storage.with_keys(Some(keys)))
}

/// Errors: `InvalidInput` for more than one snapshot, and for changes of branches: nothing of a staged commit is published.
fn check_staged(operations: &[Operation]) -> Result<()> {
    let publishes =
        |operation: &&Operation| matches!(operation, Operation::ChangeRef(_) | Operation::Cherrypick(_));
    if let Some(operation) = operations.iter().find(publishes) {
        return Err(Error::invalid_input(format!(
            "a staged commit leaves branches and tags as they are: found the operation {:?}",
            operation.name()
        )));
    }
    match operations.iter().filter(|operation| operation.changes_rows()).count() {
        1 => Ok(()),
        changing => Err(Error::invalid_input(format!(
            "a staged commit makes one snapshot: expected one operation that changes rows, found {changing}"
        ))),
    }
}

/// Errors: `Unsupported` for a relocated table.
fn check_in_place(table: &Table) -> Result<()> {
    if table.relocation().is_empty() {
        return Ok(());
    }
    Err(Error::unsupported(
        "a relocated table cannot be written: new files would be at locations that its metadata does not name. Open \
         it at its own location, or rewrite its paths",
    )
    .with("table", table.metadata_location()))
}

/// Errors: `CommitConflict` for another table of the same name.
fn check_same_table(starting: Option<&TableMetadata>, base: Option<&Table>) -> Result<()> {
    let (Some(starting), Some(base)) = (starting, base) else { return Ok(()) };
    starting
        .check_same_table(base.metadata())
        .map_err(|error| Error::new(ErrorKind::CommitConflict, error.message().to_owned()))
}
