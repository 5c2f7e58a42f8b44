//! The ORC files of the corpus, whole and damaged.

use std::fs;
use std::path::{Path, PathBuf};

use floeberg_core::ErrorKind;

use super::fixture::read_all;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "orc") {
            found.push(path);
        }
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    // Asked when the test runs: checkouts share what is built.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    files(&Path::new(&here).join("../../tests/conformance"), &mut found);
    assert!(!found.is_empty());
    found.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A generator of numbers that tests need no more of.
fn next(state: &mut u64) -> usize {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state as usize
}

#[test]
fn damaged_files_end_in_rows_or_in_an_error_of_the_file() {
    let (mut errors, mut state) = (0, 0x9e37_79b9_7f4a_7c15);
    for whole in corpus() {
        assert!(read_all(whole.clone()).unwrap() > 0);
        for _ in 0..400 {
            let mut bytes = whole.clone();
            for _ in 0..=next(&mut state) % 3 {
                let at = next(&mut state) % bytes.len();
                bytes[at] ^= 1 << (next(&mut state) % 8);
            }
            if next(&mut state).is_multiple_of(8) {
                bytes.truncate(next(&mut state) % whole.len());
            }
            if let Err(error) = read_all(bytes) {
                let expected = [ErrorKind::InvalidData, ErrorKind::Unsupported, ErrorKind::LimitExceeded];
                assert!(expected.contains(&error.kind()), "{error:?}");
                assert!(error.to_string().contains("file.orc"), "{error}");
                errors += 1;
            }
        }
    }
    assert!(errors > 1000, "{errors} damages were noticed");
}
