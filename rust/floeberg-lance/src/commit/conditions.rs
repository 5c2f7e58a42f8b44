//! What must hold of the version that a commit follows, and which settings come with it?
//!
//! In: settings that are expected, and what was committed meanwhile. Out: nothing, or why the commit cannot be.
//!
//! Invariant: a data file is added once, however often its receipt is committed.

use std::collections::HashSet;

use floeberg_core::{Context as _, Error, ErrorKind, Result};
use floeberg_io::{Store, location};

use crate::build::change_settings;
use crate::metadata::DATA;
use crate::wire::{Fragment, Manifest, Operation, lookup};

/// What a commit asks for, beside what its operation does.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    /// Settings of the version before; `None` for one that it must lack.
    pub expected: Vec<(String, Option<String>)>,
    /// Settings that are set in the version that is made; `None` removes one.
    pub settings: Vec<(String, Option<String>)>,
    /// May nobody have changed rows since the version that was read?
    pub keeps_rows: bool,
}

impl Conditions {
    /// Errors: `CommitConflict` for a setting that is another one now.
    pub(super) fn check_settings(&self, base: &Manifest) -> Result<()> {
        let is_other = |key: &str, value: &Option<String>| lookup(&base.head.config, key) != value.as_ref();
        match self.expected.iter().find(|(key, value)| is_other(key, value)) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("the setting {key:?} was changed meanwhile");
                Err(Error::new(ErrorKind::CommitConflict, message))
            }
        }
    }

    /// Errors: `CommitConflict` for an operation that changed rows or columns, where none may have.
    pub(super) fn check_rows(&self, theirs: &Operation, version: u64) -> Result<()> {
        if !self.keeps_rows || keeps_rows(theirs) {
            return Ok(());
        }
        let message = format!("version {version}, {}, changed what is replaced meanwhile", theirs.name());
        Err(Error::new(ErrorKind::CommitConflict, message))
    }

    /// The version before with the settings of the one after it; `None` where these are the same.
    pub(super) fn with_settings(&self, base: &Manifest) -> Option<Manifest> {
        if self.settings.is_empty() {
            return None;
        }
        let mut changed = base.clone();
        change_settings(&mut changed.head.config, &self.settings);
        Some(changed)
    }
}

/// Errors: `AlreadyExists` for a data file that an operation of ours adds, and one that was committed meanwhile added.
pub(super) fn check_added(ours: &Operation, theirs: &Operation, version: u64) -> Result<()> {
    let (ours, theirs) = (added(ours), added(theirs));
    if ours.is_empty() || theirs.is_empty() {
        return Ok(());
    }
    let names: HashSet<&str> = paths(ours).collect();
    let twice = paths(theirs).find(|name| names.contains(name));
    twice.map_or(Ok(()), |name| {
        let message = format!("version {version} added the data file already");
        Err(Error::new(ErrorKind::AlreadyExists, message)).context("path", name)
    })
}

/// Checks that data files are there as they were written: their names below the folder of data, and their bytes.
///
/// Errors: `NotFound`; `InvalidData` for a file of another size; those of the store.
pub fn check_written(store: &dyn Store, folder: &str, files: &[(String, u64)]) -> Result<()> {
    let data = location::join(folder, DATA);
    for (name, size) in files {
        let path = location::join(&data, name);
        let found = store.open(&path).and_then(|file| file.size()).context("path", &path)?;
        if found != *size {
            let message = format!("the data file has {found} bytes, and its receipt says {size}");
            return Err(Error::invalid_data(message)).context("path", &path);
        }
    }
    Ok(())
}

fn keeps_rows(operation: &Operation) -> bool {
    match operation {
        Operation::CreateIndex(_)
        | Operation::Rewrite(_)
        | Operation::ReserveFragments(_)
        | Operation::UpdateConfig(_)
        | Operation::UpdateBases(_)
        | Operation::Clone(_) => true,
        Operation::Append(append) => append.fragments.is_empty(),
        _ => false,
    }
}

fn added(operation: &Operation) -> &[Fragment] {
    match operation {
        Operation::Append(append) => &append.fragments,
        Operation::Overwrite(overwrite) => &overwrite.fragments,
        Operation::Update(update) => &update.new_fragments,
        _ => &[],
    }
}

fn paths(fragments: &[Fragment]) -> impl Iterator<Item = &str> {
    fragments.iter().flat_map(|fragment| fragment.files.iter().map(|file| file.path.as_str()))
}
