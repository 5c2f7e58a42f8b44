#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::{Arc, Mutex};

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bytes::Bytes;
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_io::{Store, StoreOptions, open_store};

use super::deletes::add_rows;
use super::{DataFileWriter, Destination, Input, write_rows};
use crate::commit::RowsOf;
use crate::pages::{PageBatches, PageWriter, Pages};

/// Writes the numbers of rows into files, and fails at a batch.
#[derive(Debug)]
struct Numbers {
    store: Arc<dyn Store>,
    fails_at: Mutex<Option<usize>>,
    abandoned: Arc<Mutex<usize>>,
}

#[derive(Debug)]
struct NumbersOfFile {
    store: Arc<dyn Store>,
    location: String,
    rows: usize,
    fails_at: Option<usize>,
    abandoned: Arc<Mutex<usize>>,
}

impl Pages for Numbers {
    fn read(&self, _: &str, _: &[String], _: std::ops::Range<u64>) -> Result<Box<dyn PageBatches>> {
        Err(Error::internal("nothing is read"))
    }

    fn take(&self, _: &str, _: &[String], _: &[u64]) -> Result<Box<dyn PageBatches>> {
        Err(Error::internal("nothing is read"))
    }

    fn write(&self, location: &str, _: &SchemaRef, version: &str) -> Result<Box<dyn PageWriter>> {
        assert_eq!(version, "2.2");
        self.store.put(location, Bytes::from_static(b"begun"))?;
        Ok(Box::new(NumbersOfFile {
            store: Arc::clone(&self.store),
            location: location.to_owned(),
            rows: 0,
            fails_at: self.fails_at.lock().unwrap().take(),
            abandoned: Arc::clone(&self.abandoned),
        }))
    }
}

impl PageWriter for NumbersOfFile {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.rows += batch.num_rows();
        match self.fails_at {
            Some(row) if self.rows >= row => Err(Error::unsupported("full")),
            _ => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<u64> {
        let text = self.rows.to_string();
        self.store.put(&self.location, Bytes::from(text))?;
        Ok(self.rows as u64 * 8)
    }

    fn abandon(&mut self) {
        *self.abandoned.lock().unwrap() += 1;
    }
}

struct Kit {
    store: Arc<dyn Store>,
    pages: Arc<Numbers>,
    folder: String,
}

impl Kit {
    fn new(name: &str) -> Self {
        let store = open_store(&StoreOptions::default()).unwrap();
        let (fails_at, abandoned) = (Mutex::default(), Arc::default());
        let pages = Arc::new(Numbers { store: Arc::clone(&store), fails_at, abandoned });
        Self { store, pages, folder: format!("memory://lance-write/{name}") }
    }

    fn writer(&self, rows_per_file: u64) -> DataFileWriter {
        let destination = Destination {
            folder: self.folder.clone(),
            store: Arc::clone(&self.store),
            version: "2.2".to_owned(),
            pages: Arc::clone(&self.pages) as Arc<dyn Pages>,
        };
        DataFileWriter::new(destination, schema(), rows_per_file)
    }

    /// The number of files that are there.
    fn files(&self) -> usize {
        self.store.file_names(&format!("{}/data", self.folder)).map_or(0, |names| names.len())
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("id", DataType::Int64, true)]))
}

fn batch(rows: std::ops::Range<i64>) -> RecordBatch {
    RecordBatch::try_new(schema(), vec![Arc::new(Int64Array::from_iter_values(rows))]).unwrap()
}

#[test]
fn files_end_between_rows_and_have_the_ids_of_their_first_rows() {
    let kit = Kit::new("cuts");
    let mut writer = kit.writer(4);
    writer.write(&batch(0..3)).unwrap();
    writer.write(&batch(3..10)).unwrap();
    let files = writer.finish(&[70, 71, 72, 73, 74]).unwrap();
    let parts: Vec<_> =
        files.files().iter().map(|file| (file.rows, file.size_bytes, file.row_ids.clone())).collect();
    assert_eq!(parts, [(4, 32, vec![70, 71, 72, 73]), (4, 32, vec![74]), (2, 16, vec![])]);
    assert_eq!((files.rows(), files.size_bytes(), kit.files()), (10, 80, 3));
    assert!(files.files().iter().zip(files.locations()).all(|(file, at)| at.ends_with(&file.name)));
    files.remove();
    assert_eq!(kit.files(), 0);
}

#[test]
fn without_rows_there_is_no_file() {
    let kit = Kit::new("nothing");
    let mut writer = kit.writer(4);
    writer.write(&batch(0..0)).unwrap();
    assert_eq!(writer.end_file().unwrap(), 0);
    assert!(writer.finish(&[]).unwrap().files().is_empty());
    assert_eq!(kit.files(), 0);
}

#[test]
fn a_write_that_fails_leaves_no_file() {
    for fails_in in 0..3 {
        let kit = Kit::new(&format!("fails {fails_in}"));
        let mut writer = kit.writer(4);
        for file in 0..fails_in {
            writer.write(&batch(file * 4..file * 4 + 4)).unwrap();
        }
        *kit.pages.fails_at.lock().unwrap() = Some(2);
        assert_eq!(writer.write(&batch(0..2)).unwrap_err().kind(), ErrorKind::Unsupported);
        drop(writer);
        assert_eq!((kit.files(), *kit.pages.abandoned.lock().unwrap()), (0, 1), "{fails_in}");
    }
}

#[test]
fn rows_of_a_user_are_cut_and_get_the_types_of_the_table() {
    let kit = Kit::new("input");
    let narrow = Arc::new(Schema::new(vec![Field::new("id", DataType::Int32, true)]));
    let rows = arrow_array::Int32Array::from_iter_values(0..200_000);
    let mut given = vec![RecordBatch::try_new(Arc::clone(&narrow), vec![Arc::new(rows)]).unwrap()];
    let next = || Ok(given.pop());
    let files = write_rows(kit.writer(150_000), &narrow, Input::OfTable, next, &Cancel::default()).unwrap();
    assert_eq!(files.files().iter().map(|file| file.rows).collect::<Vec<_>>(), [150_000, 50_000]);

    let other = Arc::new(Schema::new(vec![Field::new("other", DataType::Int32, true)]));
    let none = || Ok(None);
    let error = write_rows(kit.writer(1), &other, Input::OfTable, none, &Cancel::default()).unwrap_err();
    assert!(error.message().contains("the rows do not fit the table"), "{error}");
}

#[test]
fn a_row_is_deleted_once() {
    let of = |fragment: u64, row: u64| (fragment << 32) | row;
    let mut rows = RowsOf::new();
    add_rows(&mut rows, &[of(2, 5), of(2, 1), of(0, 7), of(2, 9)]).unwrap();
    let found: Vec<_> = rows.iter().map(|(id, rows)| (*id, rows.iter().collect::<Vec<_>>())).collect();
    assert_eq!(found, [(0, vec![7]), (2, vec![1, 5, 9])]);
    let error = add_rows(&mut rows, &[of(1, 1), of(0, 7)]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}
