//! Which versions and refs does a table have, and are their files named and written as the format says?
//!
//! In: the folders of a table. Out: the versions of the branch, and findings.
//! Spec: Lance, Manifest Naming Schemes; Branch and Tag Specification.

use std::collections::HashMap;

use floeberg_core::finding::{Findings, split};
use floeberg_core::{ErrorKind, Result};
use floeberg_io::location;
use serde_json::Value as Json;

use super::reading::Reading;
use super::rules::versions::{
    BRANCH_PARENT, MANIFEST_NAME, ONE_SCHEME, REF_READABLE, TAG_SIZE, TAG_VERSION, VERSION_HINT, VERSIONS,
};
use crate::metadata::{
    self, BRANCHES, Branch, DETACHED, ListedVersion, NamingScheme, TAGS, Tag, VERSION_HINT as HINT,
    VERSIONS as FOLDER, branch_folder, branch_path, ref_files, tag_path, version_of,
};

/// A hint is a few bytes.
const LARGEST_HINT: u64 = 1 << 16;

/// Everything that is in a folder of manifests. Versions ascend, detached ones last; of one that is named twice, the newer scheme.
#[derive(Debug, Default, Clone)]
pub(super) struct Listing {
    pub(super) versions: Vec<ListedVersion>,
    misnamed: Vec<String>,
    is_mixed: bool,
    has_hint: bool,
}

impl Listing {
    /// Of a folder of a table, or of a branch. Errors: those of the store.
    pub(super) fn of(reading: &Reading, folder: &str) -> Result<Self> {
        let names = match reading.store.file_names(&location::join(folder, FOLDER)) {
            Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
            other => other?,
        };
        let mut listing = Self::default();
        for name in names {
            match version_of(&name) {
                Some((version, scheme)) => listing.versions.push(ListedVersion { version, scheme }),
                None if name.ends_with(".manifest") => listing.misnamed.push(name),
                None => listing.has_hint |= name == HINT,
            }
        }
        let is_newer = |listed: &ListedVersion| listed.scheme == NamingScheme::V2;
        let lined = || listing.versions.iter().filter(|listed| listed.version & DETACHED == 0);
        listing.is_mixed = lined().any(is_newer) && !lined().all(is_newer);
        listing.versions.sort_unstable_by_key(|listed| (listed.version, !is_newer(listed)));
        listing.versions.dedup_by_key(|listed| listed.version);
        listing.misnamed.sort_unstable();
        Ok(listing)
    }

    /// Those that are in a line.
    pub(super) fn line(&self) -> &[ListedVersion] {
        let end = self.versions.partition_point(|listed| listed.version & DETACHED == 0);
        &self.versions[..end]
    }

    fn find(&self, version: u64) -> Option<&ListedVersion> {
        let at = self.versions.binary_search_by_key(&version, |listed| listed.version).ok()?;
        self.versions.get(at)
    }

    /// What is wrong with the names. Errors: those of the store.
    pub(super) fn check(&self, reading: &Reading, folder: &str) -> Result<Findings> {
        let mut found = Findings::of(folder);
        if self.versions.is_empty() {
            found.add(&VERSIONS, FOLDER, "expected a manifest of a version, found none");
        }
        for name in &self.misnamed {
            found.add(
                &MANIFEST_NAME,
                format_args!("{FOLDER}/{name}"),
                "expected the name of a version, found another",
            );
        }
        if self.is_mixed {
            found.add(&ONE_SCHEME, FOLDER, "expected names of one scheme, found names of both");
        }
        if let (true, Some(latest)) = (self.has_hint, self.line().last()) {
            let path = location::join(&location::join(folder, FOLDER), HINT);
            let read = split(reading.store.open(&path).and_then(|source| source.read_all(LARGEST_HINT)))?;
            let hint = read.ok().and_then(|bytes| serde_json::from_slice::<Json>(&bytes).ok());
            let version = hint.as_ref().and_then(|hint| hint.get("version")).and_then(Json::as_u64);
            if version.is_none_or(|version| version > latest.version) {
                let shown = version.map_or("none".to_owned(), |version| version.to_string());
                let message = format!("expected a version up to {}, found {shown}", latest.version);
                found.add(&VERSION_HINT, format_args!("{FOLDER}/{HINT}"), message);
            }
        }
        Ok(found)
    }
}

/// What is wrong with the tags and branches of a table, and the names of the branches that can be read. Errors: those of the store.
pub(super) fn check_refs(reading: &Reading) -> Result<(Findings, Vec<String>)> {
    let mut refs = Refs { reading, listings: HashMap::new() };
    let mut found = Findings::default();
    let store = reading.store.as_ref();
    let tags = |name: &str| metadata::tag(store, &reading.root, name);
    for (path, tag) in refs.read(&mut found, TAGS, &tag_path, &tags)? {
        let mut of_tag = Findings::of(&path);
        refs.tag(&mut of_tag, &tag)?;
        found.extend(of_tag);
    }
    let branches = |name: &str| metadata::branch(store, &reading.root, name);
    let mut names = Vec::new();
    for (path, branch) in refs.read(&mut found, BRANCHES, &branch_path, &branches)? {
        let mut of_branch = Findings::of(&path);
        refs.branch(&mut of_branch, &branch)?;
        found.extend(of_branch);
        names.push(branch.name);
    }
    Ok((found, names))
}

struct Refs<'a> {
    reading: &'a Reading,
    listings: HashMap<String, Listing>,
}

impl Refs<'_> {
    /// The refs of a folder that can be read, each with its file.
    fn read<T>(
        &self,
        found: &mut Findings,
        folder: &str,
        path_of: &dyn Fn(&str, &str) -> String,
        read: &dyn Fn(&str) -> Result<T>,
    ) -> Result<Vec<(String, T)>> {
        let root = &self.reading.root;
        let folder = location::join(root, folder);
        let mut refs = Vec::new();
        for (file, name) in ref_files(self.reading.store.as_ref(), &folder)? {
            let mut of_file = Findings::of(&location::join(&folder, &file));
            match name {
                None => of_file.add(&REF_READABLE, "", "expected a file that is named by a tag or a branch"),
                Some(name) => match split(read(&name))? {
                    Ok(found) => refs.push((path_of(root, &name), found)),
                    Err(error) => of_file.add(&REF_READABLE, "", error),
                },
            }
            found.extend(of_file);
        }
        Ok(refs)
    }

    fn listing(&mut self, branch: Option<&str>) -> Result<&Listing> {
        let folder = branch_folder(&self.reading.root, branch);
        if !self.listings.contains_key(&folder) {
            let listing = Listing::of(self.reading, &folder)?;
            self.listings.insert(folder.clone(), listing);
        }
        Ok(&self.listings[&folder])
    }

    fn tag(&mut self, found: &mut Findings, tag: &Tag) -> Result<()> {
        let reading = self.reading;
        let Some(listed) = self.listing(tag.branch.as_deref())?.find(tag.version).copied() else {
            let branch = tag.branch.as_deref().unwrap_or(metadata::MAIN);
            let message = format!("expected a version of the branch {branch:?}, found {}", tag.version);
            found.add(&TAG_VERSION, "version", message);
            return Ok(());
        };
        let keys = ["manifestSize", "manifest_size"];
        let Some(said) = keys.iter().find_map(|key| tag.json.get(*key)).and_then(Json::as_u64) else {
            return Ok(());
        };
        let path = listed.path(&branch_folder(&reading.root, tag.branch.as_deref()));
        if let Ok(size) = split(reading.store.open(&path).and_then(|source| source.size()))? {
            found.equal(&TAG_SIZE, "manifestSize", (size, said));
        }
        Ok(())
    }

    fn branch(&mut self, found: &mut Findings, branch: &Branch) -> Result<()> {
        if self.listing(Some(&branch.name))?.versions.is_empty() {
            found.add(&VERSIONS, "", "expected a manifest of a version of the branch, found none");
        }
        let parent = branch.parent_branch.as_deref();
        if self.listing(parent)?.find(branch.parent_version).is_none() {
            let name = parent.unwrap_or(metadata::MAIN);
            let message =
                format!("expected a version of the branch {name:?}, found {}", branch.parent_version);
            found.add(&BRANCH_PARENT, "parentVersion", message);
        }
        Ok(())
    }
}
