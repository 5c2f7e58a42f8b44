//! Which runtime and which clients belong to this process?
//!
//! In: nothing but the process id. Out: its Tokio runtime and its clients, made when first needed.
//!
//! A runtime that was made before a fork is dead in the child, and sockets are shared: each process has a
//! [slot](crate::process_slot) of its own.
//!
//! Invariant: only the process that made a lock or a connection touches it.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use floeberg_core::{Error, ErrorKind, Result};
use floeberg_exec::budget::request_budget;
use floeberg_exec::cores::{is_given_up, waiting};
use object_store::ObjectStore;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::Kind;
use super::client::connect;
use super::kept::Kept;
use super::requests::Requests;
use super::sent::Sent;
use crate::options::StoreOptions;
use crate::process_slot::{DEPTH, Slot, slot_of};
use crate::renewal;

/// The most clients: more would be those of a table with a bucket for every file.
const MOST_CLIENTS: usize = 256;

/// How often a thread that waits looks whether its answer is still wanted.
const LOOK_UP: Duration = Duration::from_millis(100);

/// The state of a process. It cannot be printed: URLs of HTTP clients may have secret queries.
pub(super) struct Process {
    runtime: Runtime,
    kept: Kept,
    clients: Mutex<HashMap<Key, Client>>,
}

/// A client, and the requests of those who use it: a store that does not answer holds up no other.
#[derive(Clone)]
pub(super) struct Client {
    pub(super) store: Arc<dyn ObjectStore>,
    pub(super) requests: Requests,
}

/// The identity of a client.
type Key = (Kind, String, Arc<StoreOptions>);

static SLOTS: [Slot<Process>; DEPTH] = [const { Slot::new() }; DEPTH];

/// The state of this process, created now if it has none.
pub(super) fn current() -> Result<&'static Process> {
    let slot = slot_of(&SLOTS, std::process::id()).ok_or_else(|| {
        Error::unsupported(format!("this process was forked from more than {DEPTH} readers of object stores"))
    })?;
    if slot.value.get().is_none() {
        // If several threads get here, one wins, and the others drop theirs.
        let _ = slot.value.set(Process::new()?);
    }
    slot.value.get().ok_or_else(|| Error::internal("the runtime of this process is missing"))
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
        Ok(Self { runtime, kept: Kept::default(), clients: Mutex::default() })
    }

    /// The small objects that this process keeps.
    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// The client of a bucket for these options, created if it does not exist yet.
    pub(super) fn client(&self, kind: Kind, bucket: &str, options: &Arc<StoreOptions>) -> Result<Client> {
        let most = request_budget()?;
        let options = renewal::current(options)?;
        let key = (kind, bucket.to_owned(), options.clone());
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = clients.get(&key) {
            client.requests.set_most(most);
            return Ok(client.clone());
        }
        if clients.len() >= MOST_CLIENTS {
            clients.clear();
        }
        // Clients may ask for the runtime that they are made in.
        let _entered = self.runtime.enter();
        let requests = Requests::new(most);
        let client = Client { store: connect(kind, bucket, &options, &requests)?, requests };
        clients.insert(key, client.clone());
        Ok(client)
    }

    /// Replaces the client that would be created.
    #[cfg(test)]
    pub(super) fn substitute(
        &self,
        kind: Kind,
        bucket: &str,
        options: &Arc<StoreOptions>,
        store: Arc<dyn ObjectStore>,
    ) {
        let client = Client { store, requests: Requests::new(32) };
        self.clients
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert((kind, bucket.to_owned(), options.clone()), client);
    }

    /// Starts a request that changes something, on the threads of the runtime.
    pub(super) fn start_change<T, F>(&self, requests: Requests, change: F) -> Change<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let sent = Sent::default();
        let (answer, _) = self.spawn(requests.write(sent.clone(), change));
        Change { answer, sent }
    }

    /// The same for a request that changes nothing: it is cancelled when nobody wants its answer.
    ///
    /// Errors: `Cancelled`.
    pub(super) fn wait_unless_given_up<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        let (started, running) = self.spawn(future);
        waiting(|| {
            loop {
                match started.recv_timeout(LOOK_UP) {
                    Ok(answer) => return Ok(answer),
                    Err(RecvTimeoutError::Disconnected) => return Err(no_answer()),
                    Err(RecvTimeoutError::Timeout) if is_given_up() => {
                        running.abort();
                        return Err(Error::new(ErrorKind::Cancelled, "the answer is not wanted any more"));
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    }

    fn spawn<T: Send + 'static>(
        &self,
        future: impl Future<Output = T> + Send + 'static,
    ) -> (Receiver<T>, JoinHandle<()>) {
        let (sender, receiver) = sync_channel(1);
        let running = self.runtime.spawn(async move {
            // The caller may have cancelled it.
            let _ = sender.send(future.await);
        });
        (receiver, running)
    }
}

/// A request that changes something, on its way.
pub(super) struct Change<T> {
    answer: Receiver<T>,
    sent: Sent,
}

impl<T> Change<T> {
    /// Waits for its outcome. Another thread computes meanwhile. Where nobody wants it any more, it is waited for as long as it is on
    /// its way, and not sent again.
    ///
    /// Errors: `Cancelled`, of [unknown outcome](Error::is_outcome_unknown).
    pub(super) fn outcome(&self) -> Result<T> {
        waiting(|| {
            loop {
                match self.answer.recv_timeout(LOOK_UP) {
                    Ok(answer) => return Ok(answer),
                    Err(RecvTimeoutError::Disconnected) => return Err(no_answer()),
                    Err(RecvTimeoutError::Timeout) if is_given_up() && self.sent.give_up() => {
                        let message = "the request is not wanted any more, and is not sent again";
                        return Err(Error::new(ErrorKind::Cancelled, message).outcome_unknown());
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
        })
    }
}

fn no_answer() -> Error {
    Error::internal("a request ended without a result")
}
