//! Which versions and files may be removed?
//!
//! In: a table, how many versions stay, and a moment. Out: older versions that no tag or branch names, and the files that only they
//! name; removed, if that is wanted.
//! Spec: Lance, Cleanup; `dataset/cleanup.rs`.
//!
//! | file | belongs to |
//! |---|---|
//! | `_versions/N.manifest` | the version |
//! | `_transactions/N-UUID.txn` | the version whose manifest names it |
//! | `data/NAME.lance`, `_deletions/...` | fragments of versions |
//! | `data/NAME/...` | the blobs of the data file `NAME.lance` |
//! | `_indices/UUID/...` | an index of versions |
//!
//! Invariant: a file is removed only where a removed version names it, and no remaining one of any branch. What was never
//! committed is not known here, since it may be part of a commit that is under way. Files outside of the folder of the branch
//! stay, whatever a manifest says.

use std::collections::{BTreeMap, HashSet};

use floeberg_core::{Cancel, Context as _, Result};
use floeberg_io::{Below, Store, StoreOptions, location, open_store};

use crate::metadata::{self, DATA, INDICES, ListedVersion, branch_folder, entries};
use crate::table::Table;

/// Files of one index, or blobs of one data file, lie in folders of no greater depth.
const DEEPEST: usize = 4;

/// The versions and files that may be removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unused {
    /// Versions, ascending.
    pub versions: Vec<u64>,
    /// Files that only these name, in order.
    pub files: Vec<String>,
    /// The bytes of manifests and data files.
    pub bytes: u64,
    manifests: Vec<String>,
}

/// Finds versions of the table's branch that were made before a moment, in microseconds since 1970, and are not among the newest
/// `kept_versions`. The newest stays in any case.
///
/// Errors: `InvalidData` for a manifest that is damaged; `NotFound` for a table that was made anew since it was opened; those of
/// the store.
pub fn find_unused(table: &Table, kept_versions: u64, older_than: i64, cancel: &Cancel) -> Result<Unused> {
    table.check_same()?;
    let versions = table.versions()?;
    let named = named_versions(table)?;
    let first_kept =
        versions.len().saturating_sub(usize::try_from(kept_versions).unwrap_or(usize::MAX).max(1));
    let (mut old, mut kept): (Vec<ListedVersion>, Vec<ListedVersion>) = (Vec::new(), Vec::new());
    for (place, listed) in versions.iter().enumerate() {
        cancel.check()?;
        let may_go = place < first_kept && !named.contains(&listed.version) && {
            // A version that does not say when it was made stays.
            let made = table.version_head(*listed)?.timestamp_micros();
            made.is_some_and(|made| made < older_than)
        };
        if may_go { old.push(*listed) } else { kept.push(*listed) }
    }
    if old.is_empty() {
        return Ok(Unused::default());
    }
    let mut needed = HashSet::new();
    for listed in &kept {
        cancel.check()?;
        needed.extend(names_of(&table.at(*listed)?)?);
    }
    add_files_of_branches(table, &mut needed, cancel)?;
    let (mut files, mut bytes) = (BTreeMap::new(), 0);
    for listed in &old {
        cancel.check()?;
        bytes += table.store().open(&listed.path(table.bases().folder()))?.size()?;
        let of_version = files_of(&table.at(*listed)?)?.into_iter();
        files.extend(of_version.filter(|(file, _)| !needed.contains(name_of(file))));
    }
    let files = with_folders(table, files, cancel)?;
    bytes += files.values().sum::<u64>();
    Ok(Unused {
        versions: old.iter().map(|listed| listed.version).collect(),
        manifests: old.iter().map(|listed| listed.path(table.bases().folder())).collect(),
        files: files.into_keys().collect(),
        bytes,
    })
}

/// Removes what was found: files first, so that a removal that is broken off is finished by the next one.
///
/// Errors: those of the store.
pub fn remove_unused(table: &Table, unused: &Unused, cancel: &Cancel) -> Result<()> {
    for file in unused.files.iter().chain(&unused.manifests) {
        cancel.check()?;
        table.store().remove(file)?;
    }
    Ok(())
}

/// Removes files that were written and not committed. What cannot be removed stays. Errors: `InvalidInput` for options.
pub fn remove_new_files(locations: &[String], options: &StoreOptions) -> Result<()> {
    let store = open_store(options)?;
    for location in locations {
        let _ = store.remove(location);
    }
    Ok(())
}

/// Versions of the branch that tags name, or branches came from.
fn named_versions(table: &Table) -> Result<HashSet<u64>> {
    let tags = table.tags()?.into_iter().filter(|tag| tag.branch.as_deref() == table.branch());
    let mut named: HashSet<u64> = tags.map(|tag| tag.version).collect();
    let branches = table.branches()?.into_iter();
    let children = branches.filter(|branch| branch.parent_branch.as_deref() == table.branch());
    named.extend(children.map(|branch| branch.parent_version));
    Ok(named)
}

/// The files of all versions of all other branches.
fn add_files_of_branches(table: &Table, needed: &mut HashSet<String>, cancel: &Cancel) -> Result<()> {
    let named = table.branches()?.into_iter().map(|branch| Some(branch.name));
    for branch in named.chain([None]).filter(|branch| branch.as_deref() != table.branch()) {
        let store = table.store().as_ref();
        let folder = branch_folder(table.location(), branch.as_deref());
        for listed in metadata::versions(store, &folder)? {
            cancel.check()?;
            needed.extend(names_of(&table.at_branch(branch.clone(), listed)?)?);
        }
    }
    Ok(())
}

/// The names of the files that a version names. A folder can be spelled in many ways, and names are unique.
fn names_of(table: &Table) -> Result<Vec<String>> {
    Ok(files_of(table)?.keys().map(|file| name_of(file).to_owned()).collect())
}

fn name_of(file: &str) -> &str {
    location::file_name(file).unwrap_or(file)
}

/// The files that a version names, with their bytes where these are known; of an index its folder.
fn files_of(table: &Table) -> Result<BTreeMap<String, u64>> {
    let (fragments, bases) = (&table.manifest().fragments, table.bases());
    let in_manifest = || {
        let mut files = BTreeMap::new();
        for place in 0..fragments.len() {
            for file in fragments.files(place) {
                files.insert(bases.data_file(file.base_id, file.path)?, file.size_bytes);
            }
            if let Some(file) = fragments.deletion_file(place)? {
                files.insert(bases.deletion_file(fragments.ids()[place], &file)?, 0);
            }
        }
        let name = &table.manifest().head.transaction_file;
        if !name.is_empty() {
            files.insert(bases.transaction_file(name)?, 0);
        }
        for index in table.indices()?.into_iter().filter(|index| index.base_id.is_none()) {
            files.insert(bases.index_folder(None, &index.uuid.bytes)?, 0);
        }
        Ok(files)
    };
    in_manifest().context("path", table.manifest_location())
}

/// The files below the folder of the branch, with those in the folders of indices and of blobs.
fn with_folders(
    table: &Table,
    named: BTreeMap<String, u64>,
    cancel: &Cancel,
) -> Result<BTreeMap<String, u64>> {
    let (folder, store) = (table.bases().folder(), table.store().as_ref());
    let mut below = Below::new([folder]);
    let folders_in = |name: &str| -> Result<HashSet<String>> {
        let parent = location::join(folder, name);
        let found = entries(store, &parent)?.into_iter().filter(|entry| entry.is_folder);
        Ok(found.map(|entry| location::join(&parent, &entry.name)).collect())
    };
    let (of_blobs, of_indices) = (folders_in(DATA)?, folders_in(INDICES)?);
    let mut files = BTreeMap::new();
    for (file, bytes) in named.into_iter().filter(|(file, _)| below.holds(file)) {
        cancel.check()?;
        let blobs = file.strip_suffix(".lance").filter(|stem| of_blobs.contains(*stem));
        if of_indices.contains(&file) {
            add_files_in(store, &file, DEEPEST, &mut files)?;
        } else if let Some(blobs) = blobs {
            add_files_in(store, blobs, DEEPEST, &mut files)?;
            files.insert(file, bytes);
        } else if !file.starts_with(&location::join(folder, INDICES)) {
            files.insert(file, bytes);
        }
    }
    // A folder may be a link.
    files.retain(|file, _| below.holds(file));
    Ok(files)
}

fn add_files_in(
    store: &dyn Store,
    folder: &str,
    depth: usize,
    files: &mut BTreeMap<String, u64>,
) -> Result<()> {
    for entry in entries(store, folder)? {
        let place = location::join(folder, &entry.name);
        if !entry.is_folder {
            files.insert(place, entry.size);
        } else if depth > 0 {
            add_files_in(store, &place, depth - 1, files)?;
        }
    }
    Ok(())
}
