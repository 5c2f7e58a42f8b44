//! In which order is a table checked?
//!
//! In: a metadata file, and a request. Out: findings, as they are found.
//!
//! ```text
//! document -> metadata log -> manifest lists -> manifests, some at a time -> all manifests together
//!     -> manifests again, and the files of each, some at a time
//! ```
//!
//! Invariant: memory holds the metadata, the paths of manifests, the entries of one manifest for each thread, and some 80 bytes for
//! each live file. Errors end the check: those of the store, and of the request.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use floeberg_core::finding::{Finding, Findings, Level, is_of_file, is_sampled};
use floeberg_core::schema::Schema;
use floeberg_core::{Cancel, Result};
use floeberg_exec::budget::thread_budget;
use floeberg_exec::threads::ordered;
use floeberg_iceberg::manifest::ManifestFile;
use floeberg_iceberg::metadata::{HintedFile, Snapshot, TableMetadata, hinted_metadata, locate_metadata};
use floeberg_iceberg::{OpenOptions, Table, View};
use floeberg_io::location::{join, parent};
use floeberg_io::{Location, Relocation, open_store};

use super::document::{Document, check_document};
use super::file_task::{SentFile, tasks};
use super::files::{FileChecks, FileEntry, check_file, check_statistics_files};
use super::history::Past;
use super::known::Known;
use super::manifest::{Across, Stored, key_of, number as number_of};
use super::parts::{list, log_of, past_of, read_manifest};
use super::reading::Reading;
use super::request::CheckRequest;
use super::rules::documents::{METADATA_LOG_FILE, METADATA_READABLE, METADATA_STRICT, VERSION_HINT};

/// A check of a table or a view: its findings, in the order of the levels. It ends after an error.
#[derive(Debug)]
pub struct Check {
    reading: Reading,
    request: CheckRequest,
    cancel: Cancel,
    location: String,
    /// Metadata that a catalog gave, for where its file cannot be read.
    given: Option<Vec<u8>>,
    ready: VecDeque<Finding>,
    step: Step,
    log: VecDeque<(String, Option<i64>)>,
    past: Option<Past>,
    newest: Option<Past>,
    known: Option<Arc<Known>>,
    snapshots: Vec<Arc<Snapshot>>,
    listed: usize,
    /// The snapshots whose files are not known, by their numbers.
    unlisted: HashSet<u32>,
    base: Option<Arc<Snapshot>>,
    unread: HashSet<String>,
    /// Those to read, with their numbers; `None` for what another manifest list says of a known one.
    manifests: VecDeque<(Option<u32>, ManifestFile)>,
    /// Those that were read, for their files.
    read: VecDeque<(u32, ManifestFile)>,
    files: VecDeque<FileEntry>,
    checks: Option<Arc<FileChecks>>,
    across: Across,
    /// Do other processes check the files?
    leaves_files: bool,
}

/// What comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Document,
    Log,
    Lists,
    Manifests,
    Across,
    Files,
    Done,
}

impl Check {
    /// A check of a table or a view at a location: a metadata file, or a folder. Nothing is read yet, so that what cannot be opened is a
    /// finding.
    ///
    /// Errors: `InvalidInput` for the request; `Unsupported` for a scheme without a store.
    pub fn of_location(
        location: &str,
        options: &OpenOptions,
        request: CheckRequest,
        cancel: &Cancel,
    ) -> Result<Self> {
        let relocate =
            options.relocate.iter().map(|(written, now)| Ok((written.clone(), Location::from_user(now)?)));
        let relocation = Relocation::new(&relocate.collect::<Result<Vec<_>>>()?)?;
        let location = relocation.apply(&Location::from_user(location)?);
        let reading = Reading { store: open_store(&options.storage)?, relocation: Arc::new(relocation) };
        Self::new(reading, location, request, cancel)
    }

    /// A check of a table that is open. Its files are read again.
    ///
    /// Errors: `InvalidInput` for the request.
    pub fn of_table(table: &Table, request: CheckRequest, cancel: &Cancel) -> Result<Self> {
        let reading =
            Reading { store: Arc::clone(table.store()), relocation: Arc::clone(table.relocation()) };
        let given = table.metadata().to_text()?.into_bytes();
        let check = Self::new(reading, table.metadata_location().to_owned(), request, cancel)?;
        Ok(Self { given: Some(given), ..check })
    }

    /// A check of a view that is open. Its file is read again.
    ///
    /// Errors: `InvalidInput` for the request; those of opening its store.
    pub fn of_view(view: &View, request: CheckRequest, cancel: &Cancel) -> Result<Self> {
        let options = view.options();
        let relocation = Arc::new(Relocation::new(&options.relocate)?);
        let reading = Reading { store: open_store(&options.storage)?, relocation };
        Self::new(reading, view.metadata_location().to_owned(), request, cancel)
    }

    fn new(reading: Reading, location: String, request: CheckRequest, cancel: &Cancel) -> Result<Self> {
        request.check()?;
        Ok(Self {
            reading,
            request,
            cancel: cancel.clone(),
            location,
            given: None,
            ready: VecDeque::new(),
            step: Step::Document,
            log: VecDeque::new(),
            past: None,
            newest: None,
            known: None,
            snapshots: Vec::new(),
            listed: 0,
            unlisted: HashSet::new(),
            base: None,
            unread: HashSet::new(),
            manifests: VecDeque::new(),
            read: VecDeque::new(),
            files: VecDeque::new(),
            checks: None,
            across: Across::default(),
            leaves_files: false,
        })
    }

    /// Leaves the files that manifests name to [`Check::file_tasks`].
    #[must_use]
    pub fn leaving_files(self) -> Self {
        Self { leaves_files: true, ..self }
    }

    /// What checks the files that were left, after all findings were taken: the metadata, and at most so many tasks. `None` where there
    /// is nothing to check.
    ///
    /// Errors: those of the store; `Cancelled`.
    pub fn file_tasks(&mut self, most_tasks: usize) -> Result<Option<(&TableMetadata, Vec<String>)>> {
        let Some(checks) = self.checks.clone() else { return Ok(None) };
        let mut manifests = Vec::new();
        while !self.read.is_empty() {
            for (manifest, number, stored) in self.stored_again(&checks)? {
                self.add_files(number, &manifest, stored);
                let entries = std::mem::take(&mut self.files);
                let sent = |entry: &FileEntry| SentFile {
                    row: entry.row,
                    schema_id: self.schema_of(&checks, entry).schema_id(),
                    rows: self.rows_of(entry),
                };
                manifests.push((manifest, entries.iter().map(sent).collect()));
            }
        }
        let metadata = self.checks.as_ref().map(|checks| &checks.known.metadata);
        Ok(metadata.map(|metadata| (metadata, tasks(&manifests, most_tasks))))
    }

    /// The next findings: at least one, if there is one, and else those that are found already, up to a number.
    ///
    /// Errors: those of the store, and of the request; `Cancelled`.
    pub fn take_some(&mut self, most: usize) -> Result<Vec<Finding>> {
        let mut some = Vec::new();
        while some.len() < most && (some.is_empty() || !self.ready.is_empty()) {
            match self.next() {
                Some(finding) => some.push(finding?),
                None => break,
            }
        }
        Ok(some)
    }

    fn found(&mut self, findings: Findings) {
        self.ready.extend(findings.into_list());
    }

    fn advance(&mut self) -> Result<()> {
        self.cancel.check()?;
        self.step = match self.step {
            Step::Document => self.document()?,
            Step::Log => self.log()?,
            Step::Lists => self.lists()?,
            Step::Manifests => self.manifests()?,
            Step::Across => self.across()?,
            Step::Files => self.files()?,
            Step::Done => Step::Done,
        };
        Ok(())
    }

    fn document(&mut self) -> Result<Step> {
        let located = locate_metadata(self.reading.store.as_ref(), &self.location);
        let location = match located {
            Ok(location) => location,
            Err(error) if is_of_file(&error) => {
                let mut found = Findings::of(&self.location);
                found.add(&METADATA_READABLE, "", error);
                self.found(found);
                return Ok(Step::Done);
            }
            Err(error) => return Err(error),
        };
        self.location = location;
        if let Some(folder) = parent(&self.location)
            && let HintedFile::Broken(why) = hinted_metadata(self.reading.store.as_ref(), folder)?
        {
            let mut found = Findings::of(&join(folder, "version-hint.text"));
            found.add(&VERSION_HINT, "", why);
            self.found(found);
        }
        let read = self
            .reading
            .store
            .open(&self.location)
            .and_then(|source| source.read_all(floeberg_iceberg::wire::json::MAX_METADATA_BYTES));
        let bytes = match &read {
            Ok(bytes) => Ok(bytes.as_ref()),
            Err(error) if is_of_file(error) => Err(error),
            Err(_) => return read.map(|_| Step::Done),
        };
        let (found, mut document) = check_document(&self.location, bytes);
        self.found(found);
        if document.table.is_none()
            && bytes.is_err()
            && let Some(given) = self.given.take()
        {
            let (found, of_given) = check_document(&self.location, Ok(&given));
            self.found(found);
            document = of_given;
        }
        self.begin(document)
    }

    fn begin(&mut self, document: Document) -> Result<Step> {
        let Some(table) = document.table else { return Ok(Step::Done) };
        self.newest = Some(Past::new(&table));
        self.log = log_of(&table);
        let Some(metadata) = document.metadata else { return Ok(Step::Log) };
        (self.snapshots, self.base) = self.request.snapshots(&metadata)?;
        match Known::new(metadata) {
            Ok(known) => self.known = Some(Arc::new(known)),
            Err(error) if is_of_file(&error) => {
                if self.ready.is_empty() {
                    let mut found = Findings::of(&self.location);
                    found.add(&METADATA_STRICT, "partition-specs", error);
                    self.found(found);
                }
            }
            Err(error) => return Err(error),
        }
        Ok(Step::Log)
    }

    /// Some metadata files of the log.
    fn log(&mut self) -> Result<Step> {
        let some: Vec<_> = (0..thread_budget()?).map_while(|_| self.log.pop_front()).collect();
        if some.is_empty() {
            if let (Some(past), Some(newest)) = (self.past.take(), self.newest.take()) {
                let found = past.check_next(&newest, &self.location);
                self.found(found);
            }
            let is_over = self.request.level < Level::Manifests || self.known.is_none();
            return Ok(if is_over { Step::Done } else { Step::Lists });
        }
        let reading = &self.reading;
        let read = ordered(&some, thread_budget()?, &self.cancel, |(location, said)| {
            Ok((location.clone(), past_of(reading, location)?, *said))
        })?;
        for (location, past, said) in read {
            match past {
                Ok(Some(past)) => {
                    self.found(past.check_time(said, &location));
                    if let Some(before) = self.past.replace(past.clone()) {
                        let found = before.check_next(&past, &location);
                        self.found(found);
                    }
                }
                Ok(None) => {
                    let mut found = Findings::of(&self.location);
                    found.add(&METADATA_LOG_FILE, "metadata-log", format_args!("{location} is not there"));
                    self.found(found);
                }
                Err(message) => {
                    let mut found = Findings::of(&location);
                    found.add(&METADATA_READABLE, "", message);
                    self.found(found);
                }
            }
        }
        Ok(Step::Log)
    }

    /// Some manifest lists.
    fn lists(&mut self) -> Result<Step> {
        let Some(known) = self.known.clone() else { return Ok(Step::Done) };
        if let Some(base) = self.base.take() {
            // What it has was checked before, and its own findings are not new.
            let manifests = list(&self.reading, &known, &base)?.1.unwrap_or_default();
            for manifest in manifests {
                self.across.is_new_entry(&manifest);
                self.unread.insert(manifest.manifest_path);
            }
        }
        let end = self.snapshots.len().min(self.listed + thread_budget()?.max(1));
        let some: Vec<Arc<Snapshot>> = self.snapshots[self.listed..end].to_vec();
        if some.is_empty() {
            return Ok(Step::Manifests);
        }
        let reading = &self.reading;
        let read =
            ordered(&some, thread_budget()?, &self.cancel, |snapshot| list(reading, &known, snapshot))?;
        for (number, (found, manifests)) in (self.listed..).zip(read) {
            self.found(found);
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let Some(manifests) = manifests else {
                self.unlisted.insert(number);
                continue;
            };
            for manifest in manifests {
                let is_read_before = self.unread.contains(&manifest.manifest_path);
                if manifest.key_metadata.is_some() && self.reading.store.keys().is_none() {
                    if !is_read_before {
                        self.unlisted.insert(number);
                    }
                    continue;
                }
                let is_new_entry = self.across.is_new_entry(&manifest);
                let number = if is_read_before { None } else { self.across.add(&manifest, number) };
                // A list that says something else of a known manifest is compared with it, too.
                if number.is_some() || is_new_entry {
                    self.manifests.push_back((number, manifest));
                }
            }
        }
        self.listed = end;
        Ok(Step::Lists)
    }

    /// Some manifests.
    fn manifests(&mut self) -> Result<Step> {
        let Some(known) = self.known.clone() else { return Ok(Step::Done) };
        let some: Vec<_> = (0..thread_budget()?).map_while(|_| self.manifests.pop_front()).collect();
        if some.is_empty() {
            return Ok(Step::Across);
        }
        let reading = &self.reading;
        let read = ordered(&some, thread_budget()?, &self.cancel, |(_, manifest)| {
            read_manifest(reading, &known, manifest)
        })?;
        for ((number, manifest), checked) in some.into_iter().zip(read) {
            self.found(checked.found);
            if let (Some(number), true) = (number, checked.stored.is_some()) {
                self.across.add_digest(number, checked.digest);
                if self.request.level >= Level::Files {
                    self.read.push_back((number, manifest));
                }
            }
        }
        Ok(Step::Manifests)
    }

    /// All manifests together.
    fn across(&mut self) -> Result<Step> {
        let found = self.across.check_files();
        self.found(found);
        let is_whole = self.unread.is_empty();
        for number in 0..self.snapshots.len() {
            let snapshot = Arc::clone(&self.snapshots[number]);
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            if self.unlisted.contains(&number) {
                continue;
            }
            let found = self.across.check_snapshot(number, &snapshot, &self.location, is_whole);
            self.found(found);
        }
        let Some(known) = self.known.clone().filter(|_| self.request.level >= Level::Files) else {
            return Ok(Step::Done);
        };
        let mapping = known.metadata.name_mapping().unwrap_or_default();
        let (reading, level, cancel) = (self.reading.clone(), self.request.level, self.cancel.clone());
        let checks = FileChecks { known, reading, level, mapping, cancel };
        self.found(check_statistics_files(&checks)?);
        self.checks = Some(Arc::new(checks));
        Ok(Step::Files)
    }

    /// Some files.
    fn files(&mut self) -> Result<Step> {
        let Some(checks) = self.checks.clone() else { return Ok(Step::Done) };
        if self.leaves_files {
            return Ok(Step::Done);
        }
        let at_once = thread_budget()?.max(1);
        if self.files.is_empty() {
            let read = self.stored_again(&checks)?;
            if read.is_empty() {
                return Ok(Step::Done);
            }
            for (manifest, number, stored) in read {
                self.add_files(number, &manifest, stored);
            }
        }
        let some: Vec<_> = (0..at_once * 8).map_while(|_| self.files.pop_front()).collect();
        let found = ordered(&some, at_once, &self.cancel, |entry| {
            check_file(&checks, entry, self.schema_of(&checks, entry), self.rows_of(entry))
        })?;
        for found in found {
            self.found(found);
        }
        Ok(Step::Files)
    }

    /// Some manifests whose files are opened, read again.
    fn stored_again(&mut self, checks: &FileChecks) -> Result<Vec<(ManifestFile, u32, Option<Stored>)>> {
        let at_once = thread_budget()?.max(1);
        let some: Vec<_> = (0..at_once).map_while(|_| self.read.pop_front()).collect();
        let read = ordered(&some, at_once, &self.cancel, |(_, manifest)| {
            Ok(read_manifest(&checks.reading, &checks.known, manifest)?.stored)
        })?;
        Ok(some
            .into_iter()
            .zip(read)
            .map(|((number, manifest), stored)| (manifest, number, stored))
            .collect())
    }

    /// The schema that a file is read with: that of the newest snapshot that has it.
    fn schema_of<'c>(&self, checks: &'c FileChecks, entry: &FileEntry) -> &'c Schema {
        let metadata = &checks.known.metadata;
        let snapshot = self.snapshots.get(entry.snapshot as usize);
        let schema = snapshot.and_then(|snapshot| metadata.schema_for_snapshot(snapshot).ok());
        schema.unwrap_or_else(|| metadata.current_schema())
    }

    /// The rows of the data file that a vector is of.
    fn rows_of(&self, entry: &FileEntry) -> Option<i64> {
        entry.stored.referenced(entry.row).and_then(|path| self.across.rows_of(path))
    }

    /// The live files of a manifest that are opened.
    fn add_files(&mut self, number: u32, manifest: &ManifestFile, stored: Option<Stored>) {
        let Some(stored) = stored.map(Arc::new) else { return };
        let snapshot = self.across.newest_snapshot(number);
        for row in (0..stored.len()).filter(|row| stored.is_live(*row)) {
            let offset = number_of(&stored.offset, row).filter(|_| stored.is_vector(row));
            let key = key_of(stored.path.value(row), offset);
            // A file that several manifests have is opened once.
            if self.across.is_first(key, number) && is_sampled(key, self.request.sample) {
                let (stored, spec_id) = (Arc::clone(&stored), manifest.partition_spec_id);
                self.files.push_back(FileEntry { stored, row, spec_id, snapshot });
            }
        }
    }
}

impl Iterator for Check {
    type Item = Result<Finding>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(finding) = self.ready.pop_front() {
                return Some(Ok(finding));
            }
            if self.step == Step::Done {
                return None;
            }
            if let Err(error) = self.advance() {
                self.step = Step::Done;
                return Some(Err(error));
            }
        }
    }
}
