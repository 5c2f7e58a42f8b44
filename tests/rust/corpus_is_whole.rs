//! Is the corpus there, and does the list of known failures speak of it?

use corpus::{cases, known_failures, lance_cases};

#[test]
fn every_case_has_its_current_metadata_file() {
    let found = cases();
    assert!(found.len() >= 75, "{} cases", found.len());
    for case in found {
        assert!(case.metadata_file().is_file(), "{}: {}", case.name, case.metadata_file().display());
    }
}

#[test]
fn every_lance_table_has_its_manifests() {
    let found = lance_cases();
    assert!(found.len() >= 27, "{} cases", found.len());
    for case in found {
        for name in case.expected["manifests"].as_array().unwrap() {
            let path = case.folder.join("table/_versions").join(name.as_str().unwrap());
            assert!(path.is_file(), "{}", path.display());
        }
    }
}

#[test]
fn every_manifest_list_of_a_live_snapshot_is_there() {
    for case in cases().iter().filter(|case| !case.is_view()) {
        for snapshot in case.expected["snapshots"].as_array().unwrap() {
            if let Some(list) = snapshot["manifest_list"].as_str() {
                assert!(case.place(list).is_file(), "{}: {list}", case.name);
            }
        }
    }
}

#[test]
fn the_list_of_known_failures_names_existing_cases() {
    let names: Vec<_> = cases().into_iter().map(|case| case.name).collect();
    for failure in known_failures() {
        assert!(names.contains(&failure.case), "{}", failure.case);
    }
}
