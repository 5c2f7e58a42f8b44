//! Which data files may hold rows that match a filter?
//!
//! In: a filter and the manifests of the base. Out: the files of which all rows match, and those that must be looked into.
//! Spec: Scan Planning (strict projection).

use std::collections::HashSet;

use floeberg_core::{Context as _, Result};
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::{DataFile, EntryRequest, RowsMatch};
use floeberg_iceberg::write::WrittenFile;
use floeberg_io::location::canonical;

use crate::produce::{ActionContext, Removal, data_manifests};

/// The data files that hold matching rows, or may.
#[derive(Debug, Default)]
pub(crate) struct Affected {
    /// All of their rows match.
    pub whole: Vec<WrittenFile>,
    /// Some of their rows may match: canonical paths.
    pub partial: HashSet<String>,
}

/// Looks through the metadata of data files. Errors: those of reading manifests.
pub(crate) fn affected(context: &ActionContext<'_>, removal: &Removal) -> Result<Affected> {
    let data = data_manifests(context)?;
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
                RowsMatch::None => {}
                RowsMatch::Some => {
                    found.partial.insert(canonical(path).to_owned());
                }
                RowsMatch::All => {
                    let file = DataFile::new(path, entries.file_format.value(row));
                    found.whole.push(WrittenFile { spec_id: entries.spec_id, file, purpose: None });
                }
            }
        }
        Ok(found)
    })?;
    let mut all = Affected::default();
    for found in lists {
        all.whole.extend(found.whole);
        all.partial.extend(found.partial);
    }
    Ok(all)
}
