//! What do manifests say of the files that a caller names, and of those that it does not name?
//!
//! In: the base, the files of the new table, and the manifests that are there. Out: files that the caller should look at again.
//! Spec: Manifest Entry Fields.
//!
//! Invariant: the caller decides. A named file that the table removed, and a listed file that is not named, are both said.

use std::collections::{BTreeMap, HashSet};

use floeberg_core::Result;
use floeberg_iceberg::metadata::TableMetadata;

use super::avro_files::{AvroFiles, FoundManifest};
use super::base::{Base, add};
use super::read_whole::{FileKey, ListedFile, ReadManifest, read_manifest};
use super::request::{LeftFile, PassedOver, Reader};
use super::unproven::with_all_columns;

/// What is said of a file: the strongest statement comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Statement {
    /// A manifest of the metadata says that it was removed.
    Removed,
    /// A snapshot of the metadata lists it, and the base does not.
    NotInBase,
    /// A manifest that nothing proves says that it was removed.
    PerhapsRemoved,
    /// A manifest lists it, and the caller does not name it.
    NotNamed,
}

/// What manifests say against the files that a caller chose.
///
/// `taken` are the files of the new table. Errors: those of the store.
pub(super) fn doubts(
    reader: &Reader,
    metadata: &TableMetadata,
    base: Option<&Base>,
    avro: &AvroFiles,
    taken: &HashSet<FileKey>,
    passed_over: &mut Vec<PassedOver>,
) -> Result<Vec<LeftFile>> {
    let manifests: Vec<&FoundManifest> = avro.manifests.iter().collect();
    let metadata = with_all_columns(metadata, avro, &manifests, passed_over)?;
    let of_base = base.map_or(&[][..], |base| base.manifests.as_slice());
    let live = of_base.iter().flat_map(|manifest| &manifest.files).filter(|file| !file.is_deleted);
    let mut found = Doubts { base, taken, live: live.map(ListedFile::key).collect(), said: BTreeMap::new() };
    let mut seen = HashSet::new();
    for manifest in of_base {
        seen.insert(reader.place(&manifest.manifest.manifest_path));
        found.look(manifest, true);
    }
    for each in manifests {
        let place = reader.place(&each.manifest.manifest_path);
        if seen.contains(&place) {
            continue;
        }
        match read_manifest(reader, &metadata, &each.manifest)? {
            Ok(manifest) => found.look(&manifest, base.is_some_and(|base| base.known.contains(&place))),
            Err(error) => {
                let location = each.manifest.manifest_path.clone();
                add(passed_over, PassedOver { location, reason: error.to_string() });
            }
        }
    }
    Ok(found.said.into_values().map(|(_, file)| file).collect())
}

struct Doubts<'a> {
    base: Option<&'a Base>,
    taken: &'a HashSet<FileKey>,
    /// The files that are live in the base.
    live: HashSet<FileKey>,
    said: BTreeMap<FileKey, (Statement, LeftFile)>,
}

impl Doubts<'_> {
    /// `is_known`: a snapshot of the metadata has the manifest.
    fn look(&mut self, manifest: &ReadManifest, is_known: bool) {
        let path = &manifest.manifest.manifest_path;
        for file in &manifest.files {
            let key = file.key();
            if self.live.contains(&key) {
                continue;
            }
            let (statement, reason) = match (self.taken.contains(&key), file.is_deleted, is_known) {
                (true, true, true) => (Statement::Removed, removed(file)),
                (true, true, false) => (
                    Statement::PerhapsRemoved,
                    format!(
                        "the manifest {path} says that it was removed: nothing proves that, and it stays live"
                    ),
                ),
                (true, false, true) => (Statement::NotInBase, self.not_in_base()),
                (false, false, _) if self.base.is_none() => (
                    Statement::NotNamed,
                    format!(
                        "the manifest {path} lists it, and files= does not: nothing proves that it is live, and it is left out"
                    ),
                ),
                _ => continue,
            };
            if self.said.get(&key).is_none_or(|(known, _)| statement < *known) {
                self.said.insert(key, (statement, file.left(reason)));
            }
        }
    }

    fn not_in_base(&self) -> String {
        let base = match self.base.and_then(|base| base.snapshot_id) {
            Some(id) => format!("snapshot {id}"),
            None => "the table".to_owned(),
        };
        format!(
            "the metadata has it in another snapshot, and {base} does not list it: files= names it, so it is live, and its rows may be \
             there twice"
        )
    }
}

fn removed(file: &ListedFile) -> String {
    let by = file.snapshot_id.map_or_else(String::new, |id| format!(" by snapshot {id}"));
    format!(
        "the metadata says that it was removed{by}: files= names it, so it is live, and its rows may be there twice"
    )
}
