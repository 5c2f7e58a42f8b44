//! What is in the end of a file?
//!
//! In: a source. Out: its postscript and footer.
//! Spec: ORC v1, File Tail.
//!
//! Invariant: offsets are checked against the file before they are used; a footer is no longer than
//! [`MOST_FOOTER`] bytes.

use std::ops::Range;

use bytes::Bytes;
use floeberg_core::{Error, Result};
use floeberg_io::Source;

use crate::read::stream::Blocks;
use crate::wire::{Footer, Postscript};

/// A footer's bytes, at most.
pub(super) const MOST_FOOTER: usize = 64 << 20;

/// This many bytes of the end are read at once; they hold most footers.
const END: u64 = 16 << 10;

/// Where the statistics of stripes are, and their bytes if they were read with the end.
#[derive(Debug, Clone)]
pub(super) struct StatisticsPlace {
    pub(super) range: Range<u64>,
    pub(super) bytes: Option<Bytes>,
}

/// Reads the end of a file.
pub(super) fn read_tail(source: &dyn Source) -> Result<(Postscript, Footer, StatisticsPlace)> {
    let (size, end) = source.read_end(END)?;
    let end_start = size - end.len() as u64;
    let Some((length, before)) = end.split_last() else {
        return Err(Error::invalid_data("expected an ORC file, found no bytes"));
    };
    let length = usize::from(*length);
    let Some(start) = before.len().checked_sub(length) else {
        return Err(Error::invalid_data(format!(
            "expected an ORC file with a postscript of {length} bytes, found {size} bytes"
        )));
    };
    let postscript = Postscript::parse(&before[start..])?;
    // A fuzzer does not guess the magic.
    if !postscript.has_magic && !cfg!(fuzzing) && (size < 3 || source.read(0..3)? != "ORC") {
        return Err(Error::invalid_data("expected an ORC file, with ORC in its postscript"));
    }
    let footer = footer_range(size, length as u64, postscript.footer_length)?;
    let within = |range: &Range<u64>| {
        let start = usize::try_from(range.start.checked_sub(end_start)?).ok()?;
        let end_of = usize::try_from(range.end.checked_sub(end_start)?).ok()?;
        Some(end.slice(start..end_of))
    };
    let length = postscript.metadata_length.min(footer.start);
    let range = footer.start - length..footer.start;
    let statistics = StatisticsPlace { bytes: within(&range), range };
    let stored = if let Some(stored) = within(&footer) {
        stored
    } else {
        source.needed_end(size - footer.start);
        source.read(footer)?
    };
    let blocks = Blocks::new(stored, postscript.compression, postscript.block_size);
    let footer = Footer::parse(&blocks.read_all(MOST_FOOTER, "the footer")?)?;
    Ok((postscript, footer, statistics))
}

fn footer_range(size: u64, postscript: u64, footer: u64) -> Result<Range<u64>> {
    let end = size - 1 - postscript;
    match end.checked_sub(footer) {
        Some(start) if footer <= MOST_FOOTER as u64 => Ok(start..end),
        Some(_) => Err(Error::limit(format!("the footer of the ORC file has {footer} bytes"))),
        None => Err(Error::invalid_data(format!(
            "the ORC file claims a footer of {footer} bytes, but has only {size}"
        ))),
    }
}
