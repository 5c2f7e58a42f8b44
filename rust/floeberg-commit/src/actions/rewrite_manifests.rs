//! How are manifests written again, so that plans read fewer of them?
//!
//! In: a partition spec. Out: a snapshot with the same files, listed by manifests of the target size, each with neighbouring
//! partitions.
//! Spec: Manifests; Snapshots (`replace`); Iceberg documentation, Configuration (`commit.manifest.target-size-bytes`).
//!
//! Invariant: files do not change, and manifests of other specs and of commits in between stay as they are: the manifests that the
//! first attempt chose are written again, unless the base does not have all of them any more. Where manifests are in order, nothing
//! changes, and where they have fields that this version does not know, of one id and of different types.

use std::collections::HashSet;

use floeberg_core::{Error, Result};
use floeberg_iceberg::manifest::{ManifestContent, ManifestFile, are_clustered};
use floeberg_properties::MANIFEST_TARGET_SIZE;

use crate::produce::{
    ActionContext, Clustering, Produced, base_manifests, cluster, has_live_files, replace_manifests,
};
use crate::state::{ManifestWork, RewrittenManifests, Step};
use crate::{ManifestRewrite, RowCounts};

/// Manifests of one content that are written again.
struct Group {
    content: ManifestContent,
    manifests: Vec<ManifestFile>,
    /// The number of new ones.
    count: u64,
}

/// Writes manifests again.
///
/// Errors: `InvalidInput` for a spec that the table does not have, and for a name that is no partition field of it; those of
/// reading and writing manifests.
pub(super) fn rewrite_manifests(context: &ActionContext<'_>, rewrite: &ManifestRewrite) -> Result<Produced> {
    let (spec_id, fields) = spec_and_fields(context, rewrite)?;
    let groups = groups(context, spec_id, &fields)?;
    if groups.is_empty() {
        return Ok(Produced::default());
    }
    context.progress.begin(Step::Committing, 0);
    let mut entries = 0;
    let (mut replaced, mut new) = (HashSet::new(), Vec::new());
    let sequence_number = context.sequence_number()?;
    for Group { content, manifests, count } in groups {
        let work = context.work(ManifestWork::Cluster, &manifests);
        let clustering = Clustering { manifests: &manifests, spec_id, content, fields: &fields, count };
        let made = context.kept.once(work, || {
            let clustered = cluster(context, clustering)?;
            let is_refused = clustered.is_none();
            let manifests = clustered.unwrap_or_default();
            Ok(RewrittenManifests { manifests, is_refused, ..RewrittenManifests::default() })
        })?;
        if made.is_refused {
            continue;
        }
        new.extend(made.manifests.iter().map(|manifest| manifest.in_commit(sequence_number)));
        entries += live_files(&manifests);
        replaced.extend(manifests.into_iter().map(|manifest| manifest.manifest_path));
    }
    if replaced.is_empty() {
        return Ok(Produced::default());
    }
    replace_manifests(context, &replaced, new, entries)
}

/// The manifests that would be written again, and their bytes. Nothing is written.
pub(super) fn count(context: &ActionContext<'_>, rewrite: &ManifestRewrite) -> Result<RowCounts> {
    let (spec_id, fields) = spec_and_fields(context, rewrite)?;
    let found = groups(context, spec_id, &fields)?;
    let manifests = || found.iter().flat_map(|group| &group.manifests);
    Ok(RowCounts {
        replaced_files: manifests().count() as u64,
        replaced_bytes: manifests().map(length).sum(),
        ..RowCounts::default()
    })
}

/// The spec, and the positions of the fields that order files.
fn spec_and_fields(context: &ActionContext<'_>, rewrite: &ManifestRewrite) -> Result<(i32, Vec<usize>)> {
    let metadata = &context.metadata;
    let spec_id = rewrite.spec_id.unwrap_or(metadata.default_spec_id);
    let Ok(spec) = metadata.spec(spec_id) else {
        let known: Vec<i32> = metadata.partition_specs.iter().map(|spec| spec.spec_id).collect();
        let message = format!("the table has no partition spec {spec_id}: expected one of {known:?}");
        return Err(Error::invalid_input(message));
    };
    if rewrite.sort_by.is_empty() {
        return Ok((spec_id, (0..spec.fields.len()).collect()));
    }
    let position = |name: &String| {
        spec.fields.iter().position(|field| field.name == *name).ok_or_else(|| {
            let known: Vec<&str> = spec.fields.iter().map(|field| field.name.as_str()).collect();
            Error::invalid_input(format!(
                "{name:?} is no partition field of partition spec {spec_id}: expected one of {known:?}"
            ))
        })
    };
    let fields = rewrite.sort_by.iter().map(position).collect::<Result<Vec<_>>>()?;
    match fields.iter().enumerate().find(|(at, field)| fields[..*at].contains(*field)) {
        None => Ok((spec_id, fields)),
        Some((at, _)) => {
            Err(Error::invalid_input(format!("the partition field {:?} is named twice", rewrite.sort_by[at])))
        }
    }
}

/// What is worth it.
fn groups(context: &ActionContext<'_>, spec_id: i32, fields: &[usize]) -> Result<Vec<Group>> {
    let target = MANIFEST_TARGET_SIZE.of(&context.metadata.properties)?.max(1);
    let base = base_manifests(context)?;
    let chosen = context.kept.chosen(context.operation);
    let there: HashSet<&str> = base.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
    let chosen = chosen.filter(|chosen| chosen.iter().all(|path| there.contains(path.as_str())));
    let specs = context.specs()?;
    let mut groups = Vec::new();
    for content in [ManifestContent::Data, ManifestContent::Deletes] {
        let of_spec = base.iter().filter(|manifest| {
            manifest.content == content && manifest.partition_spec_id == spec_id && has_live_files(manifest)
        });
        let manifests: Vec<ManifestFile> = of_spec
            .filter(|manifest| chosen.as_ref().is_none_or(|chosen| chosen.contains(&manifest.manifest_path)))
            .cloned()
            .collect();
        let bytes: u64 = manifests.iter().map(length).sum();
        let files = u64::try_from(live_files(&manifests)).unwrap_or(u64::MAX).max(1);
        let count = bytes.div_ceil(target).clamp(1, files);
        let is_good = || {
            let all: Vec<&ManifestFile> = manifests.iter().collect();
            let are_large = manifests.len() < 2 || bytes / manifests.len() as u64 >= target / 2;
            // A manifest of one file is as small as it gets.
            let is_small = |manifest: &ManifestFile| {
                length(manifest) <= target.saturating_mul(2)
                    || live_files(std::slice::from_ref(manifest)) <= 1
            };
            let is_fine = (are_large && manifests.iter().all(is_small)) || manifests.len() as u64 == count;
            Ok::<_, Error>(is_fine && are_clustered(&all, specs.get(spec_id)?, fields))
        };
        if manifests.is_empty() || (chosen.is_none() && is_good()?) {
            continue;
        }
        groups.push(Group { content, manifests, count });
    }
    if !groups.is_empty() {
        let chosen = groups.iter().flat_map(|group| &group.manifests);
        let paths = chosen.map(|manifest| manifest.manifest_path.clone()).collect();
        context.kept.choose(context.operation, paths);
    }
    Ok(groups)
}

fn length(manifest: &ManifestFile) -> u64 {
    u64::try_from(manifest.manifest_length).unwrap_or(0)
}

fn live_files(manifests: &[ManifestFile]) -> i64 {
    let counts =
        manifests.iter().flat_map(|manifest| [manifest.added_files_count, manifest.existing_files_count]);
    counts.flatten().sum()
}
