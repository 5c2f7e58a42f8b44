//! Which findings of the metadata go when it is written again?
//!
//! In: findings. Out: what to mend of the metadata, and for each finding whether it is gone afterwards.
//! Spec: Table Metadata Fields.
//!
//! Invariant: what is said to be mended was checked on the metadata as it would be written.

use std::collections::HashSet;

use floeberg_commit::{MetadataRepair, now_ms, repair_metadata};
use floeberg_core::finding::{Finding, split};
use floeberg_core::{Cancel, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::metadata::{MetadataLogEntry, TableMetadata};
use floeberg_iceberg::wire::json::{MAX_METADATA_BYTES, parse_json};
use serde_json::Map;

use crate::check::findings_of_metadata;

/// What mends findings, and the rest with the reason.
pub(super) struct MetadataPlan {
    pub(super) repair: MetadataRepair,
    pub(super) repaired: Vec<(usize, String)>,
    pub(super) skipped: Vec<(usize, String)>,
}

/// Plans it. `is_written` says whether whoever commits writes the metadata itself; servers of catalogs do not let others.
///
/// Errors: those of the store.
pub(super) fn plan_metadata(
    table: &Table,
    findings: &[(usize, &Finding)],
    is_written: bool,
    cancel: &Cancel,
) -> Result<MetadataPlan> {
    let mut plan =
        MetadataPlan { repair: MetadataRepair::default(), repaired: Vec::new(), skipped: Vec::new() };
    if findings.is_empty() {
        return Ok(plan);
    }
    if !is_written {
        let why = "the server of the catalog writes the metadata";
        plan.skipped.extend(findings.iter().map(|(number, _)| (*number, why.to_owned())));
        return Ok(plan);
    }
    let metadata = table.metadata();
    let repair = &mut plan.repair;
    for (_, finding) in findings {
        match finding.rule.id {
            "snapshot-log-names" | "snapshot-log-end" => repair.mends_snapshot_log = true,
            "statistics-snapshot" | "statistics-once" => repair.mends_statistics = true,
            "metadata-log-file" => {
                for entry in &metadata.metadata_log {
                    cancel.check()?;
                    if !table.store().exists(&entry.metadata_file)? {
                        repair.absent_metadata_files.insert(entry.metadata_file.clone());
                    }
                }
            }
            "metadata-log-time" => {
                if let Some(time) = time_of(table, &finding.location)? {
                    repair.metadata_times.insert(finding.location.clone(), time);
                }
            }
            _ => {}
        }
    }
    let mut after = TableMetadata::clone(metadata);
    repair_metadata(&mut after, repair);
    // As every commit does.
    after.metadata_log.push(MetadataLogEntry {
        timestamp_ms: metadata.last_updated_ms,
        metadata_file: table.metadata_location().to_owned(),
        unknown_keys: Map::new(),
    });
    after.last_updated_ms = after.last_updated_ms.max(now_ms()?);
    let broken = findings_of_metadata(&after, table.metadata_location())?;
    let broken: HashSet<(&str, &str)> = broken.iter().map(place_of).collect();
    for (number, finding) in findings {
        if let Some(done) = done_by(repair, finding)
            && !broken.contains(&place_of(finding))
        {
            plan.repaired.push((*number, done));
        } else {
            plan.skipped.push((*number, "nothing says what is right".to_owned()));
        }
    }
    if !plan.repaired.is_empty() {
        plan.repair.is_written_again = true;
    }
    Ok(plan)
}

/// Where a rule is broken. Entries of logs have other numbers once some are gone.
fn place_of(finding: &Finding) -> (&str, &str) {
    let is_of_log = finding.part.starts_with("snapshot-log") || finding.part.starts_with("metadata-log");
    (finding.rule.id, if is_of_log { "" } else { finding.part.as_str() })
}

/// What was done about a finding; `None` where nothing was.
fn done_by(repair: &MetadataRepair, finding: &Finding) -> Option<String> {
    let done = match finding.rule.id {
        "snapshot-log-names" | "snapshot-log-end" => {
            "the snapshot log names the table's snapshots, and ends with the current one"
        }
        "statistics-snapshot" | "statistics-once" => "the entry of the statistics file is removed",
        "metadata-log-file" if !repair.absent_metadata_files.is_empty() => {
            "files that are not there are removed from the metadata log"
        }
        "metadata-log-file" => return None,
        "metadata-log-time" if repair.metadata_times.contains_key(&finding.location) => {
            "the metadata log has the time of the file"
        }
        "metadata-log-time" => return None,
        _ => "the metadata is written again",
    };
    Some(done.to_owned())
}

/// The time that a metadata file of the log says.
fn time_of(table: &Table, location: &str) -> Result<Option<i64>> {
    let bytes = split(table.store().open(location).and_then(|source| source.read_all(MAX_METADATA_BYTES)))?;
    let document = bytes.and_then(|bytes| parse_json(&bytes, MAX_METADATA_BYTES));
    Ok(document.ok().and_then(|document| document.get("last-updated-ms")?.as_i64()))
}
