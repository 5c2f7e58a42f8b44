//! What must still hold when a commit is applied?
//!
//! In: requirements and the metadata that is current then. Out: nothing, or the conflict.
//! Spec: REST catalog specification, `TableRequirement`.
//!
//! Invariant: a requirement that does not hold is a conflict, and nothing is changed.

use std::collections::BTreeSet;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{RefKind, TableMetadata};

use crate::Update;

/// One requirement, in the vocabulary of the REST catalog specification.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Requirement {
    /// `assert-create`: the table does not exist yet.
    Create,
    /// `assert-table-uuid`: it is this table.
    TableUuid(String),
    /// `assert-ref-snapshot-id`: a ref names this snapshot; `None`: the ref does not exist.
    RefSnapshotId(String, Option<i64>),
    /// `assert-last-assigned-field-id`.
    LastAssignedFieldId(i32),
    /// `assert-current-schema-id`.
    CurrentSchemaId(i32),
    /// `assert-last-assigned-partition-id`.
    LastAssignedPartitionId(i32),
    /// `assert-default-spec-id`.
    DefaultSpecId(i32),
    /// `assert-default-sort-order-id`.
    DefaultSortOrderId(i32),
}

impl Requirement {
    /// What the updates of a commit require of the metadata that they were made on, as Iceberg Java has it.
    ///
    /// A table of v1 may lack a uuid, and then cannot be checked.
    pub fn of_updates(base: Option<&TableMetadata>, updates: &[Update]) -> Vec<Self> {
        let Some(base) = base else { return vec![Self::Create] };
        let mut requirements: Vec<Self> = base.table_uuid.iter().cloned().map(Self::TableUuid).collect();
        let mut require = |requirement: Self| {
            if !requirements.contains(&requirement) {
                requirements.push(requirement);
            }
        };
        for update in updates {
            match update {
                Update::SetSnapshotRef(name, _) | Update::RemoveSnapshotRef(name) => {
                    let snapshot_id = base.refs.get(name).map(|reference| reference.snapshot_id);
                    require(Self::RefSnapshotId(name.clone(), snapshot_id));
                }
                Update::AddSchema(..) => require(Self::LastAssignedFieldId(base.last_column_id)),
                Update::SetCurrentSchema(_) => require(Self::CurrentSchemaId(base.current_schema_id)),
                Update::AddSpec(_) => require(Self::LastAssignedPartitionId(base.last_partition_id)),
                Update::SetDefaultSpec(_) => require(Self::DefaultSpecId(base.default_spec_id)),
                Update::SetDefaultSortOrder(_) => {
                    require(Self::DefaultSortOrderId(base.default_sort_order_id));
                }
                Update::RemovePartitionSpecs(_) => {
                    require(Self::DefaultSpecId(base.default_spec_id));
                    unchanged_branches(base).into_iter().for_each(&mut require);
                }
                Update::RemoveSchemas(_) => {
                    require(Self::CurrentSchemaId(base.current_schema_id));
                    unchanged_branches(base).into_iter().for_each(&mut require);
                }
                // No branch may go back to one of them meanwhile.
                Update::RemoveSnapshots(_) => unchanged_branches(base).into_iter().for_each(&mut require),
                _ => {}
            }
        }
        requirements
    }

    /// Does it hold? Errors: `CommitConflict`, retryable unless it is another table.
    pub fn check(&self, base: Option<&TableMetadata>) -> Result<()> {
        let Some(base) = base else {
            return match self {
                Self::Create => Ok(()),
                _ => Err(conflict("the table does not exist any more", false)),
            };
        };
        match self {
            Self::Create => Err(conflict("another writer created the table", false)),
            Self::TableUuid(expected) => {
                let found = base.table_uuid.as_deref();
                let same = found.is_some_and(|found| found.eq_ignore_ascii_case(expected));
                if same {
                    Ok(())
                } else {
                    Err(differs("table uuid", expected, &found.unwrap_or("none"), false))
                }
            }
            Self::RefSnapshotId(name, expected) => {
                let found = base.refs.get(name).map(|reference| reference.snapshot_id);
                if found == *expected {
                    return Ok(());
                }
                let told = |id: &Option<i64>| id.map_or_else(|| "none".to_owned(), |id| id.to_string());
                Err(differs("snapshot of the ref", &told(expected), &told(&found), true).with("ref", name))
            }
            Self::LastAssignedFieldId(id) => same("highest column id", *id, base.last_column_id),
            Self::CurrentSchemaId(id) => same("current schema", *id, base.current_schema_id),
            Self::LastAssignedPartitionId(id) => {
                same("highest partition field id", *id, base.last_partition_id)
            }
            Self::DefaultSpecId(id) => same("default partition spec", *id, base.default_spec_id),
            Self::DefaultSortOrderId(id) => same("default sort order", *id, base.default_sort_order_id),
        }
    }
}

/// No branch may move, so that no concurrent commit uses what is removed.
fn unchanged_branches(base: &TableMetadata) -> BTreeSet<Requirement> {
    let branches = base.refs.iter().filter(|(_, reference)| reference.kind == RefKind::Branch);
    branches
        .map(|(name, branch)| Requirement::RefSnapshotId(name.clone(), Some(branch.snapshot_id)))
        .collect()
}

fn same(what: &str, expected: i32, found: i32) -> Result<()> {
    if expected == found { Ok(()) } else { Err(differs(what, &expected, &found, true)) }
}

fn differs(what: &str, expected: &impl ToString, found: &impl ToString, retryable: bool) -> Error {
    let (expected, found) = (expected.to_string(), found.to_string());
    conflict(&format!("another commit was faster: expected the {what} {expected}, found {found}"), retryable)
}

fn conflict(message: &str, retryable: bool) -> Error {
    Error::new(ErrorKind::CommitConflict, message).retryable(retryable)
}
