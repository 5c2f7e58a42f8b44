//! Which fields that this version does not know does a manifest, or a list, need, whose entries come from several others?
//!
//! In: the entries of manifests, one after the other, or the rows of lists. Out: all such fields.
//! Spec: Manifest Entry Fields; Data File Fields; Manifest Lists.
//!
//! Invariant: a field of an id has one type.

use floeberg_iceberg::manifest::{ManifestEntries, ManifestFile, UnknownField, all_unknown_fields};

/// The fields of all manifests so far.
#[derive(Debug, Default)]
pub(super) struct UnknownOfAll(Vec<UnknownField>);

/// What a manifest adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// No field.
    Nothing,
    /// Fields.
    Fields,
    /// A field of another type than one of the same id.
    Other,
}

impl UnknownOfAll {
    /// The fields.
    pub fn fields(&self) -> &[UnknownField] {
        &self.0
    }

    /// Adds those of a manifest.
    pub fn add(&mut self, entries: &ManifestEntries) -> Added {
        let new = entries.unknown_fields();
        if new.is_empty() {
            return Added::Nothing;
        }
        match all_unknown_fields(&self.0, new) {
            None => Added::Other,
            Some(all) if all.len() == self.0.len() => Added::Nothing,
            Some(all) => {
                self.0 = all;
                Added::Fields
            }
        }
    }
}

/// The fields that rows of earlier manifest lists have. They come from one list, but for commits that take over manifests of another: of a
/// field with two types the first one stays.
pub(super) fn unknown_of_lists(manifests: &[ManifestFile]) -> Vec<UnknownField> {
    let mut all = Vec::new();
    for row in manifests.iter().filter_map(|manifest| manifest.unknown.as_ref()) {
        if !row.fits(&all)
            && let Some(more) = all_unknown_fields(&all, row.fields())
        {
            all = more;
        }
    }
    all
}
