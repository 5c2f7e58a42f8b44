//! Which runtime and which clients belong to this process?
//!
//! In: nothing but the process id. Out: its Tokio runtime and its clients, made when first needed.
//!
//! A runtime that was made before a fork is dead in the child, and sockets are shared: each process has a
//! [slot](crate::process_slot) of its own.
//!
//! Invariant: no lock and no connection is touched by another process than the one that made it.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use floeberg_core::{Error, ErrorKind, Result};
use object_store::ObjectStore;
use tokio::runtime::{Builder, Runtime};

use super::Kind;
use crate::options::StoreOptions;
use crate::process_slot::{DEPTH, Slot, slot_of};
use crate::renewal;

/// More clients than this are those of a table that names a bucket for every file.
const MOST_CLIENTS: usize = 256;

/// What a process made for itself. It can not be printed: servers of HTTP clients hold queries.
pub(super) struct Process {
    runtime: Runtime,
    clients: Mutex<HashMap<Key, Arc<dyn ObjectStore>>>,
}

/// What tells one client from another.
type Key = (Kind, String, Arc<StoreOptions>);

static SLOTS: [Slot<Process>; DEPTH] = [const { Slot::new() }; DEPTH];

/// What this process made, made now if it has nothing.
pub(super) fn current() -> Result<&'static Process> {
    let slot = slot_of(&SLOTS, std::process::id()).ok_or_else(|| {
        Error::unsupported(format!("this process was forked from more than {DEPTH} readers of object stores"))
    })?;
    if slot.value.get().is_none() {
        // Of several threads that get here one wins; the others drop what they made.
        let _ = slot.value.set(Process::new()?);
    }
    slot.value.get().ok_or_else(|| Error::internal("the runtime of this process is missing"))
}

#[cfg(feature = "client")]
use super::client::connect;

/// The interface without a client behind it, for its tests.
#[cfg(not(feature = "client"))]
fn connect(_: Kind, bucket: &str, _: &StoreOptions) -> Result<Arc<dyn ObjectStore>> {
    Err(Error::unsupported(format!("this build of Floeberg cannot connect to {bucket}")))
}

impl Process {
    fn new() -> Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("floeberg-io")
            .enable_all()
            .build()
            .map_err(|error| {
                Error::new(
                    ErrorKind::Storage,
                    format!("the system cannot start threads for requests: {error}"),
                )
            })?;
        Ok(Self { runtime, clients: Mutex::default() })
    }

    /// The client of a bucket, made now if there is none for these options.
    pub(super) fn client(
        &self,
        kind: Kind,
        bucket: &str,
        options: &Arc<StoreOptions>,
    ) -> Result<Arc<dyn ObjectStore>> {
        let options = renewal::current(options)?;
        let key = (kind, bucket.to_owned(), options.clone());
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            return Ok(client.clone());
        }
        if clients.len() >= MOST_CLIENTS {
            clients.clear();
        }
        // Clients may ask for the runtime that they are made in.
        let _entered = self.runtime.enter();
        let client = connect(kind, bucket, &options)?;
        clients.insert(key, client.clone());
        Ok(client)
    }

    /// Puts a client in the place of the one that would be made.
    #[cfg(test)]
    pub(super) fn substitute(
        &self,
        kind: Kind,
        bucket: &str,
        options: &Arc<StoreOptions>,
        client: Arc<dyn ObjectStore>,
    ) {
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((kind, bucket.to_owned(), options.clone()), client);
    }

    /// Waits for what a future gives; it runs on the threads of the runtime, wherever the caller waits.
    pub(super) fn wait<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        answer_of(&self.start(future))
    }

    /// Starts a future on the threads of the runtime. [`answer_of`] waits for what it gives.
    pub(super) fn start<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Receiver<T> {
        let (sender, receiver) = sync_channel(1);
        self.runtime.spawn(async move {
            // Who started it may have given it up.
            let _ = sender.send(future.await);
        });
        receiver
    }
}

/// Waits for what a future that was started gives.
pub(super) fn answer_of<T>(started: &Receiver<T>) -> Result<T> {
    started.recv().map_err(|_| Error::internal("a request ended without a result"))
}
