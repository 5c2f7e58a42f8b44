//! Which versions and files may go?
//!
//! In: a table, how many versions stay, and a moment. Out: older versions that no tag or branch names, and the files that only they
//! name; removed, if that is wanted.
//! Spec: Lance, Cleanup; `dataset/cleanup.rs`.
//!
//! Invariant: a file goes only where a version that goes names it, and none that stays, of any branch. What was never committed is
//! not known here, since it may be part of a commit that is under way. Files of other folders and of indices stay.

use std::collections::{BTreeMap, HashSet};

use floeberg_core::{Cancel, Result};
use floeberg_io::{StoreOptions, location, open_store};

use crate::metadata::{self, ListedVersion, TRANSACTIONS, branch_folder};
use crate::table::Table;

/// What may go.
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
/// Errors: `InvalidData` for a manifest that is damaged; those of the store.
pub fn find_unused(table: &Table, kept_versions: u64, older_than: i64, cancel: &Cancel) -> Result<Unused> {
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
    let folder = location::join(table.bases().folder(), "");
    let (mut files, mut bytes) = (BTreeMap::new(), 0);
    for listed in &old {
        cancel.check()?;
        bytes += table.store().open(&listed.path(table.bases().folder()))?.size()?;
        let of_version = files_of(&table.at(*listed)?)?.into_iter();
        let is_unused = |file: &str| !needed.contains(name_of(file)) && file.starts_with(&folder);
        files.extend(of_version.filter(|(file, _)| is_unused(file)));
    }
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

/// The files that a version names, with their bytes where these are known.
fn files_of(table: &Table) -> Result<BTreeMap<String, u64>> {
    let fragments = &table.manifest().fragments;
    let mut files = BTreeMap::new();
    for place in 0..fragments.len() {
        for file in fragments.files(place) {
            files.insert(table.bases().data_file(file.base_id, file.path)?, file.size_bytes);
        }
        if let Some(file) = fragments.deletion_file(place)? {
            files.insert(table.bases().deletion_file(fragments.ids()[place], &file)?, 0);
        }
    }
    let name = &table.manifest().head.transaction_file;
    if !name.is_empty() && !name.contains('/') {
        let folder = location::join(table.bases().folder(), TRANSACTIONS);
        files.insert(location::join(&folder, name), 0);
    }
    Ok(files)
}
