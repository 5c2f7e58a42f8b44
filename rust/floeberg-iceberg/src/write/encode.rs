//! How do several threads encode rows of several files?
//!
//! In: files and the rows that each of them gets. Out: the same files, with the rows in them.
//!
//! Invariant: files do not depend on which thread encodes which part.

use std::sync::{Mutex, PoisonError};

use floeberg_core::{Cancel, Error, Result};
use floeberg_exec::threads::ordered;
use floeberg_files::{FileMetrics, FileWriter, Piece, Work};

/// Files per thread that are made durable at the same time: most of it is waiting for the disk.
const WAITS_PER_THREAD: usize = 4;

/// A file that is being written.
pub(super) type OpenFile = Box<dyn FileWriter>;

/// Ends the current unit of a file on this thread, and writes it.
pub(crate) fn end_unit(file: &mut dyn FileWriter) -> Result<()> {
    file.end_unit()?.into_iter().try_for_each(|work| work())?;
    file.write_unit()
}

/// The threads that encode, and how they are stopped.
#[derive(Debug, Clone)]
pub(super) struct Threads {
    pub number: usize,
    pub cancel: Cancel,
}

/// A piece of work that one thread takes, and then owns.
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
    /// Encodes rows of files, each into its current unit.
    pub fn encode(&self, files: &mut [(&mut OpenFile, Vec<Piece>)]) -> Result<()> {
        let mut works = Vec::new();
        for (file, pieces) in files {
            works.extend(file.encode(pieces)?);
        }
        self.run(works)
    }

    /// Ends the current units of files, and writes them.
    pub fn end_units(&self, mut files: Vec<&mut OpenFile>) -> Result<()> {
        let mut works = Vec::new();
        for file in &mut files {
            works.extend(file.end_unit()?);
        }
        self.run(works)?;
        self.each(&taken(files), |file: &mut OpenFile| file.write_unit())?;
        Ok(())
    }

    /// Ends files: they are durable then.
    pub fn finish(&self, mut files: Vec<OpenFile>) -> Result<Vec<FileMetrics>> {
        self.end_units(files.iter_mut().collect())?;
        let threads = Self { number: self.number.saturating_mul(WAITS_PER_THREAD), ..self.clone() };
        threads.each(&taken(files), |file: OpenFile| file.finish())
    }

    fn run(&self, works: Vec<Work<'_>>) -> Result<()> {
        self.each(&taken(works), |work: Work<'_>| work()).map(drop)
    }

    fn each<I: Send, T: Send>(
        &self,
        items: &[Taken<I>],
        work: impl Fn(I) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        ordered(items, self.number, &self.cancel, |item| work(item.take()?))
    }
}
