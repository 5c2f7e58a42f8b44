//! Manifests are written again, with neighbouring partitions: whether they are read once or twice, the same files are live.

use std::collections::BTreeSet;

use floeberg_core::value::Value;
use floeberg_iceberg::manifest::{ManifestEntry, ManifestFile};

use super::kit::{Kit, bytes, file, receipt};
use crate::{ManifestRewrite, Operation};

const COMMITS: usize = 5;
const FILES_OF_A_COMMIT: usize = 900;

/// A table whose manifests each have files of all days; of some days the value is null.
fn spread(version: u8, days: usize) -> Kit {
    let mut kit = Kit::partitioned(version, &[("commit.manifest-merge.enabled", "false")]);
    for commit in 0..COMMITS {
        let files = (0..FILES_OF_A_COMMIT).map(|number| {
            let mut file = file(&format!("{commit}-{number}"), &format!("{:04}", number % days), (0, 9));
            if number % days == 1 {
                file.file.partition = vec![None];
            }
            file
        });
        let receipt = receipt(files.collect());
        kit.commit(vec![Operation::Append { receipt, merge: Some(false) }]);
    }
    kit
}

/// All that an entry says, but for its status.
fn said(kit: &Kit) -> BTreeSet<String> {
    let entries = kit.manifests().into_iter().flat_map(|manifest| {
        let entries = kit.entries(&manifest);
        assert_eq!(entries.len() as i64, live_files(&manifest));
        entries
    });
    entries
        .map(|ManifestEntry { snapshot_id, sequence_number, file_sequence_number, data_file, .. }| {
            format!("{snapshot_id:?} {sequence_number:?} {file_sequence_number:?} {data_file:?}")
        })
        .collect()
}

fn live_files(manifest: &ManifestFile) -> i64 {
    manifest.added_files_count.unwrap() + manifest.existing_files_count.unwrap()
}

/// Sets the target size so that this many manifests have it.
fn aim_for(kit: &mut Kit, count: i64) {
    let bytes: i64 = kit.manifests().iter().map(|manifest| manifest.manifest_length).sum();
    let target = (bytes / count + 1).to_string();
    kit.commit(vec![Operation::SetProperties(
        [("commit.manifest.target-size-bytes".to_owned(), target)].into(),
    )]);
}

#[test]
fn few_days_are_clustered_in_one_reading_and_many_in_two() {
    for (version, days, is_once) in
        [(2, 3, true), (3, 3, true), (3, 7, true), (1, 7, true), (2, 300, false), (3, 300, false)]
    {
        let mut kit = spread(version, days);
        aim_for(&mut kit, 3);
        let before = said(&kit);
        assert_eq!(before.len(), COMMITS * FILES_OF_A_COMMIT);
        kit.commit(vec![Operation::RewriteManifests(ManifestRewrite::default())]);
        assert_eq!(said(&kit), before, "version {version}, {days} days");

        let manifests = kit.manifests();
        assert_eq!(manifests.len(), 3);
        let markers: BTreeSet<Vec<u8>> = manifests
            .iter()
            .map(|manifest| {
                let bytes = bytes(&manifest.manifest_path);
                assert_eq!(bytes.len() as i64, manifest.manifest_length);
                bytes[bytes.len() - 16..].to_vec()
            })
            .collect();
        assert_eq!(markers.len() == 1, is_once, "manifests of one reading have one marker");

        let all = (COMMITS * FILES_OF_A_COMMIT) as i64;
        for manifest in &manifests {
            let share = live_files(manifest) * 3;
            assert!((all * 3 / 4..all * 5 / 4).contains(&share), "{share} of {all}");
            assert_eq!(manifest.existing_rows_count, Some(10 * live_files(manifest)));
            assert_eq!(manifest.min_sequence_number, i64::from(version != 1));
            check_summary(&kit, manifest);
        }
        // Null is before all values. A manifest begins where the one before ends, or later.
        let mut bounds: Vec<_> = manifests.iter().map(|manifest| bounds_of(&kit, manifest)).collect();
        bounds.sort();
        assert!(bounds.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{bounds:?}");
    }
}

/// The lowest and the highest day.
fn bounds_of(kit: &Kit, manifest: &ManifestFile) -> (Option<String>, Option<String>) {
    let days = kit.entries(manifest).into_iter().map(|entry| match entry.data_file.partition.first() {
        Some(Some(Value::String(day))) => Some(day.clone()),
        _ => None,
    });
    let days: BTreeSet<Option<String>> = days.collect();
    (days.first().unwrap().clone(), days.last().unwrap().clone())
}

fn check_summary(kit: &Kit, manifest: &ManifestFile) {
    let (least, greatest) = bounds_of(kit, manifest);
    let [summary] = manifest.partitions.as_deref().unwrap() else { panic!("one field") };
    assert_eq!(summary.contains_null, least.is_none());
    assert_eq!(summary.contains_nan, Some(false));
    assert_eq!(summary.upper_bound, greatest.map(String::into_bytes));
}

#[test]
fn small_manifests_are_read_twice() {
    let mut kit = spread(2, 3);
    aim_for(&mut kit, 90);
    let before = said(&kit);
    kit.commit(vec![Operation::RewriteManifests(ManifestRewrite::default())]);
    assert_eq!(said(&kit), before);
    let markers: BTreeSet<Vec<u8>> = kit
        .manifests()
        .iter()
        .map(|manifest| bytes(&manifest.manifest_path))
        .map(|bytes| bytes[bytes.len() - 16..].to_vec())
        .collect();
    assert_eq!(markers.len(), kit.manifests().len());
}
