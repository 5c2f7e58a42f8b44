//! Are ids unique, and is there what others name?
//!
//! Spec: Table Metadata Fields.

use std::collections::HashSet;

use floeberg_core::finding::{Findings, Rule};
use floeberg_core::value::parse_uuid;

use crate::check::keys::{Object, join, long, objects, text};
use crate::check::rules::documents::TABLE_UUID;
use crate::check::rules::schemas::{
    CURRENT_SCHEMA, DEFAULT_ORDER, DEFAULT_SPEC, ORDER_ID_UNIQUE, SCHEMA_ID_UNIQUE, SPEC_ID_UNIQUE,
};
use crate::check::rules::snapshots::{CURRENT_SNAPSHOT, NO_SNAPSHOT, SNAPSHOT_ID_UNIQUE};

/// The ids of the objects of a list.
pub(super) fn ids_of(holder: &Object, list: &str, id: &str) -> HashSet<i64> {
    objects(holder, list).iter().filter_map(|(_, object)| long(object, id)).collect()
}

/// Checks that no two objects of a list have one id.
pub(super) fn check_unique(found: &mut Findings, holder: &Object, list: &str, id: &str, rule: &'static Rule) {
    let mut seen = HashSet::new();
    for (part, object) in objects(holder, list) {
        if let Some(number) = long(object, id)
            && !seen.insert(number)
        {
            found.add(rule, join(&part, id), format_args!("the id {number} is there twice"));
        }
    }
}

/// Checks the ids of a table.
pub(super) fn check_ids(found: &mut Findings, table: &Object, version: u8) {
    let lists: [(&str, &str, &str, &'static Rule, &'static Rule); 3] = [
        ("schemas", "schema-id", "current-schema-id", &SCHEMA_ID_UNIQUE, &CURRENT_SCHEMA),
        ("partition-specs", "spec-id", "default-spec-id", &SPEC_ID_UNIQUE, &DEFAULT_SPEC),
        ("sort-orders", "order-id", "default-sort-order-id", &ORDER_ID_UNIQUE, &DEFAULT_ORDER),
    ];
    for (list, id, chosen, unique, there) in lists {
        check_unique(found, table, list, id, unique);
        let ids = ids_of(table, list, id);
        if let Some(number) = long(table, chosen)
            && table.contains_key(list)
            && !ids.contains(&number)
        {
            let mut known: Vec<_> = ids.into_iter().collect();
            known.sort_unstable();
            found.add(there, chosen, format_args!("expected one of {known:?}, found {number}"));
        }
    }
    check_unique(found, table, "snapshots", "snapshot-id", &SNAPSHOT_ID_UNIQUE);
    match long(table, "current-snapshot-id") {
        Some(-1) if version < 3 => {}
        Some(-1) => found.add(&NO_SNAPSHOT, "current-snapshot-id", "expected null, found -1"),
        Some(current) if !ids_of(table, "snapshots", "snapshot-id").contains(&current) => {
            let message = format_args!("the table has no snapshot {current}");
            found.add(&CURRENT_SNAPSHOT, "current-snapshot-id", message);
        }
        _ => {}
    }
}

/// The current snapshot; -1 is none.
pub(super) fn current_snapshot(table: &Object) -> Option<i64> {
    long(table, "current-snapshot-id").filter(|id| *id != -1)
}

/// Checks that the identity of a table or a view is a UUID.
pub(super) fn check_uuid(found: &mut Findings, holder: &Object, name: &str) {
    if let Some(uuid) = text(holder, name)
        && parse_uuid(uuid).is_err()
    {
        found.add(&TABLE_UUID, name, format_args!("expected a UUID, found {uuid:?}"));
    }
}
