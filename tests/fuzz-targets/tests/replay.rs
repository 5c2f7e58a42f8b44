//! Does every seed and every former find still end well?
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use floeberg_fuzz_targets::TARGETS;

fn folder() -> PathBuf {
    // Asked when the tests run: checkouts share what is built.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    Path::new(&here).join("../fuzz")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_str().unwrap().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_input_of_every_fuzzer_ends_well() {
    let mut faults = Vec::new();
    for kind in ["seeds", "regressions"] {
        for target in TARGETS {
            let folder = folder().join(kind).join(target.name);
            // A fuzzer that is running has a folder for its finds, which may stay empty.
            let is_seeded = kind == "seeds";
            let inputs = if is_seeded || folder.exists() { names(&folder) } else { Vec::new() };
            assert!(!inputs.is_empty() || !is_seeded, "{} has no inputs", folder.display());
            for name in inputs {
                let bytes = fs::read(folder.join(&name)).unwrap();
                if catch_unwind(|| (target.run)(&bytes)).is_err() {
                    faults.push(format!("{kind}/{}/{name}", target.name));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_folder_of_inputs_and_every_binary_has_its_fuzzer() {
    let mut expected: Vec<_> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    expected.sort();
    assert_eq!(names(&folder().join("seeds")), expected);
    let binaries: Vec<_> = expected.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&folder().join("bins")), binaries);
    if folder().join("regressions").exists() {
        for name in names(&folder().join("regressions")) {
            assert!(expected.contains(&name), "no fuzzer is named {name}");
        }
    }
}
