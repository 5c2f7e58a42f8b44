use floeberg_iceberg::manifest::{ManifestContent, ManifestFile};

use super::pack_from_end;

fn lengths(sizes: &[i64], target: i64) -> Vec<Vec<i64>> {
    let manifest = |length: &i64| ManifestFile::unlisted("m".to_owned(), *length, 0, ManifestContent::Data);
    let bins = pack_from_end(sizes.iter().map(manifest).collect(), target);
    bins.iter().map(|bin| bin.iter().map(|manifest| manifest.manifest_length).collect()).collect()
}

#[test]
fn bins_are_filled_from_the_end_and_keep_the_order() {
    assert_eq!(lengths(&[1, 2, 3, 4, 5], 7), [vec![1, 2], vec![3, 4], vec![5]]);
    assert_eq!(lengths(&[1, 2, 3, 4, 5], 100), [vec![1, 2, 3, 4, 5]]);
    assert_eq!(lengths(&[9, 9], 7), [vec![9], vec![9]]);
    assert_eq!(lengths(&[], 7), Vec::<Vec<i64>>::new());
}

#[test]
fn lengths_that_no_file_has_do_not_overflow() {
    assert_eq!(lengths(&[i64::MAX, i64::MAX, 1], 7), [vec![i64::MAX], vec![i64::MAX], vec![1]]);
}
