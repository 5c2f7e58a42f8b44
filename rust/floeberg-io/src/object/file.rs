//! How are ranges of one object read, many at once?
//!
//! In: the recipe of an object and ranges of it. Out: their bytes, from as few requests as are worth it.
//!
//! Invariant: bytes are given only where the store said that they are those of the range asked for.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use floeberg_core::{Error, Result};
use object_store::path::Path;
use object_store::{GetOptions, ObjectStore as Client};
use tokio::task::JoinSet;

use super::{Object, failure};
use crate::ranges::{Coalescing, Fetches, checked_length, out_of_range, too_large};
use crate::store::Source;

/// A request costs as much as transferring this gap; fetches are short enough for several to run at once.
const COALESCING: Coalescing = Coalescing { gap: 1024 * 1024, longest: 8 * 1024 * 1024 };

/// How many ranges of one call are fetched at once.
const AT_ONCE: usize = 16;

/// The size of an object that was not asked for yet.
const UNKNOWN: u64 = u64::MAX;

/// An object, open: its recipe, and its size once it is known.
#[derive(Debug)]
pub(super) struct ObjectFile {
    object: Object,
    /// [`UNKNOWN`] until a request has told.
    size: AtomicU64,
}

/// What one request for a range gave: the bytes, the range they are, and the size of the object.
type Part = (Bytes, Range<u64>, u64);

async fn fetch(
    client: Arc<dyn Client>,
    path: Path,
    range: Option<Range<u64>>,
    limit: u64,
) -> object_store::Result<Part> {
    let options = GetOptions { range: range.clone().map(Into::into), ..GetOptions::default() };
    let answer = client.get_opts(&path, options).await?;
    let (found, size) = (answer.range.clone(), answer.meta.size);
    // What will be refused is not transferred.
    let useful = size <= limit && range.is_none_or(|range| range == found);
    let bytes = if useful { answer.bytes().await? } else { Bytes::new() };
    Ok((bytes, found, size))
}

/// Fetches ranges side by side, a few at a time, and gives them in their order.
async fn fetch_all(
    client: Arc<dyn Client>,
    path: Path,
    ranges: Vec<Range<u64>>,
) -> Vec<object_store::Result<Part>> {
    let mut tasks = JoinSet::new();
    let mut answers = Vec::with_capacity(ranges.len());
    let mut waiting = ranges.into_iter().enumerate();
    loop {
        while tasks.len() < AT_ONCE {
            let Some((index, range)) = waiting.next() else { break };
            let (client, path) = (client.clone(), path.clone());
            tasks.spawn(async move { (index, fetch(client, path, Some(range), u64::MAX).await) });
        }
        match tasks.join_next().await {
            Some(Ok((index, answer))) => {
                let failed = answer.is_err();
                answers.push((index, answer));
                // The rest is of no use: dropping the set ends it.
                if failed {
                    break;
                }
            }
            Some(Err(error)) => {
                answers.push((usize::MAX, Err(error.into())));
                break;
            }
            None => break,
        }
    }
    answers.sort_unstable_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

impl ObjectFile {
    pub(super) fn new(object: Object) -> Self {
        Self { object, size: AtomicU64::new(UNKNOWN) }
    }

    /// The bytes of a fetch, once it is sure that they are those of the range.
    fn checked(&self, range: &Range<u64>, answer: Part) -> Result<Bytes> {
        let (bytes, found, size) = answer;
        self.size.store(size, Ordering::Relaxed);
        if found != *range || bytes.len() as u64 != range.end - range.start {
            return Err(out_of_range(range, size, &self.object.location));
        }
        Ok(bytes)
    }

    /// Stores answer a range that starts past the end with an error that only they understand.
    fn failed(&self, range: &Range<u64>, error: &object_store::Error) -> Error {
        if failure::is_about_range(error)
            && let Ok(size) = self.size()
            && range.end > size
        {
            return out_of_range(range, size, &self.object.location);
        }
        self.object.failed(error)
    }

    fn fetch_each(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let asked = ranges.to_vec();
        let answers =
            self.object.ask(|client, path| async move { Ok(fetch_all(client, path, asked).await) })?;
        if let Some(error) = answers.iter().find_map(|answer| answer.as_ref().err()) {
            let last = ranges.iter().max_by_key(|range| range.end).cloned().unwrap_or_default();
            return Err(self.failed(&last, error));
        }
        let answered = ranges.iter().zip(answers.into_iter().flatten());
        answered.map(|(range, answer)| self.checked(range, answer)).collect()
    }
}

impl Source for ObjectFile {
    fn location(&self) -> &str {
        &self.object.location
    }

    fn size(&self) -> Result<u64> {
        let known = self.size.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return Ok(known);
        }
        let size = self.object.size()?;
        self.size.store(size, Ordering::Relaxed);
        Ok(size)
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let mut answers = self.read_ranges(std::slice::from_ref(&range))?;
        answers.pop().ok_or_else(|| Error::internal("the store returned no data for a range"))
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        // Where no request has told the size, only the order of the ends can be checked here.
        let size = self.size.load(Ordering::Relaxed);
        for range in ranges {
            checked_length(range, size, &self.object.location)?;
        }
        let plan = Fetches::new(ranges, COALESCING);
        let fetched = self.fetch_each(&plan.fetches)?;
        Ok(plan.cut(ranges, &fetched))
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let (bytes, _, size) = self.object.ask(move |client, path| fetch(client, path, None, limit))?;
        if size > limit {
            return Err(too_large(size, limit, &self.object.location));
        }
        self.checked(&(0..size), (bytes, 0..size, size))
    }
}
