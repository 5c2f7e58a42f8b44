//! What does one thread of a stream do?
//!
//! It works on the first waiting part; if none waits, it opens the next task, which makes parts.
//!
//! Invariant: a thread checks for cancellation after every item; a panic becomes the error of its part.

use std::sync::Arc;
use std::thread;

use floeberg_core::{Result, fenced};

use super::Job;
use super::part::{Part, PartIndex, Work};
use super::shared::{Shared, State, Tasks};
use crate::cores::{Core, blocking};

/// The most parts per thread that wait or run before another task is opened.
const PARTS_AHEAD: usize = 3;

enum Step<J: Job> {
    Work(PartIndex, J::Part),
    Pull(Tasks<J>),
    /// Something has changed since there was nothing to do.
    Again,
    End,
}

/// Starts the threads that are of use. Errors: the system gives none.
pub(super) fn start_threads<J: Job>(shared: &Arc<Shared<J>>) -> std::io::Result<()> {
    while shared.cores.adds_thread() {
        let named = thread::Builder::new().name(format!("{}-{}", J::THREAD, shared.cores.threads() - 1));
        let works = Arc::clone(shared);
        if let Err(error) = named.spawn(move || work(&works)) {
            shared.cores.ends_thread(false);
            // Those that were started do all the work.
            return if shared.cores.threads() > 0 { Ok(()) } else { Err(error) };
        }
    }
    Ok(())
}

/// Works until the stream is at its end or stopped.
fn work<J: Job>(shared: &Arc<Shared<J>>) {
    let worked = fenced(|| {
        while let Some(core) = shared.cores.take() {
            // One that goes on where this one waits.
            let _ = start_threads(shared);
            match next_step(shared, core) {
                (Step::Work(place, part), _core) => {
                    let done = fenced(|| shared.job.work(part, &mut |item| put(shared, place, item)));
                    finish(shared, place, done);
                }
                (Step::Pull(tasks), _core) => pull(shared, tasks),
                (Step::Again, _) => {}
                (Step::End, _) => break,
            }
        }
        Ok(())
    });
    if let Err(fault) = worked {
        // An error outside any part, which no part would report.
        shared.fail(fault);
    }
}

/// What to do next, on a core. Without work the core is given back, and the thread waits, or ends if there are too many.
fn next_step<J: Job>(shared: &Shared<J>, core: Core) -> (Step<J>, Option<Core>) {
    let mut state = shared.lock();
    if state.stopped {
        return (Step::End, None);
    }
    let waiting = state.parts.iter().find_map(|(place, part)| match &part.work {
        Work::Waiting(part) => Some((*place, J::part_bytes(part))),
        Work::Running(_) | Work::Done => None,
    });
    if let Some((place, bytes)) = waiting {
        if state.has_room(place, shared.ahead.memory)
            && (state.is_first(place) || state.may_hold(bytes, shared.cores.count(), shared.ahead.memory))
            && let Some(part) = state.parts.get_mut(&place)
            && let Work::Waiting(work) = std::mem::replace(&mut part.work, Work::Running(bytes))
        {
            return (Step::Work(place, work), Some(core));
        }
    } else if state.exhausted {
        // A task that is being opened can still make parts that wait.
        if !state.parts.values().any(|part| matches!(part.work, Work::Running(_))) {
            shared.cores.close();
            return (Step::End, None);
        }
    } else if may_pull(&state, shared)
        && let Some(tasks) = state.tasks.take()
    {
        return (Step::Pull(tasks), Some(core));
    }
    drop(core);
    if shared.cores.ends_thread(true) {
        return (Step::End, None);
    }
    drop(shared.wait_for_room(state));
    (Step::Again, None)
}

fn may_pull<J: Job>(state: &State<J>, shared: &Shared<J>) -> bool {
    let ahead = state.parts.len() < shared.cores.threads().saturating_mul(PARTS_AHEAD);
    let has_room = state.waiting_bytes < shared.ahead.memory
        && state.may_hold(J::OPENING_BYTES, shared.cores.count(), shared.ahead.memory);
    state.parts.is_empty() || (ahead && has_room)
}

/// Asks for the next task and opens it.
fn pull<J: Job>(shared: &Shared<J>, mut tasks: Tasks<J>) {
    let task = fenced(|| tasks.next().transpose());
    // The finished tasks are dropped before the end is reported: dropping them may fail.
    let tasks = matches!(task, Ok(Some(_))).then_some(tasks);
    let mut state = shared.lock();
    if state.stopped {
        return;
    }
    let place = (state.next_task, 0);
    state.next_task += 1;
    state.exhausted = tasks.is_none();
    state.tasks = tasks;
    if !matches!(task, Ok(None)) {
        state.parts.insert(place, Part::opening());
    }
    drop(state);
    shared.notify();
    match task {
        Ok(None) => {}
        Ok(Some(task)) => open(shared, place, task),
        Err(error) => finish(shared, place, Err(error)),
    }
}

/// Opens a task, and replaces it by its parts.
fn open<J: Job>(shared: &Shared<J>, place: PartIndex, task: J::Task) {
    let made = match fenced(|| shared.job.open(task)) {
        Ok(made) => made,
        Err(error) => return finish(shared, place, Err(error)),
    };
    let mut state = shared.lock();
    if state.stopped {
        return;
    }
    state.parts.remove(&place);
    for (number, part) in made.into_iter().enumerate() {
        state.parts.insert((place.0, number), Part::waiting(part));
    }
    drop(state);
    shared.notify();
}

/// Passes an item on, after waiting for memory. Is more wanted? Errors: `Cancelled`.
fn put<J: Job>(shared: &Arc<Shared<J>>, place: PartIndex, item: J::Item) -> Result<bool> {
    shared.ahead.cancel.check()?;
    let bytes = J::bytes(&item);
    let mut state = shared.lock();
    while !state.stopped && !state.has_room(place, shared.ahead.memory) {
        drop(state);
        // The core is lent: another thread may have to go on.
        let _ = start_threads(shared);
        blocking(|| {
            let state = shared.lock();
            if !state.stopped && !state.has_room(place, shared.ahead.memory) {
                drop(shared.wait_for_room(state));
            }
        });
        state = shared.lock();
    }
    if state.stopped {
        return Ok(false);
    }
    state.waiting_bytes = state.waiting_bytes.saturating_add(bytes);
    if let Some(part) = state.parts.get_mut(&place) {
        part.ready.push_back(Ok(item));
    }
    drop(state);
    shared.ready.notify_all();
    Ok(true)
}

/// Records that a part is done, or how it failed.
fn finish<J: Job>(shared: &Shared<J>, place: PartIndex, outcome: Result<()>) {
    let mut state = shared.lock();
    if let Some(part) = state.parts.get_mut(&place) {
        part.work = Work::Done;
        if let Err(error) = outcome {
            part.ready.push_back(Err(error));
        }
    }
    drop(state);
    shared.notify();
}
