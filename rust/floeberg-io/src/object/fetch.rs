//! How does one request for bytes go?
//!
//! In: a range, or all, and the version that the object had before. Out: the bytes, and what the store says of them.
//!
//! Invariant: no more bytes are taken than were asked for, whatever the store sends.

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectStore as Client};
use tokio::task::JoinSet;

use super::requests::Requests;

/// How many ranges of one call are fetched at once.
const AT_ONCE: usize = 16;

/// The most bytes that are allocated before they arrive.
const LARGEST_BUFFER: u64 = 8 << 20;

/// A request.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Which bytes; `None` is all.
    pub(super) range: Option<GetRange>,
    /// The `ETag` that the object must have.
    pub(super) version: Option<String>,
    /// The most bytes that are wanted. Of a larger answer nothing is transferred.
    pub(super) most: u64,
}

impl Asked {
    /// The range, as far as it is known before the answer.
    pub(super) fn bounds(&self) -> Range<u64> {
        match &self.range {
            Some(GetRange::Bounded(range)) => range.clone(),
            Some(GetRange::Suffix(length)) => 0..*length,
            Some(GetRange::Offset(_)) | None => 0..0,
        }
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) bytes: Bytes,
    /// The range of the bytes, by the store.
    pub(super) range: Range<u64>,
    /// The size of the object.
    pub(super) size: u64,
    /// The `ETag`, if it says that the bytes are the same.
    pub(super) version: Option<String>,
}

impl Part {
    /// Are these the last bytes of the object: so many, or all?
    pub(super) fn is_end(&self, most: u64) -> bool {
        let end = self.size.saturating_sub(most)..self.size;
        self.range == end && self.bytes.len() as u64 == end.end - end.start
    }
}

/// An `ETag`, if it says that the bytes are the same. A weak one only says that they mean the same.
pub(super) fn strong(tag: Option<String>) -> Option<String> {
    tag.filter(|tag| !tag.starts_with("W/"))
}

/// Sends one request.
pub(super) async fn fetch(
    client: Arc<dyn Client>,
    path: Path,
    requests: Requests,
    asked: Asked,
) -> object_store::Result<Part> {
    let wanted = match &asked.range {
        Some(GetRange::Bounded(range)) => Some(range.clone()),
        _ => None,
    };
    let options = GetOptions { range: asked.range, if_match: asked.version, ..GetOptions::default() };
    let answer = client.get_opts(&path, options).await?;
    let (range, size) = (answer.range.clone(), answer.meta.size);
    let version = strong(answer.meta.e_tag.clone());
    let length = range.end - range.start;
    // What the caller will refuse is not transferred.
    let is_asked = wanted.is_none_or(|wanted| wanted == range);
    let mut bytes = BytesMut::with_capacity(length.min(asked.most).min(LARGEST_BUFFER) as usize);
    if is_asked && length <= asked.most {
        let begun = Instant::now();
        let mut pieces = answer.into_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            if (bytes.len() + piece.len()) as u64 > length {
                // The caller finds fewer bytes than the range has.
                bytes.clear();
                break;
            }
            bytes.extend_from_slice(&piece);
        }
        requests.pace().transferred(bytes.len() as u64, begun.elapsed());
    }
    Ok(Part { bytes: bytes.freeze(), range, size, version })
}

/// Sends requests concurrently, a few at a time, and returns their answers in order.
pub(super) async fn fetch_all(
    client: Arc<dyn Client>,
    path: Path,
    requests: Requests,
    asked: Vec<Asked>,
) -> Vec<object_store::Result<Part>> {
    let mut tasks = JoinSet::new();
    let mut answers = Vec::with_capacity(asked.len());
    let mut waiting = asked.into_iter().enumerate();
    loop {
        while tasks.len() < AT_ONCE {
            let Some((index, asked)) = waiting.next() else { break };
            let one = requests.clone().read(fetch(client.clone(), path.clone(), requests.clone(), asked));
            tasks.spawn(async move { (index, one.await) });
        }
        match tasks.join_next().await {
            Some(Ok((index, answer))) => {
                let failed = answer.is_err();
                answers.push((index, answer));
                // The other requests are not needed: dropping the set cancels them.
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
