//! Is a manifest what the format says?
//!
//! In: a manifest, and the version that its name says. Out: nothing, or what is wrong with it.
//! Spec: Lance, `transaction/validate.rs`, `format/manifest.rs`.
//!
//! Invariant: what would give other rows than were written is an error here, before anything is read: a wrong number of rows,
//! of columns or of ids, a file twice, a fragment twice.

use std::collections::HashSet;

use floeberg_core::{Error, Result};

use super::flags;
use super::schema::Schema;
use crate::wire::{Layout, Manifest, ManifestHead};

/// The versions of data files that there are.
pub(crate) const FILE_VERSIONS: [&str; 5] = ["0.1", "2.0", "2.1", "2.2", "2.3"];

/// Checks a manifest that is to be read.
///
/// Errors: `InvalidData`, and `Unsupported` for features and versions of data files that are not known.
pub fn check(manifest: &Manifest, version: u64) -> Result<()> {
    flags::check_readable(manifest)?;
    check_version(&manifest.head, version)?;
    Schema::new(&manifest.head.fields, &manifest.head.schema_metadata)?;
    file_versions(manifest)?;
    for layout in manifest.fragments.layouts() {
        columns(layout)?;
    }
    fragments(manifest)?;
    fields_once(manifest)?;
    bases(manifest)
}

/// Checks that a manifest is of the version that its name says.
pub(super) fn check_version(head: &ManifestHead, version: u64) -> Result<()> {
    if head.version == version {
        return Ok(());
    }
    Err(Error::invalid_data(format!(
        "expected version {version}, as the file's name says, found {}",
        head.version
    )))
}

fn file_versions(manifest: &Manifest) -> Result<()> {
    let Some(format) = &manifest.head.data_format else { return Ok(()) };
    if format.file_format != "lance" && !format.file_format.is_empty() {
        return Err(Error::unsupported(format!(
            "data files of the format {:?} cannot be read",
            shown(&format.file_format)
        )));
    }
    if !FILE_VERSIONS.contains(&format.version.as_str()) {
        return Err(Error::unsupported(format!(
            "expected data files of version {}, found {:?}",
            FILE_VERSIONS.join(", "),
            shown(&format.version)
        )));
    }
    let is_mixed = manifest.head.reader_feature_flags & flags::MIXED_DATA_FILE_VERSIONS != 0;
    let other = manifest.fragments.layouts().iter().find(|layout| {
        let version = layout.version();
        if is_mixed { !FILE_VERSIONS.contains(&version.as_str()) } else { version != format.version }
    });
    match other {
        None => Ok(()),
        Some(layout) => Err(Error::invalid_data(format!(
            "expected data files of version {}, as the manifest says, found {}",
            format.version,
            layout.version()
        ))),
    }
}

/// A file whose columns are not said would be read by the place of its fields, which is another.
fn columns(layout: &Layout) -> Result<()> {
    if !layout.is_legacy() && layout.column_indices.len() != layout.fields.len() {
        return Err(Error::invalid_data(format!(
            "expected the column of each of {} fields of a data file, found {}",
            layout.fields.len(),
            layout.column_indices.len()
        )));
    }
    let mut seen = HashSet::with_capacity(layout.fields.len());
    match layout.fields.iter().find(|field| **field >= 0 && !seen.insert(**field)) {
        None => Ok(()),
        Some(field) => {
            Err(Error::invalid_data(format!("expected a field once in a data file, found {field} twice")))
        }
    }
}

fn fragments(manifest: &Manifest) -> Result<()> {
    let fragments = &manifest.fragments;
    let mut ids = HashSet::new();
    // Ids ascend in every manifest that a writer left in order; then nothing is kept of them.
    let is_ascending = fragments.ids().is_sorted_by(|one, next| one < next);
    for (place, id) in fragments.ids().iter().enumerate() {
        if *id > u64::from(u32::MAX) {
            return Err(Error::invalid_data(format!("expected fragment ids of 32 bits, found {id}")));
        }
        if !is_ascending && !ids.insert(*id) {
            return Err(Error::invalid_data(format!("expected fragment ids once, found {id} twice")));
        }
        let (rows, deleted) = (fragments.physical_rows()[place], fragments.deleted_rows(place));
        if rows > u64::from(u32::MAX) || (rows != 0 && deleted > rows) {
            return Err(Error::invalid_data(format!(
                "expected at most 2^32 - 1 rows and as many deletes, found {rows} rows, {deleted} of them deleted"
            ))
            .with("fragment", id));
        }
    }
    if fragments.have_overlays() {
        return Err(Error::unsupported("data overlay files cannot be read by this version of Floeberg"));
    }
    let with_ids = fragments.with_row_ids();
    let is_stable = manifest.head.reader_feature_flags & flags::STABLE_ROW_IDS != 0;
    if !is_stable && with_ids > 0 {
        return Err(Error::invalid_data(format!(
            "expected the flag of stable row ids, which {with_ids} fragments have, found none"
        )));
    }
    if is_stable && with_ids != fragments.len() {
        return Err(Error::invalid_data(format!(
            "expected row ids in all {} fragments, found them in {with_ids}",
            fragments.len()
        )));
    }
    Ok(())
}

/// A field may be in one file of a fragment. Fragments whose files are laid out alike are looked at once.
fn fields_once(manifest: &Manifest) -> Result<()> {
    let fragments = &manifest.fragments;
    let mut seen = HashSet::new();
    for place in (0..fragments.len()).filter(|place| fragments.files(*place).len() > 1) {
        if !seen.insert(fragments.layout_numbers(place)) {
            continue;
        }
        let mut fields = HashSet::new();
        for field in fragments.files(place).flat_map(|file| &file.layout.fields) {
            if *field >= 0 && !fields.insert(*field) {
                return Err(Error::invalid_data(format!(
                    "expected a field in one file of a fragment, found {field} in two"
                ))
                .with("fragment", fragments.ids()[place]));
            }
        }
    }
    Ok(())
}

fn bases(manifest: &Manifest) -> Result<()> {
    let mut known = HashSet::new();
    if let Some(base) = manifest.head.base_paths.iter().find(|base| !known.insert(base.id)) {
        return Err(Error::invalid_data(format!("expected ids of base paths once, found {} twice", base.id)));
    }
    match manifest.fragments.file_bases().find(|id| !known.contains(id)) {
        None => Ok(()),
        Some(id) => Err(Error::invalid_data(format!(
            "expected a base path that the manifest names, found the id {id}"
        ))),
    }
}

fn shown(text: &str) -> String {
    text.chars().take(64).collect()
}
