//! How is an operation tried, again and again, until it is a version?
//!
//! In: an operation, and the version that it was made of. Out: the version that it made.
//! Spec: Lance, Transactions, Commit Protocol.
//!
//! Invariant: an attempt looks at every version since the one that was read. Files are removed only where it is certain that no
//! version names them.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_io::{Store, location};

use super::clock::now;
use super::conditions::{Conditions, check_added};
use super::conflict::answer;
use super::deletes::{Deleted, RowsOf, Written, delete};
use super::files::Files;
use super::names::{may_be_of_key, parts_of, transaction_uuid};
use super::put::{Ready, lost, outcome_unknown, put_hint};
use crate::build::{Base, Built, build, restore};
use crate::metadata::flags::{NO_TRANSACTION_FILE, check_writable};
use crate::metadata::{self, ListedVersion, TRANSACTIONS};
use crate::presence::check_present;
use crate::standing::{Standing, made_anew, may_follow};
use crate::table::Table;
use crate::wire::{Operation, Transaction, lookup};

/// The property that holds the key of a commit.
pub(crate) const KEY: &str = "floeberg.idempotency-key";

/// What is to be committed.
#[derive(Debug, Clone)]
pub struct CommitRequest {
    /// The version that the operation was made of.
    pub table: Table,
    /// The operation. What a delete or an update deletes is left out: `deletes` has it.
    pub operation: Operation,
    /// The rows that a delete or an update deletes, as the version that was read has them.
    pub deletes: RowsOf,
    /// What is said of the transaction.
    pub properties: Vec<(String, String)>,
    /// By which the commit is found again.
    pub key: Option<String>,
    /// Does it insert rows because their keys were not there? Then it is made anew where rows were added meanwhile.
    pub inserts_missing_keys: bool,
    /// What it asks for beside the operation.
    pub conditions: Conditions,
}

/// A commit that is part of a table.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The version that it made.
    pub table: Table,
    /// Was it made here, and not earlier with the same key?
    pub is_here: bool,
}

/// A commit that can be tried until it succeeds.
#[derive(Debug)]
pub struct Commit {
    pub(super) request: CommitRequest,
    uuid: String,
    pub(super) files: Files,
    state: Mutex<State>,
}

/// A version that is ready, and not put yet.
#[derive(Debug)]
pub(super) struct Next {
    pub ready: Ready,
    pub table: Table,
    pub transaction: Transaction,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// A version that waits for another store to decide about it, and the location of its manifest meanwhile.
    pub staged: Option<(Next, String)>,
    written: Written,
    /// The last version that does not conflict; `None` for the one that was read.
    checked: Option<Table>,
    /// A version that may be ours or not.
    pub unknown: Option<u64>,
    /// Was another commit faster, and nothing else in the way?
    pub is_raced: bool,
    /// Is it part of the table?
    pub is_done: bool,
    /// A version that added rows, which may have the keys of inserted ones.
    adds_rows: Option<u64>,
    /// The last version whose rows have other keys than those that are inserted.
    has_other_keys: u64,
}

impl Commit {
    /// Begins a commit. Nothing is read or written.
    ///
    /// Errors: `Unsupported` for a table that this version may not write, and for one that is read from elsewhere;
    /// `InvalidInput` for a detached version and an empty key.
    pub fn begin(request: CommitRequest) -> Result<Self> {
        let table = &request.table;
        check_writable(table.manifest()).context("path", table.manifest_location())?;
        if table.is_relocated() {
            return Err(Error::unsupported("a table that was opened with relocate cannot be written"));
        }
        if table.version() & metadata::DETACHED != 0 {
            return Err(Error::invalid_input("nothing can be committed to a detached version"));
        }
        if request.key.as_deref() == Some("") {
            return Err(Error::invalid_input("expected an idempotency key, found an empty one"));
        }
        let state = Mutex::default();
        let uuid = transaction_uuid(request.key.as_deref());
        Ok(Self { request, uuid, files: Files::default(), state })
    }

    /// Tries to make the next version.
    ///
    /// Errors: `CommitConflict`, which may be tried again as it is where [`Self::is_raced`] says so, and otherwise made anew where it
    /// [is retryable](Error::is_retryable); `CommitStateUnknown`; those of the operation and of the store.
    pub fn attempt(&self) -> Result<Committed> {
        let mut state = self.lock();
        let Next { ready, table, transaction } = match self.next(&mut state)? {
            Ok(next) => next,
            Err(done) => return Ok(done),
        };
        self.put(&ready, &mut state)?;
        put_hint(self.store(), self.folder(), ready.version.version);
        self.keep_files_of(&transaction, &ready);
        Ok(Committed { table, is_here: true })
    }

    /// The next version, or one that is there already: the commit's own, or another's with its key.
    pub(super) fn next(&self, state: &mut State) -> Result<std::result::Result<Next, Committed>> {
        (state.is_raced, state.adds_rows) = (false, None);
        let versions = metadata::versions(self.store(), self.folder())?;
        if let Some(done) = self.check_since(&versions, state)? {
            return Ok(Err(done));
        }
        let newest = versions[versions.len() - 1];
        let base = self.checked(state).clone();
        self.check_columns(&base)?;
        self.request.conditions.check_settings(base.manifest())?;
        let operation = self.operation_on(&base, state)?;
        let built = self.build(&operation, &base)?;
        let transaction = self.transaction(base.version(), operation);
        let has_file = base.manifest().head.writer_feature_flags & NO_TRANSACTION_FILE == 0;
        let name = metadata::transaction_file(base.version(), &self.uuid);
        let ready = Ready::new(self.folder(), newest.scheme, built, &transaction, &name, has_file)?;
        // Before it is put: what is committed is no error any more.
        let table = base.written(&ready.manifest, &ready.file, ready.version)?;
        Ok(Ok(Next { ready, table, transaction }))
    }

    /// Removes the files that attempts wrote, where it is certain that no version names them. Says whether it is.
    pub fn abandon(&self) -> bool {
        let state = self.lock();
        // An attempt may have ended well after nobody waited for it any more.
        let is_certain = state.unknown.is_none() && !state.is_done;
        if is_certain {
            self.files.remove_all_but(self.store(), &BTreeSet::new());
        }
        is_certain
    }

    /// Was another commit faster in the last attempt, and nothing else in the way? Then the next one may succeed.
    pub fn is_raced(&self) -> bool {
        self.lock().is_raced
    }

    /// The version because of which the last attempt failed: it added rows, which may have the keys of inserted ones.
    pub fn adds_rows(&self) -> Option<u64> {
        self.lock().adds_rows
    }

    /// Says that rows that were added until a version have other keys than those that are inserted.
    pub fn allow_added_rows(&self, version: u64) {
        self.lock().has_other_keys = version;
    }

    /// Looks at what was committed meanwhile. The commit may be there, with an answer that was lost, or of another process with
    /// the same key.
    fn check_since(&self, versions: &[ListedVersion], state: &mut State) -> Result<Option<Committed>> {
        let newest = versions[versions.len() - 1].version;
        let checked = self.checked(state).clone();
        let standing = Standing::of(&checked)?;
        if standing == Standing::Other || newest < checked.version() {
            return Err(made_anew(&checked, ErrorKind::CommitConflict));
        }
        for version in checked.version() + 1..=newest {
            let listed = find(versions, version).ok_or_else(|| is_gone(version, state))?;
            let table = self.request.table.at(listed)?;
            if standing == Standing::Gone && !may_follow(&table, &checked) {
                return Err(made_anew(&checked, ErrorKind::CommitConflict));
            }
            let theirs = table.transaction()?.unwrap_or_default();
            if theirs.uuid == self.uuid {
                (state.unknown, state.is_done) = (None, true);
                put_hint(self.store(), self.folder(), version);
                return Ok(Some(Committed { table, is_here: true }));
            }
            if let Some(key) = self.request.key.as_ref().filter(|_| self.has_key(&theirs)) {
                check_operation(&theirs.operation, self.request.operation.name(), key)?;
                return Ok(Some(Committed { table, is_here: false }));
            }
            // A version that somebody else made cannot become ours any more.
            state.unknown = state.unknown.filter(|unknown| *unknown > version);
            self.check_conflict(&theirs, version, state)?;
            state.checked = Some(table);
        }
        Ok(None)
    }

    /// The last version that does not conflict.
    fn checked<'a>(&'a self, state: &'a State) -> &'a Table {
        state.checked.as_ref().unwrap_or(&self.request.table)
    }

    fn check_conflict(&self, theirs: &Transaction, version: u64, state: &mut State) -> Result<()> {
        let (ours, theirs) = (self.shape(), &theirs.operation);
        check_added(&ours, theirs, version)?;
        self.request.conditions.check_rows(theirs, version)?;
        if let Some(error) = answer(&ours, theirs, true).error(&ours, theirs, version) {
            return Err(error);
        }
        let may_have_keys = self.request.inserts_missing_keys && version > state.has_other_keys;
        if may_have_keys && adds_rows(theirs) {
            state.adds_rows = Some(version);
            let message =
                format!("version {version} added rows meanwhile, which may have the keys of inserted ones");
            return Err(Error::new(ErrorKind::CommitConflict, message).retryable(true));
        }
        Ok(())
    }

    /// Do new rows still have the columns of the table? A column whose type was changed, or that was dropped and added again,
    /// has another id, and what was written for the earlier one would be lost.
    fn check_columns(&self, base: &Table) -> Result<()> {
        let has_rows = matches!(self.request.operation, Operation::Append(_) | Operation::Update(_));
        if !has_rows || base.version() == self.request.table.version() {
            return Ok(());
        }
        let written = metadata::field_paths(&self.request.table.manifest().head.fields);
        let ids: HashMap<String, i32> = written.into_iter().map(|(id, path)| (path, id)).collect();
        let now = &base.manifest().head.fields;
        let paths = metadata::field_paths(now);
        let is_other =
            |id: &i32| paths.get(id).and_then(|path| ids.get(path)).is_some_and(|known| known != id);
        let other = now.iter().find(|field| is_other(&field.id));
        other.map_or(Ok(()), |field| {
            let message = format!("the field {:?} was replaced meanwhile by another one", field.name);
            Err(Error::new(ErrorKind::CommitConflict, message).retryable(true))
        })
    }

    /// The operation with the fragments that it deletes rows of, as conflicts are looked for.
    fn shape(&self) -> Operation {
        let fragment = |id: &u64| crate::wire::Fragment { id: *id, ..crate::wire::Fragment::default() };
        let updated = self.request.deletes.keys().map(fragment);
        let mut operation = self.request.operation.clone();
        match &mut operation {
            Operation::Delete(delete) => delete.updated_fragments.extend(updated),
            Operation::Update(update) => update.updated_fragments.extend(updated),
            _ => {}
        }
        operation
    }

    /// The operation as it is on a version.
    fn operation_on(&self, base: &Table, state: &mut State) -> Result<Operation> {
        let mut operation = self.request.operation.clone();
        if !matches!(operation, Operation::Delete(_) | Operation::Update(_)) {
            return Ok(operation);
        }
        let Deleted { updated, removed } =
            delete(&self.request.deletes, &self.request.table, base, &mut state.written, &self.files)?;
        match &mut operation {
            Operation::Delete(delete) => {
                delete.updated_fragments.extend(updated);
                delete.deleted_fragment_ids.extend(removed);
            }
            Operation::Update(update) => {
                update.updated_fragments.extend(updated);
                update.removed_fragment_ids.extend(removed);
            }
            _ => {}
        }
        Ok(operation)
    }

    fn build(&self, operation: &Operation, base: &Table) -> Result<Built> {
        let indices = base.index_section()?;
        let changed = self.request.conditions.with_settings(base.manifest());
        let on = Base { manifest: changed.as_ref().unwrap_or(base.manifest()), indices: indices.as_ref() };
        let made = match operation {
            Operation::Restore(old) => {
                let versions = metadata::versions(self.store(), self.folder())?;
                let listed = find(&versions, old.version).ok_or_else(|| {
                    Error::not_found(format!("the table has no version {} to restore", old.version))
                })?;
                let old = base.at(listed)?;
                check_present(&old)?;
                let indices = old.index_section()?;
                restore(
                    &Base { manifest: old.manifest(), indices: indices.as_ref() },
                    base.manifest(),
                    now()?,
                )
            }
            other => build(other, &on, now()?),
        };
        made.context("path", base.manifest_location())
    }

    fn transaction(&self, read_version: u64, operation: Operation) -> Transaction {
        let mut properties = self.request.properties.clone();
        properties.extend(self.request.key.clone().map(|key| (KEY.to_owned(), key)));
        Transaction { read_version, uuid: self.uuid.clone(), properties, operation, ..Transaction::default() }
    }

    fn put(&self, ready: &Ready, state: &mut State) -> Result<()> {
        if let Some(path) = ready.transaction_path() {
            self.files.record(path);
        }
        ready.put_transaction(self.store())?;
        let Err(error) = ready.put_manifest(self.store(), self.folder()) else {
            (state.unknown, state.is_done) = (None, true);
            return Ok(());
        };
        state.is_raced = error.kind() == ErrorKind::AlreadyExists || error.is_outcome_unknown();
        let version = ready.version.version;
        if error.kind() != ErrorKind::AlreadyExists && !error.is_outcome_unknown() {
            return Err(error);
        }
        // Until it is known whose version it is.
        state.unknown = Some(version);
        let listed = ready.version;
        let made = self.request.table.at(listed).and_then(|table| table.transaction());
        match made {
            Ok(Some(made)) if made.uuid == self.uuid => {
                (state.unknown, state.is_done) = (None, true);
                Ok(())
            }
            Ok(_) => {
                state.unknown = None;
                Err(lost(version))
            }
            // Where the name was taken before, it cannot become ours.
            Err(_) if error.kind() == ErrorKind::AlreadyExists && !error.is_outcome_unknown() => {
                Err(lost(version))
            }
            Err(_) => Err(outcome_unknown(version, error)),
        }
    }

    /// Removes what earlier attempts wrote, and this version does not name.
    pub(super) fn keep_files_of(&self, transaction: &Transaction, ready: &Ready) {
        let updated = match &transaction.operation {
            Operation::Delete(delete) => delete.updated_fragments.as_slice(),
            Operation::Update(update) => update.updated_fragments.as_slice(),
            _ => &[],
        };
        let deletions = updated.iter().filter_map(|fragment| {
            let file = fragment.deletion_file.as_ref()?;
            Some(location::join(self.folder(), &file.path(fragment.id)))
        });
        let needed = deletions.chain(ready.transaction_path().map(str::to_owned)).collect();
        self.files.remove_all_but(self.store(), &needed);
    }

    fn has_key(&self, made: &Transaction) -> bool {
        self.request.key.as_ref().is_some_and(|key| lookup(&made.properties, KEY) == Some(key))
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.request.table.store().as_ref()
    }

    pub(super) fn folder(&self) -> &str {
        self.request.table.bases().folder()
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of a version that was committed meanwhile, and cleaned up.
fn is_gone(version: u64, state: &State) -> Error {
    let message = format!(
        "version {version}, which was committed meanwhile, was cleaned up: nothing says what it changed"
    );
    match state.unknown {
        // It may have been ours.
        Some(unknown) if unknown >= version => Error::new(ErrorKind::CommitStateUnknown, message),
        _ => Error::new(ErrorKind::CommitConflict, message).retryable(true),
    }
}

/// The version that a commit with a key made, and its operation; `None` without one.
///
/// It is found as long as the file of its transaction is there. Errors: `InvalidInput` where the commit's operation is not the one
/// that is `expected`; `NotFound` for a table that was made anew since it was opened; `InvalidData`; those of the store.
pub fn find_commit(opened: &Table, key: &str, expected: Option<&str>) -> Result<Option<(Table, Operation)>> {
    let (store, folder) = (opened.store().as_ref(), opened.bases().folder());
    let listed = metadata::entries(store, &location::join(folder, TRANSACTIONS))?;
    let mut candidates = listed.iter().filter_map(|entry| parts_of(&entry.name)).peekable();
    if candidates.peek().is_none() {
        return Ok(None);
    }
    let versions = metadata::versions(store, folder)?;
    for (read, uuid) in candidates.filter(|(_, uuid)| may_be_of_key(uuid, key)) {
        let Some(listed) = read.checked_add(1).and_then(|version| find(&versions, version)) else {
            continue;
        };
        let table = opened.at(listed)?;
        let Some(made) = table.transaction()?.filter(|made| made.uuid == uuid) else { continue };
        if lookup(&made.properties, KEY).is_some_and(|known| known == key) {
            opened.check_same()?;
            check_operation(&made.operation, expected.unwrap_or(made.operation.name()), key)?;
            return Ok(Some((table, made.operation)));
        }
    }
    Ok(None)
}

fn check_operation(made: &Operation, expected: &str, key: &str) -> Result<()> {
    let found = made.name();
    if found == expected {
        return Ok(());
    }
    Err(Error::invalid_input(format!(
        "the idempotency key {key:?} belongs to an earlier operation, {found}, and is used for {expected} now"
    )))
}

fn find(versions: &[ListedVersion], version: u64) -> Option<ListedVersion> {
    versions.binary_search_by_key(&version, |listed| listed.version).ok().map(|at| versions[at])
}

/// Can keys be in the table after an operation that were not there before?
fn adds_rows(operation: &Operation) -> bool {
    match operation {
        Operation::Append(_) | Operation::DataReplacement(_) => true,
        Operation::Update(update) => {
            !update.new_fragments.is_empty() || !update.fields_modified.is_empty() || update.update_mode != 0
        }
        _ => false,
    }
}
