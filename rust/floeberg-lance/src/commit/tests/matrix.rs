//! Conflicts of all pairs of operations, as pylance 14.0.2 answered: each made of version 1, theirs committed first.

use crate::commit::{Answer, answer};
use crate::tests::tables::{column, data_file, fragment};
use crate::wire::{
    Append, CreateIndex, DataFile, DataReplacement, DataReplacementGroup, Delete, Fragment, IndexMetadata,
    Merge, Operation, Overwrite, Project, ReserveFragments, Restore, Rewrite, RewriteGroup, Update,
    UpdateConfig, UpdateMap,
};

/// What pylance says: `.` that ours may follow, `r` that it may be made anew, `X` that it may not. A line is ours, a column theirs.
const PYLANCE: [(&str, &str); 17] = [
    ("append", "..........rrXX..."),
    ("delete(0)", ".r.rr.r.r.r.XX..."),
    ("delete(1)", "..r..r.r.rr.XX..."),
    ("drop(0)", ".r.rr.r.r.r.XX..."),
    ("update(0)", ".r.rr.r.r.rrXX..."),
    ("update(1)", "..r..r.r.rrrXX..."),
    ("rewrite(0)", ".r.rr.r.r.r.XX..."),
    ("rewrite(1)", "..r..r.r.rr.XX..."),
    ("replace(0)", "...Xr.r.r.rrXX..."),
    ("replace(1)", ".....r.r.rrrXX..."),
    ("merge", "rrrrrrrrrrrXXX..r"),
    ("project", "r...rr..rrrrXX..."),
    ("overwrite", "............r...."),
    ("restore", "................X"),
    ("config(k)", "..............X.."),
    ("config(o)", "...............X."),
    ("schema metadata", "..........r.XX..X"),
];

/// Where ours is stricter, and why.
const STRICTER: [(&str, &str, Answer, &str); 0] = [];

fn deleting(id: u64) -> Operation {
    Operation::Delete(Delete { updated_fragments: vec![fragment(id, 10)], ..Delete::default() })
}

fn updating(id: u64) -> Operation {
    Operation::Update(Update {
        updated_fragments: vec![fragment(id, 10)],
        new_fragments: vec![fragment(0, 1)],
        ..Update::default()
    })
}

fn rewriting(id: u64) -> Operation {
    let group = RewriteGroup {
        old_fragments: vec![fragment(id, 10)],
        new_fragments: vec![fragment(0, 10)],
        ..RewriteGroup::default()
    };
    Operation::Rewrite(Rewrite { groups: vec![group], ..Rewrite::default() })
}

fn replacing(fragment_id: u64) -> Operation {
    let new_file = Some(DataFile { fields: vec![1], column_indices: vec![0], ..data_file("new") });
    let group = DataReplacementGroup { fragment_id, new_file, ..DataReplacementGroup::default() };
    Operation::DataReplacement(DataReplacement { replacements: vec![group], ..DataReplacement::default() })
}

fn configuring(key: &str) -> Operation {
    let entries = vec![(key.to_owned(), Some("1".to_owned()))];
    let config_updates = Some(UpdateMap { update_entries: entries, ..UpdateMap::default() });
    Operation::UpdateConfig(UpdateConfig { config_updates, ..UpdateConfig::default() })
}

fn describing() -> Operation {
    let entries = vec![("a".to_owned(), Some("b".to_owned()))];
    let schema_metadata_updates = Some(UpdateMap { update_entries: entries, ..UpdateMap::default() });
    Operation::UpdateConfig(UpdateConfig { schema_metadata_updates, ..UpdateConfig::default() })
}

fn new_rows() -> Vec<Fragment> {
    vec![fragment(0, 2)]
}

fn merging(preserves_nullability: bool) -> Operation {
    Operation::Merge(Merge {
        fragments: vec![fragment(0, 10), fragment(1, 10)],
        schema: vec![column(0, "id", "int64"), column(1, "name", "string"), column(2, "twice", "int64")],
        preserves_nullability,
        ..Merge::default()
    })
}

fn projecting(preserves_nullability: bool) -> Operation {
    let schema = vec![column(0, "id", "int64")];
    Operation::Project(Project { schema, preserves_nullability, ..Project::default() })
}

fn operations() -> [(&'static str, Operation); 17] {
    [
        ("append", Operation::Append(Append { fragments: new_rows(), ..Append::default() })),
        ("delete(0)", deleting(0)),
        ("delete(1)", deleting(1)),
        ("drop(0)", Operation::Delete(Delete { deleted_fragment_ids: vec![0], ..Delete::default() })),
        ("update(0)", updating(0)),
        ("update(1)", updating(1)),
        ("rewrite(0)", rewriting(0)),
        ("rewrite(1)", rewriting(1)),
        ("replace(0)", replacing(0)),
        ("replace(1)", replacing(1)),
        ("merge", merging(false)),
        ("project", projecting(false)),
        ("overwrite", Operation::Overwrite(Overwrite { fragments: new_rows(), ..Overwrite::default() })),
        ("restore", Operation::Restore(Restore { version: 1, ..Restore::default() })),
        ("config(k)", configuring("k")),
        ("config(o)", configuring("o")),
        ("schema metadata", describing()),
    ]
}

#[test]
fn all_pairs_of_operations_are_answered_as_pylance_answers_them() {
    let operations = operations();
    for ((ours, operation), (line, letters)) in operations.iter().zip(PYLANCE) {
        assert_eq!(*ours, line);
        for ((theirs, other), letter) in operations.iter().zip(letters.chars()) {
            let expected = match letter {
                '.' => Answer::Allowed,
                'r' => Answer::Retry,
                _ => Answer::Refused,
            };
            let stricter = STRICTER.iter().find(|(one, two, ..)| one == ours && two == theirs);
            let expected = stricter.map_or(expected, |(_, _, answer, _)| *answer);
            assert_eq!(answer(operation, other, false), expected, "{ours} over {theirs}");
        }
    }
}

#[test]
fn rows_of_one_fragment_are_looked_at_where_they_are_known() {
    for (ours, theirs) in [(deleting(0), updating(0)), (updating(0), deleting(0)), (updating(0), updating(0))]
    {
        assert_eq!(answer(&ours, &theirs, true), Answer::ByRows);
        assert_eq!(answer(&ours, &theirs, false), Answer::Retry);
    }
    assert_eq!(answer(&deleting(0), &updating(1), true), Answer::Allowed);
}

#[test]
fn columns_that_may_be_null_let_rows_be_added_meanwhile() {
    let append = &operations()[0].1;
    assert_eq!(answer(append, &projecting(true), true), Answer::Allowed);
    assert_eq!(answer(&projecting(true), append, true), Answer::Allowed);
    assert_eq!(answer(append, &merging(true), true), Answer::Allowed);
    assert_eq!(answer(append, &merging(false), true), Answer::Retry);
    // The fragments of a merge are those of the version that was read.
    assert_eq!(answer(&merging(true), append, true), Answer::Retry);
}

#[test]
fn what_nobody_knows_conflicts_with_everything() {
    let reserve = Operation::ReserveFragments(ReserveFragments { num_fragments: 1, ..Default::default() });
    for (name, ours) in operations().into_iter().chain([("reserve", reserve)]) {
        for theirs in [
            Operation::Missing,
            Operation::Unknown(116, Vec::new()),
            Operation::DataOverlay(Vec::new()),
            Operation::UpdateMemWalState(Vec::new()),
        ] {
            let found = answer(&ours, &theirs, true);
            let is_retried = matches!(theirs, Operation::DataOverlay(_)) && found == Answer::Retry;
            assert!(found == Answer::Refused || is_retried, "{name} over {}", theirs.name());
            let error = found.error(&ours, &theirs, 7).unwrap();
            assert!(error.message().contains("version 7"), "{error}");
        }
    }
}

#[test]
fn an_index_that_is_dropped_twice_is_dropped_once() {
    let index = |name: &str| IndexMetadata { name: name.to_owned(), ..IndexMetadata::default() };
    let dropping = |name: &str| {
        Operation::CreateIndex(CreateIndex { removed_indices: vec![index(name)], ..CreateIndex::default() })
    };
    assert_eq!(answer(&dropping("a"), &dropping("b"), true), Answer::Allowed);
    assert_eq!(answer(&dropping("a"), &dropping("a"), true), Answer::Retry);
}
