//! Which snapshot has the same files in other manifests?
//!
//! In: manifests to replace, and new ones with the same files. Out: a snapshot.
//! Spec: Snapshots (`replace`); Appendix F, Optional Snapshot Summary Fields.

use std::collections::HashSet;

use floeberg_core::Result;
use floeberg_iceberg::manifest::ManifestFile;

use super::complete_manifests::take_base_manifests;
use super::context::ActionContext;
use super::filtered::{by_content, has_live_files};
use super::snapshot::{Produced, add_snapshot};
use crate::state::Summary;

/// Makes the snapshot. Other manifests stay as they are, unless they have no live files.
///
/// Errors: those of the store.
pub(crate) fn replace_manifests(
    context: &ActionContext<'_>,
    replaced: &HashSet<String>,
    new: Vec<ManifestFile>,
    entries: i64,
) -> Result<Produced> {
    let parent = context.parent()?;
    let others = take_base_manifests(context)?.into_iter();
    let others =
        others.filter(|manifest| has_live_files(manifest) && !replaced.contains(&manifest.manifest_path));
    let (mut all, mut deletes) = by_content(new.into_iter().chain(others).collect());
    all.append(&mut deletes);
    let mut summary = Summary::default();
    summary.count_manifests(&all, context.snapshot_id(), replaced.len());
    summary.say("entries-processed", &entries.to_string());
    for (name, value) in context.properties {
        summary.say(name, value);
    }
    let summary = summary.finish(parent.as_deref(), 0, |_, _| Ok(String::new()))?;
    add_snapshot(context, parent.map(|parent| parent.snapshot_id), "replace", &all, summary)
}
