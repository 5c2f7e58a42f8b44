//! What does a data file say of itself, and is it what the manifest says?
//!
//! In: a data file. Out: its columns as fields of the table.
//!
//! Invariant: a file of another size, version or number of rows than the manifest says is an error: its rows would be others.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Context as _, Error, Result};
use floeberg_io::{Source, Store};

use super::file_columns::{FieldIds, FileColumns};
use crate::plan::TaskFile;
use crate::wire::{FileDescriptor, FileFooter, Layout, buffer_of};

/// What is read at first, from the end.
const FIRST_READ: u64 = 16 << 10;
/// More than a description of columns has.
const LARGEST_DESCRIPTOR: u64 = 256 << 20;

/// The columns of a data file of a fragment with this many rows.
///
/// Errors: `InvalidData`, naming the file; `Unsupported` for files of version 0.1; those of the store.
pub(super) fn open(
    store: &dyn Store,
    file: &TaskFile,
    rows: u64,
    table: &FieldIds<'_>,
) -> Result<FileColumns> {
    if file.layout.is_legacy() {
        return Err(Error::unsupported(
            "data files of version 0.1 cannot be read: write the table again with a newer version of Lance",
        )
        .with("path", &file.location));
    }
    let columns = || {
        let source = store.open_unchanging(&file.location)?;
        let tail = Tail::of(source.as_ref())?;
        if file.size_bytes != 0 && file.size_bytes != tail.size {
            return Err(Error::invalid_data(format!(
                "expected a data file of {} bytes, as the manifest says, found {}",
                file.size_bytes, tail.size
            )));
        }
        let (footer, descriptor) = tail.describe()?;
        check_version(footer, &file.layout)?;
        if descriptor.rows != rows {
            return Err(Error::invalid_data(format!(
                "expected a data file of {rows} rows, as the manifest says, found {}",
                descriptor.rows
            )));
        }
        FileColumns::new(&descriptor, footer, &file.layout, table)
    };
    columns().context("path", &file.location)
}

/// The end of a file, which was read at once.
pub(crate) struct Tail<'a> {
    source: &'a dyn Source,
    /// The bytes of the whole file.
    pub(crate) size: u64,
    start: u64,
    bytes: Bytes,
}

impl<'a> Tail<'a> {
    /// The end of a file. Errors: those of the store.
    pub(crate) fn of(source: &'a dyn Source) -> Result<Self> {
        let (size, bytes) = source.read_end(FIRST_READ)?;
        Ok(Self { source, size, start: size - bytes.len() as u64, bytes })
    }

    /// The last bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What the file says of itself. Errors: `InvalidData`; `LimitExceeded`; those of the store.
    pub(crate) fn describe(&self) -> Result<(FileFooter, FileDescriptor)> {
        let footer = FileFooter::parse(&self.bytes)?;
        let entry = self.read(footer.first_entry(self.size)?)?;
        let place = buffer_of(&entry, self.size)?;
        if place.end - place.start > LARGEST_DESCRIPTOR {
            return Err(Error::limit(format!(
                "a data file describes its columns in {} bytes, at most {LARGEST_DESCRIPTOR} are read",
                place.end - place.start
            )));
        }
        Ok((footer, FileDescriptor::parse(&self.read(place)?)?))
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        match range.start.checked_sub(self.start) {
            Some(from) => Ok(self.bytes.slice(from as usize..(range.end - self.start) as usize)),
            None => self.source.read(range),
        }
    }
}

fn check_version(footer: FileFooter, layout: &Layout) -> Result<()> {
    let found = Layout { major: footer.major, minor: footer.minor, ..Layout::default() };
    if found.version() == layout.version() {
        return Ok(());
    }
    Err(Error::invalid_data(format!(
        "expected a data file of version {}, as the manifest says, found {}",
        layout.version(),
        found.version()
    )))
}
