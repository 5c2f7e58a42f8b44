//! What do the threads of an ordered stream do?

use floeberg_core::{Cancel, Result};

/// Work on a sequence of tasks: each is opened, which makes parts of it, and each part gives items.
pub trait Job: Send + Sync + 'static {
    /// One of the sequence.
    type Task: Send + 'static;
    /// A piece of an opened task that one thread works on.
    type Part: Send + 'static;
    /// What comes out.
    type Item: Send + 'static;

    /// What the threads are called.
    const THREAD: &'static str;

    /// Opens a task. Its parts are worked on in any order, by any thread, and their items come out in this order.
    fn open(&self, task: Self::Task) -> Result<Vec<Self::Part>>;

    /// Works on a part. `give` takes an item, after waiting for memory, and says whether more are wanted.
    fn work(&self, part: Self::Part, give: &mut dyn FnMut(Self::Item) -> Result<bool>) -> Result<()>;

    /// About how many bytes an item waits with.
    fn bytes(item: &Self::Item) -> u64;
}

/// How far the threads of a stream may be ahead of its taker.
#[derive(Debug, Clone)]
pub struct Ahead {
    /// How many threads work, at least one.
    pub threads: usize,
    /// Bytes of the items that wait, about. The part that the taker waits for is never held up.
    pub memory: u64,
    /// Ends the stream.
    pub cancel: Cancel,
}
