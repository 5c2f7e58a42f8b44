//! How are rows read by their addresses, many of them at a time?
//!
//! In: addresses, which ascend and may repeat. Out: batches with a row for each of them, in their order.
//!
//! Invariant: rows of one address are in one batch. A fragment of which many rows are wanted is read as a whole, since single rows cost
//! as much.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::{RecordBatch, UInt64Array};
use arrow_select::take::take_record_batch;
use floeberg_core::{Cancel, Error, Result};

use crate::group::Group;
use crate::pages::Pages;
use crate::read::{ReadRequest, RowColumn};
use crate::rows::{Fragments, RowStream, numbers};
use crate::scan::Scan;
use crate::table::Table;
use crate::take::{Taken, missing};
use crate::taken_rows::taken_rows;

/// The most single rows that are read at once.
const MOST_SINGLE: usize = 1 << 16;
/// A fragment is read as a whole where more than one in this number of its rows is wanted.
const FEW: u64 = 64;

/// Rows by their addresses, being read.
#[derive(Debug)]
pub struct RowsAt {
    request: Arc<ReadRequest>,
    pages: Arc<dyn Pages>,
    addresses: Vec<u64>,
    parts: VecDeque<Part>,
    waiting: VecDeque<RecordBatch>,
    whole: Option<Whole>,
}

/// A part of the addresses.
#[derive(Debug)]
enum Part {
    /// Of a fragment, by its place, that is read as a whole.
    Whole(usize, Range<usize>),
    /// Single rows of any fragments.
    Single(Range<usize>),
}

/// A fragment that is read as a whole, and the addresses that are not reached yet.
#[derive(Debug)]
struct Whole {
    stream: RowStream,
    left: Range<usize>,
}

impl RowsAt {
    /// Columns of rows of a version; the address is one of them. Nothing is read before the first batch.
    ///
    /// Errors: `NotFound` for an address of a fragment that is not there; `InvalidInput` for an unknown column.
    pub fn new(
        table: &Table,
        addresses: Vec<u64>,
        columns: Vec<String>,
        pages: &Arc<dyn Pages>,
    ) -> Result<Self> {
        let request = Scan::new(table.clone()).select(columns).request()?;
        let parts = parts(&request, &addresses)?;
        let (pages, waiting) = (Arc::clone(pages), VecDeque::new());
        Ok(Self { request, pages, addresses, parts, waiting, whole: None })
    }

    /// The next batch, which has rows; `None` after the last one.
    ///
    /// Errors: `NotFound` for an address without a row; those of [`RowStream::next_batch`]; `Cancelled`.
    pub fn next_batch(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.waiting.pop_front() {
                return Ok(Some(batch));
            }
            cancel.check()?;
            if let Some(whole) = &mut self.whole {
                match whole.next_batch(&self.addresses)? {
                    Some(batch) => self.waiting.extend(Some(batch).filter(|batch| batch.num_rows() > 0)),
                    None if whole.left.is_empty() => self.whole = None,
                    None => return Err(missing(&self.request, "address", self.addresses[whole.left.start])),
                }
                continue;
            }
            match self.parts.pop_front() {
                None => return Ok(None),
                Some(Part::Single(range)) => {
                    let taken = Taken::by_addresses(Arc::clone(&self.request), &self.addresses[range])?;
                    self.waiting.extend(taken_rows(&taken, &self.pages, cancel)?);
                }
                Some(Part::Whole(place, left)) => {
                    let rows = self.request.table().manifest().fragments.physical_rows()[place];
                    let group = Group::new(Arc::clone(&self.request), vec![(place, 0..rows)]);
                    let stream = RowStream::new(Fragments::Group(group), Arc::clone(&self.pages), None);
                    self.whole = Some(Whole { stream, left });
                }
            }
        }
    }
}

impl Whole {
    /// The wanted rows of the next batch of the fragment; `None` after the last one.
    fn next_batch(&mut self, addresses: &[u64]) -> Result<Option<RecordBatch>> {
        if self.left.is_empty() {
            return Ok(None);
        }
        let Some(batch) = self.stream.next_batch()? else { return Ok(None) };
        let known = numbers(&batch, RowColumn::Address.name())?;
        let wanted = &addresses[self.left.clone()];
        let (mut rows, mut at) = (Vec::new(), 0);
        for (row, address) in (0_u64..).zip(known) {
            while wanted.get(at) == Some(address) {
                rows.push(row);
                at += 1;
            }
        }
        self.left.start += at;
        if rows.len() == batch.num_rows() && rows.iter().zip(0_u64..).all(|(row, at)| *row == at) {
            return Ok(Some(batch));
        }
        take_record_batch(&batch, &UInt64Array::from(rows))
            .map(Some)
            .map_err(|error| Error::internal("rows of a fragment could not be taken").caused_by(error))
    }
}

fn parts(request: &ReadRequest, addresses: &[u64]) -> Result<VecDeque<Part>> {
    let fragments = &request.table().manifest().fragments;
    let places: HashMap<u64, usize> = fragments.ids().iter().copied().zip(0..).collect();
    let mut parts = VecDeque::new();
    let (mut start, mut single) = (0, 0..0);
    while start < addresses.len() {
        let fragment = addresses[start] >> 32;
        let end = start + addresses[start..].partition_point(|address| address >> 32 == fragment);
        let place = *places.get(&fragment).ok_or_else(|| missing(request, "address", addresses[start]))?;
        if ((end - start) as u64).saturating_mul(FEW) > fragments.physical_rows()[place] {
            add_single(&mut parts, addresses, single);
            parts.push_back(Part::Whole(place, start..end));
            single = end..end;
        } else {
            single.end = end;
        }
        start = end;
    }
    add_single(&mut parts, addresses, single);
    Ok(parts)
}

/// Single rows, in pieces between two addresses.
fn add_single(parts: &mut VecDeque<Part>, addresses: &[u64], range: Range<usize>) {
    let mut start = range.start;
    while start < range.end {
        let mut end = (start + MOST_SINGLE).min(range.end);
        end += addresses[end..range.end].partition_point(|address| *address == addresses[end - 1]);
        parts.push_back(Part::Single(start..end));
        start = end;
    }
}
