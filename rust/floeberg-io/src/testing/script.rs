//! Which operations of a store go wrong, and how?
//!
//! In: faults by the number of the operation that they strike. Out: for each operation, what happens to it.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use floeberg_core::{Error, ErrorKind, Result};

use super::calls::Calls;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The operation fails with this kind, before anything was done. `Storage` can be tried again.
    Fail(ErrorKind),
    /// The same, and the error does not say whether something was done. Where nothing is written it is `Fail`.
    LoseRequest,
    /// The operation is done, and then fails; the error is that of `LoseRequest`. Where nothing is written it is `Fail`.
    LoseAnswer,
    /// The file ends half-way through what is read: a range is an error, a whole file is its first half. Of what is
    /// written in one step a hidden file with the first half is left, of other bytes the first half is written.
    /// Operations without bytes are not struck.
    CutShort,
    /// The operation takes this much longer.
    Delay(Duration),
}

impl std::str::FromStr for Fault {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "fail" => Ok(Self::Fail(ErrorKind::Storage)),
            "lose-request" => Ok(Self::LoseRequest),
            "lose-answer" => Ok(Self::LoseAnswer),
            "cut-short" => Ok(Self::CutShort),
            _ => Err(Error::invalid_input(format!("{name:?} is no fault"))),
        }
    }
}

/// What is struck besides failures before the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Struck {
    Not,
    Short,
    AnswerLost(u64),
}

/// The faults of some stores, and the number of the next operation.
#[derive(Debug)]
pub(super) struct Script {
    faults: BTreeMap<u64, Fault>,
    done: AtomicU64,
    calls: Option<Calls>,
}

impl Script {
    pub(super) fn new(faults: impl IntoIterator<Item = (u64, Fault)>, calls: Option<Calls>) -> Self {
        Self { faults: faults.into_iter().collect(), done: AtomicU64::new(0), calls }
    }

    /// Counts an operation, and fails or delays it.
    pub(super) fn strike(&self, operation: &str, location: &str) -> Result<Struck> {
        let number = self.done.fetch_add(1, Ordering::Relaxed);
        if let Some(calls) = &self.calls {
            calls.add(number, operation, location)?;
        }
        match self.faults.get(&number) {
            None => Ok(Struck::Not),
            Some(Fault::CutShort) => Ok(Struck::Short),
            Some(Fault::LoseAnswer) => Ok(Struck::AnswerLost(number)),
            Some(Fault::Delay(time)) => {
                std::thread::sleep(*time);
                Ok(Struck::Not)
            }
            Some(Fault::LoseRequest) => Err(lost(number, location)),
            Some(Fault::Fail(kind)) => Err(failed(*kind, number, location)),
        }
    }

    /// How many operations were counted.
    pub(super) fn operations(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// The same for an operation that reads. Is it to be cut short?
    pub(super) fn strike_reading(&self, operation: &str, location: &str) -> Result<bool> {
        match self.strike(operation, location)? {
            Struck::AnswerLost(number) => Err(failed(ErrorKind::Storage, number, location)),
            struck => Ok(struck == Struck::Short),
        }
    }
}

pub(super) fn failed(kind: ErrorKind, number: u64, location: &str) -> Error {
    let message = format!("operation {number} was made to fail");
    Error::new(kind, message).with("path", location).retryable(kind == ErrorKind::Storage)
}

fn lost(number: u64, location: &str) -> Error {
    failed(ErrorKind::Storage, number, location).outcome_unknown()
}

impl Struck {
    /// The answer, unless it is lost.
    pub(super) fn answer(self, location: &str) -> Result<()> {
        match self {
            Self::AnswerLost(number) => Err(lost(number, location)),
            Self::Not | Self::Short => Ok(()),
        }
    }
}

/// The script of a file of calls, which all stores of this process share.
pub(super) fn shared_script(path: &str, faults: &str) -> Result<Arc<Script>> {
    static SCRIPTS: OnceLock<Mutex<HashMap<String, Arc<Script>>>> = OnceLock::new();
    let mut scripts = SCRIPTS.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(script) = scripts.get(path) {
        return Ok(Arc::clone(script));
    }
    let wanted = faults.split(',').filter(|fault| !fault.is_empty()).map(|fault| {
        let (number, name) = fault.split_once('=').unwrap_or((fault, ""));
        let number = number.trim().parse();
        let number = number.map_err(|_| Error::invalid_input(format!("{fault:?} names no operation")))?;
        Ok((number, name.trim().parse()?))
    });
    let script = Arc::new(Script::new(wanted.collect::<Result<Vec<_>>>()?, Some(Calls::open(path)?)));
    scripts.insert(path.to_owned(), Arc::clone(&script));
    Ok(script)
}
