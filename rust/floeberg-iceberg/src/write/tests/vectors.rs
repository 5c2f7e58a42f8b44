//! Deletion vectors in Puffin files.

use std::sync::Arc;

use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_io::testing::{Fault, FaultyStore};
use floeberg_io::{MemoryStore, Store};

use super::delete_fixture::{delete_recipe, deleted, document, try_recipe};
use super::fixture::{TASK, names};
use crate::manifest::FileContent;
use crate::wire::puffin::{parse_footer, read_blob};
use crate::wire::vector;
use crate::write::{DeletedPositions, Receipt, write_vectors};

fn some() -> Vec<DeletedPositions> {
    let other_spec = DeletedPositions {
        spec_id: 1,
        partition: vec![Some(Value::Int(3)), None],
        ..deleted("memory://t/data/b.parquet", "", (0..70_000).chain([1 << 33]))
    };
    vec![
        deleted("memory://t/data/a.parquet", "x", [5]),
        other_spec,
        deleted("/c", "x", [65_535, 65_536, 131_072]),
    ]
}

fn write(store: &dyn Store, version: u8, deletes: &[DeletedPositions]) -> Result<Receipt> {
    write_vectors(&delete_recipe(version, &[]), store, TASK, &Cancel::default(), deletes)
}

#[test]
fn the_receipt_says_of_each_vector_what_the_footer_says() {
    let store = MemoryStore::new();
    let deletes = some();
    let receipt = write(&store, 3, &deletes).unwrap();
    let location = "memory://t/data/00003-7-w-00001-deletes.puffin";
    let bytes = store.open(location).unwrap().read_all(1 << 20).unwrap();
    let footer = parse_footer(&bytes).unwrap();
    assert!(footer.properties["created-by"].starts_with("Floeberg "));
    assert_eq!((receipt.files().len(), footer.blobs.len()), (3, 3));
    for ((deleted, written), blob) in deletes.iter().zip(receipt.files()).zip(&footer.blobs) {
        let file = &written.file;
        assert_eq!((file.file_path.as_str(), file.file_format.as_str()), (location, "puffin"));
        assert_eq!((file.content, file.sort_order_id), (FileContent::PositionDeletes, None));
        assert_eq!(file.file_size_in_bytes, bytes.len() as i64);
        assert_eq!((written.spec_id, &file.partition), (deleted.spec_id, &deleted.partition));
        assert_eq!(file.record_count as u64, deleted.positions.len());
        assert_eq!(file.referenced_data_file.as_ref(), Some(&deleted.file_path));
        assert_eq!(file.content_offset, Some(blob.offset as i64));
        assert_eq!(file.content_size_in_bytes, Some(blob.length as i64));
        assert_eq!((blob.blob_type.as_str(), &blob.fields[..]), ("deletion-vector-v1", &[2_147_483_645][..]));
        assert_eq!((blob.snapshot_id, blob.sequence_number, blob.compression), (-1, -1, None));
        assert_eq!(blob.properties["referenced-data-file"], deleted.file_path);
        assert_eq!(blob.properties["cardinality"], deleted.positions.len().to_string());
        assert_eq!(blob.properties.len(), 2);
        let content = read_blob(&bytes, blob).unwrap();
        assert_eq!(vector::decode(&content, Some(file.record_count as u64)).unwrap(), deleted.positions);
    }
    assert_eq!(receipt.rows(), 0, "deleted rows are no rows of data files");
    let blobs: u64 = footer.blobs.iter().map(|blob| blob.length).sum();
    assert_eq!(receipt.size(), blobs, "vectors that share a file count for their parts");
    assert_eq!(Receipt::from_bytes(&receipt.to_bytes().unwrap()).unwrap(), receipt);
}

#[test]
fn without_deletes_there_is_no_file() {
    let store = MemoryStore::new();
    assert_eq!(write(&store, 3, &[]).unwrap(), Receipt::default());
    assert_eq!(names(&store, "memory://t/data"), [""; 0]);
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let store = MemoryStore::new();
    let one = deleted("/a", "x", [1]);
    let no_spec = DeletedPositions { spec_id: 7, ..one.clone() };
    for (version, deletes, message) in [
        (2, vec![one.clone()], "has no deletion vectors"),
        (3, vec![deleted("/a", "x", [])], "no row of the data file is deleted"),
        (3, vec![one.clone(), deleted("file:///a", "x", [2])], "come together"),
        (3, vec![one, deleted("/b", "x", [u64::MAX])], "18446744073709551615"),
        (3, vec![no_spec], "no partition spec 7"),
    ] {
        let error = write(&store, version, &deletes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
        assert!(error.message().contains(message), "{error}");
        assert_eq!(names(&store, "memory://t/data"), [""; 0], "{message}");
    }
    let error = try_recipe(&document(1, &[], false)).unwrap_err();
    assert!(error.message().contains("copy-on-write"), "{error}");
}

#[test]
fn at_every_operation_of_the_store_that_fails_nothing_is_left() {
    let sound = FaultyStore::new(Arc::new(MemoryStore::new()), Vec::new());
    write(&sound, 3, &some()).unwrap();
    assert!(sound.operations() >= 6);
    for number in 0..sound.operations() {
        for fault in [Fault::Fail(ErrorKind::Storage), Fault::LoseRequest, Fault::LoseAnswer] {
            let files = MemoryStore::new();
            let faulty = FaultyStore::new(Arc::new(files.clone()), vec![(number, fault)]);
            let error = write(&faulty, 3, &some()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
            assert_eq!(names(&files, "memory://t/data"), [""; 0], "{number} {fault:?}");
        }
    }
}

#[test]
fn a_file_of_another_writer_is_not_removed() {
    let store = MemoryStore::new();
    write(&store, 3, &some()).unwrap();
    assert_eq!(write(&store, 3, &some()).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(&store, "memory://t/data"), ["00003-7-w-00001-deletes.puffin"]);
}
