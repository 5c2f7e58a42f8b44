//! How are rows of many manifests returned in bounded memory?
//!
//! Invariant: one manifest per thread is read at a time, and the next ones once their rows were taken; batches come in the order of
//! the items.

use std::collections::VecDeque;

use arrow_array::RecordBatch;
use floeberg_core::Result;

use super::source::Source;

/// Batches of items (manifests, or snapshots), a batch an item.
pub(super) struct ItemBatches<I, W> {
    source: Source,
    items: Vec<I>,
    next: usize,
    ready: VecDeque<RecordBatch>,
    work: W,
}

impl<I, W> ItemBatches<I, W> {
    pub(super) fn new(source: Source, items: Vec<I>, work: W) -> Self {
        Self { source, items, next: 0, ready: VecDeque::new(), work }
    }
}

impl<I: Sync, W: Fn(&Source, &I) -> Result<RecordBatch> + Sync> Iterator for ItemBatches<I, W> {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Some(Ok(batch));
            }
            let end = (self.next + self.source.at_once()).min(self.items.len());
            let items = &self.items[self.next..end];
            if items.is_empty() {
                return None;
            }
            let batches = self.source.ordered(items, |item| (self.work)(&self.source, item));
            self.next = end;
            match batches {
                Ok(batches) => self.ready.extend(batches.into_iter().filter(|batch| batch.num_rows() > 0)),
                Err(error) => {
                    self.next = self.items.len();
                    return Some(Err(error));
                }
            }
        }
    }
}
