//! Did a snapshot only add files, as its manifests say?
//!
//! In: the manifests of the snapshot before, and its own. Spec: Manifest Lists (`added_files_count` and the others).
//!
//! Invariant: where a count is missing, it is not proven.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::manifest::{ManifestContent, ManifestFile};

/// Are the live files of the first all among those of the second, which has more data files and no more delete files?
///
/// An append may write manifests again: then their live files are existing ones of its own manifests, as many as went.
pub(super) fn only_adds_files(old: &[ManifestFile], new: &[ManifestFile]) -> bool {
    let (came, went) = (without(new, old), without(old, new));
    let adds = came.iter().all(|manifest| {
        manifest.deleted_files_count == Some(0)
            && (manifest.content == ManifestContent::Data || manifest.added_files_count == Some(0))
    });
    let moves_all = |content| {
        let of = |manifests: &[&ManifestFile], live: fn(&ManifestFile) -> Option<i64>| {
            let counts = manifests.iter().filter(|manifest| manifest.content == content);
            counts.map(|manifest| live(manifest)).sum::<Option<i64>>()
        };
        let existing = of(&came, |manifest| manifest.existing_files_count);
        let live =
            of(&went, |manifest| manifest.existing_files_count?.checked_add(manifest.added_files_count?));
        existing.is_some() && existing == live
    };
    adds && moves_all(ManifestContent::Data) && moves_all(ManifestContent::Deletes)
}

/// Those that are not among others.
fn without<'m>(manifests: &'m [ManifestFile], others: &[ManifestFile]) -> Vec<&'m ManifestFile> {
    let known: HashSet<&str> = others.iter().map(|manifest| manifest.manifest_path.as_str()).collect();
    manifests.iter().filter(|manifest| !known.contains(manifest.manifest_path.as_str())).collect()
}
