//! An ORC file that is being written.
//!
//! In: pieces of rows. Out: the file and its metrics.
//! Spec: Data File Fields; ORC v1, Stripes.
//!
//! Invariant: a stripe is in memory until it ends; a file that is dropped unfinished is removed by its sink.

use std::mem;
use std::sync::Arc;

use floeberg_core::{Context as _, Error, Result};
use floeberg_files::{FileMetrics, FileWriter, Piece, Waiting, Work, rows_for};
use floeberg_io::{Sink, Store};
use floeberg_orc::write::{OrcWriter, ROW_GROUP, StripeColumn};

use super::layout::OrcLayout;
use super::metrics::described;

/// A file that is being written.
pub(super) struct OrcFileWriter {
    location: String,
    layout: Arc<OrcLayout>,
    sink: Box<dyn Sink>,
    file: OrcWriter,
    stripe: Vec<StripeColumn>,
    stripe_rows: u64,
    rows: u64,
}

impl OrcFileWriter {
    /// Starts a file with its first bytes. Errors: those of the store.
    pub(super) fn create(store: &dyn Store, location: &str, layout: Arc<OrcLayout>) -> Result<Self> {
        let mut sink = store.create(location)?;
        let (file, first) = OrcWriter::new(Arc::clone(&layout.shape))?;
        sink.write(&first)?;
        let location = location.to_owned();
        Ok(Self { location, layout, sink, file, stripe: Vec::new(), stripe_rows: 0, rows: 0 })
    }
}

impl FileWriter for OrcFileWriter {
    fn location(&self) -> &str {
        &self.location
    }

    fn size(&self) -> u64 {
        self.file.written() + self.memory()
    }

    fn memory(&self) -> u64 {
        self.stripe.iter().map(StripeColumn::size).sum()
    }

    fn file_memory(&self) -> u64 {
        self.layout.memory()
    }

    /// At least the rows of a row group.
    fn room(&self, waiting: Waiting, file_size: u64) -> u64 {
        let room = |of: u64, used: u64| {
            let left = of.saturating_sub(used);
            if self.stripe_rows > 0 {
                rows_for(left, self.memory(), self.stripe_rows)
            } else {
                rows_for(left, waiting.bytes, waiting.rows)
            }
        };
        let in_stripe = room(self.layout.stripe_size, self.memory());
        in_stripe.min(room(file_size, self.size())).max(ROW_GROUP as u64)
    }

    fn is_unit_full(&self) -> bool {
        self.stripe_rows > 0 && self.memory() >= self.layout.stripe_size
    }

    /// Each column is one part of the work.
    fn encode<'a>(&'a mut self, rows: &'a [Piece]) -> Result<Vec<Work<'a>>> {
        let given = Waiting::of(rows).rows;
        if self.stripe_rows == 0 && given > 0 {
            self.stripe = self.layout.shape.columns()?;
        }
        self.stripe_rows += given;
        self.rows += given;
        let location = self.location.as_str();
        let of_column = |column: &'a mut StripeColumn| -> Work<'a> {
            Box::new(move || {
                let place = column.place();
                let mut values = rows.iter().filter_map(|piece| piece.columns.get(place));
                values.try_for_each(|values| column.encode(values)).context("path", location)
            })
        };
        Ok(self.stripe.iter_mut().map(of_column).collect())
    }

    fn end_unit(&mut self) -> Result<Vec<Work<'_>>> {
        let location = self.location.as_str();
        let ended = |column| -> Work<'_> {
            let column: &mut StripeColumn = column;
            Box::new(move || column.end().context("path", location))
        };
        Ok(self.stripe.iter_mut().map(ended).collect())
    }

    fn write_unit(&mut self) -> Result<()> {
        let rows = mem::take(&mut self.stripe_rows);
        if rows == 0 {
            return Ok(());
        }
        let stripe = self.file.stripe(rows, mem::take(&mut self.stripe)).context("path", &self.location)?;
        stripe.iter().try_for_each(|part| self.sink.write(part))
    }

    fn finish(self: Box<Self>) -> Result<FileMetrics> {
        let Self { location, layout, mut sink, file, rows, .. } = *self;
        let written = file.written();
        let offsets = file.offsets().map(|offset| offset as i64).collect();
        let (end, columns) = file.finish().context("path", &location)?;
        sink.write(&end)?;
        let (size, expected) = (sink.finish()?, written + end.len() as u64);
        if size != expected {
            return Err(Error::internal(format!("{expected} bytes were written, {size} are stored"))
                .with("path", location));
        }
        let mut metrics = described(&columns, rows, &layout.modes)?;
        metrics.file_size_in_bytes = size as i64;
        metrics.split_offsets = Some(offsets);
        Ok(metrics)
    }
}
