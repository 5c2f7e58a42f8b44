//! What becomes of a table in a folder whose newest metadata file is damaged, or gone?
//!
//! In: the folder. Out: the newest whole version, the damaged ones after it, the one that the hint says and that is gone, and snapshots
//! that may be lost with these.
//! Spec: File System Tables; Manifest Lists; Sequence Numbers.
//!
//! ```text
//! v5 damaged | v4 whole    ->  a copy of v5 as v5.metadata.json.damaged  ->  the hint says 4  ->  v5 is removed
//! ```
//!
//! Readers go on from the hint to the next version that there is, and writers need its name: the hint alone mends nothing.
//!
//! Invariant: no file is lost, and none is overwritten. A version that is whole now is not moved. The sequence number of the version
//! that becomes current is not below that of the whole one before it.

use std::collections::HashSet;

use bytes::Bytes;
use floeberg_avro::{Container, Limits};
use floeberg_core::{Cancel, Context as _, Error, ErrorKind, Result};
use floeberg_iceberg::metadata::{
    FolderVersions, TableMetadata, VersionFile, folder_versions, hinted_version, parse_table_metadata,
};
use floeberg_iceberg::wire::json::MAX_METADATA_BYTES;
use floeberg_io::Store;
use floeberg_io::location::{file_name, join};

/// The most bytes of a manifest list that is looked at.
const MAX_LIST_BYTES: u64 = 256 << 20;

/// A metadata file that cannot be read, or a folder with the name of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamagedVersion {
    /// Its number.
    pub version: u64,
    /// Its metadata file.
    pub location: String,
    /// What is wrong with it.
    pub message: String,
    /// Where the file is moved to; `None` for a folder, which is not moved.
    pub moved_to: Option<String>,
}

/// A manifest list of a snapshot that the newest whole version does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostSnapshot {
    /// Its manifest list.
    pub manifest_list: String,
    /// Its id, if the list says it.
    pub snapshot_id: Option<i64>,
    /// Its sequence number, if the list says it.
    pub sequence_number: Option<i64>,
}

/// What is to be done about a folder.
#[derive(Debug)]
pub struct FolderRepair {
    versions: FolderVersions,
    /// The newest whole version.
    pub version: u64,
    /// Its metadata file.
    pub metadata_location: String,
    /// Its last sequence number.
    pub last_sequence_number: i64,
    /// The files before it, the newest version first.
    pub damaged: Vec<DamagedVersion>,
    /// The version that the hint says, where it is above all that are there.
    pub missing: Option<u64>,
    /// Snapshots that may be lost with them: those of commits that failed are among them.
    pub lost: Vec<LostSnapshot>,
}

/// Looks at the versions of a folder, as opening finds them. Nothing is written.
///
/// Errors: `InvalidData` where no version is whole, or the newest whole one has a lower sequence number than the one before it;
/// `Unsupported` for metadata that this release cannot read; those of [`folder_versions`] and of the store.
pub fn plan_folder_repair(store: &dyn Store, location: &str, cancel: &Cancel) -> Result<FolderRepair> {
    let versions = folder_versions(store, location)?;
    let mut damaged = Vec::new();
    let mut found: Option<(u64, String, TableMetadata)> = None;
    let highest = versions.versions.first().map(|file| file.version);
    let missing = hinted_version(store, &versions.folder)?.filter(|hinted| Some(*hinted) > highest);
    for VersionFile { version, location, is_folder } in &versions.versions {
        cancel.check()?;
        if found.as_ref().is_some_and(|(newest, ..)| newest == version) {
            continue;
        }
        match (read(store, location, *is_folder)?, &found) {
            (Ok(metadata), None) => found = Some((*version, location.clone(), metadata)),
            (Ok(earlier), Some((newest, _, metadata))) => {
                check_forward((*newest, metadata), (*version, &earlier)).context("path", &versions.folder)?;
                break;
            }
            (Err(error), None) => damaged.push(DamagedVersion {
                version: *version,
                location: location.clone(),
                message: error.message().to_owned(),
                moved_to: (!is_folder).then(|| free_name(&versions, location)),
            }),
            (Err(_), Some(_)) => {}
        }
        // Of a sound table, only the newest version is read.
        if damaged.is_empty() && missing.is_none() {
            break;
        }
    }
    let Some((version, metadata_location, metadata)) = found else {
        let count = damaged.len();
        return Err(Error::invalid_data(format!(
            "all {count} metadata files of the folder are damaged: restore one"
        ))
        .with("path", &versions.folder));
    };
    let is_sound = damaged.is_empty() && missing.is_none();
    let lost = if is_sound { Vec::new() } else { lost_snapshots(store, &versions, &metadata, cancel)? };
    let last_sequence_number = metadata.last_sequence_number;
    Ok(FolderRepair { versions, version, metadata_location, last_sequence_number, damaged, missing, lost })
}

/// A metadata file, or what is wrong with it.
fn read(
    store: &dyn Store,
    location: &str,
    is_folder: bool,
) -> Result<std::result::Result<TableMetadata, Error>> {
    if is_folder {
        return Ok(Err(Error::invalid_data("expected a metadata file, found a folder")));
    }
    match parse_table_metadata(&bytes_of(store, location)?, location) {
        Ok(metadata) => Ok(Ok(metadata)),
        Err(error) if error.kind() == ErrorKind::InvalidData => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

fn bytes_of(store: &dyn Store, location: &str) -> Result<Bytes> {
    store.open(location)?.read_all(MAX_METADATA_BYTES).context("path", location)
}

fn check_forward(
    (newest, metadata): (u64, &TableMetadata),
    (version, earlier): (u64, &TableMetadata),
) -> Result<()> {
    let (now, then) = (metadata.last_sequence_number, earlier.last_sequence_number);
    if now >= then {
        return Ok(());
    }
    Err(Error::invalid_data(format!(
        "version {newest}, the newest whole one, has the sequence number {now}, and version {version} has {then}: the table \
         would go back"
    )))
}

/// A name that no file of the folder has.
fn free_name(versions: &FolderVersions, location: &str) -> String {
    let name = file_name(location).unwrap_or_default();
    let is_free = |name: &String| !versions.names.contains(name);
    let names =
        std::iter::once(format!("{name}.damaged")).chain((2_u32..).map(|at| format!("{name}.damaged-{at}")));
    join(&versions.folder, &names.into_iter().find(is_free).unwrap_or_default())
}

/// The manifest lists of the folder of snapshots that the metadata does not have, and that are not older than it.
fn lost_snapshots(
    store: &dyn Store,
    versions: &FolderVersions,
    metadata: &TableMetadata,
    cancel: &Cancel,
) -> Result<Vec<LostSnapshot>> {
    let known: HashSet<i64> = metadata.snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect();
    // As Iceberg Java and Floeberg name them.
    let is_list =
        |name: &&String| name.strip_prefix("snap-").and_then(|rest| rest.strip_suffix(".avro")).is_some();
    let mut lost = Vec::new();
    for name in versions.names.iter().filter(is_list) {
        cancel.check()?;
        let manifest_list = join(&versions.folder, name);
        let bytes = match store.open(&manifest_list).and_then(|file| file.read_all(MAX_LIST_BYTES)) {
            Ok(bytes) => bytes,
            // A failed commit removes its files.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let said = |key: &str| -> Option<i64> {
            let container = Container::open(&bytes, &Limits::default()).ok()?;
            container.metadata_text(key).ok()??.parse().ok()
        };
        let (snapshot_id, sequence_number) = (said("snapshot-id"), said("sequence-number"));
        let is_known = snapshot_id.is_some_and(|id| known.contains(&id));
        let is_older = metadata.format_version > 1
            && sequence_number.is_some_and(|number| number <= metadata.last_sequence_number);
        if !is_known && !is_older {
            lost.push(LostSnapshot { manifest_list, snapshot_id, sequence_number });
        }
    }
    lost.sort_by_key(|snapshot| (snapshot.sequence_number, snapshot.snapshot_id));
    Ok(lost)
}

impl FolderRepair {
    /// Is there nothing to mend?
    pub fn is_sound(&self) -> bool {
        self.damaged.is_empty() && self.missing.is_none()
    }

    /// Moves the damaged files aside, so that the newest whole version is current, and has the hint say it.
    ///
    /// Errors: `InvalidData` for a folder with the name of a version; `CommitConflict` where a version is whole now, or is gone, or is
    /// there again; `AlreadyExists`; those of the store.
    pub fn apply(&self, store: &dyn Store) -> Result<()> {
        if let Some(folder) = self.damaged.iter().find(|version| version.moved_to.is_none()) {
            return Err(Error::invalid_data(format!(
                "a folder has the name of the metadata file of version {}, and no folder is moved: remove it, or give it another \
                 name",
                folder.version
            ))
            .with("path", &folder.location));
        }
        self.check_newest(store)?;
        for version in &self.damaged {
            let bytes = self.still_damaged(store, version)?;
            if let Some(moved_to) = &version.moved_to {
                store.put_if_absent(moved_to, bytes)?;
            }
        }
        store.put(&self.versions.hint(), self.version.to_string().into())?;
        // From the newest one on: readers go from one version to the next.
        for version in &self.damaged {
            self.still_damaged(store, version)?;
            store.remove(&version.location)?;
        }
        Ok(())
    }

    /// Errors: `CommitConflict` where a version came since.
    fn check_newest(&self, store: &dyn Store) -> Result<()> {
        let now = folder_versions(store, &self.versions.folder)?;
        if now.folder == self.versions.folder && now.versions == self.versions.versions {
            return Ok(());
        }
        let message = "the metadata files of the folder are others than before: look at the folder again";
        Err(Error::new(ErrorKind::CommitConflict, message).with("path", &self.versions.folder))
    }

    fn still_damaged(&self, store: &dyn Store, version: &DamagedVersion) -> Result<Bytes> {
        let conflict = |what: &str| {
            Error::new(ErrorKind::CommitConflict, format!("version {} {what}", version.version))
                .with("path", &self.versions.folder)
        };
        let bytes = match bytes_of(store, &version.location) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(conflict("is not there any more: look at the folder again"));
            }
            bytes => bytes?,
        };
        match parse_table_metadata(&bytes, &version.location) {
            Ok(_) => Err(conflict("is whole now: another process mended the table")),
            Err(_) => Ok(bytes),
        }
    }

    /// The error where versions are damaged, and nobody asked to give them up.
    pub fn refusal(&self) -> Option<Error> {
        if self.is_sound() {
            return None;
        }
        let versions: Vec<String> = self.damaged.iter().map(|each| each.version.to_string()).collect();
        let damaged = self
            .damaged
            .first()
            .map(|first| format!("found damaged versions {}: {}", versions.join(", "), first.message));
        let missing = self.missing.map(|version| {
            format!("version-hint.text says version {version}, whose metadata file is not there")
        });
        let found: Vec<String> = missing.into_iter().chain(damaged).collect();
        let shown = |number: Option<i64>| number.map_or_else(|| "unknown".to_owned(), |id| id.to_string());
        let lost: Vec<String> = self
            .lost
            .iter()
            .map(|each| {
                format!("{} (sequence number {})", shown(each.snapshot_id), shown(each.sequence_number))
            })
            .collect();
        let lost = match lost.as_slice() {
            [] => "no manifest list of a later snapshot is there".to_owned(),
            lost => format!("these snapshots may be lost: {}", lost.join(", ")),
        };
        Some(
            Error::invalid_data(format!(
                "expected a whole metadata file: {}. Version {} with the sequence number {} is whole, and {lost}. \
                 drop_damaged_versions=True makes it current, and moves damaged files aside",
                found.join("; "),
                self.version,
                self.last_sequence_number,
            ))
            .with("path", &self.versions.folder),
        )
    }
}
