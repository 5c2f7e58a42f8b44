//! A table in memory, and a catalog that is a variable: commits are tried and taken.

use std::collections::{BTreeMap, BTreeSet};

use floeberg_core::expr::parse;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, Error, Result};
use floeberg_iceberg::manifest::{
    DataFile, EntryRequest, ManifestEntry, ManifestFile, parse_manifest, parse_manifest_list,
};
use floeberg_iceberg::metadata::{RefKind, SnapshotManifests, SnapshotRef, TableMetadata, declare_table};
use floeberg_iceberg::write::{Receipt, WrittenFile};
use floeberg_iceberg::{OpenOptions, Table};
use floeberg_io::location::join;
use floeberg_io::{MemoryStore, Store, StoreOptions};
use serde_json::{Value as Json, json};

use crate::{Attempt, Commit, CommitRequest, NewTable, Operation, RefChange, SnapshotChoice};
use floeberg_io::random::random_uuid;

/// A table that only this test knows.
pub(super) struct Kit {
    pub table: Option<Table>,
    pub location: String,
    version: u32,
}

impl Kit {
    /// A place without a table.
    pub fn empty() -> Self {
        Self { table: None, location: format!("memory://{}/t", random_uuid()), version: 0 }
    }

    /// A table of `id` and `day`, partitioned by `day`.
    pub fn partitioned(format_version: u8, properties: &[(&str, &str)]) -> Self {
        let mut kit = Self::empty();
        let create = kit.create(format_version, &json!(["day"]), properties);
        kit.commit(vec![create]);
        kit
    }

    pub fn create(&self, format_version: u8, partitions: &Json, properties: &[(&str, &str)]) -> Operation {
        let schema = json!({ "type": "struct", "schema-id": 0, "fields": [
            { "id": 1, "name": "id", "required": false, "type": "long" },
            { "id": 2, "name": "day", "required": false, "type": "string" }
        ] });
        Operation::CreateTable(Box::new(NewTable {
            declared: declare_table(&schema, partitions, &Json::Null, format_version).unwrap(),
            location: self.location.clone(),
            properties: map(properties),
            format_version,
            uuid: None,
        }))
    }

    pub fn begin(&self, operations: Vec<Operation>, key: &str) -> Commit {
        Commit::begin(CommitRequest { key: key.to_owned(), ..self.request(operations) }).unwrap()
    }

    pub fn request(&self, operations: Vec<Operation>) -> CommitRequest {
        CommitRequest {
            operations,
            starting: self.table.clone(),
            storage: StoreOptions::default(),
            properties: BTreeMap::new(),
            branch: "main".to_owned(),
            key: "k".to_owned(),
            validate_from_snapshot_ids: Vec::new(),
            files_are_new: true,
            stage_only: false,
            leaves_record: false,
        }
    }

    pub fn attempt(&self, commit: &Commit) -> Result<Attempt> {
        commit.attempt(self.table.as_ref(), &Cancel::default())
    }

    /// Takes an attempt: the next version of the table.
    pub fn take(&mut self, attempt: &Attempt) {
        self.version += 1;
        let location =
            join(&attempt.metadata().metadata_folder(), &format!("v{}.metadata.json", self.version));
        attempt.write_metadata(&location, true).unwrap();
        let table = attempt.table(&location).unwrap();
        let read = Table::open_at(&location, OpenOptions::default()).unwrap();
        assert_eq!(read.metadata(), table.metadata(), "what was written is what is read");
        self.table = Some(table);
    }

    pub fn try_to_commit(&mut self, operations: Vec<Operation>) -> Result<()> {
        let commit = self.begin(operations, &random_uuid());
        let attempt = self.attempt(&commit).inspect_err(|_| {
            commit.abandon();
        })?;
        if attempt.changes() {
            self.take(&attempt);
        }
        assert_eq!(commit.finished(&attempt), Vec::<String>::new());
        Ok(())
    }

    pub fn commit(&mut self, operations: Vec<Operation>) {
        self.try_to_commit(operations).unwrap();
    }

    pub fn refused(&mut self, operation: Operation) -> Error {
        let before = self.files();
        let error = self.try_to_commit(vec![operation]).unwrap_err();
        assert_eq!(self.files(), before, "what failed leaves nothing");
        error
    }

    pub fn metadata(&self) -> &TableMetadata {
        self.table.as_ref().unwrap().metadata()
    }

    /// The names of the files of the metadata folder.
    pub fn files(&self) -> BTreeSet<String> {
        let store = MemoryStore::shared();
        let entries = store.list(&join(&self.location, "metadata")).unwrap_or_default();
        entries.into_iter().map(|entry| entry.name).collect()
    }

    /// The names of the files that the current metadata and its snapshots need.
    pub fn needed(&self) -> BTreeSet<String> {
        let mut needed = BTreeSet::new();
        let name = |location: &str| location.rsplit('/').next().unwrap().to_owned();
        needed.insert(name(self.table.as_ref().unwrap().metadata_location()));
        needed.extend(self.metadata().metadata_log.iter().map(|entry| name(&entry.metadata_file)));
        for snapshot in &self.metadata().snapshots {
            let SnapshotManifests::List(list) = &snapshot.manifests else { panic!("a list") };
            needed.insert(name(list));
            let manifests = self.manifests_of(snapshot.snapshot_id);
            needed.extend(manifests.iter().map(|manifest| name(&manifest.manifest_path)));
        }
        needed
    }

    pub fn manifests_of(&self, snapshot_id: i64) -> Vec<ManifestFile> {
        let snapshot = self.metadata().snapshot(snapshot_id).unwrap();
        let SnapshotManifests::List(list) = &snapshot.manifests else { panic!("a list") };
        parse_manifest_list(&bytes(list), list).unwrap()
    }

    pub fn manifests(&self) -> Vec<ManifestFile> {
        self.manifests_of(self.metadata().current_snapshot_id.unwrap())
    }

    /// The entries of a manifest, deleted ones too.
    pub fn entries(&self, manifest: &ManifestFile) -> Vec<ManifestEntry> {
        let spec = self.metadata().spec(manifest.partition_spec_id).unwrap();
        let partition_type = spec.partition_type(self.metadata()).unwrap();
        let wanted = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
        let entries =
            parse_manifest(&bytes(&manifest.manifest_path), manifest, &partition_type, &wanted).unwrap();
        (0..entries.len()).map(|row| entries.entry(row, &partition_type).unwrap()).collect()
    }

    /// The live files of the current snapshot, with their data sequence numbers.
    pub fn live(&self) -> BTreeMap<String, i64> {
        let mut live = BTreeMap::new();
        for manifest in self.manifests() {
            for entry in self.entries(&manifest) {
                if entry.status != floeberg_iceberg::manifest::EntryStatus::Deleted {
                    let path = entry.data_file.file_path.clone();
                    assert_eq!(live.insert(path, entry.sequence_number.unwrap()), None, "live once");
                }
            }
        }
        live
    }

    pub fn live_paths(&self) -> Vec<String> {
        self.live().into_keys().collect()
    }

    /// A word of the current snapshot's summary.
    pub fn said(&self, name: &str) -> Option<&str> {
        self.metadata().current_snapshot().unwrap().summary.get(name).map(String::as_str)
    }
}

pub(super) fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

pub(super) fn bytes(location: &str) -> bytes::Bytes {
    MemoryStore::shared().open(location).unwrap().read_all(1 << 20).unwrap()
}

/// A file of ten rows of a day, whose ids are between two numbers.
pub(super) fn file(path: &str, day: &str, ids: (i64, i64)) -> WrittenFile {
    let bounds = |id: i64| Some(BTreeMap::from([(1, id.to_le_bytes().to_vec())]));
    let counts = |count: i64| Some(BTreeMap::from([(1, count), (2, count)]));
    WrittenFile {
        spec_id: 0,
        file: DataFile {
            partition: vec![Some(Value::String(day.to_owned()))],
            record_count: 10,
            file_size_in_bytes: 100,
            value_counts: counts(10),
            null_value_counts: counts(0),
            lower_bounds: bounds(ids.0),
            upper_bounds: bounds(ids.1),
            ..DataFile::new(path, "PARQUET")
        },
        purpose: None,
    }
}

pub(super) fn receipt(files: Vec<WrittenFile>) -> Receipt {
    Receipt::new(files).unwrap()
}

/// A fast append of a file of ten rows.
pub(super) fn append(path: &str, day: &str) -> Operation {
    Operation::Append { receipt: receipt(vec![file(path, day, (0, 9))]), merge: Some(false) }
}

/// Makes a branch or a tag.
pub(super) fn create_ref(name: &str, snapshot_id: i64, kind: RefKind) -> Operation {
    let reference = SnapshotRef::new(snapshot_id, kind);
    Operation::ChangeRef(RefChange::Create { name: name.to_owned(), reference, of_head: false, of: None })
}

pub(super) fn remove_branch(name: &str) -> Operation {
    Operation::ChangeRef(RefChange::Remove { name: name.to_owned(), kind: RefKind::Branch })
}

/// Makes a snapshot the newest of the branch.
pub(super) fn set_current(snapshot_id: i64) -> Operation {
    Operation::ChangeRef(RefChange::SetCurrent(SnapshotChoice::Id(snapshot_id)))
}

pub(super) fn merge_append(path: &str, day: &str) -> Operation {
    Operation::Append { receipt: receipt(vec![file(path, day, (0, 9))]), merge: None }
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

pub(super) fn overwrite(files: Vec<WrittenFile>, filter: &str) -> Operation {
    let (filter, receipt) = (parse(filter).unwrap(), receipt(files));
    Operation::Overwrite { receipt, filter, case_sensitive: true, isolation: None, mode: None }
}

/// Renames a column.
pub(super) fn rename(name: &str, new: &str) -> Operation {
    Operation::UpdateSchema(json!({
        "changes": [{ "change": "rename-column", "name": name, "new-name": new }]
    }))
}
