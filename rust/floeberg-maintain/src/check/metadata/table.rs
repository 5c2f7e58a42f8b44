//! What is wrong with the metadata of a table?
//!
//! Spec: Table Metadata.

use crate::check::keys::{Object, long};
use crate::check::rules::documents::{FIELD_TYPE, FORMAT_VERSION, REQUIRED_FIELD};
use floeberg_core::finding::Findings;

use super::extras::{check_copies, check_encryption_keys, check_mapping, check_statistics};
use super::ids::{check_ids, check_uuid};
use super::lineage::check_lineage;
use super::logs::check_logs;
use super::orders::check_orders;
use super::refs::check_refs;
use super::schemas::check_schemas;
use super::shape::check_shape;
use super::snapshots::check_snapshots;
use super::specs::check_specs;

/// Checks the metadata of a table.
pub(in crate::check) fn check_table(found: &mut Findings, table: &Object) {
    let version = match table.get("format-version") {
        None => {
            found.add(&REQUIRED_FIELD, "format-version", "expected 1, 2 or 3, found none");
            likely_version(table)
        }
        Some(json) => match json.as_i64() {
            Some(version @ 1..=3) => version as u8,
            Some(other) => {
                return found.add(&FORMAT_VERSION, "format-version", format_args!("found {other}"));
            }
            None => {
                found.add(&FIELD_TYPE, "format-version", format_args!("expected an integer, found {json}"));
                likely_version(table)
            }
        },
    };
    check_uuid(found, table, "table-uuid");
    check_shape(found, table, version);
    check_ids(found, table, version);
    check_schemas(found, table, version);
    check_specs(found, table, version);
    check_orders(found, table);
    check_snapshots(found, table, version);
    if version >= 3 {
        check_lineage(found, table);
    }
    check_refs(found, table);
    check_logs(found, table);
    check_statistics(found, table);
    check_mapping(found, table);
    check_encryption_keys(found, table);
    if version == 1 {
        check_copies(found, table);
    }
}

/// The version of a table that does not say it.
fn likely_version(table: &Object) -> u8 {
    match (table.contains_key("next-row-id"), long(table, "last-sequence-number")) {
        (true, _) => 3,
        (false, Some(_)) => 2,
        (false, None) => 1,
    }
}
