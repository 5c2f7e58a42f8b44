//! How do several threads encode rows of several files?
//!
//! In: files and the rows that each of them gets. Out: the same files, with the rows in them.
//!
//! Invariant: the columns of a row group get the same rows, in order, whichever thread encodes them.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::ArrayRef;
use floeberg_core::{Cancel, Error, Result};
use parquet::arrow::arrow_writer::ArrowColumnChunk;

use super::parquet::{ColumnEncoder, OpenFile, Piece};
use crate::manifest::DataFile;
use crate::threads::ordered;

/// Files that are made durable at once for each thread: most of it is waiting for the disk.
const WAITS_PER_THREAD: usize = 4;

/// The threads that encode, and how they are stopped.
#[derive(Debug, Clone)]
pub(super) struct Threads {
    pub number: usize,
    pub cancel: Cancel,
}

/// What one thread takes at a time, and has for itself then.
struct Taken<T>(Mutex<Option<T>>);

impl<T> Taken<T> {
    fn new(value: T) -> Self {
        Self(Mutex::new(Some(value)))
    }

    fn take(&self) -> Result<T> {
        let value = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(|| Error::internal("work was given out twice"))
    }
}

fn taken<T>(items: Vec<T>) -> Vec<Taken<T>> {
    items.into_iter().map(Taken::new).collect()
}

impl Threads {
    /// Encodes rows of files, into the row group that each is at.
    pub fn encode(&self, files: &mut [(&mut OpenFile, Vec<Piece>)]) -> Result<()> {
        let mut works = Vec::new();
        for (file, pieces) in files {
            let location: Arc<str> = file.location().into();
            for (number, encoder) in file.encoders(pieces)?.iter_mut().enumerate() {
                let values: Vec<ArrayRef> =
                    pieces.iter().filter_map(|piece| piece.columns.get(number).cloned()).collect();
                works.push(Taken::new((encoder, values, Arc::clone(&location))));
            }
        }
        self.each(&works, |(encoder, values, location): (&mut ColumnEncoder, _, _)| {
            values.iter().try_for_each(|values| encoder.encode(values, &location))
        })?;
        Ok(())
    }

    /// Ends the row groups that files are at, and writes them.
    pub fn end_groups(&self, files: Vec<&mut OpenFile>) -> Result<()> {
        let files = self.ended(files)?;
        self.each(&taken(files), |(file, chunks): (&mut OpenFile, _)| file.append(chunks))?;
        Ok(())
    }

    /// Ends files: they are durable then.
    pub fn finish(&self, mut files: Vec<OpenFile>) -> Result<Vec<DataFile>> {
        self.end_groups(files.iter_mut().collect())?;
        let threads = Self { number: self.number.saturating_mul(WAITS_PER_THREAD), ..self.clone() };
        threads.each(&taken(files), OpenFile::finish)
    }

    /// Files and the chunks of the row groups that they were at. Those that had no rows are left out.
    fn ended<'a>(
        &self,
        files: Vec<&'a mut OpenFile>,
    ) -> Result<Vec<(&'a mut OpenFile, Vec<ArrowColumnChunk>)>> {
        let mut works = Vec::new();
        let mut waiting = Vec::new();
        for file in files {
            let location: Arc<str> = file.location().into();
            let encoders = file.take_encoders();
            if !encoders.is_empty() {
                waiting.push((file, encoders.len()));
                works
                    .extend(encoders.into_iter().map(|encoder| Taken::new((encoder, Arc::clone(&location)))));
            }
        }
        let mut chunks = self
            .each(&works, |(encoder, location): (ColumnEncoder, Arc<str>)| encoder.finish(&location))?
            .into_iter();
        let of_file = |(file, columns)| (file, chunks.by_ref().take(columns).flatten().collect());
        Ok(waiting.into_iter().map(of_file).collect())
    }

    fn each<I: Send, T: Send>(
        &self,
        items: &[Taken<I>],
        work: impl Fn(I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        ordered(items, self.number, &self.cancel, |item| work(item.take()?))
    }
}
