//! In which order is a Lance table checked?
//!
//! In: a table, or a folder, and a request. Out: findings, as they are found.
//!
//! ```text
//! names of manifests, tags, branches -> each version, then those of each branch: manifest -> fragments, row ids, indices -> files -> ids of live rows -> rows
//! ```
//!
//! Invariant: memory holds one manifest, and 16 bytes for each file that was looked at. Errors end the check: those of the store, and
//! of the request.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use floeberg_core::finding::{Finding, Findings, Level, is_of_file, is_sampled, key_of};
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_io::location;

use super::fields::check_fields;
use super::files::{File, FileOfFragment, check_file, files_of};
use super::fragments::check_fragments;
use super::head::check_head;
use super::indices::{check_index_files, check_indices, indices_of};
use super::lineage::check_lineage;
use super::names::{Listing, check_refs};
use super::reading::{Document, Reading};
use super::request::{CheckRequest, VersionsToCheck};
use super::row_ids::check_row_ids_once;
use super::rows::{check_rows, request_of};
use super::rules::versions::MANIFEST_STRICT;
use super::transaction::check_transaction;
use crate::metadata::{ListedVersion, TRANSACTIONS, VERSIONS, entries};
use crate::pages::Pages;
use crate::read::ReadRequest;
use crate::table::{OpenOptions, Table};

/// Files that are opened at once, for each thread.
const FILES_OF_A_THREAD: usize = 8;

/// What decodes pages, made when it is needed.
pub type OpenPages = Box<dyn Fn() -> Result<Arc<dyn Pages>> + Send>;

/// A check of a table: its findings, in the order of the levels, version by version. It ends after an error.
pub struct Check {
    reading: Reading,
    request: CheckRequest,
    cancel: Cancel,
    pages: OpenPages,
    ready: VecDeque<Finding>,
    step: Step,
    versions: VecDeque<ListedVersion>,
    /// The branches that are checked after the main one.
    branches: VecDeque<String>,
    /// When the version before was made.
    before: Option<i64>,
    current: Option<Current>,
    /// What was opened.
    seen: HashSet<u128>,
    /// The files of it that are broken.
    broken: HashSet<u128>,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Names,
    Version,
    Files,
    RowIds,
    Rows,
    Done,
}

/// The version that is checked.
struct Current {
    document: Arc<Document>,
    /// The next fragment.
    next: usize,
    /// Places of fragments that are broken in the manifest: their rows cannot be read.
    broken: HashSet<usize>,
    /// How its rows are read; `None` before they are.
    rows: Option<(Table, Arc<ReadRequest>)>,
}

impl Check {
    /// A check of what is in a folder. Nothing is read yet, so that what cannot be opened is a finding.
    ///
    /// Errors: `InvalidInput` for the request; `Unsupported` for a scheme without a store.
    pub fn of_location(
        location: &str,
        options: &OpenOptions,
        request: CheckRequest,
        pages: OpenPages,
        cancel: &Cancel,
    ) -> Result<Self> {
        Self::new(Reading::of_location(location, options)?, request, pages, cancel)
    }

    /// A check of the branch of a table that is open. Its files are read again.
    ///
    /// Errors: `InvalidInput` for the request.
    pub fn of_table(table: &Table, request: CheckRequest, pages: OpenPages, cancel: &Cancel) -> Result<Self> {
        Self::new(Reading::of_table(table)?, request, pages, cancel)
    }

    fn new(reading: Reading, request: CheckRequest, pages: OpenPages, cancel: &Cancel) -> Result<Self> {
        request.check()?;
        Ok(Self {
            reading,
            request,
            cancel: cancel.clone(),
            pages,
            ready: VecDeque::new(),
            step: Step::Names,
            versions: VecDeque::new(),
            branches: VecDeque::new(),
            before: None,
            current: None,
            seen: HashSet::new(),
            broken: HashSet::new(),
        })
    }

    /// Is there a Lance table in the folder, or what is left of one? Errors: those of the store.
    pub fn is_lance(&self) -> Result<bool> {
        // A metadata file of Iceberg is no folder: nothing is asked of the store.
        if self.reading.folder.contains(".metadata.json") {
            return Ok(false);
        }
        for folder in [VERSIONS, TRANSACTIONS] {
            let folder = location::join(&self.reading.folder, folder);
            match entries(self.reading.store.as_ref(), &folder) {
                Ok(entries) if entries.is_empty() => {}
                Ok(_) => return Ok(true),
                // A file is no folder.
                Err(error) if is_of_file(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Does it decode pages?
    pub fn reads_rows(&self) -> bool {
        self.request.level >= Level::Rows
    }

    /// The next findings: at least one, if there is one, and else those that are found already, up to a number.
    ///
    /// Errors: those of the store, and of the request; `Cancelled`.
    pub fn take_some(&mut self, most: usize) -> Result<Vec<Finding>> {
        while self.ready.is_empty() && self.step != Step::Done {
            if let Err(error) = self.advance() {
                self.step = Step::Done;
                return Err(error);
            }
        }
        let end = most.min(self.ready.len());
        Ok(self.ready.drain(..end).collect())
    }

    fn found(&mut self, findings: Findings) {
        self.ready.extend(findings.into_list());
    }

    fn advance(&mut self) -> Result<()> {
        self.cancel.check()?;
        self.step = match self.step {
            Step::Names => self.names()?,
            Step::Version => self.version()?,
            Step::Files => self.files()?,
            Step::RowIds => self.row_ids()?,
            Step::Rows => self.rows()?,
            Step::Done => Step::Done,
        };
        Ok(())
    }

    fn names(&mut self) -> Result<Step> {
        let listing = Listing::of(&self.reading, &self.reading.folder)?;
        let found = listing.check(&self.reading, &self.reading.folder)?;
        self.found(found);
        let (found, branches) = check_refs(&self.reading)?;
        self.found(found);
        let is_of_all = matches!(self.request.versions, VersionsToCheck::Newest | VersionsToCheck::All);
        if self.reading.branch.is_none() && is_of_all {
            self.branches = branches.into();
        }
        if listing.versions.is_empty() {
            return Ok(Step::Version);
        }
        let (versions, base) = self.request.choose(listing.line())?;
        self.versions = versions.into();
        if let Some(base) = base
            && let (_, Some(document)) = self.reading.document(base)?
        {
            self.before = document.file.manifest.head.timestamp_micros();
            // Its own findings are not new.
            for place in 0..document.file.manifest.fragments.len() {
                self.seen.insert(fragment_key(&document, place));
                for file in files_of(&document, place) {
                    self.seen.insert(file_key(&file));
                }
            }
        }
        Ok(Step::Version)
    }

    /// The versions of the next branch.
    fn next_branch(&mut self) -> Result<Step> {
        let Some(name) = self.branches.pop_front() else { return Ok(Step::Done) };
        self.reading = self.reading.of_branch(name)?;
        let listing = Listing::of(&self.reading, &self.reading.folder)?;
        self.before = None;
        // A branch without versions is a finding of its ref.
        if !listing.versions.is_empty() {
            let found = listing.check(&self.reading, &self.reading.folder)?;
            self.found(found);
            self.versions = self.request.choose(listing.line())?.0.into();
        }
        Ok(Step::Version)
    }

    /// The manifest of the next version.
    fn version(&mut self) -> Result<Step> {
        let Some(listed) = self.versions.pop_front() else { return self.next_branch() };
        let (mut found, document) = self.reading.document(listed)?;
        let Some(document) = document else {
            self.found(found);
            return Ok(Step::Version);
        };
        check_head(&self.reading, &document, self.before, &mut found);
        check_fields(&document, &mut found);
        check_transaction(&self.reading, &document, &mut found)?;
        self.before = document.file.manifest.head.timestamp_micros().or(self.before);
        let mut broken = HashSet::new();
        if self.request.level >= Level::Manifests {
            check_fragments(&document, &mut broken, &mut found);
            check_lineage(&document, &mut broken, &mut found);
            let indices = indices_of(&self.reading, &document, &mut found)?;
            check_indices(&document, &indices, &mut found);
            if found.is_empty()
                && let Err(error) = self.reading.table(&document)
            {
                match error.kind() {
                    // Another version of Floeberg may read it.
                    ErrorKind::Unsupported => {}
                    _ if is_of_file(&error) => found.add(&MANIFEST_STRICT, "", error),
                    _ => return Err(error),
                }
            }
            if self.request.level >= Level::Files {
                check_index_files(&self.reading, &document, &indices, &mut found)?;
            }
        }
        self.found(found);
        if self.request.level < Level::Files {
            return Ok(Step::Version);
        }
        self.current = Some(Current { document: Arc::new(document), next: 0, broken, rows: None });
        Ok(Step::Files)
    }

    /// Some files of the version.
    fn files(&mut self) -> Result<Step> {
        let Some(current) = &mut self.current else { return Ok(Step::Version) };
        let document = Arc::clone(&current.document);
        let fragments = &document.file.manifest.fragments;
        let at_once = thread_budget()?;
        let mut some = Vec::new();
        while some.len() < at_once * FILES_OF_A_THREAD && current.next < fragments.len() {
            for file in files_of(&document, current.next) {
                let is_wanted = is_sampled(key_of(&file.location()), self.request.sample);
                if is_wanted && self.seen.insert(file_key(&file)) {
                    some.push(file);
                }
            }
            current.next += 1;
        }
        let store = self.reading.store.as_ref();
        let found = ordered(&some, at_once, &self.cancel, |file| {
            let id = fragments.ids()[file.place];
            check_file(store, document.schema.as_ref(), id, file, document.listed.version)
        })?;
        let is_last = current.next == fragments.len();
        for (file, found) in some.iter().zip(&found) {
            if !found.is_empty() {
                self.broken.insert(file_key(file));
            }
        }
        for found in found {
            self.found(found);
        }
        Ok(if is_last { Step::RowIds } else { Step::Files })
    }

    /// The ids of rows that are not deleted.
    fn row_ids(&mut self) -> Result<Step> {
        let Some(current) = &mut self.current else { return Ok(Step::Version) };
        current.next = 0;
        let document = Arc::clone(&current.document);
        let mut found = document.findings();
        check_row_ids_once(&self.reading, &document, &mut found)?;
        self.found(found);
        Ok(if self.reads_rows() { Step::Rows } else { Step::Version })
    }

    /// The rows of a fragment.
    fn rows(&mut self) -> Result<Step> {
        let Some(current) = &mut self.current else { return Ok(Step::Version) };
        let document = Arc::clone(&current.document);
        if current.rows.is_none() {
            let opened = self.reading.table(&document).and_then(|table| {
                let request = request_of(&table)?;
                Ok((table, request))
            });
            match opened {
                Ok(opened) => current.rows = Some(opened),
                // A finding of the manifest says why; or it is a feature that cannot be read yet.
                Err(error) if is_of_file(&error) => return Ok(Step::Version),
                Err(error) => return Err(error),
            }
        }
        let Some((table, request)) = &current.rows else { return Ok(Step::Version) };
        let place = current.next;
        if place == document.file.manifest.fragments.len() {
            return Ok(Step::Version);
        }
        current.next += 1;
        let key = fragment_key(&document, place);
        let is_broken = current.broken.contains(&place)
            || files_of(&document, place).iter().any(|file| self.broken.contains(&file_key(file)));
        let is_wanted = is_sampled(key, self.request.sample) && !is_broken;
        if is_wanted && self.seen.insert(key) {
            let pages = (self.pages)()?;
            let found = check_rows(table, request, place, &pages, &self.cancel)?;
            self.found(found);
        }
        Ok(Step::Rows)
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check")
            .field("reading", &self.reading)
            .field("step", &self.step)
            .finish_non_exhaustive()
    }
}

impl Iterator for Check {
    type Item = Result<Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take_some(1).map(|mut some| some.pop()).transpose()
    }
}

/// A file, and what the manifest says of it.
fn file_key(file: &FileOfFragment) -> u128 {
    match &file.file {
        File::Data(data) => key_of(&(&data.location, &data.layout, data.size_bytes, file.rows)),
        File::Deletion(deletion, location) => key_of(&(location, deletion, file.rows)),
    }
}

/// What a fragment is, with the fields that it is read by.
fn fragment_key(document: &Document, place: usize) -> u128 {
    let manifest = &document.file.manifest;
    let bytes = manifest.fragments.written(place..place + 1).concat();
    let fields: Vec<_> =
        manifest.head.fields.iter().map(|field| (field.id, &field.logical_type, field.nullable)).collect();
    key_of(&(bytes, fields))
}
