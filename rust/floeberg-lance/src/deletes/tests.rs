#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use floeberg_io::{MemoryStore, Store as _};
use roaring::RoaringBitmap;

use super::*;
use crate::wire::{DeletionFile, DeletionFileType};

const FOLDER: &str = "memory://deletes/t";

fn described(file_type: DeletionFileType, rows: u64) -> DeletionFile {
    DeletionFile { file_type, num_deleted_rows: rows, ..DeletionFile::default() }
}

#[test]
fn few_rows_are_written_as_arrow_and_many_as_a_bitmap() {
    let store = MemoryStore::new();
    for (count, suffix) in [(1, "arrow"), (5_000, "arrow"), (5_001, "bin")] {
        let rows: RoaringBitmap = (0..count).map(|row| row * 3).collect();
        let file = write(&store, FOLDER, 4, 9, count.into(), &rows).unwrap();
        let path = format!("{FOLDER}/_deletions/4-9-{count}.{suffix}");
        assert_eq!(file.path(4), path.strip_prefix("memory://deletes/t/").unwrap());
        assert_eq!(read(&store, &path, &file, 20_000).unwrap(), rows);
        assert_eq!(read(&store, &path, &file, 0).unwrap(), rows);
        let error = read(&store, &path, &file, u64::from(count - 1) * 3).map(|_| ());
        if count > 1 {
            let error = error.unwrap_err();
            assert!(error.message().contains("deleted rows of a fragment of"), "{error}");
            assert!(error.to_string().contains(&path), "{error}");
        }
        let again = write(&store, FOLDER, 4, 9, count.into(), &rows).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
    }
}

#[test]
fn the_number_of_rows_is_the_manifests() {
    let rows = RoaringBitmap::from([1, 5]);
    for (file_type, bytes) in [
        (DeletionFileType::Arrow, arrow::encode(&rows).unwrap()),
        (DeletionFileType::Bitmap, bitmap::encode(&rows).unwrap()),
    ] {
        assert_eq!(decode(&bytes, &described(file_type, 2), 6).unwrap(), rows);
        assert_eq!(decode(&bytes, &described(file_type, 0), 6).unwrap(), rows);
        let error = decode(&bytes, &described(file_type, 3), 6).unwrap_err();
        assert!(error.message().contains("expected 3 deleted rows"), "{error}");
    }
}

#[test]
fn damaged_files_are_errors() {
    let rows: RoaringBitmap = (0..300).collect();
    for (file_type, bytes) in [
        (DeletionFileType::Arrow, arrow::encode(&rows).unwrap()),
        (DeletionFileType::Bitmap, bitmap::encode(&rows).unwrap()),
    ] {
        let file = described(file_type, 300);
        for end in 0..bytes.len() {
            assert_eq!(
                decode(&bytes[..end], &file, 300).unwrap_err().kind(),
                ErrorKind::InvalidData,
                "{end}"
            );
        }
        for at in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[at / 8] ^= 1 << (at % 8);
            if let Err(error) = decode(&flipped, &file, 300) {
                assert!(matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::Unsupported), "{error:?}");
            }
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(decode(&longer, &file, 300).is_err());
    }
}

#[test]
fn only_the_column_of_the_format_is_taken() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int32Array, RecordBatch, UInt32Array};
    use arrow_ipc::writer::FileWriter;

    let written = |name: &str, column: ArrayRef, nullable: bool, batches: usize| {
        let batch = RecordBatch::try_from_iter_with_nullable([(name, column, nullable)]).unwrap();
        let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
        (0..batches).for_each(|_| writer.write(&batch).unwrap());
        writer.into_inner().unwrap()
    };
    let unsigned = || Arc::new(UInt32Array::from(vec![3, 1])) as ArrayRef;
    let file = described(DeletionFileType::Arrow, 2);
    let right = written("row_id", unsigned(), false, 1);
    assert_eq!(decode(&right, &file, 4).unwrap(), RoaringBitmap::from([1, 3]));
    for wrong in [
        written("rows", unsigned(), false, 1),
        written("row_id", unsigned(), true, 1),
        written("row_id", Arc::new(Int32Array::from(vec![3, 1])), false, 1),
        written("row_id", unsigned(), false, 0),
        written("row_id", unsigned(), false, 2),
    ] {
        assert_eq!(decode(&wrong, &file, 4).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn a_store_without_the_file_says_which() {
    let store = MemoryStore::new();
    assert!(!store.exists("memory://deletes/x").unwrap());
    let error = read(&store, "memory://deletes/x", &described(DeletionFileType::Arrow, 1), 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
}
