//! Are the stable ids and the versions of rows as the format says?
//!
//! In: a manifest. Out: findings.
//! Spec: Lance, Row ID Sequences; Row Version Tracking.

use std::collections::HashSet;

use floeberg_core::finding::Findings;

use super::reading::Document;
use super::rules::fragments::{
    NEXT_ROW_ID, ROW_IDS_ALL, ROW_IDS_COUNT, ROW_IDS_READABLE, ROW_VERSIONS_RANGE, ROW_VERSIONS_READABLE,
};
use crate::metadata::STABLE_ROW_IDS;
use crate::row_ids::{RowIds, RowVersions};
use crate::wire::LineageOf;

/// Checks row ids and versions of rows that stand in the manifest, and adds the places of fragments whose ids are broken.
pub(super) fn check_lineage(document: &Document, broken: &mut HashSet<usize>, found: &mut Findings) {
    let manifest = &document.file.manifest;
    let (head, fragments) = (&manifest.head, &manifest.fragments);
    let is_stable = head.reader_feature_flags & STABLE_ROW_IDS != 0;
    if is_stable && fragments.with_row_ids() != fragments.len() {
        let message = format!(
            "expected row ids in all {} fragments, found them in {}",
            fragments.len(),
            fragments.with_row_ids()
        );
        found.add(&ROW_IDS_ALL, "fragments", message);
    }
    for (place, id) in fragments.ids().iter().enumerate() {
        let (rows, before) = (fragments.physical_rows()[place], found.len());
        if let LineageOf::Inline(bytes) = fragments.row_ids(place) {
            let part = format!("fragment {id}, row ids");
            match RowIds::parse(bytes) {
                Err(error) => found.add(&ROW_IDS_READABLE, &part, error),
                Ok(ids) => {
                    if let Err(error) = ids.check_length(rows) {
                        found.add(&ROW_IDS_COUNT, &part, error);
                    }
                    if let Err(error) = ids.check_below(head.next_row_id) {
                        found.add(&NEXT_ROW_ID, &part, error);
                    }
                }
            }
        }
        if found.len() > before {
            broken.insert(place);
        }
        let created = versions(fragments.created_at_versions(place), rows);
        let updated = versions(fragments.last_updated_at_versions(place), rows);
        let parts = ["came into the table", "were last changed"]
            .map(|what| format!("fragment {id}, versions in which rows {what}"));
        let mut sound = Vec::new();
        for (versions, part) in [created, updated].into_iter().zip(&parts) {
            match versions {
                None => {}
                Some(Err(error)) => found.add(&ROW_VERSIONS_READABLE, part, error),
                Some(Ok(versions)) => {
                    let latest = versions.runs().map(|(_, version)| version).max().unwrap_or_default();
                    if latest > document.listed.version {
                        let message =
                            format!("expected versions up to {}, found {latest}", document.listed.version);
                        found.add(&ROW_VERSIONS_RANGE, part, message);
                    }
                    sound.push(versions);
                }
            }
        }
        if let [created, updated] = sound.as_slice()
            && let Some((row, created, updated)) = backward(created, updated)
        {
            let message = format!(
                "expected that row {row}, which came in version {created}, changed then or later, found version {updated}"
            );
            found.add(&ROW_VERSIONS_RANGE, format_args!("fragment {id}"), message);
        }
    }
}

fn versions(lineage: LineageOf<'_>, rows: u64) -> Option<floeberg_core::Result<RowVersions>> {
    let LineageOf::Inline(bytes) = lineage else { return None };
    Some(RowVersions::parse(bytes).and_then(|versions| versions.check_length(rows).map(|()| versions)))
}

/// The first row that changed before it came, with both versions. Both are of the same rows.
fn backward(created: &RowVersions, updated: &RowVersions) -> Option<(u64, u64, u64)> {
    let (mut created, mut updated) = (created.runs(), updated.runs());
    let (mut row, mut one, mut other) = (0, (0, 0), (0, 0));
    loop {
        while one.0 == 0 {
            one = created.next()?;
        }
        while other.0 == 0 {
            other = updated.next()?;
        }
        if other.1 < one.1 {
            return Some((row, one.1, other.1));
        }
        let rows = one.0.min(other.0);
        row += rows;
        one.0 -= rows;
        other.0 -= rows;
    }
}
