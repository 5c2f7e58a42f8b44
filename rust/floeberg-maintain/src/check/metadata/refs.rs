//! Do branches and tags name snapshots, with a retention that they may have?
//!
//! Spec: Snapshot References; Snapshot Retention Policy.

use serde_json::Value as Json;

use crate::check::keys::{Object, long, text};
use crate::check::rules::snapshots::{MAIN_IS_CURRENT, REF_RETENTION, REF_SNAPSHOT, REF_TYPE};
use floeberg_core::finding::Findings;

use super::ids::{current_snapshot, ids_of};

const OF_BRANCHES: [&str; 2] = ["min-snapshots-to-keep", "max-snapshot-age-ms"];

/// Checks the refs of a table.
pub(super) fn check_refs(found: &mut Findings, table: &Object) {
    let Some(refs) = table.get("refs").and_then(Json::as_object) else { return };
    let ids = ids_of(table, "snapshots", "snapshot-id");
    let current = current_snapshot(table);
    let main = refs.get("main").and_then(|main| long(main.as_object()?, "snapshot-id"));
    let is_known = current.is_none_or(|current| ids.contains(&current));
    if main != current && is_known && main.is_none_or(|main| ids.contains(&main)) {
        let shown = |id: Option<i64>| id.map_or_else(|| "at none".to_owned(), |id| format!("at {id}"));
        let message = format_args!("main is {}, and the table {}", shown(main), shown(current));
        found.add(&MAIN_IS_CURRENT, "refs.main", message);
    }
    for (name, json) in refs {
        let Some(reference) = json.as_object() else { continue };
        let part = format!("refs.{name}");
        if let Some(id) = long(reference, "snapshot-id")
            && !ids.contains(&id)
        {
            found.add(&REF_SNAPSHOT, &part, format_args!("the table has no snapshot {id}"));
        }
        let kind = text(reference, "type").unwrap_or_default();
        let is_tag = kind == "tag";
        if (reference.contains_key("type") && !["branch", "tag"].contains(&kind))
            || (is_tag && name == "main")
        {
            found.add(&REF_TYPE, &part, format_args!("found the type {kind:?}"));
        }
        for key in OF_BRANCHES
            .iter()
            .filter(|key| is_tag && reference.get(**key).is_some_and(|json| !json.is_null()))
        {
            found.add(&REF_RETENTION, format_args!("{part}.{key}"), "a tag has none");
        }
        for key in OF_BRANCHES.iter().chain(&["max-ref-age-ms"]) {
            if let Some(number) = long(reference, key)
                && number <= 0
            {
                found.add(
                    &REF_RETENTION,
                    format_args!("{part}.{key}"),
                    format_args!("expected 1 or more, found {number}"),
                );
            }
        }
    }
}
