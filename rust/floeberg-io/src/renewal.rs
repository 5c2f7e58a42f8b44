//! Which options does a store have now, if those that it was opened with expire?
//!
//! In: options that name a provider, and when they expire. Out: the options that are valid now.
//!
//! ```text
//! storage-options.provider         the provider of new ones: a name or a path that every process can look up
//! storage-options.expires-at-ms    when they expire, in milliseconds since 1970; also s3.session-token-expires-at-ms,
//!                                  gcs.oauth2.token-expires-at and adls.sas-token-expires-at-ms[.account]
//! ```
//!
//! Every request gets the valid options ([`current`]). Some time before they expire, new ones are [`wanted`]; once they have
//! expired, requests wait until they are [`renewed`]. The thread that waits for the work calls the provider: the work itself
//! never calls Python. Options that do not expire are requested once in each process.
//!
//! Invariant: only the process that made a lock touches it, and no error shows a value.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use floeberg_core::{Error, ErrorKind, Result};

use crate::options::{PROVIDER, StoreOptions};
use crate::process_slot::{DEPTH, Slot, slot_of};

/// Options with the expiry of others, also with a dot and a name after them.
const ENDS: [&str; 4] = [
    "storage-options.expires-at-ms",
    "s3.session-token-expires-at-ms",
    "gcs.oauth2.token-expires-at",
    "adls.sas-token-expires-at-ms",
];

/// How long before their expiry options are renewed, if their age is not known.
const MARGIN_MS: i64 = 60_000;

/// The pause after a failure of a provider, while its last options are valid.
const AFTER_FAILURE_MS: i64 = 10_000;

/// How long a request waits for a call of the provider.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most entries: more would be of tables that are not open any more.
const MOST_HELD: usize = 256;

static SLOTS: [Slot<Renewals>; DEPTH] = [const { Slot::new() }; DEPTH];

/// Is anything wanted? A cheap check before the slots.
static ANY_WANTED: AtomicBool = AtomicBool::new(false);

/// The options that are valid now, for a store that was opened with these.
///
/// Errors: `Storage`, retryable, if they have expired and the provider failed or was not called.
pub(crate) fn current(first: &Arc<StoreOptions>) -> Result<Arc<StoreOptions>> {
    if !first.have_provider() {
        return Ok(Arc::clone(first));
    }
    let renewals = renewals()
        .ok_or_else(|| Error::unsupported(format!("this process was forked more than {DEPTH} times deep")))?;
    renewals.current(first, now_ms, PATIENCE)
}

/// The last valid options in this process, without a call of the provider and without waiting.
pub(crate) fn last_known(first: &Arc<StoreOptions>) -> Arc<StoreOptions> {
    let held = if first.have_provider() { renewals() } else { None };
    let known = held.and_then(|held| held.lock().get(first.as_ref()).map(|each| Arc::clone(&each.current)));
    known.unwrap_or_else(|| Arc::clone(first))
}

/// The options whose provider has to be called now. The caller passes its result to [`renewed`].
pub fn wanted() -> Vec<StoreOptions> {
    if !ANY_WANTED.swap(false, Ordering::AcqRel) {
        return Vec::new();
    }
    renewals().map(Renewals::take_wanted).unwrap_or_default()
}

/// Passes on the result of a provider: a complete set of new options, or why it failed.
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

/// The state of expiring options, by the options that stores were opened with.
#[derive(Default)]
struct Renewals {
    held: Mutex<HashMap<StoreOptions, Held>>,
    changed: Condvar,
}

struct Held {
    current: Arc<StoreOptions>,
    /// When they are renewed, and when they expire, in milliseconds; the largest number is never.
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
        // Without an expiry, the provider has the values.
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
                    // A quarter of their time remains for the next call of the provider.
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

/// When the first of some options expires; `None` without an expiry.
fn end_of(options: &StoreOptions) -> Option<i64> {
    let ends = options.iter().filter(|(key, _)| {
        ENDS.iter()
            .any(|name| key.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
    });
    // An expiry that is not a number is in the past: the provider gives a new one.
    ends.map(|(_, value)| value.trim().parse().unwrap_or(i64::MIN)).min()
}

fn not_renewed(first: &StoreOptions, why: &str) -> Error {
    let message = match (first.get(PROVIDER), end_of(first)) {
        (Some(provider), Some(_)) => format!(
            "the options of the store have expired, and the provider {provider:?} gave no new ones: {why}"
        ),
        (Some(provider), None) => {
            format!("the provider {provider:?} gave no options for the store: {why}")
        }
        (None, _) => format!("the credentials of the store are not known: {why}"),
    };
    Error::new(ErrorKind::Storage, message).retryable(true)
}
