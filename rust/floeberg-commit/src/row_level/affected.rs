//! Which data files may hold rows that match a filter, and where are files of these names?
//!
//! In: a filter or names, and the manifests of the base. Out: the files of which all rows match, those that must be looked into,
//! and the manifests that list them.
//! Spec: Scan Planning (strict projection).

use std::collections::HashSet;

use floeberg_core::{Context as _, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{DataFile, EntryRequest, ManifestContent, ManifestFile, RowsMatch};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;

use crate::produce::{ActionContext, Removal, base_manifests, has_live_files};

/// The data files that hold matching rows, or may.
#[derive(Debug, Default)]
pub(crate) struct Affected {
    /// All of their rows match.
    pub whole: Vec<WrittenFile>,
    /// Some of their rows may match: canonical paths.
    pub partial: HashSet<String>,
    /// The manifests that list them.
    pub manifests: HashSet<String>,
}

impl Affected {
    /// The canonical paths of all of them.
    pub fn paths(&self) -> HashSet<&str> {
        let whole = self.whole.iter().map(|written| canonical(&written.file.file_path));
        self.partial.iter().map(String::as_str).chain(whole).collect()
    }
}

/// Looks through the metadata of data files. Errors: those of reading manifests.
pub(crate) fn affected(context: &ActionContext<'_>, removal: &Removal) -> Result<Affected> {
    let manifests = base_manifests(context)?;
    let data = with_live_data(&manifests);
    let wanted = EntryRequest { statistics_of: removal.columns(), ..EntryRequest::default() };
    let lists = ordered(&data, context.reader.threads, &context.reader.cancel, |manifest| {
        let mut found = Affected::default();
        if !removal.concerns(manifest)? {
            return Ok(found);
        }
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        for (row, rows_match) in removal.rows_match(&entries)?.into_iter().enumerate() {
            let path = entries.file_path.value(row);
            match rows_match {
                RowsMatch::None => continue,
                RowsMatch::Some => {
                    found.partial.insert(canonical(path).to_owned());
                }
                RowsMatch::All => {
                    let file = DataFile {
                        record_count: entries.record_count.value(row),
                        file_size_in_bytes: entries.file_size_in_bytes.value(row),
                        ..DataFile::new(path, entries.file_format.value(row))
                    };
                    found.whole.push(WrittenFile { spec_id: entries.spec_id, file, purpose: None });
                }
            }
            found.manifests.insert(manifest.manifest_path.clone());
        }
        Ok(found)
    })?;
    let mut all = Affected::default();
    for found in lists {
        all.whole.extend(found.whole);
        all.partial.extend(found.partial);
        all.manifests.extend(found.manifests);
    }
    Ok(all)
}

/// The manifests that list live data files of these paths, in their canonical form. Errors: those of reading manifests.
pub(crate) fn listed(context: &ActionContext<'_>, paths: &HashSet<String>) -> Result<HashSet<String>> {
    listed_in(context, &base_manifests(context)?, paths)
}

/// The manifests among these that list live data files of these paths.
pub(super) fn listed_in(
    context: &ActionContext<'_>,
    manifests: &[ManifestFile],
    paths: &HashSet<String>,
) -> Result<HashSet<String>> {
    let data = with_live_data(manifests);
    let wanted = EntryRequest { without_details: true, ..EntryRequest::default() };
    let found = ordered(&data, context.reader.threads, &context.reader.cancel, |manifest| {
        let entries = context.entries(manifest, &wanted).context("manifest", &manifest.manifest_path)?;
        let has = entries.file_path.iter().flatten().any(|path| paths.contains(canonical(path)));
        Ok(has.then(|| manifest.manifest_path.clone()))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// The data manifests with live files.
pub(crate) fn with_live_data(manifests: &[ManifestFile]) -> Vec<&ManifestFile> {
    let of_data = manifests.iter().filter(|manifest| manifest.content == ManifestContent::Data);
    of_data.filter(|manifest| has_live_files(manifest)).collect()
}
