//! How are branches and tags made, moved and removed?
//!
//! Spec: Snapshot References.
//!
//! Invariant: a branch never becomes a tag, nor a tag a branch. A ref that leaves snapshots behind, or takes over those of
//! another, is moved only from where the user saw it: else a commit of another writer would be lost or published unseen.

use std::collections::BTreeMap;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{MAIN_BRANCH, RefKind, Snapshot, SnapshotRef, TableMetadata};

use crate::Update;
use crate::conflicts::{Validation, as_conflict_if};
use crate::produce::{ActionContext, Produced, check_moved_branch};
use crate::refs::{RENAMED_BRANCHES, RefChange, Retention, SnapshotChoice, with_rename};

/// Changes a branch or a tag; rollbacks change the branch of the commit.
///
/// Errors: `NotFound` for a missing ref or snapshot, `AlreadyExists` for a new name that is taken, `InvalidInput` for a change that
/// the ref does not allow, `CommitConflict` where another writer moved it since, or removed it.
pub(super) fn change_ref(
    context: &ActionContext<'_>,
    validation: Validation<'_>,
    change: &RefChange,
) -> Result<Produced> {
    let (branch, metadata) = (context.branch, context.metadata.as_ref());
    Changing { context, metadata, validation }.change(branch, change).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::InvalidInput => {
            let names = change.names(branch);
            as_conflict_if(validation, "branches or tags", |metadata| {
                names.iter().map(|name| metadata.refs.get(*name).cloned()).collect::<Vec<_>>()
            })(error)
        }
        _ => error,
    })
}

struct Changing<'a> {
    context: &'a ActionContext<'a>,
    metadata: &'a TableMetadata,
    validation: Validation<'a>,
}

impl Changing<'_> {
    fn change(&self, branch: &str, change: &RefChange) -> Result<Produced> {
        match change {
            RefChange::Create { name, reference, of_head: false, .. } => self.create(name, reference),
            RefChange::Create { name, reference, of_head: true, of } => {
                let snapshot_id = self.seen_head(of.as_deref().unwrap_or(branch))?;
                self.create(name, &SnapshotRef { snapshot_id, ..reference.clone() })
            }
            RefChange::Replace { name, kind, snapshot_id } => self.replace(name, *kind, *snapshot_id),
            RefChange::Rename { name, new_name } => self.rename(name, new_name),
            RefChange::Remove { name, kind } => self.remove(name, *kind),
            RefChange::Retention { name, retention } => self.keep(name, *retention),
            RefChange::FastForward { name, to } => self.fast_forward(name, to),
            RefChange::SetCurrent(choice) => self.set_current(branch, choice),
            RefChange::Rollback(snapshot_id) => self.roll_back(branch, *snapshot_id),
            RefChange::RollbackToTimestamp(time) => self.roll_back_to_timestamp(branch, *time),
        }
    }

    fn create(&self, name: &str, reference: &SnapshotRef) -> Result<Produced> {
        check_name(name)?;
        self.metadata.snapshot(reference.snapshot_id)?;
        self.check_free(name)?;
        check_retention(name, reference)?;
        if reference.kind == RefKind::Branch {
            self.check_files(name, reference.snapshot_id)?;
        }
        Ok(set(name, reference.clone()))
    }

    fn replace(&self, name: &str, kind: RefKind, snapshot_id: i64) -> Result<Produced> {
        let known = self.of_kind(name, kind)?;
        self.metadata.snapshot(snapshot_id)?;
        if kind == RefKind::Branch {
            self.check_columns(name, snapshot_id)?;
        }
        self.check_not_moved(name)?;
        if kind == RefKind::Branch {
            self.check_files(name, snapshot_id)?;
        }
        Ok(moved(name, known, snapshot_id))
    }

    fn rename(&self, name: &str, new_name: &str) -> Result<Produced> {
        check_name(new_name)?;
        if name == MAIN_BRANCH {
            return Err(Error::invalid_input("the branch main cannot be renamed"));
        }
        let known = self.of_kind(name, RefKind::Branch)?.clone();
        if name == new_name {
            return Ok(Produced::default());
        }
        self.check_free(new_name)?;
        // Work that was done under the old name is found under the new one.
        let renamed = with_rename(self.metadata, name, new_name, known.snapshot_id);
        Ok(Produced::of(vec![
            Update::RemoveSnapshotRef(name.to_owned()),
            Update::SetSnapshotRef(new_name.to_owned(), known),
            Update::SetProperties(BTreeMap::from([(RENAMED_BRANCHES.to_owned(), renamed)])),
        ]))
    }

    fn remove(&self, name: &str, kind: RefKind) -> Result<Produced> {
        self.of_kind(name, kind)?;
        if name == MAIN_BRANCH {
            return Err(Error::invalid_input("the branch main cannot be removed"));
        }
        self.check_not_moved(name)?;
        Ok(Produced::of(vec![Update::RemoveSnapshotRef(name.to_owned())]))
    }

    fn keep(&self, name: &str, retention: Retention) -> Result<Produced> {
        let known = self.metadata.reference(name)?;
        let after = SnapshotRef {
            min_snapshots_to_keep: retention.min_snapshots_to_keep.or(known.min_snapshots_to_keep),
            max_snapshot_age_ms: retention.max_snapshot_age_ms.or(known.max_snapshot_age_ms),
            max_ref_age_ms: retention.max_ref_age_ms.or(known.max_ref_age_ms),
            ..known.clone()
        };
        check_retention(name, &after)?;
        Ok(if after == *known { Produced::default() } else { set(name, after) })
    }

    fn fast_forward(&self, name: &str, to: &str) -> Result<Produced> {
        let target = self.metadata.snapshot_of_ref(to)?.snapshot_id;
        self.check_not_moved(to)?;
        let Some(known) = self.metadata.refs.get(name) else {
            check_name(name)?;
            self.check_columns(name, target)?;
            self.check_files(name, target)?;
            return Ok(set(name, SnapshotRef::new(target, RefKind::Branch)));
        };
        self.of_kind(name, RefKind::Branch)?;
        if !self.metadata.is_ancestor(known.snapshot_id, target) {
            return Err(Error::invalid_input(format!(
                "{name:?} cannot be fast-forwarded to {to:?}: its snapshot {} is not an ancestor of snapshot {target}",
                known.snapshot_id
            )));
        }
        self.check_files(name, target)?;
        Ok(moved(name, known, target))
    }

    fn set_current(&self, branch: &str, choice: &SnapshotChoice) -> Result<Produced> {
        let snapshot_id = match choice {
            SnapshotChoice::Id(id) => self.metadata.snapshot(*id)?.snapshot_id,
            SnapshotChoice::Ref(name) => {
                let snapshot_id = self.metadata.snapshot_of_ref(name)?.snapshot_id;
                self.check_not_moved(name)?;
                snapshot_id
            }
        };
        self.check_columns(branch, snapshot_id)?;
        self.move_branch(branch, snapshot_id)
    }

    fn roll_back(&self, branch: &str, snapshot_id: i64) -> Result<Produced> {
        self.metadata.snapshot(snapshot_id)?;
        let head = self.head(branch)?;
        if !self.metadata.is_ancestor(snapshot_id, head) {
            return Err(Error::invalid_input(format!(
                "the branch {branch:?} cannot be rolled back to snapshot {snapshot_id}: it is not an ancestor of its newest \
                 snapshot {head}"
            ))
            .with("snapshot", snapshot_id));
        }
        self.move_branch(branch, snapshot_id)
    }

    fn roll_back_to_timestamp(&self, branch: &str, timestamp_ms: i64) -> Result<Produced> {
        let ancestors = self.metadata.ancestors_of(self.head(branch)?);
        let older = ancestors.iter().find(|snapshot| snapshot.timestamp_ms < timestamp_ms);
        let Some(older) = older else {
            let oldest =
                ancestors.last().map_or(0, |snapshot: &std::sync::Arc<Snapshot>| snapshot.timestamp_ms);
            return Err(Error::invalid_input(format!(
                "the branch {branch:?} cannot be rolled back: it has no snapshot older than {timestamp_ms} ms; its oldest is \
                 of {oldest} ms"
            )));
        };
        self.move_branch(branch, older.snapshot_id)
    }

    fn move_branch(&self, branch: &str, snapshot_id: i64) -> Result<Produced> {
        self.check_not_moved(branch)?;
        self.check_files(branch, snapshot_id)?;
        match self.metadata.refs.get(branch) {
            None => Ok(set(branch, SnapshotRef::new(snapshot_id, RefKind::Branch))),
            Some(_) => Ok(moved(branch, self.of_kind(branch, RefKind::Branch)?, snapshot_id)),
        }
    }

    /// A branch is read by the columns of the table. After a replacement some may have the names of older ones, and other types and
    /// ids: the values of snapshots before it would read as null.
    ///
    /// Errors: `InvalidInput` for a snapshot of another history than that of the branch, naming such columns.
    fn check_columns(&self, branch: &str, snapshot_id: i64) -> Result<()> {
        let metadata = self.metadata;
        let is_of_history = metadata.refs.get(branch).is_some_and(|head| {
            metadata.is_ancestor(snapshot_id, head.snapshot_id)
                || metadata.is_ancestor(head.snapshot_id, snapshot_id)
        });
        let then = metadata.snapshot(snapshot_id)?.schema_id.and_then(|id| metadata.schema(id));
        let Some(then) = then.filter(|_| !is_of_history) else { return Ok(()) };
        let now = metadata.current_schema();
        let mut others = Vec::new();
        for (name, id) in now.names() {
            if then.field(id).is_none()
                && let (Some(field), Ok(old)) = (now.field(id), then.find(name, true))
                && let Some(old) = then.field(old)
            {
                others.push(format!("{name:?} ({} then, {} now)", old.field_type, field.field_type));
            }
        }
        others.sort_unstable();
        if others.is_empty() {
            return Ok(());
        }
        Err(Error::invalid_input(format!(
            "the branch {branch:?} cannot be set to snapshot {snapshot_id}: columns of the same name are other columns by now, \
             so that its values would read as null: {}. Read the snapshot by its id, or replace the table by its rows",
            others.join(", ")
        ))
        .with("snapshot", snapshot_id))
    }

    /// Errors: those of [`check_moved_branch`].
    fn check_files(&self, branch: &str, snapshot_id: i64) -> Result<()> {
        check_moved_branch(self.context, branch, self.metadata.branch_head(branch), snapshot_id)
    }

    /// The newest snapshot of a branch as the user knows it: by operations before this one, and else as it was when the commit
    /// began. Errors: `InvalidInput` without one.
    fn seen_head(&self, branch: &str) -> Result<i64> {
        let head = |metadata: &TableMetadata| metadata.branch_head(branch);
        let (now, base) = (head(self.metadata), self.validation.base.and_then(head));
        let seen = if now == base { self.validation.starting.and_then(head) } else { now };
        seen.ok_or_else(|| {
            Error::invalid_input("the table has no snapshot that a branch or a tag could name")
                .with("branch", branch)
        })
    }

    /// The newest snapshot of a branch.
    fn head(&self, branch: &str) -> Result<i64> {
        Ok(self.of_kind(branch, RefKind::Branch)?.snapshot_id)
    }

    fn of_kind(&self, name: &str, kind: RefKind) -> Result<&SnapshotRef> {
        let known = self.metadata.reference(name)?;
        if known.kind == kind {
            return Ok(known);
        }
        let (found, expected) = (known.kind.name(), kind.name());
        Err(Error::invalid_input(format!("{name:?} is a {found}, and a {expected} was expected")))
    }

    fn check_free(&self, name: &str) -> Result<()> {
        match self.metadata.refs.get(name) {
            None => Ok(()),
            Some(known) => Err(Error::new(
                ErrorKind::AlreadyExists,
                format!("the {} {name:?} exists already", known.kind.name()),
            )),
        }
    }

    /// Errors: `CommitConflict` if a ref names another snapshot than when the operation began.
    fn check_not_moved(&self, name: &str) -> Result<()> {
        let (Some(starting), Some(base)) = (self.validation.starting, self.validation.base) else {
            return Ok(());
        };
        let of = |metadata: &TableMetadata| metadata.refs.get(name).map(|reference| reference.snapshot_id);
        let (then, now) = (of(starting), of(base));
        if then == now {
            return Ok(());
        }
        let said =
            |id: Option<i64>| id.map_or_else(|| "no snapshot".to_owned(), |id| format!("snapshot {id}"));
        Err(Error::new(
            ErrorKind::CommitConflict,
            format!(
                "another writer moved the ref {name:?} since the operation began, from {} to {}: look at it, and try again",
                said(then),
                said(now)
            ),
        )
        .with("ref", name))
    }
}

fn set(name: &str, reference: SnapshotRef) -> Produced {
    Produced::of(vec![Update::SetSnapshotRef(name.to_owned(), reference)])
}

/// A ref at another snapshot, with the retention that it has.
fn moved(name: &str, known: &SnapshotRef, snapshot_id: i64) -> Produced {
    if known.snapshot_id == snapshot_id {
        return Produced::default();
    }
    set(name, SnapshotRef { snapshot_id, ..known.clone() })
}

fn check_name(name: &str) -> Result<()> {
    if name.is_empty() { Err(Error::invalid_input("a branch or a tag needs a name")) } else { Ok(()) }
}

/// Errors: `InvalidInput` for ages and numbers that are not positive, for a tag with the retention of a branch, and for `main` with
/// an age, since it never expires.
fn check_retention(name: &str, reference: &SnapshotRef) -> Result<()> {
    let keeps_snapshots =
        reference.min_snapshots_to_keep.is_some() || reference.max_snapshot_age_ms.is_some();
    if reference.kind == RefKind::Tag && keeps_snapshots {
        return Err(Error::invalid_input(
            "a tag cannot have min_snapshots_to_keep or max_snapshot_age_ms: only branches can",
        ));
    }
    if name == MAIN_BRANCH && reference.max_ref_age_ms.is_some() {
        return Err(Error::invalid_input("max_ref_age_ms: the branch main never expires"));
    }
    let values = [
        ("min_snapshots_to_keep", reference.min_snapshots_to_keep.map(i64::from)),
        ("max_snapshot_age_ms", reference.max_snapshot_age_ms),
        ("max_ref_age_ms", reference.max_ref_age_ms),
    ];
    match values.into_iter().find(|(_, value)| value.is_some_and(|value| value <= 0)) {
        None => Ok(()),
        Some((key, value)) => {
            let found = value.unwrap_or_default();
            Err(Error::invalid_input(format!("{key}: expected a number above 0, found {found}")))
        }
    }
}
