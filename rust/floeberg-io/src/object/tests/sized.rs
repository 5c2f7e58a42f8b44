//! Objects whose size a manifest claims, rightly or wrongly.

use super::{bytes, store};
use crate::store::Store as _;

#[test]
fn a_claim_changes_no_answer() {
    let large = 5 << 20;
    for size in [0, 1, 10, 70_000, large] {
        let content = bytes(size);
        let store = store(&format!("claims-{size}"), &[("f", content.clone())]);
        let location = format!("s3://claims-{size}/f");
        let size = size as u64;
        for claim in [0, 1, size.saturating_sub(1), size, size + 1, size * 2, 70_000, 6 << 20, u64::MAX] {
            let open = || store.open_sized(&location, claim).unwrap();
            for least in [0, 1, 65_536, size, u64::from(u32::MAX)] {
                let (found, end) = open().read_end(least).unwrap();
                assert_eq!(found, size, "claim {claim}, the last {least}");
                assert!(content.ends_with(&end) && end.len() as u64 >= least.min(size), "claim {claim}");
            }
            assert_eq!(open().size().unwrap(), size, "claim {claim}");
            assert!(open().read_all(size).unwrap() == content, "claim {claim}");
            assert!(open().read(0..size).unwrap() == content, "claim {claim}");
            let half = size / 2..size;
            let source = open();
            let both = source.read_ranges(&[half.clone(), 0..size]).unwrap();
            assert!(both[0] == content.slice(half.start as usize..) && both[1] == content, "claim {claim}");
            assert!(
                source.read(0..size + 1).is_err() && open().read(size..size + 1).is_err(),
                "claim {claim}"
            );
        }
    }
}

#[test]
fn a_small_object_that_never_changes_is_read_once_by_a_process() {
    let store = store("kept", &[("f", bytes(10)), ("g", bytes(10))]);
    let unchanging = || store.open_unchanging("s3://kept/f").unwrap().read_all(10);
    assert_eq!(unchanging().unwrap(), bytes(10));
    store.open_sized("s3://kept/g", 10).unwrap().read(2..5).unwrap();
    // Behind the back of this store.
    let other = super::store("kept-other", &[]);
    let process = super::process::current().unwrap();
    let empty = std::sync::Arc::new(object_store::memory::InMemory::new());
    process.substitute(crate::object::Kind::S3, "kept", &other.options, empty);
    assert_eq!(unchanging().unwrap(), bytes(10));
    assert_eq!(unchanging().unwrap().len(), 10);
    assert_eq!(store.open_sized("s3://kept/g", 10).unwrap().read_end(3).unwrap(), (10, bytes(10).slice(7..)));
    // Of another size, or asked for as any file.
    assert!(store.open_sized("s3://kept/g", 9).unwrap().read(0..9).is_err());
    assert!(store.open("s3://kept/f").unwrap().read_all(10).is_err());
    // This process removes it.
    store.remove("s3://kept/f").unwrap();
    assert!(unchanging().is_err());
    assert!(store.open_unchanging("s3://kept/g").unwrap().read_all(9).is_err());
}

#[test]
fn the_end_of_a_large_object_is_read_once_by_a_process() {
    let size = 5 << 20;
    let store = store("ends", &[("f", bytes(size)), ("g", bytes(size))]);
    let claimed = size as u64;
    let open = |name: &str| store.open_sized(&format!("s3://ends/{name}"), claimed).unwrap();
    let first = open("f");
    first.needed_end(1000);
    // The next file of the table is asked for what the first needed, and a little more.
    let (_, end) = open("g").read_end(8).unwrap();
    assert_eq!((end.len(), end == bytes(size).slice(size - 1062..)), (1062, true));
    let process = super::process::current().unwrap();
    let empty = std::sync::Arc::new(object_store::memory::InMemory::new());
    process.substitute(crate::object::Kind::S3, "ends", &store.options, empty);
    assert_eq!(open("g").read_end(8).unwrap(), (claimed, end));
    // More of it, another size, or nothing claimed of it: the store has to say.
    assert!(open("g").read_end(2000).is_err());
    assert!(store.open_sized("s3://ends/g", claimed + 1).unwrap().read_end(8).is_err());
    assert!(store.open("s3://ends/g").unwrap().read_end(8).is_err());
}

#[test]
fn an_object_that_has_another_size_than_before_was_replaced() {
    let old = store("grown", &[("f", bytes(10))]);
    let source = old.open("s3://grown/f").unwrap();
    assert_eq!(source.read(0..2).unwrap(), bytes(2));
    // The first object of each memory has the same `ETag`.
    let new = store("grown", &[("f", bytes(12))]);
    for answer in [source.read(2..4), source.read_all(99), source.read_end(3).map(|(_, end)| end)] {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), floeberg_core::ErrorKind::InvalidData, "{error}");
        assert!(error.message().contains("replaced"), "{error}");
    }
    assert_eq!(new.open("s3://grown/f").unwrap().size().unwrap(), 12);
}
