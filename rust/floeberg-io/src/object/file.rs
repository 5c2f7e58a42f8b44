//! How are ranges of one object read, with few requests?
//!
//! In: the recipe of an object and ranges of it. Out: their bytes. An object that is small, by the size that a manifest claims, is
//! asked for once, as a whole.
//!
//! Invariant: bytes are returned only if the store confirmed that they are those of the requested range, and of the object that
//! was there at the first request: one that was replaced meanwhile, as far as its size or its `ETag` says so, is an error.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use floeberg_core::{Error, Result};
use object_store::GetRange;

use super::fetch::{Asked, Part, fetch, fetch_all, strong};
use super::kept::KeptObject;
use super::requests::Requests;
use super::{Ends, Kind, Object, failure, process};
use crate::ranges::{Coalescing, Fetches, checked_length, out_of_range, too_large};
use crate::store::{SMALL_FILE, Source};

/// Fetches of several ranges are short enough, in bytes, for several of them to run at once.
const LONGEST: u64 = 8 << 20;

/// The unknown size of an object without a request so far.
const UNKNOWN: u64 = u64::MAX;

/// An object, open: its recipe, and what is known of it.
pub(super) struct ObjectFile {
    object: Object,
    /// [`UNKNOWN`] until the first answer.
    size: AtomicU64,
    /// What a manifest says of its size. It may be wrong.
    claimed: Option<u64>,
    /// Does it never change, so that the process may keep it?
    is_unchanging: bool,
    /// The ends of files of the same table.
    ends: Arc<Ends>,
    /// The `ETag` of the first answer.
    version: OnceLock<String>,
    /// All its bytes, if it is small.
    whole: OnceLock<Bytes>,
}

impl ObjectFile {
    pub(super) fn new(object: Object, claimed: Option<u64>, is_unchanging: bool, ends: Arc<Ends>) -> Self {
        Self {
            object,
            size: AtomicU64::new(UNKNOWN),
            claimed,
            is_unchanging,
            ends,
            version: OnceLock::new(),
            whole: OnceLock::new(),
        }
    }

    /// The size, if an answer said it.
    fn known_size(&self) -> Option<u64> {
        Some(self.size.load(Ordering::Relaxed)).filter(|size| *size != UNKNOWN)
    }

    /// The size by all that is known, without a request.
    fn supposed_size(&self) -> Option<u64> {
        self.known_size().or(self.claimed)
    }

    fn asked(&self, range: Option<GetRange>, most: u64) -> Asked {
        Asked { range, version: self.version.get().cloned(), most }
    }

    /// Waits for one range.
    fn get(&self, asked: Asked) -> Result<Part> {
        let range = asked.bounds();
        let one =
            |client, path, requests: Requests| requests.clone().read(fetch(client, path, requests, asked));
        let part = self.object.ask_each(one)?.map_err(|error| self.failed(&range, &error))?;
        self.seen(part.size, part.version.as_ref())?;
        Ok(part)
    }

    /// Keeps what an answer says of the object. Errors: `InvalidData` if the object is another one than before.
    fn seen(&self, size: u64, version: Option<&String>) -> Result<()> {
        let before = self.size.compare_exchange(UNKNOWN, size, Ordering::Relaxed, Ordering::Relaxed);
        let is_other = before.is_err_and(|before| before != size)
            || version.is_some_and(|version| self.version.get_or_init(|| version.clone()) != version);
        if is_other {
            self.forget();
            return Err(failure::replaced(&self.object.location));
        }
        Ok(())
    }

    /// The bytes of an answer, after a check that they are those of the range.
    fn checked(&self, range: &Range<u64>, part: Part) -> Result<Bytes> {
        if part.range != *range || part.bytes.len() as u64 != range.end - range.start {
            return Err(out_of_range(range, part.size, &self.object.location));
        }
        Ok(part.bytes)
    }

    /// All bytes of an object that is small, if the claim about its size is right.
    fn whole(&self) -> Result<Option<&Bytes>> {
        if let Some(whole) = self.whole.get() {
            return Ok(Some(whole));
        }
        let Some(size) = self.claimed.filter(|size| *size <= SMALL_FILE && self.known_size().is_none())
        else {
            return Ok(None);
        };
        if let Some(kept) = self.kept()?.filter(|kept| kept.is_whole() && kept.size == size) {
            return Ok(Some(self.whole.get_or_init(|| kept.end)));
        }
        let part = match self.get(self.asked(Some(GetRange::Bounded(0..size)), size)) {
            Ok(part) => part,
            // What is asked for next says what is wrong.
            Err(_) if self.known_size().is_some_and(|found| found != size) => return Ok(None),
            Err(error) => return Err(error),
        };
        if part.size != size {
            return Ok(None);
        }
        let bytes = self.checked(&(0..size), part)?;
        self.keep(size, &bytes)?;
        Ok(Some(self.whole.get_or_init(|| bytes)))
    }

    /// What the process keeps of it.
    fn kept(&self) -> Result<Option<KeptObject>> {
        if !self.is_unchanging {
            return Ok(None);
        }
        Ok(process::current()?.kept().get(&self.object.key()))
    }

    /// Has the process keep its last bytes, or all, if they are few.
    fn keep(&self, size: u64, end: &Bytes) -> Result<()> {
        if self.is_unchanging && end.len() as u64 <= SMALL_FILE {
            let kept = KeptObject { size, version: self.version.get().cloned(), end: end.clone() };
            process::current()?.kept().put(self.object.key(), kept);
        }
        Ok(())
    }

    /// What is kept of it is of another object.
    fn forget(&self) {
        if self.is_unchanging
            && let Ok(process) = process::current()
        {
            process.kept().forget(&self.object.key());
        }
    }

    /// Stores answer a range that starts past the end with an error that only they understand.
    fn failed(&self, range: &Range<u64>, error: &object_store::Error) -> Error {
        if matches!(error, object_store::Error::Precondition { .. }) {
            self.forget();
        }
        if failure::is_about_range(error)
            && let Ok(size) = self.ask_size()
            && range.end > size
        {
            return out_of_range(range, size, &self.object.location);
        }
        self.object.failed(error)
    }

    fn ask_size(&self) -> Result<u64> {
        let found = self.object.head()?;
        self.seen(found.size, strong(found.e_tag).as_ref())?;
        Ok(found.size)
    }

    fn fetch_each(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let asked = |range: &Range<u64>| {
            let length = range.end - range.start;
            self.asked(Some(GetRange::Bounded(range.clone())), length)
        };
        let asked: Vec<_> = ranges.iter().map(asked).collect();
        let answers =
            self.object.ask_each(|client, path, requests| fetch_all(client, path, requests, asked))?;
        if let Some(error) = answers.iter().find_map(|answer| answer.as_ref().err()) {
            let last = ranges.iter().max_by_key(|range| range.end).cloned().unwrap_or_default();
            return Err(self.failed(&last, error));
        }
        let answered = ranges.iter().zip(answers.into_iter().flatten());
        let checked = |(range, part): (&Range<u64>, Part)| {
            self.seen(part.size, part.version.as_ref())?;
            self.checked(range, part)
        };
        answered.map(checked).collect()
    }
}

impl Source for ObjectFile {
    fn location(&self) -> &str {
        &self.object.location
    }

    fn size(&self) -> Result<u64> {
        match self.whole()? {
            Some(whole) => Ok(whole.len() as u64),
            None => self.known_size().map_or_else(|| self.ask_size(), Ok),
        }
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        let mut answers = self.read_ranges(std::slice::from_ref(&range))?;
        answers.pop().ok_or_else(|| Error::internal("the store returned no data for a range"))
    }

    fn read_ranges(&self, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let whole = self.whole()?;
        // Without a known size, only the order of the ends can be checked here.
        let size = whole.map_or_else(|| self.known_size().unwrap_or(UNKNOWN), |whole| whole.len() as u64);
        for range in ranges {
            checked_length(range, size, &self.object.location)?;
        }
        if let Some(whole) = whole {
            let slice = |range: &Range<u64>| whole.slice(range.start as usize..range.end as usize);
            return Ok(ranges.iter().map(slice).collect());
        }
        let gap = if ranges.len() > 1 { self.object.client()?.1.requests.pace().gap() } else { 0 };
        let plan = Fetches::new(ranges, Coalescing { gap, longest: LONGEST });
        let fetched = self.fetch_each(&plan.fetches)?;
        Ok(plan.cut(ranges, &fetched))
    }

    fn read_all(&self, limit: u64) -> Result<Bytes> {
        let whole = match self.whole()?.cloned() {
            None => self.kept()?.filter(KeptObject::is_whole).map(|kept| kept.end),
            whole => whole,
        };
        if let Some(whole) = whole {
            let size = whole.len() as u64;
            return if size > limit { Err(too_large(size, limit, &self.object.location)) } else { Ok(whole) };
        }
        let part = self.get(self.asked(None, limit))?;
        if part.size > limit {
            return Err(too_large(part.size, limit, &self.object.location));
        }
        let bytes = self.checked(&(0..part.size), part)?;
        self.keep(bytes.len() as u64, &bytes)?;
        Ok(bytes)
    }

    /// One request: of the claimed size, or of a range from the end, where the store knows such ranges.
    fn read_end(&self, least: u64) -> Result<(u64, Bytes)> {
        if let Some(whole) = self.whole()? {
            let start = whole.len().saturating_sub(least as usize);
            return Ok((whole.len() as u64, whole.slice(start..)));
        }
        let most = self.ends.expected(least);
        if let Some(kept) = self.kept()?.filter(|kept| kept.has_end(most))
            && self.supposed_size().is_none_or(|size| size == kept.size)
        {
            // Other bytes of the file must be those of the same version.
            self.seen(kept.size, kept.version.as_ref())?;
            return Ok((kept.size, kept.end));
        }
        let supposed = match self.supposed_size() {
            None if !matches!(self.object.kind, Kind::S3 | Kind::Gcs) => Some(self.size()?),
            supposed => supposed,
        };
        let range = match supposed {
            Some(size) => GetRange::Bounded(size.saturating_sub(most)..size),
            None => GetRange::Suffix(most),
        };
        let asked = (supposed != Some(0) && most > 0).then(|| self.get(self.asked(Some(range), most)));
        match asked {
            Some(Ok(part)) if part.is_end(most) => {
                let (size, range) = (part.size, part.range.clone());
                let end = self.checked(&range, part)?;
                self.keep(size, &end)?;
                return Ok((size, end));
            }
            Some(Err(error)) if self.known_size().is_none_or(|size| Some(size) == supposed) => {
                return Err(error);
            }
            // The claim was wrong, or the object is empty.
            _ => {}
        }
        let size = self.size()?;
        Ok((size, self.read(size.saturating_sub(most)..size)?))
    }

    fn needed_end(&self, bytes: u64) {
        self.ends.needed(bytes);
    }
}

impl fmt::Debug for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectFile")
            .field("object", &self.object)
            .field("size", &self.known_size())
            .finish_non_exhaustive()
    }
}
