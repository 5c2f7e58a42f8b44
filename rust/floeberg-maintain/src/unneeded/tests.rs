//! What goes is the same whether old manifests are read or not, and each condition for leaving them out is needed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use floeberg_commit::{Expiry, Operation, RefChange};
use floeberg_core::ErrorKind;
use floeberg_iceberg::manifest::FileRole;

use super::kit::{DAY, Kit, append, create_tag, delete, set_current};

/// An expiry of these snapshots alone.
fn expire(snapshot_ids: Vec<i64>) -> Operation {
    Operation::ExpireSnapshots(Expiry { snapshot_ids, only_ids: true, ..Expiry::default() })
}

/// An old table: a manifest of files that stay, and later one file that comes and goes.
fn old_table() -> (Kit, Vec<i64>) {
    let mut kit = Kit::new(2);
    kit.commit(append("old", "mon"));
    kit.later(9 * DAY);
    let ids = [append("new", "tue"), delete("day = 'tue'"), append("last", "wed")].map(|operation| {
        kit.commit(operation);
        kit.current()
    });
    (kit, ids.to_vec())
}

#[test]
fn old_manifests_are_not_read() {
    let (mut kit, ids) = old_table();
    let first = kit.snapshots()[0];
    let before = kit.table.clone();
    let old = kit.manifests_of(first);
    kit.commit(expire(vec![first, ids[0]]));
    let (all, read) = kit.unneeded(before.as_ref(), None);
    assert!(old.iter().all(|manifest| read.contains(manifest)));
    let (some, read) = kit.unneeded(before.as_ref(), Some(0));
    assert_eq!(some, all);
    assert!(some.iter().any(|file| file.role == FileRole::Data && file.location.ends_with("new")));
    assert!(old.iter().all(|manifest| !read.contains(manifest)), "{read:?}");
    assert_eq!(kit.store.questions(), old.len() + 1);
    // The file is gone already: it cannot be lost.
    kit.store.forget(&kit.data("new"));
    let (again, read) = kit.unneeded(before.as_ref(), Some(0));
    assert_eq!(again, all);
    assert!(old.iter().all(|manifest| !read.contains(manifest)));
}

#[test]
fn a_store_is_asked_only_where_that_is_less_than_reading() {
    let (mut kit, ids) = old_table();
    let first = kit.snapshots()[0];
    let before = kit.table.clone();
    kit.commit(expire(vec![first, ids[0]]));
    let (_, read) = kit.unneeded(before.as_ref(), Some(1 << 20));
    assert_eq!(kit.store.questions(), 0);
    assert!(kit.manifests_of(kit.current()).iter().all(|manifest| read.contains(manifest)));
}

/// What goes after an expiry, where all manifests are read and where old ones are not.
fn both(kit: &mut Kit, gone: Vec<i64>) -> [BTreeSet<String>; 2] {
    let before = kit.table.clone();
    kit.commit(expire(gone));
    [None, Some(0)].map(|bytes| {
        let (files, _) = kit.unneeded(before.as_ref(), bytes);
        files.into_iter().filter(|file| file.role == FileRole::Data).map(|file| file.location).collect()
    })
}

/// A copy of a table may give a file a later time than manifests that name it.
fn copied_late(kit: &Kit, name: &str) {
    kit.store.set(&kit.data(name), kit.now() + 99 * DAY);
}

#[test]
fn a_snapshot_that_stays_before_one_that_goes_is_read() {
    let mut kit = Kit::new(2);
    let changes = [append("x", "mon"), delete("day = 'mon'"), append("x", "mon"), delete("day = 'mon'")];
    let ids = changes.map(|operation| {
        kit.commit(operation);
        kit.later(9 * DAY);
        kit.current()
    });
    kit.commit(create_tag("kept", ids[0]));
    copied_late(&kit, "x");
    let [all, some] = both(&mut kit, vec![ids[1], ids[2]]);
    assert!(!all.contains(&kit.data("x")));
    assert_eq!(some, all);
}

#[test]
fn snapshots_that_are_no_line_are_read() {
    let mut kit = Kit::new(2);
    let ids = [append("x", "mon"), delete("day = 'mon'"), append("x", "mon")].map(|operation| {
        kit.commit(operation);
        kit.later(9 * DAY);
        kit.current()
    });
    kit.commit(set_current(ids[0]));
    kit.commit(append("y", "tue"));
    copied_late(&kit, "x");
    let [all, some] = both(&mut kit, ids.to_vec());
    assert!(!all.contains(&kit.data("x")));
    assert_eq!(some, all);
}

#[test]
fn manifests_that_were_added_after_a_file_are_read() {
    let mut kit = Kit::new(2);
    kit.commit(append("x", "mon"));
    kit.commit(append("y", "tue"));
    let ids = kit.snapshots();
    kit.commit(Operation::RewriteManifests(floeberg_commit::ManifestRewrite {
        spec_id: None,
        sort_by: Vec::new(),
    }));
    assert_eq!(kit.manifests_of(kit.current()).len(), 1);
    copied_late(&kit, "x");
    copied_late(&kit, "y");
    let [all, some] = both(&mut kit, ids);
    assert!(all.is_empty());
    assert_eq!(some, all);
}

/// A path that is live twice, of which one goes: not allowed by the specification, and made by adding files without a check.
fn twice(first_to_file: i64) -> (Kit, Vec<i64>) {
    let mut kit = Kit::new(2);
    kit.commit(append("x", "mon"));
    let written = kit.now();
    kit.later(9 * DAY);
    kit.commit(append("x", "tue"));
    kit.commit(append("young", "tue"));
    let ids = kit.snapshots();
    kit.commit(delete("day = 'tue'"));
    kit.store.set(&kit.data("x"), written + first_to_file);
    (kit, ids)
}

#[test]
fn a_path_that_was_added_twice_stays() {
    for written in [-1, DAY] {
        let (mut kit, ids) = twice(written);
        let [all, some] = both(&mut kit, ids);
        assert!(!all.contains(&kit.data("x")), "the other one is live");
        assert_eq!(some, all);
    }
}

#[test]
fn what_a_store_does_not_say_is_read() {
    let (mut kit, ids) = twice(-1);
    kit.store.says_nothing_of(&kit.data("x"));
    let [all, some] = both(&mut kit, ids);
    assert_eq!(some, all);
    // Of a manifest neither.
    let (mut kit, ids) = twice(9 * DAY);
    let old = kit.manifests_of(ids[0]);
    for manifest in &old {
        kit.store.says_nothing_of(manifest);
    }
    let [all, some] = both(&mut kit, ids);
    assert_eq!(some, all);
}

#[test]
fn files_without_sequence_numbers_are_looked_for_everywhere() {
    let (mut kit, ids) = old_table();
    let first = kit.snapshots()[0];
    let before = kit.table.clone();
    kit.commit(expire(vec![first, ids[0]]));
    let old: BTreeSet<_> = kit.manifests_of(kit.current()).into_iter().collect();
    for numbers in [vec![None], vec![Some(99), None]] {
        assert_eq!(kit.to_be_read(before.as_ref(), &numbers), old, "{numbers:?}");
    }
    assert!(kit.to_be_read(before.as_ref(), &[Some(99)]).is_empty());
    assert_eq!(kit.to_be_read(before.as_ref(), &[Some(99), Some(0)]), old);
}

#[test]
fn an_old_manifest_that_is_missing_is_an_error_where_it_is_read() {
    let (mut kit, ids) = old_table();
    let first = kit.snapshots()[0];
    let before = kit.table.clone();
    kit.commit(expire(vec![first, ids[0]]));
    for manifest in kit.manifests_of(kit.current()) {
        kit.store.lose(&manifest);
    }
    assert_eq!(kit.try_unneeded(before.as_ref(), Some(0)).unwrap_err().kind(), ErrorKind::NotFound);
}

/// A small generator: the same numbers for the same seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// Changes of any kind; expiries of anything that may go; times that are true.
#[test]
fn of_random_histories_the_same_files_go() {
    let (mut skipped, mut removed) = (0, 0);
    for seed in 0..300 {
        let mut numbers = Numbers(seed);
        let mut kit = Kit::new([1, 2, 2, 3][seed as usize % 4]);
        let days = ["mon", "tue", "wed", "thu", "fri"];
        let is_line = numbers.below(2) == 0;
        for step in 0..16 {
            kit.later(DAY * numbers.below(5) as i64);
            let day = days[numbers.below(5)];
            let ids = kit.snapshots();
            let some = |numbers: &mut Numbers| ids[numbers.below(ids.len())];
            match numbers.below(if is_line { 8 } else { 11 }) {
                _ if ids.is_empty() => kit.commit(append(&format!("{step}"), day)),
                0 | 1 => kit.commit(append(&format!("{step}"), day)),
                // Adds a path again, whether it is live or not.
                2 => {
                    let path = format!("{}", numbers.below(step));
                    kit.commit(append(&path, day));
                }
                3 => kit.commit(delete(&format!("day = '{day}'"))),
                4 if numbers.below(3) == 0 => {
                    kit.commit(Operation::RewriteManifests(floeberg_commit::ManifestRewrite {
                        spec_id: None,
                        sort_by: Vec::new(),
                    }));
                }
                4 => kit.commit(append(&format!("{step}"), day)),
                5..=7 => {
                    let before = kit.table.clone();
                    let expiry = Expiry {
                        older_than_ms: Some(i64::MAX),
                        retain_last: Some(numbers.below(4) as u32 + 1),
                        ..Expiry::default()
                    };
                    if is_line || numbers.below(2) == 0 {
                        kit.commit(Operation::ExpireSnapshots(expiry));
                    } else {
                        let id = some(&mut numbers);
                        // What a branch or a tag names cannot expire.
                        let _ = kit.try_to_commit(expire(vec![id]));
                    }
                    let (all, read) = kit.unneeded(before.as_ref(), None);
                    let (fast, read_then) = kit.unneeded(before.as_ref(), Some(0));
                    assert_eq!(fast, all, "seed {seed}, step {step}");
                    removed += all.iter().filter(|file| file.role == FileRole::Data).count();
                    skipped += read.difference(&read_then).count();
                }
                8 => {
                    let id = some(&mut numbers);
                    kit.commit(create_tag(&format!("t{step}"), id));
                }
                9 => {
                    let id = some(&mut numbers);
                    kit.commit(set_current(id));
                }
                _ => {
                    let id = some(&mut numbers);
                    let _ = kit.try_to_commit(Operation::ChangeRef(RefChange::Remove {
                        name: format!("t{id}"),
                        kind: floeberg_iceberg::metadata::RefKind::Tag,
                    }));
                    let _ = kit.try_to_commit(Operation::Cherrypick(id));
                }
            }
        }
    }
    assert!(skipped > 20 && removed > 20, "{skipped} manifests not read, {removed} files gone");
}
