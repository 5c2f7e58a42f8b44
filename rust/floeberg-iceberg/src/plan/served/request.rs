//! What is a server asked to plan?
//!
//! In: a scan. Out: the body of the request; and what the server cannot test, which is tested here.
//! Spec: REST catalog specification, `PlanTableScanRequest`.

use std::collections::BTreeSet;

use floeberg_core::expr::{BoundExpr, Expr, json as expression_json, unbind};
use floeberg_core::schema::reserved::is_requested;
use floeberg_core::{Error, Result};
use serde_json::{Map, Value as Json, json};

use super::ServedScan;

/// The body of the request to plan a scan; `None` for a table without snapshots, of which no file is read.
///
/// The server is not sent parts of a filter that test metadata columns or are conditions of SQL: see [`filter_parts`]. The
/// snapshot's own schema is used where it is that of the scan, so that a column which is renamed meanwhile stays what it was.
///
/// Errors: `Unsupported` for a scan of appends from the start of the table, which has no form in the request; those of the scan.
pub fn served_request(scan: &ServedScan) -> Result<Option<Json>> {
    let Some(snapshot) = &scan.snapshot else { return Ok(None) };
    let mut body = Map::new();
    match &scan.appends {
        None => {
            body.insert("snapshot-id".to_owned(), json!(snapshot.snapshot_id));
        }
        Some((Some(after), _)) => {
            body.insert("start-snapshot-id".to_owned(), json!(after));
            body.insert("end-snapshot-id".to_owned(), json!(snapshot.snapshot_id));
        }
        Some((None, _)) => {
            return Err(Error::unsupported(
                "the server plans scans of this table, and cannot be asked for appends from the start of the table: name the \
                 snapshot after which the scan begins",
            ));
        }
    }
    let of_snapshot = scan.metadata.schema_for_snapshot(snapshot)?;
    body.insert("case-sensitive".to_owned(), json!(scan.case_sensitive));
    body.insert("use-snapshot-schema".to_owned(), json!(of_snapshot.schema_id() == scan.schema.schema_id()));
    let (sent, unsent) = filter_parts(scan);
    if sent != Expr::True {
        body.insert("filter".to_owned(), expression_json::to_json(&sent)?);
    }
    if scan.has_selection {
        body.insert("select".to_owned(), json!(selected(scan)));
    }
    if let Some(limit) = scan.limit.filter(|_| unsent == Expr::True) {
        body.insert("min-rows-requested".to_owned(), json!(limit));
    }
    Ok(Some(Json::Object(body)))
}

/// The part of the filter that the server is sent, and the part that only Floeberg tests.
///
/// Of appends, the server is sent no part of it: then all their files must come, which is checked.
pub(super) fn filter_parts(scan: &ServedScan) -> (Expr, Expr) {
    // The bound filter has literals of the columns' types, which are written as the specification says.
    let conjuncts = match &scan.filter {
        BoundExpr::And(conjuncts) => conjuncts.as_slice(),
        other => std::slice::from_ref(other),
    };
    let of_appends = scan.appends.is_some();
    let (sent, unsent): (Vec<_>, Vec<_>) = conjuncts.iter().partition(|test| !of_appends && is_sent(test));
    let all = |tests: Vec<&BoundExpr>| Expr::all_of(tests.into_iter().map(unbind).collect::<Vec<_>>());
    (all(sent), all(unsent))
}

/// Can the test be written as the specification says, and be tested by a server?
fn is_sent(test: &BoundExpr) -> bool {
    let of_the_table = test.column_ids().into_iter().all(|id| !is_requested(id));
    !has_condition(test) && of_the_table && expression_json::to_json(&unbind(test)).is_ok()
}

fn has_condition(test: &BoundExpr) -> bool {
    match test {
        BoundExpr::Condition(_) => true,
        BoundExpr::And(children) | BoundExpr::Or(children) => children.iter().any(has_condition),
        BoundExpr::True | BoundExpr::False | BoundExpr::Predicate(_) => false,
    }
}

/// The names of the columns that are read or tested.
fn selected(scan: &ServedScan) -> BTreeSet<String> {
    let mut ids: BTreeSet<i32> = scan.projection.fields().iter().map(|field| field.id).collect();
    ids.extend(scan.filter.column_ids());
    ids.retain(|id| !is_requested(*id));
    ids.into_iter().filter_map(|id| scan.schema.full_name(id)).collect()
}
