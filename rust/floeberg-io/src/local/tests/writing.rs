#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::sync::Barrier;
use std::thread;

use bytes::Bytes;
use floeberg_core::ErrorKind;
use tempfile::TempDir;

use super::super::LocalStore;
use crate::location::join;
use crate::store::Store;

fn folder() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let location = folder.path().to_str().unwrap().to_owned();
    (folder, location)
}

/// The names in a folder, hidden ones too.
fn names(folder: &str) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_written_piece_by_piece_in_folders_that_are_made() {
    let (_kept, folder) = folder();
    let location = format!("file:{folder}/data/a=1%2F/f");
    let mut sink = LocalStore.create(&location).unwrap();
    sink.write(b"01234").unwrap();
    sink.write(b"").unwrap();
    sink.write(b"56").unwrap();
    assert_eq!(sink.finish().unwrap(), 7);
    assert_eq!(LocalStore.open(&location).unwrap().read_all(99).unwrap(), "0123456");
    assert_eq!(LocalStore.create(&location).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(LocalStore.open(&location).unwrap().read_all(99).unwrap(), "0123456");
}

#[test]
fn a_file_that_is_not_finished_is_removed() {
    let (_kept, folder) = folder();
    let location = join(&folder, "f");
    let mut sink = LocalStore.create(&location).unwrap();
    sink.write(b"01234").unwrap();
    drop(sink);
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn a_whole_file_is_put_where_there_is_none_and_nothing_else_is_left() {
    let (_kept, folder) = folder();
    let location = join(&folder, "metadata/v1.metadata.json");
    LocalStore.put_if_absent(&location, Bytes::from("one")).unwrap();
    let error = LocalStore.put_if_absent(&location, Bytes::from("two")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
    assert!(!error.is_outcome_unknown());
    assert_eq!(LocalStore.open(&location).unwrap().read_all(9).unwrap(), "one");
    assert_eq!(names(&join(&folder, "metadata")), ["v1.metadata.json"]);
}

#[test]
fn of_many_writers_of_one_file_one_wins() {
    let (_kept, folder) = folder();
    for round in 0..20 {
        let location = join(&folder, &round.to_string());
        let together = Barrier::new(4);
        let won: Vec<String> = thread::scope(|scope| {
            let write = |number: usize| {
                let (location, together) = (&location, &together);
                scope.spawn(move || {
                    let content = number.to_string().repeat(10_000);
                    together.wait();
                    match LocalStore.put_if_absent(location, Bytes::from(content.clone())) {
                        Ok(()) => Some(content),
                        Err(error) => {
                            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
                            None
                        }
                    }
                })
            };
            let writers: Vec<_> = (0..4).map(write).collect();
            writers.into_iter().filter_map(|writer| writer.join().unwrap()).collect()
        });
        assert_eq!(won.len(), 1);
        assert_eq!(LocalStore.open(&location).unwrap().read_all(99_999).unwrap(), won[0]);
    }
    assert_eq!(names(&folder).len(), 20);
}

#[test]
fn a_whole_file_takes_the_place_of_another() {
    let (_kept, folder) = folder();
    let location = join(&folder, "version-hint.text");
    for content in ["1", "22", "3"] {
        LocalStore.put(&location, Bytes::from(content)).unwrap();
        assert_eq!(LocalStore.open(&location).unwrap().read_all(9).unwrap(), content);
    }
    assert_eq!(names(&folder), ["version-hint.text"]);
}

#[test]
fn a_file_is_removed_once_and_then_is_not_there() {
    let (_kept, folder) = folder();
    let location = join(&folder, "f");
    LocalStore.put(&location, Bytes::from("1")).unwrap();
    LocalStore.remove(&location).unwrap();
    assert!(!LocalStore.exists(&location).unwrap());
    LocalStore.remove(&location).unwrap();
    LocalStore.remove(&join(&folder, "none/f")).unwrap();
}

#[test]
fn where_a_folder_or_a_file_is_in_the_way_nothing_is_written() {
    let (_kept, folder) = folder();
    LocalStore.put(&join(&folder, "file"), Bytes::from("1")).unwrap();
    fs::create_dir(join(&folder, "folder")).unwrap();
    let bytes = Bytes::from("2");
    for (name, kind) in [("file/f", None), ("folder", Some(ErrorKind::AlreadyExists))] {
        let location = join(&folder, name);
        let created = LocalStore.create(&location).unwrap_err();
        assert!(kind.is_none_or(|kind| created.kind() == kind), "{created}");
        let put = LocalStore.put_if_absent(&location, bytes.clone()).unwrap_err();
        assert_eq!(put.kind(), ErrorKind::Storage, "{put}");
        for error in [created, put] {
            assert!(!error.is_outcome_unknown());
            assert!(error.to_string().contains(&location));
        }
        assert!(LocalStore.put(&location, bytes.clone()).is_err());
    }
    assert_eq!(names(&folder), ["file", "folder"]);
    assert!(LocalStore.remove(&join(&folder, "folder")).is_err());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_no_file_of_another_writer() {
    let (_kept, folder) = folder();
    let (link, of_file) = (join(&folder, "link"), join(&folder, "of-file"));
    std::os::unix::fs::symlink(join(&folder, "nothing"), &link).unwrap();
    LocalStore.put(&join(&folder, "file"), Bytes::from("1")).unwrap();
    std::os::unix::fs::symlink(join(&folder, "file"), &of_file).unwrap();
    let error = LocalStore.put_if_absent(&link, Bytes::from("2")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert_eq!(error.message(), "a link to nothing is where the new file should be: remove it");
    let error = LocalStore.put_if_absent(&of_file, Bytes::from("2")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AlreadyExists);
}

#[test]
fn a_name_that_the_file_system_does_not_take_is_no_absence() {
    let (_kept, folder) = folder();
    let location = join(&folder, &"n".repeat(300));
    let created = LocalStore.create(&location).unwrap_err();
    assert_eq!(created.kind(), ErrorKind::InvalidInput, "{created}");
    let put = LocalStore.put_if_absent(&location, Bytes::from("1")).unwrap_err();
    assert_eq!(put.kind(), ErrorKind::InvalidInput, "{put}");
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn a_full_device_and_one_that_is_only_read_are_told_apart() {
    let failure = std::io::Error::from(std::io::ErrorKind::StorageFull);
    let error = super::super::failed(failure, "/f");
    assert_eq!(error.kind(), ErrorKind::Storage);
    assert_eq!(error.message(), "no space is left on the device");
    let failure = std::io::Error::from(std::io::ErrorKind::ReadOnlyFilesystem);
    assert_eq!(super::super::failed(failure, "/f").kind(), ErrorKind::PermissionDenied);
}

#[test]
fn a_large_file_has_its_bytes_and_its_length() {
    let (_kept, folder) = folder();
    for (number, length) in
        [(4 << 20) - 1, 4 << 20, (4 << 20) + 1, (5 << 20) + 4096, (9 << 20) - 123].into_iter().enumerate()
    {
        let bytes: Bytes = (0..length).map(|place| (place * 31 + place / 4096) as u8).collect();
        let location = join(&folder, &format!("new/{number}"));
        LocalStore.put_if_absent(&location, bytes.clone()).unwrap();
        assert_eq!(LocalStore.open(&location).unwrap().read_all(u64::MAX).unwrap(), bytes);
        LocalStore.put(&location, bytes.slice(7..)).unwrap();
        assert_eq!(LocalStore.open(&location).unwrap().read_all(u64::MAX).unwrap(), bytes.slice(7..));
    }
    assert_eq!(names(&join(&folder, "new")), ["0", "1", "2", "3", "4"]);
}
