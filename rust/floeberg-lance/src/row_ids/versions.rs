//! In which versions did the rows of a fragment come into the table, and were last changed?
//!
//! In: the bytes of a sequence of runs. Out: the version of each row.
//! Spec: Lance, `rowids.proto`, `RowDatasetVersionSequence`. Of a run's span only the length counts.
//!
//! Invariant: runs cover every row of the fragment, deleted ones included; another length is an error.

use std::ops::Range;

use floeberg_core::{Context as _, Error, Result};
use floeberg_protobuf::{Encoder, Records};

use super::segment::Segment;

/// The versions of a fragment's rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowVersions {
    runs: Vec<(Segment, u64)>,
}

impl RowVersions {
    /// Rows that all have one version.
    pub fn uniform(rows: u64, version: u64) -> Self {
        Self { runs: vec![(Segment::Range(0..rows), version)] }
    }

    /// The versions of rows, in their order.
    pub fn new(versions: &[u64]) -> Self {
        let (mut runs, mut start) = (Vec::new(), 0_u64);
        for run in versions.chunk_by(|one, next| one == next) {
            let end = start + run.len() as u64;
            runs.push((Segment::Range(start..end), run[0]));
            start = end;
        }
        Self { runs }
    }

    /// Reads a sequence. Errors: `InvalidData`.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let mut runs = Vec::new();
        for record in Records::new(bytes) {
            let record = record.context("message", "RowDatasetVersionSequence")?;
            if record.number == 1 {
                runs.push(run(record.value.bytes()?).context("message", "RowDatasetVersionSequence")?);
            }
        }
        Ok(Self { runs })
    }

    /// The bytes of a sequence.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Encoder::default();
        for (span, version) in &self.runs {
            let mut inner = Encoder::default();
            inner.some_bytes(1, span.to_message());
            inner.number(2, *version);
            out.some_bytes(1, inner.finish());
        }
        out.finish()
    }

    /// Checks that there are this many versions, one for each row. Errors: `InvalidData`.
    pub fn check_length(&self, rows: u64) -> Result<()> {
        let found = self.runs.iter().try_fold(0_u64, |sum, (span, _)| sum.checked_add(span.len()));
        if found == Some(rows) {
            return Ok(());
        }
        let found = found.map_or("more than 64 bits can count".to_owned(), |found| found.to_string());
        Err(Error::invalid_data(format!("expected a version for each of {rows} rows, found {found}")))
    }

    /// Runs of rows with one version: how many, and which.
    pub fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.runs.iter().map(|(span, version)| (span.len(), *version))
    }

    /// The version of a row.
    pub fn get(&self, row: u64) -> Option<u64> {
        let mut left = row;
        for (rows, version) in self.runs() {
            if left < rows {
                return Some(version);
            }
            left -= rows;
        }
        None
    }

    /// The versions of some rows, in their order.
    pub fn slice(&self, rows: Range<u64>) -> Vec<u64> {
        let (mut versions, mut first) = (Vec::new(), 0_u64);
        for (length, version) in self.runs() {
            let end = first.saturating_add(length);
            let (from, to) = (rows.start.max(first), rows.end.min(end));
            versions.extend(std::iter::repeat_n(version, to.saturating_sub(from) as usize));
            first = end;
        }
        versions
    }
}

fn run(message: &[u8]) -> Result<(Segment, u64)> {
    let (mut span, mut version) = (None, 0);
    for record in Records::new(message) {
        let record = record?;
        match record.number {
            1 => span = Some(Segment::parse(record.value.bytes()?)?),
            2 => version = record.value.number()?,
            _ => {}
        }
    }
    let span = span.ok_or_else(|| Error::invalid_data("expected the rows of a version, found none"))?;
    Ok((span, version))
}
