//! Manifests, transactions, row ids and deletion files of Lance tables.

use bytes::Bytes;
use floeberg_lance::metadata::{Schema, check, computed_flags};
use floeberg_lance::row_ids::{RowIds, RowVersions};
use floeberg_lance::wire::{DeletionFile, DeletionFileType, IndexMetadata, LineageOf, Manifest, Transaction};
use floeberg_lance::{deletes, wire};

use crate::judge::decoded;

/// So many rows a fuzzer's fragment may have, and so many ids are made of a sequence.
const ROWS: u64 = 1 << 16;

/// The message of a manifest, or of its indices, with all that is read of it.
pub(crate) fn lance_manifest(bytes: &[u8]) {
    let bytes = Bytes::copy_from_slice(bytes);
    decoded(IndexMetadata::parse_section(&bytes));
    let Some(manifest) = decoded(Manifest::parse(&bytes)) else { return };
    let written = Bytes::from(manifest.to_bytes());
    let again = Manifest::parse(&written).expect("what was written");
    assert_eq!(again.to_bytes(), written);
    assert_eq!(again, manifest);
    decoded(check(&manifest, manifest.head.version));
    decoded(computed_flags(&manifest, false));
    if let Some(schema) = decoded(Schema::new(&manifest.head.fields, &manifest.head.schema_metadata)) {
        decoded(schema.to_arrow());
        decoded(schema.to_core());
    }
    let fragments = &manifest.fragments;
    for place in 0..fragments.len() {
        let Some(fragment) = decoded(fragments.fragment(place)) else { continue };
        let files: Vec<_> = fragments.files(place).map(|file| file.path.to_owned()).collect();
        let owned: Vec<_> = fragment.files.into_iter().map(|file| file.path).collect();
        assert_eq!(files, owned);
        if let LineageOf::Inline(ids) = fragments.row_ids(place) {
            lance_row_ids(ids);
        }
    }
}

/// The message of a transaction.
pub(crate) fn lance_transaction(bytes: &[u8]) {
    let Some(transaction) = decoded(Transaction::parse(bytes)) else { return };
    let written = transaction.to_bytes();
    assert_eq!(Transaction::parse(&written).as_ref().ok(), Some(&transaction));
}

/// A sequence of ids, and of versions.
pub(crate) fn lance_row_ids(bytes: &[u8]) {
    if let Some(versions) = decoded(RowVersions::parse(bytes)) {
        assert_eq!(RowVersions::parse(&versions.to_bytes()).as_ref().ok(), Some(&versions));
    }
    let Some(ids) = decoded(RowIds::parse(bytes)) else { return };
    assert_eq!(RowIds::parse(&ids.to_bytes()).as_ref().ok(), Some(&ids));
    let Some(length) = ids.len().filter(|length| *length <= ROWS) else { return };
    let all = ids.slice(0..length);
    assert_eq!(all.len() as u64, length);
    for (row, id) in (0_u64..).zip(&all).take(64) {
        assert_eq!(ids.get(row), Some(*id));
    }
}

/// A deletion file: the first byte says of which kind.
pub(crate) fn lance_deletes(bytes: &[u8]) {
    let Some((kind, file)) = bytes.split_first() else { return };
    let file_type = if kind & 1 == 0 { DeletionFileType::Arrow } else { DeletionFileType::Bitmap };
    let described = DeletionFile { file_type, ..wire::parse(b"").expect("an empty message") };
    let Some(rows) = decoded(deletes::decode(file, &described, ROWS)) else { return };
    assert!(rows.max().is_none_or(|last| u64::from(last) < ROWS));
    let counted = DeletionFile { num_deleted_rows: rows.len() + 1, ..described };
    assert!(deletes::decode(file, &counted, ROWS).is_err());
}
