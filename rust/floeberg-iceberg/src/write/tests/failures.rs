//! A write that fails leaves no file, wherever it fails.

use std::sync::Arc;

use arrow_array::RecordBatch;
use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::testing::{Fault, FaultyStore};
use floeberg_io::{MemoryStore, Store};

use super::fixture::{Rows, TASK, batch, names, partitioned, recipe, try_write, with};
use crate::write::{WriteRecipe, Writer};

fn table() -> WriteRecipe {
    let fields = vec![Field::required(1, "n", P::Long), Field::optional(2, "p", P::Int)];
    let properties = [
        ("write.target-file-size-bytes", "3000"),
        ("write.parquet.row-group-size-bytes", "1000"),
        ("write.parquet.row-group-check-min-record-count", "10"),
        ("write.data.path", "memory://d"),
        ("write.object-storage.enabled", "false"),
    ];
    with(partitioned(recipe(fields), &[(2, Transform::Void)]), &properties)
}

fn rows() -> Rows {
    (0..2000)
        .map(|n: i64| vec![Some(Value::Long(n.wrapping_mul(0x9e37_79b9))), Some(Value::Int(1))])
        .collect()
}

#[test]
fn at_every_operation_of_the_store_that_fails_nothing_is_left() {
    let store = |faults: Vec<(u64, Fault)>| {
        let inner = MemoryStore::new();
        (inner.clone(), FaultyStore::new(Arc::new(inner), faults))
    };
    let (files, sound) = store(Vec::new());
    let receipt = try_write(&table(), Arc::new(sound.clone()), &rows(), 300).unwrap();
    assert!(receipt.files().len() > 3);
    assert_eq!(names(&files, "memory://d/p0=null").len(), receipt.files().len());
    assert!(sound.operations() >= 3 * receipt.files().len() as u64);
    for number in 0..sound.operations() {
        for fault in [Fault::Fail(ErrorKind::Storage), Fault::LoseRequest, Fault::LoseAnswer, Fault::CutShort]
        {
            let (files, faulty) = store(vec![(number, fault)]);
            // A file that is cut short at its end is whole: there are no bytes then.
            match try_write(&table(), Arc::new(faulty), &rows(), 300) {
                Ok(again) => assert_eq!((fault, again), (Fault::CutShort, receipt.clone())),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::Storage, "{error}");
                    assert!(error.to_string().contains("path: memory://d/"), "{error}");
                    assert_eq!(names(&files, "memory://d/p0=null"), [""; 0], "{number} {fault:?}");
                }
            }
        }
    }
}

#[test]
fn a_writer_that_is_dropped_or_cancelled_removes_its_files() {
    let store = MemoryStore::new();
    let cancel = Cancel::default();
    let mut writer = Writer::new(&table(), Arc::new(store.clone()), TASK, &cancel).unwrap();
    for _ in 0..3 {
        writer.write(&batch(&table(), &rows())).unwrap();
    }
    cancel.cancel();
    assert_eq!(writer.write(&batch(&table(), &rows())).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::InvalidInput);
    assert_eq!(names(&store, "memory://d/p0=null"), [""; 0]);
}

#[test]
fn a_file_that_is_there_already_is_neither_written_over_nor_removed() {
    let store = MemoryStore::new();
    let taken = "memory://d/p0=null/00003-7-w-00002.parquet";
    store.put(taken, "another's");
    let error = try_write(&table(), Arc::new(store.clone()), &rows(), 300).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert_eq!(names(&store, "memory://d/p0=null"), ["00003-7-w-00002.parquet"]);
    assert_eq!(store.open(taken).unwrap().read_all(99).unwrap(), "another's");
}

#[test]
fn rows_in_another_form_are_refused() {
    let refused = |batch: &RecordBatch| {
        let mut writer =
            Writer::new(&table(), Arc::new(MemoryStore::new()), TASK, &Cancel::default()).unwrap();
        writer.write(batch).unwrap_err()
    };
    let rows = batch(&table(), &rows());
    let error = refused(&rows.project(&[0]).unwrap());
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert_eq!(refused(&rows.project(&[1, 0]).unwrap()).kind(), ErrorKind::InvalidInput);
}
