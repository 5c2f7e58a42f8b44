#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;

use super::open_store;
use crate::memory::MemoryStore;
use crate::options::StoreOptions;

#[test]
fn the_scheme_decides_which_store_answers() {
    let store = open_store(&StoreOptions::new()).unwrap();
    MemoryStore::shared().put("memory://router/f", "in memory");
    assert_eq!(store.open("memory://router/f").unwrap().read_all(99).unwrap(), "in memory");
    assert!(store.exists("memory://router/f").unwrap());
    assert_eq!(store.list("memory://router").unwrap().len(), 1);

    let folder = tempfile::tempdir().unwrap();
    let location = format!("file://{}", folder.path().display());
    std::fs::write(folder.path().join("f"), "on disk").unwrap();
    assert_eq!(store.open(&format!("{location}/f")).unwrap().read_all(99).unwrap(), "on disk");
    assert_eq!(store.list(&location).unwrap().len(), 1);
}

#[test]
fn an_unknown_scheme_is_refused_with_those_that_are_known() {
    let store = open_store(&StoreOptions::new()).unwrap();
    let error = store.open("hdfs://host/f").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.contains("`hdfs`") && text.contains("file, memory") && text.contains("path: hdfs://host/f"),
        "{text}"
    );
}
