#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::Path;

use bytes::Bytes;
use floeberg_core::ErrorKind;
use tempfile::TempDir;

use super::super::LocalStore;
use crate::listing::FoundFile;
use crate::location::join;
use crate::store::{Entry, Store};

fn folder() -> (TempDir, String) {
    let folder = TempDir::new().unwrap();
    let location = folder.path().to_str().unwrap().to_owned();
    (folder, location)
}

fn error_of(location: &str) -> floeberg_core::Error {
    LocalStore.open(location).unwrap_err()
}

#[test]
fn every_spelling_opens_the_same_file() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    fs::write(&path, "ice").unwrap();
    for prefix in ["", "file:", "file://", "file://localhost"] {
        let location = format!("{prefix}{path}");
        let source = LocalStore.open(&location).unwrap();
        assert_eq!(source.read_all(3).unwrap(), "ice");
        assert_eq!(source.location(), location);
        assert!(LocalStore.exists(&location).unwrap());
    }
}

#[cfg(unix)]
#[test]
fn hostile_names_are_opened_as_they_are_written() {
    let (_kept, folder) = folder();
    for name in ["a%2Fb", "a%20b", "a b", "p=*", "🧊", "x...", "a?b#c", "a\\b", "x:y", " ", "~", "-", "%"] {
        let written = join(&folder, name);
        fs::write(Path::new(&written), name).unwrap();
        assert_eq!(LocalStore.open(&format!("file:{written}")).unwrap().read_all(99).unwrap(), name);
    }
    fs::create_dir(join(&folder, "p=..")).unwrap();
    fs::write(join(&folder, "p=../f"), "up").unwrap();
    assert_eq!(LocalStore.open(&join(&folder, "p=../f")).unwrap().read_all(9).unwrap(), "up");
}

#[test]
fn ranges_are_answered_in_the_order_asked() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    let content: Vec<u8> = (0..200_000_u32).map(|index| (index % 251) as u8).collect();
    fs::write(&path, &content).unwrap();
    let source = LocalStore.open(&path).unwrap();
    assert_eq!(source.size().unwrap(), 200_000);
    let wanted = [199_990..200_000, 0..10, 5..5, 3..70_000, 100_000..100_001];
    let expected: Vec<_> = wanted
        .iter()
        .map(|range| Bytes::copy_from_slice(&content[range.start as usize..range.end as usize]))
        .collect();
    assert_eq!(source.read_ranges(&wanted).unwrap(), expected);
    for (range, bytes) in wanted.iter().zip(&expected) {
        assert_eq!(source.read(range.clone()).unwrap(), bytes);
    }
}

#[test]
fn a_range_past_the_end_is_an_error_that_names_file_range_and_size() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    fs::write(&path, "0123456789").unwrap();
    let source = LocalStore.open(&path).unwrap();
    for error in [source.read(5..11).unwrap_err(), source.read_ranges(&[0..1, 5..11]).unwrap_err()] {
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(
            error.to_string(),
            format!("expected the bytes 5..11, found a file of 10 bytes (path: {path})")
        );
    }
    assert_eq!(source.read(0..u64::MAX).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn an_empty_file_has_empty_ranges_only() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    fs::write(&path, "").unwrap();
    let source = LocalStore.open(&path).unwrap();
    assert_eq!(source.size().unwrap(), 0);
    assert_eq!(source.read_all(0).unwrap(), "");
    assert_eq!(source.read(0..0).unwrap(), "");
    assert_eq!(source.read(0..1).unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_file_that_shrinks_while_it_is_open_is_an_error() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    fs::write(&path, "0123456789").unwrap();
    let source = LocalStore.open(&path).unwrap();
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(4).unwrap();
    assert_eq!(source.read(0..4).unwrap(), "0123");
    for error in [
        source.read(2..8).unwrap_err(),
        source.read_ranges(&[2..8, 0..1]).unwrap_err(),
        source.read_all(99).unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.to_string().contains("found a file of 4 bytes"), "{error}");
    }
}

#[test]
fn reading_all_stops_at_the_limit_even_where_the_file_has_grown() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    fs::write(&path, "0123").unwrap();
    let source = LocalStore.open(&path).unwrap();
    assert_eq!(source.read_all(3).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(source.read_all(4).unwrap(), "0123");
    fs::write(&path, "0123456789").unwrap();
    assert_eq!(source.read_all(9).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert_eq!(source.read_all(10).unwrap(), "0123456789");
}

#[test]
fn what_is_no_file_is_not_opened() {
    let (_kept, folder) = folder();
    fs::write(join(&folder, "f"), "").unwrap();
    let missing = join(&folder, "missing");
    assert_eq!(error_of(&missing).kind(), ErrorKind::NotFound);
    assert!(error_of(&missing).to_string().contains(&missing));
    assert_eq!(error_of(&folder).kind(), ErrorKind::InvalidInput);
    assert!(error_of(&folder).message().contains("found a folder"));
    assert_eq!(error_of(&join(&folder, "f/g")).kind(), ErrorKind::NotFound);
    assert_eq!(error_of(&join(&folder, &"x".repeat(300))).kind(), ErrorKind::NotFound);
    assert_eq!(error_of(&join(&folder, "a\0b")).kind(), ErrorKind::InvalidInput);
}

#[cfg(unix)]
#[test]
fn a_device_is_refused_before_it_is_opened() {
    let error = error_of("/dev/zero");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
    assert!(error.message().contains("a device"), "{error}");
}

#[test]
fn existence_is_that_of_a_file() {
    let (_kept, folder) = folder();
    fs::write(join(&folder, "f"), "").unwrap();
    let exists = |name: &str| LocalStore.exists(&join(&folder, name)).unwrap();
    assert!(exists("f"));
    for absent in ["", "g", "f/g", "missing/g"] {
        assert!(!exists(absent), "{absent}");
    }
}

#[test]
fn a_folder_lists_what_is_directly_in_it() {
    let (_kept, folder) = folder();
    fs::write(join(&folder, "a b"), "123").unwrap();
    fs::create_dir_all(join(&folder, "sub/deep")).unwrap();
    let mut entries = LocalStore.list(&format!("file://{folder}/")).unwrap();
    entries.sort_by(|left, right| left.name.cmp(&right.name));
    let file = Entry { name: "a b".to_owned(), is_folder: false, size: 3 };
    let sub = Entry { name: "sub".to_owned(), is_folder: true, size: 0 };
    assert_eq!(entries, [file, sub]);
    assert_eq!(LocalStore.list(&join(&folder, "sub/deep")).unwrap(), []);
    assert_eq!(LocalStore.list(&join(&folder, "none")).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(LocalStore.list(&join(&folder, "a b")).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[cfg(unix)]
#[test]
fn a_link_is_listed_as_what_it_leads_to() {
    use std::os::unix::fs::symlink;
    let (_kept, folder) = folder();
    fs::write(join(&folder, "f"), "12").unwrap();
    symlink(join(&folder, "f"), join(&folder, "to-file")).unwrap();
    symlink(&folder, join(&folder, "to-folder")).unwrap();
    symlink(join(&folder, "none"), join(&folder, "to-nothing")).unwrap();
    let mut found: Vec<_> = LocalStore
        .list(&folder)
        .unwrap()
        .into_iter()
        .map(|entry| (entry.name, entry.is_folder, entry.size))
        .collect();
    found.sort();
    let expected = [("f", false, 2), ("to-file", false, 2), ("to-folder", true, 0)];
    assert_eq!(found, expected.map(|(name, is_folder, size)| (name.to_owned(), is_folder, size)));
}

#[test]
fn names_below_are_those_of_the_files_below() {
    let (_kept, folder) = folder();
    for name in ["a", "b c", "p=1/f", "p=1/q=2/f", "p=1/q=2/g", "empty/x/../y"] {
        let path = folder.clone() + "/" + name;
        fs::create_dir_all(Path::new(&path).parent().unwrap().join("x")).unwrap();
        fs::write(path, name).unwrap();
    }
    #[cfg(unix)]
    for (target, link) in [("a", "link-to-file"), ("p=1", "link-to-folder"), ("nothing", "link-to-nothing")] {
        std::os::unix::fs::symlink(join(&folder, target), join(&folder, link)).unwrap();
    }
    for written in [folder.clone(), folder.clone() + "/", "file:".to_owned() + &folder] {
        let mut expected = LocalStore.files_below(&written).unwrap();
        let folders = LocalStore.names_below(&written).unwrap();
        assert!(folders.iter().all(|each| each.file(0).is_none()), "nobody asked for times");
        let locations = folders.iter().flat_map(|each| (0..each.len()).map(|number| each.location(number)));
        let mut found: Vec<FoundFile> =
            locations.map(|location| LocalStore.listed_file(&location).unwrap().unwrap()).collect();
        found.sort_by(|one, other| one.location.cmp(&other.location));
        expected.sort_by(|one, other| one.location.cmp(&other.location));
        assert_eq!(found, expected);
        let newest = folders.iter().filter_map(crate::ListedFolder::newest_ms).max().unwrap();
        assert!(expected.iter().all(|file| file.modified_ms <= newest), "a folder is as new as its files");
    }
    let missing = LocalStore.names_below(&join(&folder, "missing")).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert_eq!(LocalStore.names_below(&join(&folder, "a")).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn a_listed_file_that_is_gone_or_something_else_is_none() {
    let (_kept, folder) = folder();
    let path = join(&folder, "f");
    assert_eq!(LocalStore.listed_file(&path).unwrap(), None);
    assert_eq!(LocalStore.listed_file(&folder).unwrap(), None);
    fs::write(&path, "ice").unwrap();
    assert_eq!(LocalStore.listed_file(&path).unwrap().unwrap().size, 3);
    assert_eq!(LocalStore.listed_file(&join(&path, "f")).unwrap(), None);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&path, join(&folder, "link")).unwrap();
        assert_eq!(LocalStore.listed_file(&join(&folder, "link")).unwrap(), None);
    }
}
