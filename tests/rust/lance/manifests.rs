//! Manifests and transactions that pylance wrote are written again as the same bytes.

use std::fs;

use bytes::Bytes;
use corpus::lance_cases;
use floeberg_lance::metadata::{computed_flags, version_of};
use floeberg_lance::wire::{
    IndexMetadata, Manifest, Operation, Transaction, manifest_range, message_of, section_in, to_bytes,
    to_file,
};

/// The parts of a file: its manifest, and its sections.
fn parts(file: &Bytes) -> (Manifest, Option<Bytes>, Option<Bytes>) {
    let range = manifest_range(file, file.len() as u64).unwrap();
    let message = message_of(&file.slice(range.start as usize..range.end as usize), "a manifest").unwrap();
    let manifest = Manifest::parse(&message).unwrap();
    assert_eq!(manifest.to_bytes(), message);
    let before = file.slice(..range.start as usize);
    let section = |offset: Option<u64>| {
        let section = section_in(&before, 0, offset?, "a section").unwrap().unwrap();
        Some(message_of(&section, "a section").unwrap())
    };
    let (indices, transaction) =
        (section(manifest.head.index_section), section(manifest.head.transaction_at()));
    (manifest, indices, transaction)
}

#[test]
fn every_manifest_is_written_again_as_the_same_bytes() {
    let mut manifests = 0;
    for case in lance_cases() {
        for path in case.files("_versions") {
            let Some((version, _)) = version_of(path.file_name().unwrap().to_str().unwrap()) else {
                continue;
            };
            let file = Bytes::from(fs::read(&path).unwrap());
            let (manifest, indices, transaction) = parts(&file);
            assert_eq!(manifest.head.version, version, "{}", path.display());
            let mut written = manifest.clone();
            let again = to_file(&mut written, indices.as_deref(), transaction.as_deref()).unwrap();
            // Files of version 0.1 have pages of dictionaries before their manifests, which nothing names.
            if case.name != "types_legacy" {
                assert_eq!(again, file, "{}", path.display());
                assert_eq!(written, manifest, "{}", path.display());
            }
            manifests += 1;
        }
    }
    assert!(manifests >= 90, "{manifests}");
}

#[test]
fn every_transaction_is_written_again_as_the_same_bytes() {
    let mut operations = std::collections::BTreeSet::new();
    for case in lance_cases() {
        for path in case.files("_transactions") {
            let bytes = fs::read(&path).unwrap();
            let transaction = Transaction::parse(&bytes).unwrap();
            assert_eq!(transaction.to_bytes(), bytes, "{}", path.display());
            assert!(path.to_str().unwrap().contains(&transaction.uuid), "{}", path.display());
            assert!(!matches!(transaction.operation, Operation::Unknown(..) | Operation::Missing));
            operations.insert(transaction.operation.name());
        }
        for path in case
            .files("_versions")
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "manifest"))
        {
            let (manifest, _, transaction) = parts(&Bytes::from(fs::read(path).unwrap()));
            let file =
                path.ancestors().nth(2).unwrap().join("_transactions").join(&manifest.head.transaction_file);
            if let (Some(section), Ok(file)) = (transaction, fs::read(file)) {
                let (section, file) =
                    (Transaction::parse(&section).unwrap(), Transaction::parse(&file).unwrap());
                assert_eq!(
                    (section.uuid, section.operation),
                    (file.uuid, file.operation),
                    "{}",
                    path.display()
                );
            }
        }
    }
    let expected = [
        "Append",
        "CreateIndex",
        "Delete",
        "Merge",
        "Overwrite",
        "Project",
        "ReserveFragments",
        "Rewrite",
        "Update",
        "UpdateConfig",
    ];
    for name in expected {
        assert!(operations.contains(name), "no {name} among {operations:?}");
    }
}

#[test]
fn flags_are_those_that_pylance_computes() {
    for case in lance_cases() {
        for path in case
            .files("_versions")
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "manifest"))
        {
            let (manifest, ..) = parts(&Bytes::from(fs::read(path).unwrap()));
            let head = &manifest.head;
            let is_stable = head.reader_feature_flags & 2 != 0;
            let words = computed_flags(&manifest, is_stable).unwrap();
            assert_eq!(words, (head.reader_feature_flags, head.writer_feature_flags), "{}", path.display());
        }
    }
}

#[test]
fn indices_are_carried_as_the_same_bytes() {
    let mut seen = 0;
    for case in lance_cases() {
        for path in case
            .files("_versions")
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "manifest"))
        {
            let (_, Some(section), _) = parts(&Bytes::from(fs::read(path).unwrap())) else { continue };
            for index in IndexMetadata::parse_section(&section).unwrap() {
                let bytes = to_bytes(&index);
                assert_eq!(floeberg_lance::wire::parse::<IndexMetadata>(&bytes).unwrap(), index);
                assert_eq!(index.uuid.bytes.len(), 16);
                index.fragments().unwrap();
                seen += 1;
            }
        }
    }
    assert!(seen > 3, "{seen}");
}
