//! How are objects written?
//!
//! In: the recipe of an object and its bytes. Out: the object, whole: stores do not show an unfinished upload.
//!
//! Invariant: an upload is finished or cancelled by the process that started it, since it has its connections.

use std::collections::VecDeque;
use std::fmt;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};
use object_store::{MultipartUpload, ObjectStore as _, ObjectStoreExt as _, PutMode, PutPayload};

use super::process::Change;
use super::requests::Requests;
use super::{Object, process};
use crate::location::shown;
use crate::store::Sink;

/// Every store accepts parts of this size, and ten thousand of them are enough for the largest useful file.
pub(super) const PART: usize = 8 * 1024 * 1024;

/// How many parts of one object are sent at the same time.
const AT_ONCE: usize = 4;

/// An object that is being written. A small object is sent at the end, in one request.
pub(super) struct ObjectSink {
    object: Object,
    /// Bytes that were not sent yet, less than a part.
    rest: Vec<u8>,
    upload: Option<Upload>,
    size: u64,
    begun_in: u32,
}

struct Upload {
    parts: Box<dyn MultipartUpload>,
    requests: Requests,
    /// Parts that are being sent.
    sent: VecDeque<Change<object_store::Result<()>>>,
}

impl Object {
    /// Starts to write the object. Nothing is sent yet: its name is unique.
    pub(super) fn create(self) -> ObjectSink {
        let begun_in = std::process::id();
        ObjectSink { object: self, rest: Vec::new(), upload: None, size: 0, begun_in }
    }

    /// Writes the whole object in one request.
    pub(super) fn put(&self, bytes: Bytes, mode: PutMode) -> Result<()> {
        let payload = PutPayload::from_bytes(bytes);
        let put = |client: std::sync::Arc<dyn object_store::ObjectStore>, path| async move {
            client.put_opts(&path, payload, mode.into()).await
        };
        self.change(put).map(drop).map_err(outcome_unknown)
    }

    /// Removes the object, if there is one.
    pub(super) fn remove(&self) -> Result<()> {
        match self.change(|client, path| async move { client.delete(&path).await }) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            answer => answer.map_err(outcome_unknown),
        }
    }
}

/// A store that failed may have done the request; a store that refused has not.
fn outcome_unknown(error: Error) -> Error {
    if error.kind() == ErrorKind::Storage { error.outcome_unknown() } else { error }
}

impl ObjectSink {
    fn send(&mut self, part: Vec<u8>) -> Result<()> {
        let process = process::current()?;
        if self.begun_in != std::process::id() {
            return Err(Error::unsupported(
                "the file was started in another process: start it again after the fork",
            )
            .with("path", shown(&self.object.location)));
        }
        if self.upload.is_none() {
            let parts =
                self.object.change(|client, path| async move { client.put_multipart(&path).await })?;
            let (_, client) = self.object.client()?;
            self.upload = Some(Upload { parts, requests: client.requests, sent: VecDeque::new() });
        }
        let Some(upload) = &mut self.upload else { return Ok(()) };
        while upload.sent.len() >= AT_ONCE {
            upload.arrived(&self.object)?;
        }
        let part = upload.parts.put_part(PutPayload::from(part));
        upload.sent.push_back(process.start_change(upload.requests.clone(), part));
        Ok(())
    }
}

impl Upload {
    /// Waits for the first part that is being sent.
    fn arrived(&mut self, object: &Object) -> Result<()> {
        match self.sent.pop_front() {
            None => Ok(()),
            Some(part) => part.outcome()?.map_err(|error| object.failed(&error)),
        }
    }
}

impl Sink for ObjectSink {
    fn write(&mut self, mut bytes: &[u8]) -> Result<()> {
        self.size += bytes.len() as u64;
        while self.rest.len() + bytes.len() >= PART {
            let (now, later) = bytes.split_at(PART - self.rest.len());
            let mut part = std::mem::take(&mut self.rest);
            part.extend_from_slice(now);
            self.send(part)?;
            bytes = later;
        }
        self.rest.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<u64> {
        let rest = std::mem::take(&mut self.rest);
        if self.upload.is_none() {
            self.object.put(rest.into(), PutMode::Overwrite)?;
            return Ok(self.size);
        }
        if !rest.is_empty() {
            self.send(rest)?;
        }
        if let Some(upload) = &mut self.upload {
            while !upload.sent.is_empty() {
                upload.arrived(&self.object)?;
            }
        }
        if let Some(mut upload) = self.upload.take() {
            let requests = upload.requests.clone();
            let complete = async move { upload.parts.complete().await };
            let completed = process::current()?.start_change(requests, complete).outcome()?;
            completed.map_err(|error| outcome_unknown(self.object.failed(&error)))?;
        }
        Ok(self.size)
    }
}

impl Drop for ObjectSink {
    fn drop(&mut self) {
        if let Some(mut upload) = self.upload.take()
            && self.begun_in == std::process::id()
            && let Ok(process) = process::current()
        {
            // Parts that arrive after the upload was cancelled would stay.
            while !upload.sent.is_empty() {
                let _ = upload.arrived(&self.object);
            }
            let requests = upload.requests.clone();
            let _ = process.start_change(requests, async move { upload.parts.abort().await }).outcome();
        }
    }
}

impl fmt::Debug for ObjectSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectSink({:?}, {} bytes)", self.object, self.size)
    }
}
