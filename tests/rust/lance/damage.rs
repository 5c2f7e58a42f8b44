//! Files that are cut or flipped end in an error that names them, or in a table.

use std::fs;
use std::sync::Arc;

use bytes::Bytes;
use corpus::lance_cases;
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::MemoryStore;
use floeberg_lance::wire::{Transaction, parse};
use floeberg_lance::{OpenOptions, Table, deletes};

const FOLDER: &str = "memory://damage/t";

/// Opens a table of one manifest, and asks for all that it says.
fn use_all(path: &str, bytes: &[u8]) -> Result<()> {
    let store = MemoryStore::new();
    store.put(path.to_owned(), Bytes::copy_from_slice(bytes));
    let table = Table::open_in(Arc::new(store), FOLDER, &OpenOptions::default())?;
    let _ = table.schema().to_arrow();
    table.schema().to_core()?;
    table.indices()?;
    for task in table.plan()?.split(u64::MAX) {
        task?;
    }
    for place in 0..table.manifest().fragments.len() {
        table.row_ids(place)?;
        table.created_at_versions(place)?;
        table.last_updated_at_versions(place)?;
        table.fragment(place)?;
    }
    table.transaction().map(|_| ())
}

fn check(error: &Error, what: &str) {
    let is_known = matches!(
        error.kind(),
        ErrorKind::InvalidData | ErrorKind::Unsupported | ErrorKind::LimitExceeded | ErrorKind::NotFound
    );
    assert!(is_known, "{what}: {error:?}");
    let is_named = error.context().iter().any(|(key, path)| *key == "path" && path.starts_with("memory://"));
    // A schema of two columns of one name is of no file.
    assert!(is_named || error.message().contains("field"), "{what}: {error}");
}

/// The smallest manifest of each case.
fn manifests() -> Vec<(String, Vec<u8>)> {
    let smallest = |case: &corpus::LanceCase| {
        let files = case
            .files("_versions")
            .into_iter()
            .filter(|path| path.extension().is_some_and(|end| end == "manifest"));
        let path = files.min_by_key(|path| fs::metadata(path).unwrap().len()).unwrap();
        (
            format!("{FOLDER}/_versions/{}", path.file_name().unwrap().to_str().unwrap()),
            fs::read(&path).unwrap(),
        )
    };
    lance_cases().iter().map(smallest).collect()
}

#[test]
fn manifests_that_are_cut_are_errors() {
    for (path, bytes) in manifests() {
        for end in 0..bytes.len() {
            let error = use_all(&path, &bytes[..end]).unwrap_err();
            check(&error, &format!("{path} cut at {end}"));
        }
    }
}

#[test]
fn manifests_with_a_flipped_bit_end_well() {
    let mut refused = 0;
    for (path, bytes) in manifests() {
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << (at % 8);
            if let Err(error) = use_all(&path, &flipped) {
                check(&error, &format!("{path} flipped at {at}"));
                refused += 1;
            }
        }
    }
    assert!(refused > 4_000, "{refused}");
}

#[test]
fn transactions_and_deletion_files_that_are_damaged_end_well() {
    for case in lance_cases() {
        for path in case.files("_transactions").iter().take(3) {
            let bytes = fs::read(path).unwrap();
            for at in 0..bytes.len() {
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                for damaged in [&flipped[..], &bytes[..at]] {
                    if let Err(error) = Transaction::parse(damaged) {
                        assert!(
                            matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::Unsupported),
                            "{error:?}"
                        );
                    }
                }
            }
        }
        for path in case.files("_deletions").iter().take(2) {
            let bytes = fs::read(path).unwrap();
            let is_bitmap = path.extension().is_some_and(|end| end == "bin");
            let described = parse(if is_bitmap { b"\x08\x01" } else { b"" }).unwrap();
            let step = bytes.len().div_ceil(2000);
            assert!(deletes::decode(&bytes, &described, 0).is_ok(), "{}", path.display());
            for at in (0..bytes.len()).step_by(step) {
                assert_eq!(
                    deletes::decode(&bytes[..at], &described, 1 << 20).unwrap_err().kind(),
                    ErrorKind::InvalidData
                );
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                if let Err(error) = deletes::decode(&flipped, &described, 1 << 20) {
                    assert!(
                        matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::Unsupported),
                        "{error:?}"
                    );
                }
            }
        }
    }
}
