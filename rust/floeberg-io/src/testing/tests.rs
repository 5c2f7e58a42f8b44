#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use floeberg_core::ErrorKind;

use super::{CountingStore, Counts, Fault, FaultyStore};
use crate::memory::MemoryStore;
use crate::options::StoreOptions;
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
        let mut sink = store.create("memory://t/new")?;
        sink.write(b"ab")?;
        sink.finish()?;
        store.put_if_absent("memory://t/absent", "ab".into())?;
        store.put("memory://t/there", "ab".into())?;
        store.remove(FILE)
    };
    let sound = FaultyStore::new(store(), []);
    run(&sound).unwrap();
    assert_eq!(sound.operations(), 13);
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

/// What is left of three writes of `abcd` and a removal where one operation goes wrong, and its error.
fn left_by(number: u64, fault: Fault) -> (Vec<(String, u64)>, floeberg_core::Error) {
    let inner = store();
    let store = FaultyStore::new(inner.clone(), [(number, fault)]);
    let write = || {
        let mut sink = store.create("memory://t/new")?;
        sink.write(b"abcd")?;
        sink.finish()?;
        store.put_if_absent("memory://t/absent", "abcd".into())?;
        store.put("memory://t/put", "abcd".into())?;
        store.remove(FILE)
    };
    let error = write().unwrap_err();
    let listed = inner.list("memory://t").unwrap();
    (listed.into_iter().map(|entry| (entry.name, entry.size)).collect(), error)
}

#[test]
fn a_lost_request_did_nothing_and_a_lost_answer_all() {
    for (number, done) in
        [(0, &["f"][..]), (2, &["f"]), (3, &["f", "new"]), (5, &["absent", "f", "new", "put"])]
    {
        let (names, error) = left_by(number, Fault::LoseRequest);
        assert_eq!(names.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), done);
        assert!(error.is_outcome_unknown());
        let settled = left_by(number, Fault::Fail(ErrorKind::Storage)).1;
        assert!(!settled.is_outcome_unknown());
        assert_eq!(settled.to_string(), error.to_string());
    }
    let done = [(0, &["f", "new"][..]), (2, &["f", "new"]), (3, &["absent", "f", "new"])];
    for (number, done) in done.into_iter().chain([(5, &["absent", "new", "put"][..])]) {
        let (names, error) = left_by(number, Fault::LoseAnswer);
        assert_eq!(names.into_iter().map(|(name, _)| name).collect::<Vec<_>>(), done);
        assert!(error.is_outcome_unknown());
    }
}

#[test]
fn what_is_cut_short_in_one_step_is_hidden_and_half() {
    assert_eq!(left_by(1, Fault::CutShort).0, [("f".to_owned(), 10)]);
    let (names, error) = left_by(3, Fault::CutShort);
    assert_eq!(names, [(".4-absent".to_owned(), 2), ("f".to_owned(), 10), ("new".to_owned(), 4)]);
    assert!(!error.is_outcome_unknown());
}

#[test]
fn options_ask_for_faults_and_for_a_list_of_calls() {
    let folder = tempfile::TempDir::new().unwrap();
    let calls = folder.path().join("calls");
    let options: StoreOptions =
        [("testing.calls", calls.to_str().unwrap()), ("testing.faults", "1=lose-answer, 3=fail")]
            .into_iter()
            .collect();
    let location = "memory://asked-for/f";
    let first = crate::open_store(&options).unwrap();
    first.put(location, "1".into()).unwrap();
    let second = crate::open_store(&options).unwrap();
    assert!(second.put_if_absent("memory://asked-for/g", "2".into()).unwrap_err().is_outcome_unknown());
    assert!(first.exists("memory://asked-for/g").unwrap());
    assert!(first.exists(location).is_err());
    let expected = [
        "0 put memory://asked-for/f",
        "1 put_if_absent memory://asked-for/g",
        "2 exists memory://asked-for/g",
        "3 exists memory://asked-for/f",
    ];
    assert_eq!(std::fs::read_to_string(&calls).unwrap().lines().collect::<Vec<_>>(), expected);
    for wrong in ["x=fail", "1", "1=nothing"] {
        let other = folder.path().join(wrong);
        let options: StoreOptions =
            [("testing.calls", other.to_str().unwrap()), ("testing.faults", wrong)].into_iter().collect();
        assert_eq!(crate::open_store(&options).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}
