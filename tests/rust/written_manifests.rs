//! Are manifests and manifest lists written as Iceberg Java writes them, and is nothing lost when one is written again?

use std::fs;

use corpus::Case;
use floeberg_avro::write::ContainerOptions;
use floeberg_avro::{Container, Limits};
use floeberg_core::schema::json::{schema_from_json, schema_to_json};
use floeberg_core::schema::{Schema, StructType};
use floeberg_iceberg::manifest::{
    EntryRequest, EntryStatus, ManifestContent, ManifestEntry, ManifestFile, ManifestHeader,
    ManifestListRequest, ManifestListWriter, ManifestRequest, ManifestWriter, WrittenManifest,
    manifest_header, parse_manifest, parse_manifest_list,
};
use floeberg_iceberg::metadata::{PartitionSpec, SnapshotManifests};
use serde_json::Value as Json;

use crate::metadata::{metadata, tables};

/// A manifest of the corpus with what its table says of it.
struct Manifest {
    bytes: Vec<u8>,
    file: ManifestFile,
    header: ManifestHeader,
    schema: Schema,
    spec: PartitionSpec,
    partition_type: StructType,
}

impl Manifest {
    fn entries(&self, bytes: &[u8], file: &ManifestFile) -> Vec<ManifestEntry> {
        let request = EntryRequest { with_deleted: true, with_metrics: true, ..EntryRequest::default() };
        let entries = parse_manifest(bytes, file, &self.partition_type, &request).unwrap();
        (0..entries.len()).map(|row| entries.entry(row, &self.partition_type).unwrap()).collect()
    }

    /// Its own; but what an upgraded table gave row ids to is written with them.
    fn format_version(&self, entries: &[ManifestEntry]) -> u8 {
        let has_row_ids = entries.iter().any(|entry| entry.data_file.first_row_id.is_some());
        if has_row_ids { 3 } else { self.header.format_version }
    }

    fn write(&self, entries: &[ManifestEntry]) -> (Vec<u8>, WrittenManifest) {
        let request = ManifestRequest {
            location: &self.file.manifest_path,
            format_version: self.format_version(entries),
            content: self.file.content,
            snapshot_id: self.file.added_snapshot_id.unwrap(),
            schema: &self.schema,
            spec: &self.spec,
            partition_type: &self.partition_type,
            unknown: &[],
        };
        let mut writer = ManifestWriter::new(Vec::new(), &request, &ContainerOptions::default()).unwrap();
        for entry in entries {
            let mut entry = entry.clone();
            if entry.status == EntryStatus::Added {
                // It inherits them: nobody writes the row ids of a new file.
                entry.data_file.first_row_id = None;
            }
            writer.add(&entry).unwrap();
        }
        writer.finish().unwrap()
    }
}

/// The bytes of a snapshot's manifest list, and its manifests.
fn list_of(case: &Case) -> Option<(Vec<u8>, Vec<ManifestFile>)> {
    let table = metadata(case);
    let SnapshotManifests::List(list) = &table.current_snapshot()?.manifests else { return None };
    let bytes = fs::read(case.place(list)).unwrap();
    let files = parse_manifest_list(&bytes, list).ok()?;
    Some((bytes, files))
}

fn manifests_of(case: &Case) -> Vec<Manifest> {
    let table = metadata(case);
    let (_, files) = list_of(case).unwrap_or_default();
    let with_bytes = files.into_iter().map(|file| {
        let bytes = fs::read(case.place(&file.manifest_path)).unwrap();
        let header = manifest_header(&bytes).unwrap();
        let schema = header.schema.as_ref().map(|schema| schema_from_json(schema).unwrap());
        let spec = table.spec(file.partition_spec_id).unwrap();
        Manifest {
            bytes,
            header,
            schema: schema.unwrap_or_else(|| table.schemas[0].as_ref().clone()),
            spec: PartitionSpec::clone(spec),
            partition_type: spec.partition_type(&table).unwrap(),
            file,
        }
    });
    with_bytes.collect()
}

fn header_json(bytes: &[u8], key: &str) -> Json {
    let container = Container::open(bytes, &Limits::default()).unwrap();
    serde_json::from_slice(container.metadata(key).unwrap()).unwrap()
}

fn header_text(bytes: &[u8], key: &str) -> Option<String> {
    let container = Container::open(bytes, &Limits::default()).unwrap();
    container.metadata_text(key).unwrap().map(str::to_owned)
}

/// A schema with the names of its columns. Java leaves letters beyond ASCII in those that Avro sees, which Avro forbids.
fn with_own_names(schema: Json) -> Json {
    match schema {
        Json::Object(mut members) => {
            if let Some(name) = members.remove("iceberg-field-name") {
                members.insert("name".to_owned(), name);
            }
            Json::Object(members.into_iter().map(|(key, value)| (key, with_own_names(value))).collect())
        }
        Json::Array(parts) => Json::Array(parts.into_iter().map(with_own_names).collect()),
        other => other,
    }
}

fn by_java() -> impl Iterator<Item = Case> {
    tables().into_iter().filter(|case| case.name.starts_with("spark-iceberg/"))
}

#[test]
fn schema_and_header_of_a_manifest_are_iceberg_javas() {
    let mut versions = [0; 3];
    for case in by_java() {
        for manifest in manifests_of(&case) {
            let (ours, _) = manifest.write(&[]);
            let (theirs, path) = (&manifest.bytes, &manifest.file.manifest_path);
            let schemas = [&ours, theirs].map(|bytes| with_own_names(header_json(bytes, "avro.schema")));
            assert_eq!(schemas[0], schemas[1], "{path}");
            assert_eq!(header_json(&ours, "partition-spec"), header_json(theirs, "partition-spec"), "{path}");
            for key in ["avro.codec", "partition-spec-id", "format-version", "content"] {
                assert_eq!(header_text(&ours, key), header_text(theirs, key), "{path}: {key}");
            }
            assert_eq!(header_json(&ours, "schema"), schema_to_json(&manifest.schema).unwrap(), "{path}");
            let id = manifest.schema.schema_id().to_string();
            assert_eq!(header_text(&ours, "schema-id"), Some(id), "{path}");
            versions[usize::from(manifest.header.format_version) - 1] += 1;
        }
    }
    assert!(versions.iter().all(|count| *count > 5), "{versions:?} manifests by version");
}

#[test]
fn a_manifest_that_is_written_again_says_the_same() {
    let mut count = 0;
    for case in tables() {
        for manifest in manifests_of(&case) {
            let before = manifest.entries(&manifest.bytes, &manifest.file);
            let (bytes, written) = manifest.write(&before);
            let after = manifest.entries(&bytes, &manifest.file);
            // NaN is not equal to itself; its text is.
            let path = &manifest.file.manifest_path;
            assert_eq!(format!("{after:?}"), format!("{before:?}"), "{path}");
            let ours = written.in_commit(manifest.file.sequence_number);
            same_row(&ours, &manifest.file);
            // Of a manifest without live files the specification says nothing.
            if before.iter().any(|entry| entry.status != EntryStatus::Deleted) {
                assert_eq!(ours.min_sequence_number, manifest.file.min_sequence_number, "{path}");
            }
            count += 1;
        }
    }
    assert!(count > 250, "{count} manifests");
}

/// Does a manifest list say the same of both? Writers may leave out counts and summaries.
fn same_row(ours: &ManifestFile, theirs: &ManifestFile) {
    let counts = |file: &ManifestFile| {
        [
            file.added_files_count,
            file.existing_files_count,
            file.deleted_files_count,
            file.added_rows_count,
            file.existing_rows_count,
            file.deleted_rows_count,
        ]
    };
    let path = &theirs.manifest_path;
    for (ours, theirs) in counts(ours).into_iter().zip(counts(theirs)) {
        assert!(theirs.is_none() || ours == theirs, "{path}: {ours:?}, {theirs:?}");
    }
    assert_eq!(ours.content, theirs.content, "{path}");
    if let Some(theirs) = &theirs.partitions {
        assert_eq!(ours.partitions.as_ref(), Some(theirs), "{path}");
    }
}

#[test]
fn schema_and_header_of_a_manifest_list_are_iceberg_javas() {
    let mut versions = [0; 3];
    for case in by_java() {
        let Some((theirs, files)) = list_of(&case) else { continue };
        let (ours, _) = write_list(&theirs, &files);
        assert_eq!(header_json(&ours, "avro.schema"), header_json(&theirs, "avro.schema"), "{}", case.name);
        let keys = ["avro.codec", "snapshot-id", "parent-snapshot-id", "sequence-number", "first-row-id"];
        for key in keys.into_iter().chain(["format-version"]) {
            assert_eq!(header_text(&ours, key), header_text(&theirs, key), "{}: {key}", case.name);
        }
        assert_eq!(parse_manifest_list(&ours, "ours").unwrap(), files, "{}", case.name);
        let version: usize = header_text(&ours, "format-version").unwrap().parse().unwrap();
        versions[version - 1] += 1;
    }
    assert!(versions.iter().all(|count| *count > 1), "{versions:?} lists by version");
}

fn write_list(theirs: &[u8], files: &[ManifestFile]) -> (Vec<u8>, Option<i64>) {
    let number = |key| header_text(theirs, key).and_then(|text| text.parse::<i64>().ok());
    let request = ManifestListRequest {
        location: "list",
        format_version: number("format-version").unwrap() as u8,
        snapshot_id: number("snapshot-id").unwrap(),
        parent_snapshot_id: number("parent-snapshot-id"),
        sequence_number: number("sequence-number").unwrap_or(0),
        first_row_id: number("first-row-id"),
        unknown: &[],
    };
    let mut writer = ManifestListWriter::new(Vec::new(), &request, &ContainerOptions::default()).unwrap();
    for file in files {
        writer.add(file).unwrap();
    }
    let (bytes, written) = writer.finish().unwrap();
    (bytes, written.next_row_id)
}

#[test]
fn first_row_ids_are_assigned_as_iceberg_java_assigns_them() {
    let mut assigned = 0;
    for case in by_java() {
        let Some((theirs, files)) = list_of(&case) else { continue };
        let Some(first) = header_text(&theirs, "first-row-id").and_then(|text| text.parse::<i64>().ok())
        else {
            continue;
        };
        // Those that the snapshot itself assigned are taken away, and come back.
        let is_new = |file: &ManifestFile| file.first_row_id.is_some_and(|id| id >= first);
        let without: Vec<ManifestFile> = files
            .iter()
            .map(|file| ManifestFile {
                first_row_id: file.first_row_id.filter(|_| !is_new(file)),
                ..file.clone()
            })
            .collect();
        let (ours, _) = write_list(&theirs, &without);
        assert_eq!(parse_manifest_list(&ours, "ours").unwrap(), files, "{}", case.name);
        assigned += files.iter().filter(|file| is_new(file) && file.content == ManifestContent::Data).count();
    }
    assert!(assigned > 5, "{assigned} manifests");
}
