//! How does a call from Python wait for Rust?
//!
//! In: work that needs no Python. Out: its answer, or a Python exception.
//!
//! Invariant: this is the only place that detaches from Python. While work runs, other Python threads run too;
//! Ctrl-C is noticed within [`WAKE`]; a panic becomes an error. Nothing here outlives a call, so nothing is lost
//! in a process that was forked.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel, sync_channel};
use std::task::Poll;
use std::thread;
use std::time::{Duration, Instant};

use floeberg_core::{Cancel, Error, ErrorKind, Result, fenced};
use floeberg_exec::cores::calling;
use pyo3::prelude::*;

use crate::error::to_exception;
use crate::log::{listening, pass_on};
use crate::renewal::renew_wanted;

/// How often a waiting call looks around.
const WAKE: Duration = Duration::from_millis(100);

/// Items that Python makes while earlier ones are worked on.
const ITEMS_AHEAD: usize = 2;

/// Does short, pure work without holding Python.
pub fn call<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    py.detach(|| fenced(work)).map_err(|error| to_exception(py, &error))
}

/// Does work that may be long (it opens, plans or reads files) on a thread of its own.
///
/// On Ctrl-C the work is asked to stop through `cancel`, and the call raises without waiting for it.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    wait(py, cancel, work)?.map_err(|error| to_exception(py, &error))
}

/// Like [`run`], with something else to do for Python whenever the call looks around. What that raises stops the work like Ctrl-C.
pub fn run_reported<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    report: &dyn Fn(Python<'_>) -> PyResult<()>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    wait_reported(py, cancel, report, work)?.map_err(|error| to_exception(py, &error))
}

/// Like [`run`]; an error of the work is handed back, not raised.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<Result<T>> {
    wait_reported(py, cancel, &|_| Ok(()), work)
}

fn wait_reported<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    report: &dyn Fn(Python<'_>) -> PyResult<()>,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<Result<T>> {
    // Calls that are shorter than a look around want new options too.
    renew_wanted(py)?;
    let _listening = listening(py)?;
    let flag = cancel.clone();
    let (sender, mut receiver) = sync_channel(1);
    // The receiver is gone after Ctrl-C: nobody wants the answer then.
    let body = move || drop(sender.send(fenced(|| calling(&flag, || work(&flag)))));
    if let Err(failure) = thread::Builder::new().name("floeberg-call".to_owned()).spawn(body) {
        let error =
            Error::new(ErrorKind::Storage, "the system cannot start another thread").caused_by(failure);
        return Ok(Err(error));
    }
    loop {
        let waiting = &mut receiver;
        match py.detach(move || waiting.recv_timeout(WAKE)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Timeout) => {
                look_around(py).and_then(|()| report(py)).inspect_err(|_| cancel.cancel())?;
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(Error::internal("a thread ended without a result")));
            }
        }
    }
}

/// What a waiting call does now and then: it looks for Ctrl-C, and asks for options of stores that the work waits for.
fn look_around(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    pass_on(py)?;
    renew_wanted(py)
}

/// Waits for something that is on its way, in steps of at most the time they are given.
///
/// On Ctrl-C the work is asked to stop through `cancel`, and the call raises.
pub fn poll<T: Send>(
    py: Python<'_>,
    cancel: &Cancel,
    mut step: impl FnMut(Duration) -> Poll<Result<T>> + Send,
) -> PyResult<T> {
    let _listening = listening(py)?;
    loop {
        let step = &mut step;
        match py.detach(move || fenced(|| Ok(step(WAKE)))) {
            Ok(Poll::Pending) => look_around(py).inspect_err(|_| cancel.cancel())?,
            Ok(Poll::Ready(answer)) => return answer.map_err(|error| to_exception(py, &error)),
            Err(fault) => return Err(to_exception(py, &fault)),
        }
    }
}

/// Does work on a thread of its own with items that Python makes here, on the thread that called, some of them ahead.
///
/// An exception of making an item is passed on unchanged. The call ends after the work: items may be memory of
/// Python, which must be released while the interpreter lives. After Ctrl-C and after an error, the work is asked to
/// stop through `cancel`, and waited for. If it had ended by then, `undo` gets its result. A second Ctrl-C ends the
/// wait.
pub fn feed<I: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    next: impl FnMut(Python<'_>) -> PyResult<Option<I>>,
    work: impl FnOnce(&Cancel, Fed<I>) -> Result<T> + Send + 'static,
    undo: impl FnOnce(T) -> Result<()> + Send,
) -> PyResult<T> {
    feed_reported(py, cancel, &|_| Ok(()), next, work, undo)
}

/// Like [`feed`], with something else to do for Python now and then, and once the work is done. What that raises is as if making an
/// item had.
pub fn feed_reported<I: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    report: &dyn Fn(Python<'_>) -> PyResult<()>,
    next: impl FnMut(Python<'_>) -> PyResult<Option<I>>,
    work: impl FnOnce(&Cancel, Fed<I>) -> Result<T> + Send + 'static,
    undo: impl FnOnce(T) -> Result<()> + Send,
) -> PyResult<T> {
    let _listening = listening(py)?;
    let flag = cancel.clone();
    let (items, receiver) = channel();
    let (events, mut heard) = channel();
    let wants = events.clone();
    // Who waits no longer hears of nothing.
    let want = Box::new(move || drop(wants.send(Event::Wanted)));
    let fed = Fed { items: receiver, want, has_ended: false };
    let body = move || drop(events.send(Event::Done(fenced(|| calling(&flag, || work(&flag, fed))))));
    if let Err(failure) = thread::Builder::new().name("floeberg-call".to_owned()).spawn(body) {
        let error =
            Error::new(ErrorKind::Storage, "the system cannot start another thread").caused_by(failure);
        return Err(to_exception(py, &error));
    }
    let mut reports = Reports { report, last: Instant::now() };
    let answer = match hand_over(py, items, &mut heard, &mut reports, next) {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => until_done(py, &mut heard, &mut reports),
        Err(raised) => Err(raised),
    };
    let (raised, done) = match answer {
        Ok(Ok(done)) => match report(py) {
            Ok(()) => return Ok(done),
            Err(raised) => (raised, Ok(done)),
        },
        Ok(Err(error)) => return Err(to_exception(py, &error)),
        Err(raised) => {
            cancel.cancel();
            (raised, until_done(py, &mut heard, &mut Reports { report: &|_| Ok(()), last: Instant::now() })?)
        }
    };
    if let Ok(done) = done {
        // What cannot be undone must not hide why.
        drop(call(py, || undo(done)));
    }
    Err(raised)
}

/// Something that work asks of Python. What it raises stops the work.
pub type Question = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// What work wants of the thread that called.
pub enum Wanted {
    /// An answer. After an exception nobody gives one.
    Answer(Question),
    /// Something put in order, after an exception too, whose own exceptions nobody hears of.
    Cleanup(Question),
}

/// How work asks the thread that called, from any thread. `false` means that it waits no longer.
pub type Caller = Arc<dyn Fn(Wanted) -> bool + Send + Sync>;

/// A message from work that asks.
enum Heard<T> {
    Wanted(Wanted),
    Done(Result<T>),
}

/// Does work on a thread of its own that asks Python now and then, by [`ask_caller`], on the thread that called.
///
/// An exception of a question is passed on unchanged. `report` is called now and then, and once the work is done. The call ends after
/// the work. After an exception and after Ctrl-C the work is asked to stop through `cancel`, and waited for. If it had ended by then,
/// `undo` gets its result. A second Ctrl-C ends the wait.
pub fn asking_reported<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    report: &dyn Fn(Python<'_>) -> PyResult<()>,
    work: impl FnOnce(&Cancel, Caller) -> Result<T> + Send + 'static,
    undo: impl FnOnce(T) -> Result<()> + Send,
) -> PyResult<T> {
    renew_wanted(py)?;
    let _listening = listening(py)?;
    let flag = cancel.clone();
    let (events, mut heard) = channel();
    let questions = events.clone();
    let caller: Caller = Arc::new(move |wanted| questions.send(Heard::Wanted(wanted)).is_ok());
    let body = move || drop(events.send(Heard::Done(fenced(|| calling(&flag, || work(&flag, caller))))));
    if let Err(failure) = thread::Builder::new().name("floeberg-call".to_owned()).spawn(body) {
        let error =
            Error::new(ErrorKind::Storage, "the system cannot start another thread").caused_by(failure);
        return Err(to_exception(py, &error));
    }
    let mut reports = Reports { report, last: Instant::now() };
    let (mut raised, mut interrupted) = (None, false);
    let done = loop {
        let waiting = &mut heard;
        let step = match py.detach(move || waiting.recv_timeout(WAKE)) {
            Ok(Heard::Done(done)) => break done,
            Ok(Heard::Wanted(Wanted::Cleanup(question))) => {
                drop(question(py));
                continue;
            }
            // After an exception nobody is asked: a question that is dropped ends the work.
            Ok(Heard::Wanted(Wanted::Answer(_))) if raised.is_some() => continue,
            Ok(Heard::Wanted(Wanted::Answer(question))) => {
                question(py).and_then(|()| reports.now_and_then(py))
            }
            Err(RecvTimeoutError::Timeout) => {
                let looked = look_around(py);
                match looked {
                    Err(exception) if interrupted => return Err(exception),
                    Err(exception) => {
                        interrupted = true;
                        Err(exception)
                    }
                    Ok(()) if raised.is_some() => Ok(()),
                    Ok(()) => reports.now_and_then(py),
                }
            }
            Err(RecvTimeoutError::Disconnected) => {
                break Err(Error::internal("a thread ended without a result"));
            }
        };
        if let Err(exception) = step {
            cancel.cancel();
            raised.get_or_insert(exception);
        }
    };
    let (raised, done) = match (raised, done) {
        (None, Ok(done)) => match report(py) {
            Ok(()) => return Ok(done),
            Err(exception) => (exception, Ok(done)),
        },
        (None, Err(error)) => return Err(to_exception(py, &error)),
        (Some(exception), done) => (exception, done),
    };
    if let Ok(done) = done {
        // What cannot be undone must not hide why.
        drop(call(py, || undo(done)));
    }
    Err(raised)
}

thread_local! {
    /// How the work of this thread asks the thread that called.
    static CALLER: RefCell<Option<Caller>> = const { RefCell::new(None) };
}

/// Like [`asking_reported`], without reports, for work whose result needs nothing undone. The work asks by [`ask`].
pub fn asking<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    asking_undone(py, cancel, move |cancel, _| work(cancel), |_| Ok(()))
}

/// Like [`asking`], for work that other threads may ask for too; `undo` gets its result where nobody takes it.
pub fn asking_undone<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Cancel,
    work: impl FnOnce(&Cancel, Caller) -> Result<T> + Send + 'static,
    undo: impl FnOnce(T) -> Result<()> + Send,
) -> PyResult<T> {
    let work = move |cancel: &Cancel, caller: Caller| {
        CALLER.set(Some(Arc::clone(&caller)));
        work(cancel, caller)
    };
    asking_reported(py, cancel, &|_| Ok(()), work, undo)
}

/// Asks Python, on the thread that called, for which this thread does [`asking`] work.
///
/// Errors: those of [`ask_caller`]; `Internal` for another thread.
pub fn ask<A: Send + 'static>(
    question: impl FnOnce(Python<'_>) -> PyResult<A> + Send + 'static,
) -> Result<A> {
    match CALLER.with_borrow(Clone::clone) {
        Some(caller) => ask_caller(&caller, question),
        None => Err(Error::internal("this thread has nobody to ask")),
    }
}

/// Has Python put something in order, as [`ask`] asks, after an exception too. Where nobody waits any longer, nothing is done.
pub fn ask_to_clean_up(cleanup: impl FnOnce(Python<'_>) -> PyResult<()> + Send + 'static) {
    if let Some(caller) = CALLER.with_borrow(Clone::clone) {
        drop(answer_of(&caller, Wanted::Cleanup, cleanup));
    }
}

/// Asks Python, on the thread that called, from any thread.
///
/// Errors: `Cancelled` where Python raised, which the call passes on, and where it waits no longer.
pub fn ask_caller<A: Send + 'static>(
    caller: &Caller,
    question: impl FnOnce(Python<'_>) -> PyResult<A> + Send + 'static,
) -> Result<A> {
    answer_of(caller, Wanted::Answer, question)
}

fn answer_of<A: Send + 'static>(
    caller: &Caller,
    wanted: impl FnOnce(Question) -> Wanted,
    question: impl FnOnce(Python<'_>) -> PyResult<A> + Send + 'static,
) -> Result<A> {
    let (sender, answers) = sync_channel(1);
    // The work that asked may have ended.
    let question: Question = Box::new(move |py| question(py).map(|answer| drop(sender.send(answer))));
    let ended = || Error::new(ErrorKind::Cancelled, "a call of Python did not succeed");
    if !caller(wanted(question)) {
        return Err(ended());
    }
    answers.recv().map_err(|_| ended())
}

/// What is called now and then while work goes on.
struct Reports<'a> {
    report: &'a dyn Fn(Python<'_>) -> PyResult<()>,
    last: Instant,
}

impl Reports<'_> {
    /// Calls it, if the last call was long ago.
    fn now_and_then(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.last.elapsed() < WAKE {
            return Ok(());
        }
        self.last = Instant::now();
        (self.report)(py)
    }
}

/// Gives the work as many items as it asks for. The answer, where it had one before the last item.
fn hand_over<I, T: Send>(
    py: Python<'_>,
    items: Sender<Option<I>>,
    heard: &mut Receiver<Event<T>>,
    reports: &mut Reports<'_>,
    mut next: impl FnMut(Python<'_>) -> PyResult<Option<I>>,
) -> PyResult<Option<Result<T>>> {
    let mut wanted = ITEMS_AHEAD;
    loop {
        reports.now_and_then(py)?;
        match heard.try_recv() {
            Ok(Event::Wanted) => wanted += 1,
            Ok(Event::Done(answer)) => return Ok(Some(answer)),
            Err(TryRecvError::Empty) if wanted == 0 => match listen(py, heard, reports)? {
                Event::Wanted => wanted += 1,
                Event::Done(answer) => return Ok(Some(answer)),
            },
            Err(_) => {
                let item = next(py)?;
                let is_last = item.is_none();
                // Where the work has ended, it is heard of next.
                drop(items.send(item));
                wanted -= 1;
                if is_last {
                    return Ok(None);
                }
            }
        }
    }
}

fn until_done<T: Send>(
    py: Python<'_>,
    heard: &mut Receiver<Event<T>>,
    reports: &mut Reports<'_>,
) -> PyResult<Result<T>> {
    loop {
        if let Event::Done(answer) = listen(py, heard, reports)? {
            return Ok(answer);
        }
    }
}

fn listen<T: Send>(
    py: Python<'_>,
    heard: &mut Receiver<Event<T>>,
    reports: &mut Reports<'_>,
) -> PyResult<Event<T>> {
    loop {
        reports.now_and_then(py)?;
        let heard = &mut *heard;
        match py.detach(move || heard.recv_timeout(WAKE)) {
            Ok(event) => return Ok(event),
            Err(RecvTimeoutError::Timeout) => look_around(py)?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Event::Done(Err(Error::internal("a thread ended without a result"))));
            }
        }
    }
}

/// A message from work that takes items.
enum Event<T> {
    /// It took an item and wants another one.
    Wanted,
    Done(Result<T>),
}

/// Items for work, as Python makes them.
pub struct Fed<I> {
    items: Receiver<Option<I>>,
    want: Box<dyn Fn() + Send>,
    has_ended: bool,
}

impl<I> Iterator for Fed<I> {
    type Item = Result<I>;

    /// Errors: `Cancelled`, once, where no more are made although there was no last one.
    fn next(&mut self) -> Option<Result<I>> {
        if self.has_ended {
            return None;
        }
        let item = self.items.recv();
        self.has_ended = !matches!(item, Ok(Some(_)));
        match item {
            Ok(item) => {
                (self.want)();
                item.map(Ok)
            }
            Err(_) => Some(Err(Error::new(ErrorKind::Cancelled, "not all items of the work were made"))),
        }
    }
}
