#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use floeberg_core::ErrorKind;

use super::{CountingStore, Counts, Fault, FaultyStore};
use crate::memory::MemoryStore;
use crate::store::Store;

const FILE: &str = "memory://t/f";

fn store() -> Arc<MemoryStore> {
    let store = MemoryStore::new();
    store.put(FILE, "0123456789");
    Arc::new(store)
}

#[test]
fn every_read_that_succeeds_is_counted_once() {
    let store = CountingStore::new(store());
    let source = store.open(FILE).unwrap();
    source.read(0..3).unwrap();
    source.read_ranges(&[0..1, 5..7]).unwrap();
    source.read_all(99).unwrap();
    source.read(5..50).unwrap_err();
    store.open("memory://none").unwrap_err();
    let counts = Counts { opens: 1, reads: 4, bytes: 16 };
    assert_eq!(store.of(FILE), counts);
    assert_eq!(store.total(), counts);
    assert_eq!(store.by_location().into_keys().collect::<Vec<_>>(), [FILE]);
    store.reset();
    assert_eq!(store.total(), Counts::default());
}

#[test]
fn each_operation_in_turn_can_be_made_to_fail() {
    let run = |store: &FaultyStore| -> floeberg_core::Result<()> {
        store.exists(FILE)?;
        store.list("memory://t")?;
        let source = store.open(FILE)?;
        source.size()?;
        source.read(0..3)?;
        source.read_ranges(&[0..1, 5..7])?;
        source.read_all(99)?;
        Ok(())
    };
    let sound = FaultyStore::new(store(), []);
    run(&sound).unwrap();
    assert_eq!(sound.operations(), 7);
    for number in 0..sound.operations() {
        let faulty = FaultyStore::new(store(), [(number, Fault::Fail(ErrorKind::Storage))]);
        let error = run(&faulty).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Storage);
        assert!(error.is_retryable());
        assert_eq!(faulty.operations(), number + 1);
    }
}

#[test]
fn a_file_cut_short_ends_half_way() {
    let cut = |number: u64| FaultyStore::new(store(), [(number, Fault::CutShort)]).open(FILE).unwrap();
    let error = cut(1).read(2..8).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(error.message().contains("found a file of 5 bytes"), "{error}");
    assert_eq!(cut(1).read_ranges(&[0..1, 2..8]).unwrap_err().kind(), ErrorKind::InvalidData);
    assert_eq!(cut(1).read_all(99).unwrap(), "01234");
    assert_eq!(cut(0).read_all(99).unwrap(), "0123456789");
}

#[test]
fn a_delayed_operation_answers_late_and_right() {
    let time = Duration::from_millis(20);
    let source = FaultyStore::new(store(), [(1, Fault::Delay(time))]).open(FILE).unwrap();
    let start = Instant::now();
    assert_eq!(source.read(0..2).unwrap(), "01");
    assert!(start.elapsed() >= time);
}
