use super::*;

fn manifest(path: &str, content: ManifestContent, counts: [Option<i64>; 3]) -> ManifestFile {
    let [added, existing, deleted] = counts;
    ManifestFile {
        added_files_count: added,
        existing_files_count: existing,
        deleted_files_count: deleted,
        ..ManifestFile::unlisted(path.to_owned(), 1, 0, content)
    }
}

#[test]
fn only_counts_that_fit_prove_an_append() {
    use ManifestContent::{Data, Deletes};
    let data =
        |path, added, existing, deleted| manifest(path, Data, [Some(added), Some(existing), Some(deleted)]);
    let deletes = |path, added| manifest(path, Deletes, [Some(added), Some(0), Some(0)]);
    let old = [data("a", 2, 0, 0), data("b", 1, 1, 3), deletes("d", 1)];
    let with = |more: &[ManifestFile]| [&old[..], more].concat();
    assert!(only_adds_files(&[], &[data("a", 2, 0, 0)]));
    assert!(only_adds_files(&old, &old));
    assert!(only_adds_files(&old, &with(&[data("c", 5, 0, 0)])));
    let moved = [data("c", 1, 4, 0), manifest("e", Deletes, [Some(0), Some(1), Some(0)])];
    assert!(only_adds_files(&old, &moved));
    for wrong in [
        with(&[data("c", 5, 0, 1)]),
        with(&[deletes("c", 1)]),
        with(&[manifest("c", Data, [Some(1), None, Some(0)])]),
        with(&[manifest("c", Data, [Some(1), Some(0), None])]),
        with(&[data("c", 1, 1, 0)]),
        old[1..].to_vec(),
        old[..2].to_vec(),
        vec![data("c", 1, 3, 0), old[2].clone()],
        vec![data("c", 1, 4, 0)],
    ] {
        assert!(!only_adds_files(&old, &wrong), "{wrong:?}");
    }
}
