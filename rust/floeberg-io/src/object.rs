//! How are files of object stores read and written?
//!
//! In: locations of S3, Google Cloud Storage, Azure Storage and HTTP servers. Out: ranges, many at a time,
//! for blocking callers; new objects, except on HTTP servers.
//!
//! Invariant: stores and open files hold options, never connections, so both work after a fork.

mod failure;
mod kind;
mod settings;
mod signer;
mod pace;
mod sent;
mod requests;
mod attempts;
mod client;
mod kept;
mod process;
mod fetch;
mod ends;
mod file;
mod write;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::{Error, ErrorKind, Result};
use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore as Client, ObjectStoreExt, PutMode};

use crate::listing::FoundFile;
use crate::location::{Location, join, shown};
use crate::options::StoreOptions;
use crate::renewal;
use crate::store::{Entry, Sink, Source, Store};

pub(crate) use ends::Ends;
use file::ObjectFile;
use kept::Key;
pub(crate) use kind::Kind;
use process::Process;
use requests::Requests;

/// The objects of one kind of store, in all buckets. It connects only when a file is read.
#[derive(Debug, Clone)]
pub(crate) struct ObjectStore {
    kind: Kind,
    options: Arc<StoreOptions>,
    ends: Arc<Ends>,
}

impl ObjectStore {
    pub(crate) fn new(kind: Kind, options: Arc<StoreOptions>, ends: Arc<Ends>) -> Self {
        Self { kind, options, ends }
    }

    fn opened(&self, location: &str, claimed: Option<u64>, is_unchanging: bool) -> Result<Arc<dyn Source>> {
        let file = ObjectFile::new(self.file(location)?, claimed, is_unchanging, self.ends.clone());
        Ok(Arc::new(file))
    }

    fn object(&self, location: &str) -> Result<Object> {
        let (bucket, path) = self.kind.address(&Location::parse(location))?;
        Ok(Object {
            location: location.to_owned(),
            kind: self.kind,
            bucket,
            path,
            options: self.options.clone(),
        })
    }

    /// Errors: `Unsupported` for a store that has no lists.
    fn check_lists(&self, folder: &str) -> Result<()> {
        if self.kind == Kind::Http {
            let message = "an HTTP server cannot list a folder; expected the location of a file";
            return Err(Error::unsupported(message).with("path", shown(folder)));
        }
        Ok(())
    }

    /// An object, not the bucket itself.
    fn file(&self, location: &str) -> Result<Object> {
        let object = self.object(location)?;
        if object.path.is_root() {
            return Err(Error::invalid_input("expected a file, found a bucket").with("path", shown(location)));
        }
        Ok(object)
    }

    /// An object of a store that can be written to.
    fn writable(&self, location: &str) -> Result<Object> {
        if self.kind == Kind::Http {
            let message = "files of an HTTP server cannot be written or removed";
            return Err(Error::unsupported(message).with("path", shown(location)));
        }
        self.file(location)
    }
}

impl Store for ObjectStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.opened(location, None, false)
    }

    fn open_unchanging(&self, location: &str) -> Result<Arc<dyn Source>> {
        self.opened(location, None, true)
    }

    fn open_sized(&self, location: &str, size: u64) -> Result<Arc<dyn Source>> {
        // Of an empty file no range can be asked for.
        self.opened(location, Some(size).filter(|size| *size > 0), true)
    }

    fn exists(&self, location: &str) -> Result<bool> {
        let object = self.object(location)?;
        if object.path.is_root() {
            return Ok(false);
        }
        match object.head() {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<Entry>> {
        let object = self.object(folder.strip_suffix('/').unwrap_or(folder))?;
        self.check_lists(folder)?;
        let prefix = object.path.clone();
        let listed =
            object.ask(|client, path| async move { client.list_with_delimiter(Some(&path)).await })?;
        // A marker object of the folder itself is listed too, without a name in it.
        let name = |path: &Path| {
            let mut names = path.prefix_match(&prefix)?;
            let name = names.next()?.as_ref().to_owned();
            names.next().is_none().then_some(name)
        };
        let folders = listed.common_prefixes.iter().filter_map(name);
        let folders = folders.map(|name| Entry { name, is_folder: true, size: 0 });
        let files = listed.objects.iter().filter_map(|meta| Some((name(&meta.location)?, meta.size)));
        let files = files.map(|(name, size)| Entry { name, is_folder: false, size });
        Ok(folders.chain(files).collect())
    }

    fn files_below(&self, folder: &str) -> Result<Vec<FoundFile>> {
        let object = self.object(folder.strip_suffix('/').unwrap_or(folder))?;
        self.check_lists(folder)?;
        let prefix = object.path.clone();
        let folder = folder.to_owned();
        object.ask(|client, path| async move {
            let found = |meta: ObjectMeta| {
                let names: Vec<_> =
                    meta.location.prefix_match(&prefix)?.map(|name| name.as_ref().to_owned()).collect();
                // A marker object of the folder itself has no name in it.
                (!names.is_empty()).then(|| FoundFile {
                    location: join(&folder, &names.join("/")),
                    size: meta.size,
                    modified_ms: meta.last_modified.timestamp_millis(),
                })
            };
            let listed = client.list(Some(&path)).map_ok(found);
            listed.try_filter_map(|found| async move { Ok(found) }).try_collect().await
        })
    }

    fn files_in(&self, folder: &str) -> Result<(Vec<FoundFile>, Vec<String>)> {
        let object = self.object(folder.strip_suffix('/').unwrap_or(folder))?;
        self.check_lists(folder)?;
        let prefix = object.path.clone();
        let listed =
            object.ask(|client, path| async move { client.list_with_delimiter(Some(&path)).await })?;
        let location = |path: &Path| {
            let names: Vec<_> = path.prefix_match(&prefix)?.map(|name| name.as_ref().to_owned()).collect();
            // A marker object of the folder itself has no name in it.
            (!names.is_empty()).then(|| join(folder, &names.join("/")))
        };
        let found = |meta: &ObjectMeta| {
            let modified_ms = meta.last_modified.timestamp_millis();
            Some(FoundFile { location: location(&meta.location)?, size: meta.size, modified_ms })
        };
        let folders = listed.common_prefixes.iter().filter_map(location);
        Ok((listed.objects.iter().filter_map(found).collect(), folders.collect()))
    }

    fn modified_ms(&self, location: &str) -> Result<i64> {
        Ok(self.file(location)?.head()?.last_modified.timestamp_millis())
    }

    fn create(&self, location: &str) -> Result<Box<dyn Sink>> {
        Ok(Box::new(self.writable(location)?.create()))
    }

    fn put_if_absent(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.writable(location)?.put(bytes, PutMode::Create)
    }

    fn put(&self, location: &str, bytes: Bytes) -> Result<()> {
        self.writable(location)?.put(bytes, PutMode::Overwrite)
    }

    fn remove(&self, location: &str) -> Result<()> {
        self.writable(location)?.remove()
    }
}

/// Everything that a request needs: the location of the object and the options of its store.
#[derive(Clone)]
struct Object {
    location: String,
    kind: Kind,
    bucket: String,
    path: Path,
    options: Arc<StoreOptions>,
}

impl fmt::Debug for Object {
    /// Its location without secrets: an HTTP object keeps the query of its URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({})", shown(&self.location))
    }
}

impl Object {
    /// Waits for one request that changes nothing.
    fn ask<T, F>(&self, request: impl FnOnce(Arc<dyn Client>, Path) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let one = |client, path, requests: Requests| requests.read(request(client, path));
        self.ask_each(one)?.map_err(|error| self.failed(&error))
    }

    /// Waits for requests that change nothing, each of which has its turn.
    fn ask_each<T, F>(&self, requests: impl FnOnce(Arc<dyn Client>, Path, Requests) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let (process, client) = self.client()?;
        process.wait_unless_given_up(requests(client.store, self.path.clone(), client.requests))
    }

    /// Waits for one request that changes something: its outcome must be known.
    fn change<T, F>(&self, request: impl FnOnce(Arc<dyn Client>, Path) -> F) -> Result<T>
    where
        T: Send + 'static,
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let (process, client) = self.client()?;
        process.kept().forget(&self.key());
        let change = process.start_change(client.requests, request(client.store, self.path.clone()));
        change.outcome()?.map_err(|error| self.failed(&error))
    }

    /// This process, and its client of the bucket.
    fn client(&self) -> Result<(&'static Process, process::Client)> {
        let process = process::current()?;
        Ok((process, process.client(self.kind, &self.bucket, &self.options)?))
    }

    /// Its identity among what the process keeps.
    fn key(&self) -> Key {
        Key {
            kind: self.kind,
            bucket: self.bucket.clone(),
            path: self.path.as_ref().to_owned(),
            options: Arc::clone(&self.options),
        }
    }

    /// What the store says of it, without its bytes.
    fn head(&self) -> Result<ObjectMeta> {
        self.ask(|client, path| async move { client.head(&path).await })
    }

    fn failed(&self, error: &object_store::Error) -> Error {
        failure::describe(error, &self.location, &renewal::last_known(&self.options))
    }
}
