//! What does an operation touch?
//!
//! In: an operation. Out: the fragments that it changes or removes, the keys that it sets, and the fields.
//! Spec: Lance, `transaction/conflicts.rs`.

use std::collections::HashSet;

use crate::build::field_entry;
use crate::wire::{Operation, UpdateConfig, UpdateMap};

/// The ids of the fragments that an operation changes or removes; not those that it adds.
pub(super) fn fragments(operation: &Operation) -> HashSet<u64> {
    match operation {
        Operation::Delete(delete) => {
            let updated = delete.updated_fragments.iter().map(|fragment| fragment.id);
            updated.chain(delete.deleted_fragment_ids.iter().copied()).collect()
        }
        Operation::Update(update) => {
            let updated = update.updated_fragments.iter().map(|fragment| fragment.id);
            updated.chain(update.removed_fragment_ids.iter().copied()).collect()
        }
        Operation::Rewrite(rewrite) => {
            let grouped = rewrite.groups.iter().flat_map(|group| &group.old_fragments);
            grouped.chain(&rewrite.old_fragments).map(|fragment| fragment.id).collect()
        }
        Operation::DataReplacement(replacement) => {
            replacement.replacements.iter().map(|group| group.fragment_id).collect()
        }
        Operation::Merge(merge) => merge.fragments.iter().map(|fragment| fragment.id).collect(),
        _ => HashSet::new(),
    }
}

/// The ids of the fragments that an operation removes without others in their place.
pub(super) fn removed(operation: &Operation) -> &[u64] {
    match operation {
        Operation::Delete(delete) => &delete.deleted_fragment_ids,
        Operation::Update(update) => &update.removed_fragment_ids,
        _ => &[],
    }
}

/// The fragments with each field of which values are replaced in place.
pub(super) fn replaced(operation: &Operation) -> Vec<(u64, &[i32])> {
    let Operation::DataReplacement(replacement) = operation else { return Vec::new() };
    let files = replacement.replacements.iter();
    files.filter_map(|group| Some((group.fragment_id, group.new_file.as_ref()?.fields.as_slice()))).collect()
}

/// Does an operation change metadata of the schema or of fields?
pub(super) fn changes_schema_metadata(operation: &Operation) -> bool {
    let Operation::UpdateConfig(update) = operation else { return false };
    update.schema_metadata_updates.as_ref().is_some_and(is_change)
        || update.field_metadata_updates.iter().any(|entry| match field_entry(entry) {
            Ok((_, changes)) => is_change(&changes),
            // What cannot be read may be a change.
            Err(_) => true,
        })
}

fn is_change(changes: &UpdateMap) -> bool {
    changes.replace || !changes.update_entries.is_empty()
}

/// Does one of two operations set a setting that the other sets or removes?
pub(super) fn share_setting(one: &Operation, other: &Operation) -> bool {
    let (one, other) = (Settings::of(one), Settings::of(other));
    if one.are_replaced || other.are_replaced {
        return !one.is_empty() && !other.is_empty();
    }
    let named = |settings: &Settings<'_>, key: &str| {
        settings.set.iter().chain(&settings.removed).any(|known| *known == key)
    };
    one.set.iter().any(|key| named(&other, key)) || other.set.iter().any(|key| named(&one, key))
}

/// The settings that an operation changes.
#[derive(Debug, Default)]
struct Settings<'a> {
    set: Vec<&'a str>,
    removed: Vec<&'a str>,
    /// Is everything else removed?
    are_replaced: bool,
}

impl<'a> Settings<'a> {
    fn of(operation: &'a Operation) -> Self {
        match operation {
            Operation::Overwrite(overwrite) => Self {
                set: overwrite.config_upsert_values.iter().map(|(key, _)| key.as_str()).collect(),
                ..Self::default()
            },
            Operation::UpdateConfig(UpdateConfig { config_updates: Some(changes), .. }) => {
                let named = |is_set: bool| {
                    let entries = changes.update_entries.iter();
                    let chosen = entries.filter(move |(_, value)| value.is_some() == is_set);
                    chosen.map(|(key, _)| key.as_str()).collect()
                };
                Self { set: named(true), removed: named(false), are_replaced: changes.replace }
            }
            _ => Self::default(),
        }
    }

    fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty() && !self.are_replaced
    }
}

/// Do two operations change metadata of the same thing: of the table by a key, of the schema, of a field?
pub(super) fn share_metadata(one: &UpdateConfig, other: &UpdateConfig) -> bool {
    let of_table = match (&one.table_metadata_updates, &other.table_metadata_updates) {
        (Some(one), Some(other)) if one.replace || other.replace => true,
        (Some(one), Some(other)) => {
            let keys: HashSet<&str> = one.update_entries.iter().map(|(key, _)| key.as_str()).collect();
            other.update_entries.iter().any(|(key, _)| keys.contains(key.as_str()))
        }
        _ => false,
    };
    let fields = |update: &UpdateConfig| -> Option<HashSet<i32>> {
        let ids = update.field_metadata_updates.iter().map(|entry| field_entry(entry).map(|(id, _)| id));
        ids.collect::<Result<_, _>>().ok()
    };
    let of_field = match (fields(one), fields(other)) {
        (Some(one), Some(other)) => !one.is_disjoint(&other),
        // What cannot be read may be the same.
        _ => true,
    };
    of_table || of_field || (one.schema_metadata_updates.is_some() && other.schema_metadata_updates.is_some())
}
