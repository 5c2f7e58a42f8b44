//! What folders say, and which files are meant.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::{Cancel, ErrorKind};
use floeberg_io::MemoryStore;

use super::listing::{files_of, format_of, plain};
use super::path_values::path_values;
use crate::plan::FileFormat;

#[test]
fn folders_have_values_by_name() {
    let values =
        path_values("s3://b/a=b=c/day=2026-01-01/_x=%20y%2Fz%/n=__HIVE_DEFAULT_PARTITION__/f=1.parquet")
            .unwrap();
    let expected = [("_x", Some(" y/z%")), ("a", Some("b=c")), ("day", Some("2026-01-01")), ("n", None)];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.map(str::to_owned)));
    assert_eq!(values.into_iter().collect::<Vec<_>>(), expected);
    assert!(path_values("f=1.parquet").unwrap().is_empty());
    for wrong in ["/x=1/x=2/f", "/x=%FF/f"] {
        assert_eq!(path_values(wrong).unwrap_err().kind(), ErrorKind::InvalidInput, "{wrong}");
    }
}

fn store(names: &[&str]) -> MemoryStore {
    let store = MemoryStore::new();
    for name in names {
        store.put(*name, b"PAR1".to_vec());
    }
    store
}

fn files(store: &MemoryStore, given: &[&str]) -> Result<Vec<String>, ErrorKind> {
    let given: Vec<String> = given.iter().map(|each| (*each).to_owned()).collect();
    files_of(store, &given, &Cancel::default()).map_err(|error| error.kind())
}

#[test]
fn files_of_folders_come_in_order_and_without_hidden_ones() {
    let store = store(&[
        "memory://t/in/b.parquet",
        "memory://t/in/a=2/c.parquet",
        "memory://t/in/_d=1/d.parquet",
        "memory://t/in/_SUCCESS",
        "memory://t/in/.b.parquet.crc",
        "memory://t/in/_temporary/0/e.parquet",
        "memory://t/in/g.parquet._COPYING_",
        "memory://t/_h.parquet",
    ]);
    let expected = ["memory://t/in/_d=1/d.parquet", "memory://t/in/a=2/c.parquet", "memory://t/in/b.parquet"];
    assert_eq!(files(&store, &["memory://t/in"]).unwrap(), expected);
    assert_eq!(files(&store, &["memory://t/in/"]).unwrap(), expected);
    // A file that is named itself is meant.
    assert_eq!(files(&store, &["memory://t/_h.parquet"]).unwrap(), ["memory://t/_h.parquet"]);
    assert_eq!(files(&store, &["memory://t/in/b.parquet", "memory://t/in"]), Err(ErrorKind::InvalidInput));
    let hidden = ["memory://t/in/_temporary/0", "memory://t/none"];
    assert_eq!(files(&store, &hidden[..1]).unwrap().len(), 1);
    assert!(matches!(files(&store, &hidden[1..]), Err(ErrorKind::NotFound | ErrorKind::InvalidInput)));
}

#[test]
fn a_local_file_has_one_spelling() {
    let spelled = [
        "/d/in/a.parquet",
        "/d//in/a.parquet",
        "/d/./in/a.parquet",
        "/d/in/../in/a.parquet",
        "file:///d/in/./a.parquet",
    ];
    for location in spelled {
        let plain = plain(location);
        assert_eq!(floeberg_io::location::canonical(&plain), "/d/in/a.parquet", "{location}");
    }
    assert_eq!(plain("s3://b//in/../a.parquet"), "s3://b//in/../a.parquet", "keys are not paths");
    assert_eq!(plain("/d/in//"), "/d/in/");
    assert_eq!(plain("file:///d/in/a.parquet"), "file:///d/in/a.parquet");
}

#[test]
fn the_format_is_in_the_name_or_in_the_first_bytes() {
    let store = store(&["memory://t/a.ORC", "memory://t/b.snappy.parquet", "memory://t/c"]);
    store.put("memory://t/d", b"Obj\x01...".to_vec());
    store.put("memory://t/e.csv", b"a,b".to_vec());
    store.put("memory://t/f", Vec::new());
    let format = |name: &str| format_of(&store, &format!("memory://t/{name}"));
    assert_eq!(format("a.ORC").unwrap(), FileFormat::Orc);
    assert_eq!(format("b.snappy.parquet").unwrap(), FileFormat::Parquet);
    assert_eq!(format("c").unwrap(), FileFormat::Parquet);
    assert_eq!(format("d").unwrap(), FileFormat::Avro);
    for wrong in ["e.csv", "f"] {
        assert_eq!(format(wrong).unwrap_err().kind(), ErrorKind::InvalidData, "{wrong}");
    }
}
