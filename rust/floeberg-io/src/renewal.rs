//! Which options has a store now, where those that it was opened with end?
//!
//! In: options that name a provider, and when they end. Out: those that hold at this moment.
//!
//! ```text
//! storage-options.provider         what gives new ones: a name or a path that every process can look up
//! storage-options.expires-at-ms    when these end, in milliseconds since 1970; s3.session-token-expires-at-ms,
//!                                  gcs.oauth2.token-expires-at and adls.sas-token-expires-at-ms[.account] say it too
//! ```
//!
//! Every request asks for the options that hold ([`current`]). Some time before they end they are [`wanted`]; once they have
//! ended, requests wait until they are [`renewed`]. Who asks the provider is the thread that waits for the work: the work
//! itself never calls Python. Options without an end are asked for once in each process.
//!
//! Invariant: no lock is touched by another process than the one that made it, and no error shows a value.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, ErrorKind, Result};

use crate::options::StoreOptions;
use crate::process_slot::{DEPTH, Slot, slot_of};

/// The option that names what gives new options.
pub const PROVIDER: &str = "storage-options.provider";

/// Options that say when others end; with a dot and a name behind them too.
const ENDS: [&str; 4] = [
    "storage-options.expires-at-ms",
    "s3.session-token-expires-at-ms",
    "gcs.oauth2.token-expires-at",
    "adls.sas-token-expires-at-ms",
];

/// How long before their end options are wanted that nobody here knows the age of.
const MARGIN_MS: i64 = 60_000;

/// How long after a failure a provider is left alone while its last options hold.
const AFTER_FAILURE_MS: i64 = 10_000;

/// How long a request waits for somebody to ask the provider.
const PATIENCE: Duration = Duration::from_secs(60);

/// More than these are of tables that nobody has open any more.
const MOST_HELD: usize = 256;

static SLOTS: [Slot<Renewals>; DEPTH] = [const { Slot::new() }; DEPTH];

/// Is anything wanted? It spares those who only ask the slots.
static ANY_WANTED: AtomicBool = AtomicBool::new(false);

/// The options that hold now, of those that a store was opened with.
///
/// Errors: `Storage`, worth a retry, where they have ended and the provider failed, or nobody asked it.
pub(crate) fn current(first: &Arc<StoreOptions>) -> Result<Arc<StoreOptions>> {
    if first.get(PROVIDER).is_none() {
        return Ok(Arc::clone(first));
    }
    let renewals = renewals()
        .ok_or_else(|| Error::unsupported(format!("this process was forked more than {DEPTH} times deep")))?;
    renewals.current(first, now_ms, PATIENCE)
}

/// The options that were last current here. Nobody is asked for others, and nothing waits.
#[cfg(feature = "object")]
pub(crate) fn last_known(first: &Arc<StoreOptions>) -> Arc<StoreOptions> {
    let held = if first.get(PROVIDER).is_some() { renewals() } else { None };
    let known = held.and_then(|held| held.lock().get(first.as_ref()).map(|each| Arc::clone(&each.current)));
    known.unwrap_or_else(|| Arc::clone(first))
}

/// The options whose provider is to be asked now. Who takes them says what it answered: [`renewed`].
pub fn wanted() -> Vec<StoreOptions> {
    if !ANY_WANTED.swap(false, Ordering::AcqRel) {
        return Vec::new();
    }
    renewals().map(Renewals::take_wanted).unwrap_or_default()
}

/// Says what the provider of some options answered: new ones, all of them, or why it failed.
pub fn renewed(first: &StoreOptions, answer: std::result::Result<StoreOptions, String>) {
    if let Some(renewals) = renewals() {
        renewals.renewed(first, answer, now_ms());
    }
}

fn renewals() -> Option<&'static Renewals> {
    slot_of(&SLOTS, std::process::id()).map(|slot| slot.value.get_or_init(Renewals::default))
}

fn now_ms() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

/// What is held of options that end, by those that stores were opened with.
#[derive(Default)]
struct Renewals {
    held: Mutex<HashMap<StoreOptions, Held>>,
    changed: Condvar,
}

struct Held {
    current: Arc<StoreOptions>,
    /// When they are wanted, and when they end, in milliseconds; never: the largest number.
    due_at: i64,
    ends_at: i64,
    asked: Asked,
    failures: usize,
    failure: String,
}

#[derive(PartialEq, Eq)]
enum Asked {
    No,
    Wanted,
    Underway,
}

impl Held {
    fn first(options: &Arc<StoreOptions>) -> Self {
        // Without an end, the provider has the values.
        let ends_at = end_of(options).unwrap_or(i64::MIN);
        Self {
            current: Arc::clone(options),
            due_at: ends_at.saturating_sub(MARGIN_MS),
            ends_at,
            asked: Asked::No,
            failures: 0,
            failure: String::new(),
        }
    }
}

impl Renewals {
    fn lock(&self) -> MutexGuard<'_, HashMap<StoreOptions, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(
        &self,
        first: &Arc<StoreOptions>,
        now_ms: impl Fn() -> i64,
        patience: Duration,
    ) -> Result<Arc<StoreOptions>> {
        let deadline = Instant::now() + patience;
        let mut held = self.lock();
        if held.len() >= MOST_HELD && !held.contains_key(first.as_ref()) {
            held.retain(|_, each| each.asked != Asked::No);
        }
        let mut failures = None;
        loop {
            let entry = held.entry(first.as_ref().clone()).or_insert_with(|| Held::first(first));
            let now = now_ms();
            if now < entry.due_at {
                return Ok(Arc::clone(&entry.current));
            }
            if now >= entry.ends_at && failures.is_some_and(|before| before != entry.failures) {
                return Err(not_renewed(first, &entry.failure));
            }
            if entry.asked == Asked::No {
                entry.asked = Asked::Wanted;
                ANY_WANTED.store(true, Ordering::Release);
            }
            if now < entry.ends_at {
                return Ok(Arc::clone(&entry.current));
            }
            failures.get_or_insert(entry.failures);
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(not_renewed(first, "it was not called in time"));
            }
            held = self.changed.wait_timeout(held, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn take_wanted(&self) -> Vec<StoreOptions> {
        let mut held = self.lock();
        let wanted = held.iter_mut().filter(|(_, each)| each.asked == Asked::Wanted);
        let taken = wanted.map(|(first, each)| {
            each.asked = Asked::Underway;
            first.clone()
        });
        taken.collect()
    }

    fn renewed(&self, first: &StoreOptions, answer: std::result::Result<StoreOptions, String>, now: i64) {
        let answer = answer.and_then(|options| {
            let ends_at = end_of(&options).unwrap_or(i64::MAX);
            if ends_at > now {
                Ok((options, ends_at))
            } else {
                Err("its options have expired already".to_owned())
            }
        });
        if let Some(entry) = self.lock().get_mut(first) {
            entry.asked = Asked::No;
            match answer {
                Ok((options, ends_at)) => {
                    entry.current = Arc::new(options);
                    entry.ends_at = ends_at;
                    // A quarter of their time is left for whoever asks the provider next.
                    entry.due_at = if ends_at == i64::MAX { ends_at } else { ends_at - (ends_at - now) / 4 };
                }
                Err(failure) => {
                    entry.failures += 1;
                    entry.failure = failure;
                    entry.due_at = now.saturating_add(AFTER_FAILURE_MS).min(entry.ends_at);
                }
            }
        }
        self.changed.notify_all();
    }
}

/// When the first of some options ends; `None` where none says so.
fn end_of(options: &StoreOptions) -> Option<i64> {
    let ends = options.iter().filter(|(key, _)| {
        ENDS.iter()
            .any(|name| key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    });
    // What is not a number ends at once: the provider says it anew.
    ends.map(|(_, value)| value.trim().parse().unwrap_or(i64::MIN)).min()
}

fn not_renewed(first: &StoreOptions, why: &str) -> Error {
    let provider = first.get(PROVIDER).unwrap_or_default();
    let message = format!(
        "the options of the store have expired, and the provider {provider:?} gave no new ones: {why}"
    );
    Error::new(ErrorKind::Storage, message).retryable(true)
}
