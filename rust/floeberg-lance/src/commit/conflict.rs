//! May an operation follow one that was committed meanwhile?
//!
//! In: ours and theirs, made of the same version. Out: yes, or why not, and whether it may be made anew.
//! Spec: Lance, Transactions, Conflict Resolution; `io/commit/conflict_resolver.rs`.
//!
//! Invariant: an unknown or missing operation conflicts with everything.

use std::collections::HashSet;

use floeberg_core::{Error, ErrorKind};

use super::matrix::{Rule, rule};
use super::touched::{changes_schema_metadata, fragments, removed, replaced, share_metadata, share_setting};
use crate::wire::{Operation, SchemaField, Update};

/// May ours follow theirs?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// As it is.
    Allowed,
    /// Where no row is in both: fragments that both touch are looked at row by row.
    ByRows,
    /// Not as it is, but it may be made anew of the newest version.
    Retry,
    /// No.
    Refused,
}

impl Answer {
    /// The error of an operation that may not follow; `None` where it may.
    pub fn error(self, ours: &Operation, theirs: &Operation, version: u64) -> Option<Error> {
        let is_retryable = match self {
            Self::Allowed | Self::ByRows => return None,
            Self::Retry => true,
            Self::Refused => false,
        };
        let message = match theirs {
            Operation::Missing => format!("nothing says what version {version} changed meanwhile"),
            Operation::Unknown(number, _) => {
                format!("version {version} was made meanwhile by an operation that is not known ({number})")
            }
            other => format!(
                "{} of version {version}, which was committed meanwhile, conflicts with {}",
                with_article(other.name()),
                with_article(ours.name()).to_lowercase()
            ),
        };
        Some(Error::new(ErrorKind::CommitConflict, message).retryable(is_retryable))
    }
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "An" } else { "A" };
    format!("{article} {name}")
}

/// May ours follow theirs? `ours_by_rows` says whether the rows that ours deletes are known.
pub fn answer(ours: &Operation, theirs: &Operation, ours_by_rows: bool) -> Answer {
    if may_forbid_nulls(ours) && supplies_values(theirs) || supplies_values(ours) && may_forbid_nulls(theirs)
    {
        return Answer::Retry;
    }
    let is_merge = |operation: &Operation| matches!(operation, Operation::Merge(_));
    let is_restore = |operation: &Operation| matches!(operation, Operation::Restore(_));
    let (our_metadata, their_metadata) = (changes_schema_metadata(ours), changes_schema_metadata(theirs));
    if is_merge(ours) && their_metadata || our_metadata && is_merge(theirs) {
        return Answer::Retry;
    }
    if is_restore(ours) && their_metadata || our_metadata && is_restore(theirs) {
        return Answer::Refused;
    }
    let retry_if = |is_conflict: bool| if is_conflict { Answer::Retry } else { Answer::Allowed };
    let refuse_if = |is_conflict: bool| if is_conflict { Answer::Refused } else { Answer::Allowed };
    match rule(ours, theirs) {
        Rule::Ok => Answer::Allowed,
        Rule::Retry => Answer::Retry,
        Rule::Refuse => Answer::Refused,
        Rule::Fragments => retry_if(share_fragment(ours, theirs)),
        Rule::Rows if !share_fragment(ours, theirs) => Answer::Allowed,
        Rule::Rows if ours_by_rows => Answer::ByRows,
        Rule::Rows => Answer::Retry,
        Rule::KeptFields => retry_if(lacks_field_of_update(ours, theirs)),
        Rule::HasFields => refuse_if(lacks_replaced_field(ours, theirs)),
        Rule::HasFragments => refuse_if(replaces_in_removed(ours, theirs)),
        Rule::StayedRows if replaces_in_removed(ours, theirs) => Answer::Refused,
        Rule::StayedRows => retry_if(replaces_in_moved(ours, theirs)),
        Rule::Fields => retry_if(replace_same_field(ours, theirs)),
        Rule::Settings => refuse_if(share_setting(ours, theirs)),
        Rule::SettingsOrRetry if share_setting(ours, theirs) => Answer::Refused,
        Rule::SettingsOrRetry => Answer::Retry,
        Rule::SettingsAlone => refuse_if(our_metadata || share_setting(ours, theirs)),
        Rule::SettingsAndMetadata => {
            refuse_if(share_setting(ours, theirs) || share_any_metadata(ours, theirs))
        }
        Rule::Indices => retry_if(share_index(ours, theirs)),
        Rule::IndexedFields => retry_if(replaces_indexed_field(ours, theirs)),
    }
}

/// May a field be required from now on? Rows that were written meanwhile can have nulls in it, or lack it.
fn may_forbid_nulls(operation: &Operation) -> bool {
    match operation {
        Operation::Merge(merge) => !merge.preserves_nullability,
        Operation::Project(project) => !project.preserves_nullability,
        _ => false,
    }
}

fn supplies_values(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Append(_)
            | Operation::Update(_)
            | Operation::DataReplacement(_)
            | Operation::DataOverlay(_)
    )
}

fn share_fragment(ours: &Operation, theirs: &Operation) -> bool {
    !fragments(ours).is_disjoint(&fragments(theirs))
}

fn field_ids(schema: &[SchemaField]) -> HashSet<i32> {
    schema.iter().map(|field| field.id).collect()
}

fn lacks_field_of_update(ours: &Operation, theirs: &Operation) -> bool {
    let (Operation::Update(update), Operation::Project(project)) = (ours, theirs) else { return true };
    let kept = field_ids(&project.schema);
    update.fields_modified.iter().any(|field| !i32::try_from(*field).is_ok_and(|id| kept.contains(&id)))
}

fn lacks_replaced_field(ours: &Operation, theirs: &Operation) -> bool {
    let Operation::Project(project) = theirs else { return true };
    let kept = field_ids(&project.schema);
    let mut fields = replaced(ours).into_iter().flat_map(|(_, fields)| fields);
    fields.any(|field| *field >= 0 && !kept.contains(field))
}

fn replaces_in_removed(ours: &Operation, theirs: &Operation) -> bool {
    let removed = removed(theirs);
    replaced(ours).iter().any(|(fragment, _)| removed.contains(fragment))
}

fn replaces_in_moved(ours: &Operation, theirs: &Operation) -> bool {
    let Operation::Update(update) = theirs else { return true };
    let moves_rows = |update: &Update| !update.new_fragments.is_empty() && update.update_mode == 0;
    replaced(ours).iter().any(|(fragment, fields)| {
        let is_updated = update.updated_fragments.iter().any(|updated| updated.id == *fragment);
        let is_written = fields
            .iter()
            .any(|field| u32::try_from(*field).is_ok_and(|field| update.fields_modified.contains(&field)));
        is_updated && (moves_rows(update) || is_written)
    })
}

fn replace_same_field(ours: &Operation, theirs: &Operation) -> bool {
    let theirs = replaced(theirs);
    replaced(ours).iter().any(|(fragment, fields)| {
        theirs
            .iter()
            .any(|(other, others)| fragment == other && fields.iter().any(|field| others.contains(field)))
    })
}

fn share_any_metadata(ours: &Operation, theirs: &Operation) -> bool {
    match (ours, theirs) {
        (Operation::UpdateConfig(ours), Operation::UpdateConfig(theirs)) => share_metadata(ours, theirs),
        _ => false,
    }
}

fn share_index(ours: &Operation, theirs: &Operation) -> bool {
    let (Operation::CreateIndex(ours), Operation::CreateIndex(theirs)) = (ours, theirs) else { return true };
    let all = |operation: &crate::wire::CreateIndex| -> HashSet<String> {
        let indices = operation.new_indices.iter().chain(&operation.removed_indices);
        indices.map(|index| index.name.clone()).collect()
    };
    !all(ours).is_disjoint(&all(theirs))
}

fn replaces_indexed_field(ours: &Operation, theirs: &Operation) -> bool {
    let Operation::CreateIndex(create) = theirs else { return true };
    let indexed: HashSet<i32> = create.new_indices.iter().flat_map(|index| index.fields.clone()).collect();
    replaced(ours).into_iter().any(|(_, fields)| fields.iter().any(|field| indexed.contains(field)))
}
