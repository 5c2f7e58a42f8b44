//! Is the current metadata file found, is every one written as it was read, and is a damaged one refused?

use std::fs;
use std::path::PathBuf;

use corpus::{Case, cases};
use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::{TableMetadata, open_metadata, parse_table_metadata};
use floeberg_io::LocalStore;
use serde_json::{Value as Json, json};

use crate::metadata::tables;

/// How many damaged files are read.
const DAMAGES: usize = 3000;

#[test]
fn a_table_directory_leads_to_the_current_metadata_file() {
    for case in tables() {
        let (location, metadata) = opened(&case);
        assert_eq!(PathBuf::from(location), case.metadata_file(), "{}", case.name);
        let file = case.metadata_file();
        let (_, given) = open_metadata(&LocalStore, file.to_str().unwrap()).unwrap();
        assert_eq!(given, metadata, "{}", case.name);
    }
}

#[test]
fn every_metadata_file_is_written_as_it_was_read() {
    let files: Vec<_> = tables().iter().flat_map(metadata_files).collect();
    assert!(files.len() > 200, "{} files", files.len());
    for (path, bytes) in files {
        let metadata = parse_table_metadata(&bytes, &path).unwrap_or_else(|error| panic!("{error}"));
        let written = metadata.to_json().unwrap();
        let again = parse_table_metadata(written.to_string().as_bytes(), &path).unwrap();
        assert_eq!(again, metadata, "{path}");
        if !bytes.starts_with(b"\x1f\x8b") {
            let mut read: Json = serde_json::from_slice(&bytes).unwrap();
            require_sequence_numbers(&mut read);
            assert_eq!(canonical(written), canonical(read), "{path}");
        }
    }
}

/// From version 2 on snapshots must have one, and Iceberg Java leaves out the 0 of those of version 1.
fn require_sequence_numbers(metadata: &mut Json) {
    if metadata["format-version"] == 1 {
        return;
    }
    let snapshots = metadata.get_mut("snapshots").and_then(Json::as_array_mut);
    for snapshot in snapshots.into_iter().flatten().filter_map(Json::as_object_mut) {
        snapshot.entry("sequence-number").or_insert(json!(0));
    }
}

#[test]
fn a_view_is_refused_as_a_view() {
    let views: Vec<_> = cases().into_iter().filter(Case::is_view).collect();
    assert!(!views.is_empty());
    for case in views {
        let error = open_metadata(&LocalStore, table(&case).to_str().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.message().contains("view"), "{error}");
    }
}

#[test]
fn damaged_metadata_is_refused_and_nothing_worse() {
    let small = |(_, bytes): &(String, Vec<u8>)| bytes.len() < 40_000;
    let files: Vec<_> = tables().iter().flat_map(metadata_files).filter(small).collect();
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut refused = 0;
    for number in 0..DAMAGES {
        let (path, bytes) = &files[random.below(files.len())];
        let damaged = random.damage(bytes);
        match parse_table_metadata(&damaged, path) {
            Ok(metadata) => {
                let written = metadata.to_json().unwrap().to_string();
                assert!(parse_table_metadata(written.as_bytes(), path).is_ok(), "damage {number} of {path}");
            }
            Err(error) => {
                let kind = error.kind();
                let expected = matches!(kind, ErrorKind::InvalidData | ErrorKind::Unsupported);
                assert!(expected, "damage {number}: {kind:?}: {error}");
                assert!(error.to_string().contains(path.as_str()), "damage {number}: {error}");
                refused += 1;
            }
        }
    }
    assert!(refused > DAMAGES / 2, "{refused} refused");
}

fn table(case: &Case) -> PathBuf {
    case.folder.join("table")
}

fn opened(case: &Case) -> (String, TableMetadata) {
    let location = table(case);
    open_metadata(&LocalStore, location.to_str().unwrap())
        .unwrap_or_else(|error| panic!("{}: {error}", case.name))
}

/// Path and bytes of every metadata file of a table.
fn metadata_files(case: &Case) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(table(case).join("metadata")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path().to_str().unwrap().to_owned()).collect();
    paths.retain(|path| path.ends_with(".metadata.json"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// A document without what its canonical form documents to differ in.
fn canonical(mut json: Json) -> Json {
    match &mut json {
        Json::Object(keys) => {
            keys.retain(|key, value| match key.as_str() {
                "current-snapshot-id" => *value != json!(-1) && !value.is_null(),
                "identifier-field-ids" => *value != json!([]),
                _ => true,
            });
            for value in keys.values_mut() {
                *value = canonical(value.take());
            }
        }
        Json::Array(values) => values.iter_mut().for_each(|value| *value = canonical(value.take())),
        Json::String(text) if text.starts_with("decimal(") => text.retain(|c| c != ' '),
        _ => {}
    }
    json
}

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).unwrap()
    }

    /// A few bytes changed, the end cut off, a digit changed, or a value replaced by another.
    fn damage(&mut self, bytes: &[u8]) -> Vec<u8> {
        const VALUES: [&[u8]; 9] =
            [b"null", b"-1", b"99999999999", b"1e300", b"{}", b"[]", b"\"\"", b"\"bucket[0]\"", b"1000"];
        let mut damaged = bytes.to_vec();
        let at = self.below(damaged.len());
        let find = |wanted: fn(&u8) -> bool| bytes[at..].iter().position(wanted).map(|found| at + found);
        match self.below(4) {
            0 => damaged[at] = u8::try_from(self.below(256)).unwrap(),
            1 => damaged.truncate(at),
            2 => {
                if let Some(digit) = find(u8::is_ascii_digit) {
                    damaged[digit] = b'0' + u8::try_from(self.below(10)).unwrap();
                }
            }
            _ => {
                if let Some(colon) = find(|byte| *byte == b':') {
                    let length = bytes[colon..].iter().position(|byte| matches!(byte, b',' | b'}'));
                    let end = length.map_or(bytes.len(), |length| colon + length);
                    damaged.splice(colon + 1..end, VALUES[self.below(VALUES.len())].iter().copied());
                }
            }
        }
        damaged
    }
}
