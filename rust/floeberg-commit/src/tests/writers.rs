//! Several writers at once, and metadata files in their forms.

use std::thread;

use floeberg_core::{Cancel, ErrorKind};
use floeberg_iceberg::{OpenOptions, Table};
use floeberg_io::location::join;
use floeberg_io::{MemoryStore, Store};

use super::kit::{Kit, append, map};
use crate::{Commit, CommitRequest, Operation};

const WRITERS: usize = 4;
const COMMITS: usize = 12;

/// The newest version of a table whose files are `v<V>.metadata.json`.
fn newest(folder: &str) -> (u32, Table) {
    let store = MemoryStore::shared();
    let versions = store.list(folder).unwrap().into_iter().filter_map(|entry| {
        entry.name.strip_prefix('v')?.strip_suffix(".metadata.json")?.parse::<u32>().ok()
    });
    let version = versions.max().unwrap();
    let location = join(folder, &format!("v{version}.metadata.json"));
    (version, Table::open_at(&location, OpenOptions::default()).unwrap())
}

/// Commits until it is through.
fn commit(folder: &str, kit_request: CommitRequest) {
    let (_, starting) = newest(folder);
    let commit = Commit::begin(CommitRequest { starting: Some(starting), ..kit_request }).unwrap();
    loop {
        let (version, base) = newest(folder);
        let attempt = commit.attempt(Some(&base), &Cancel::default()).unwrap();
        let location = join(folder, &format!("v{}.metadata.json", version + 1));
        match attempt.write_metadata(&location, true) {
            Ok(()) => {
                assert_eq!(commit.finished(&attempt), Vec::<String>::new());
                return;
            }
            // Another writer was faster.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn what_several_writers_commit_is_all_there_once() {
    let mut kit = Kit::partitioned(3, &[("commit.manifest.min-count-to-merge", "5")]);
    let folder = kit.metadata().metadata_folder();
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (kit, folder) = (&kit, &folder);
            let request = |number: usize| {
                let name = format!("w{writer}-{number:02}");
                let Operation::Append { receipt, .. } = append(&name, "x") else { panic!("an append") };
                let merge = if number.is_multiple_of(2) { Some(true) } else { None };
                CommitRequest { key: name, ..kit.request(vec![Operation::Append { receipt, merge }]) }
            };
            let requests: Vec<_> = (0..COMMITS).map(request).collect();
            scope.spawn(move || {
                for request in requests {
                    commit(folder, request);
                }
            });
        }
    });
    let (version, table) = newest(&folder);
    assert_eq!(version as usize, WRITERS * COMMITS + 1);
    kit.table = Some(table);
    assert_eq!(kit.live().len(), WRITERS * COMMITS);
    assert_eq!(kit.said("total-records"), Some("480"));
    assert_eq!(kit.metadata().last_sequence_number, 48);
    assert_eq!(kit.files(), kit.needed());
}

#[test]
fn metadata_is_compressed_where_its_name_says_so_and_never_written_over() {
    let kit = Kit::partitioned(2, &[]);
    let commit = kit.begin(vec![append("a", "x")], "k");
    let attempt = kit.attempt(&commit).unwrap();
    let folder = attempt.metadata().metadata_folder();
    let bytes = |location: &str| MemoryStore::shared().open(location).unwrap().read_all(1 << 20).unwrap();
    for (name, is_gzip) in
        [("2-a.metadata.json", false), ("2-a.gz.metadata.json", true), ("2-a.metadata.json.gz", true)]
    {
        let location = join(&folder, name);
        attempt.write_metadata(&location, true).unwrap();
        assert_eq!(bytes(&location).starts_with(&[0x1f, 0x8b]), is_gzip, "{name}");
        let read = Table::open_at(&location, OpenOptions::default()).unwrap();
        assert_eq!(read.metadata(), attempt.metadata());
        let again = attempt.write_metadata(&location, true).unwrap_err();
        assert_eq!(again.kind(), ErrorKind::AlreadyExists);
        attempt.write_metadata(&location, false).unwrap();
    }
}

#[test]
fn metadata_goes_where_the_table_says() {
    let kit = Kit::partitioned(2, &[]);
    let table = kit.location.as_str();
    for (path, expected) in [
        ("memory://elsewhere/m/", "memory://elsewhere/m".to_owned()),
        ("/absolute", "/absolute".to_owned()),
        ("own/folder", format!("{table}/own/folder")),
        ("", format!("{table}/metadata")),
    ] {
        let mut metadata = kit.metadata().clone();
        metadata.properties = map(&[("write.metadata.path", path)]);
        assert_eq!(metadata.metadata_folder(), expected);
    }
    assert_eq!(kit.metadata().metadata_folder(), format!("{table}/metadata"));
}
