//! What do the threads of an ordered stream do?

use floeberg_core::{Cancel, Result};

/// Work on a sequence of tasks: opening a task splits it into parts, and each part gives items.
pub trait Job: Send + Sync + 'static {
    /// One of the sequence.
    type Task: Send + 'static;
    /// A piece of an opened task that one thread works on.
    type Part: Send + 'static;
    /// The result.
    type Item: Send + 'static;

    /// The name of the threads.
    const THREAD: &'static str;
    /// About how many bytes opening a task takes from a store that is far away.
    const OPENING_BYTES: u64 = 0;

    /// Opens a task. Its parts are worked on in any order, by any thread, and their items are returned in this order.
    fn open(&self, task: Self::Task) -> Result<Vec<Self::Part>>;

    /// Works on a part. `give` takes an item, after waiting for memory, and returns whether more are wanted.
    fn work(&self, part: Self::Part, give: &mut dyn FnMut(Self::Item) -> Result<bool>) -> Result<()>;

    /// About how many bytes a part takes from its store, to be held while it is worked on.
    fn part_bytes(_: &Self::Part) -> u64 {
        0
    }

    /// About how many bytes a waiting item takes.
    fn bytes(item: &Self::Item) -> u64;
}

/// How far the threads of a stream may be ahead of its consumer.
#[derive(Debug, Clone)]
pub struct Ahead {
    /// How many threads compute, at least one. While some wait for a store, others are there to compute.
    pub threads: usize,
    /// About how many bytes of items may wait, with the bytes of parts that more threads than these work on. What the consumer
    /// waits for is never held up.
    pub memory: u64,
    /// Ends the stream.
    pub cancel: Cancel,
}
