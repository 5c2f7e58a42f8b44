//! A table in memory, in a store that says when each file was written, by a clock of the test.

#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use floeberg_commit::{Attempt, Commit, CommitRequest, NewTable, Operation, RefChange, SnapshotChoice};
use floeberg_core::expr::parse;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{
    AllManifests, DataFile, ManifestCache, ManifestFile, ManifestReader, ReachableFile,
};
use floeberg_iceberg::metadata::{RefKind, SnapshotRef, declare_table};
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_io::location::join;
use floeberg_io::random::random_uuid;
use floeberg_io::testing::CountingStore;
use floeberg_io::{Entry, MemoryStore, Sink, Source, Store, StoreOptions};
use serde_json::{Value as Json, json};

use super::ExpiredFiles;
use crate::earlier::{MayGo, without_earlier};

pub(super) const DAY: i64 = 24 * 60 * 60 * 1000;

/// A table of `id` and `day`, partitioned by `day`, and the clock of its store.
pub(super) struct Kit {
    pub(super) table: Option<Table>,
    pub(super) store: TimedStore,
    location: String,
    version: u32,
    now: i64,
}

impl Kit {
    pub(super) fn new(format_version: u8) -> Self {
        let location = format!("memory://{}/t", random_uuid());
        let mut kit =
            Self { table: None, store: TimedStore::default(), location, version: 0, now: 1_000 * DAY };
        let schema = json!({ "type": "struct", "schema-id": 0, "fields": [
            { "id": 1, "name": "id", "required": false, "type": "long" },
            { "id": 2, "name": "day", "required": false, "type": "string" }
        ] });
        let location = kit.location.clone();
        kit.commit(Operation::CreateTable(Box::new(NewTable {
            declared: declare_table(&schema, &json!(["day"]), &Json::Null, format_version).unwrap(),
            location,
            properties: BTreeMap::new(),
            format_version,
            uuid: None,
        })));
        kit
    }

    pub(super) fn now(&self) -> i64 {
        self.now
    }

    /// Time passes.
    pub(super) fn later(&mut self, ms: i64) {
        self.now += ms;
    }

    /// The location of a data file.
    pub(super) fn data(&self, name: &str) -> String {
        format!("{}/data/{name}", self.location)
    }

    pub(super) fn commit(&mut self, operation: Operation) {
        self.try_to_commit(operation).unwrap();
    }

    pub(super) fn try_to_commit(&mut self, operation: Operation) -> Result<()> {
        let operation = self.in_folder(operation);
        let commit = Commit::begin(CommitRequest {
            operations: vec![operation],
            starting: self.table.clone(),
            storage: StoreOptions::default(),
            properties: BTreeMap::new(),
            branch: "main".to_owned(),
            key: random_uuid(),
            validate_from_snapshot_ids: Vec::new(),
            files_are_new: true,
            stage_only: false,
            leaves_record: false,
        })?;
        let attempt = commit.attempt(self.table.as_ref(), &Cancel::default())?;
        if attempt.changes() {
            self.take(&attempt);
        }
        commit.finished(&attempt);
        Ok(())
    }

    fn take(&mut self, attempt: &Attempt) {
        self.version += 1;
        let location =
            join(&attempt.metadata().metadata_folder(), &format!("v{}.metadata.json", self.version));
        attempt.write_metadata(&location, true).unwrap();
        self.table = Some(attempt.table(&location).unwrap());
        self.now += 1_000;
        for name in MemoryStore::shared().file_names(&join(&self.location, "metadata")).unwrap() {
            self.store.written(&format!("{}/metadata/{name}", self.location), self.now);
        }
    }

    /// The same with data files in the folder of the table, which are written now where they are not there.
    fn in_folder(&mut self, operation: Operation) -> Operation {
        let Operation::Append { receipt, merge } = operation else { return operation };
        let files = receipt.files().iter().cloned().map(|mut each: WrittenFile| {
            each.file.file_path = self.data(&each.file.file_path);
            self.store.written(&each.file.file_path, self.now);
            each
        });
        let receipt = Receipt::new(files.collect()).unwrap();
        Operation::Append { receipt, merge }
    }

    fn opened(&self) -> &Table {
        self.table.as_ref().unwrap()
    }

    pub(super) fn snapshots(&self) -> Vec<i64> {
        self.opened().metadata().snapshots.iter().map(|snapshot| snapshot.snapshot_id).collect()
    }

    pub(super) fn current(&self) -> i64 {
        self.opened().metadata().current_snapshot_id.unwrap()
    }

    fn reader(&self) -> (ManifestReader, CountingStore) {
        let counting = CountingStore::new(Arc::new(self.store.clone()));
        let reader = ManifestReader {
            store: Arc::new(counting.clone()),
            relocation: Arc::default(),
            cache: Arc::new(ManifestCache::new(0)),
            threads: 2,
            cancel: Cancel::default(),
            is_planned_by_server: false,
        };
        (reader, counting)
    }

    pub(super) fn manifests_of(&self, snapshot_id: i64) -> Vec<String> {
        let snapshot = self.opened().metadata().snapshot(snapshot_id).unwrap();
        let found = self.reader().0.manifests(snapshot).unwrap();
        found.into_iter().map(|manifest| manifest.manifest_path).collect()
    }

    /// What goes, and which files were read for it.
    pub(super) fn unneeded(
        &self,
        before: Option<&Table>,
        bytes: Option<u64>,
    ) -> (Vec<ReachableFile>, BTreeSet<String>) {
        self.try_unneeded(before, bytes).unwrap()
    }

    pub(super) fn try_unneeded(
        &self,
        before: Option<&Table>,
        bytes: Option<u64>,
    ) -> Result<(Vec<ReachableFile>, BTreeSet<String>)> {
        let (reader, counting) = self.reader();
        self.store.0.questions.store(0, Ordering::Relaxed);
        let old = before.unwrap().metadata();
        let found = ExpiredFiles::of((old, &reader), (self.opened().metadata(), &reader), bytes)?;
        let files = found.unneeded_here(&Cancel::default())?;
        Ok((files, counting.by_location().into_keys().collect()))
    }

    /// The manifests that are read for files of these sequence numbers, which were written now.
    pub(super) fn to_be_read(&self, before: Option<&Table>, numbers: &[Option<i64>]) -> BTreeSet<String> {
        let reader = self.reader().0;
        let location = self.data("some");
        self.store.set(&location, self.now + 9 * DAY);
        let files: Vec<MayGo<'_>> =
            numbers.iter().map(|added_at| MayGo { location: &location, added_at: *added_at }).collect();
        let (old, new) = (before.unwrap().metadata(), self.opened().metadata());
        let manifests = AllManifests::new(reader.clone(), new.snapshots.clone());
        let manifests: Vec<ManifestFile> = manifests.collect::<Result<_>>().unwrap();
        let left = without_earlier(manifests, &files, (&old.snapshots, &new.snapshots), &reader, 0).unwrap();
        left.into_iter().map(|manifest| manifest.manifest_path).collect()
    }
}

/// Appends a file of ten rows of a day.
pub(super) fn append(name: &str, day: &str) -> Operation {
    let file = DataFile {
        partition: vec![Some(Value::String(day.to_owned()))],
        record_count: 10,
        file_size_in_bytes: 100,
        ..DataFile::new(name, "PARQUET")
    };
    let receipt = Receipt::new(vec![WrittenFile { spec_id: 0, file, purpose: None }]).unwrap();
    Operation::Append { receipt, merge: Some(false) }
}

pub(super) fn delete(filter: &str) -> Operation {
    Operation::Delete {
        filter: parse(filter).unwrap(),
        case_sensitive: true,
        isolation: None,
        mode: None,
        finds_again: false,
    }
}

pub(super) fn create_tag(name: &str, snapshot_id: i64) -> Operation {
    let reference = SnapshotRef::new(snapshot_id, RefKind::Tag);
    Operation::ChangeRef(RefChange::Create { name: name.to_owned(), reference, of_head: false, of: None })
}

pub(super) fn set_current(snapshot_id: i64) -> Operation {
    Operation::ChangeRef(RefChange::SetCurrent(SnapshotChoice::Id(snapshot_id)))
}

/// Files in memory, with the times that a test gives them.
#[derive(Debug, Clone, Default)]
pub(super) struct TimedStore(Arc<Times>);

#[derive(Debug, Default)]
struct Times {
    /// `None` where the store does not say it.
    by_location: Mutex<BTreeMap<String, Option<i64>>>,
    lost: Mutex<BTreeSet<String>>,
    questions: AtomicUsize,
}

impl TimedStore {
    /// A file is written, if it is not there.
    fn written(&self, location: &str, now: i64) {
        self.0.by_location.lock().unwrap().entry(location.to_owned()).or_insert(Some(now));
    }

    pub(super) fn set(&self, location: &str, time: i64) {
        self.0.by_location.lock().unwrap().insert(location.to_owned(), Some(time));
    }

    pub(super) fn says_nothing_of(&self, location: &str) {
        self.0.by_location.lock().unwrap().insert(location.to_owned(), None);
    }

    pub(super) fn forget(&self, location: &str) {
        self.0.by_location.lock().unwrap().remove(location);
    }

    /// The file is not there any more.
    pub(super) fn lose(&self, location: &str) {
        self.forget(location);
        self.0.lost.lock().unwrap().insert(location.to_owned());
    }

    pub(super) fn questions(&self) -> usize {
        self.0.questions.load(Ordering::Relaxed)
    }
}

impl Store for TimedStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        if self.0.lost.lock().unwrap().contains(location) {
            return Err(Error::not_found("the file does not exist").with("path", location));
        }
        MemoryStore::shared().open(location)
    }

    fn exists(&self, location: &str) -> Result<bool> {
        MemoryStore::shared().exists(location)
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        MemoryStore::shared().list(folder)
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        self.0.questions.fetch_add(1, Ordering::Relaxed);
        match self.0.by_location.lock().unwrap().get(location) {
            Some(Some(time)) => Ok(*time),
            Some(None) => Err(Error::unsupported("the store does not say when its files were written")),
            None => Err(Error::not_found("the file does not exist").with("path", location)),
        }
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        MemoryStore::shared().create(location)
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        MemoryStore::shared().put_if_absent(location, bytes)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        Store::put(&MemoryStore::shared(), location, bytes)
    }

    fn remove(&self, location: &str) -> Result<()> {
        Store::remove(&MemoryStore::shared(), location)
    }
}
