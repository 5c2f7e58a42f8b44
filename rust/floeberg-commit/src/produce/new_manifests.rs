//! Which manifests list the files that an operation adds?
//!
//! In: written files. Out: manifests, the newest spec first.
//! Spec: Manifests; Scan Planning (a path is live at most once).
//!
//! Invariant: they do not depend on the base of the attempt, so that every attempt uses them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use floeberg_core::{Context, Error, Result};
use floeberg_iceberg::manifest::{FileContent, ManifestContent, ManifestEntry, WrittenManifest};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;
use floeberg_properties::MANIFEST_TARGET_SIZE;

use super::context::ActionContext;
use super::rolling::RollingManifests;
use crate::commit_files::{ManifestWork, RewrittenManifests};

/// Writes the manifests of new data files.
///
/// Errors: `InvalidInput` for a file that is added twice and for a partition spec that the table does not have; `Unsupported` for
/// a delete file.
pub(super) fn new_manifests(
    context: &ActionContext<'_>,
    files: &[WrittenFile],
) -> Result<Vec<WrittenManifest>> {
    let mut seen = HashSet::new();
    let mut by_spec: BTreeMap<Reverse<i32>, Vec<&WrittenFile>> = BTreeMap::new();
    for written in files {
        let path = &written.file.file_path;
        if !seen.insert(canonical(path)) {
            return Err(Error::invalid_input("the commit adds the same file twice").with("path", path));
        }
        if written.file.content != FileContent::Data {
            return Err(Error::unsupported("delete files cannot be added yet").with("path", path));
        }
        by_spec.entry(Reverse(written.spec_id)).or_default().push(written);
    }
    let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
    let mut manifests = Vec::new();
    for (Reverse(spec_id), files) in by_spec {
        let work = context.work(ManifestWork::List { spec_id }, &[]);
        let list = || {
            let mut rolling = RollingManifests::new(context, spec_id, ManifestContent::Data, Some(target))?;
            for written in files {
                rolling.add(&ManifestEntry::added(written.file.clone()))?;
            }
            Ok(RewrittenManifests { manifests: rolling.finish()?, removed: Vec::new() })
        };
        let made = context.kept.once(work, list).context("partition spec", spec_id)?;
        manifests.extend(made.manifests);
    }
    Ok(manifests)
}
