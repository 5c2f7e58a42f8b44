use arrow_array::{Array, Int32Array, Int64Array};
use floeberg_core::ErrorKind;

use super::super::inherit::{
    data_sequence_numbers, file_sequence_numbers, first_row_id, first_row_ids, snapshot_ids,
};
use super::manifest_file;
use crate::manifest::{ManifestContent, ManifestFile};

const EXISTING: i32 = 0;
const ADDED: i32 = 1;
const DELETED: i32 = 2;

fn values(array: &Int64Array) -> Vec<Option<i64>> {
    array.iter().collect()
}

#[test]
fn an_added_entry_inherits_the_manifests_sequence_number() {
    let file = manifest_file(ManifestContent::Data, 9);
    let written = Int64Array::from(vec![None, Some(4), Some(5), Some(6)]);
    let status = Int32Array::from(vec![ADDED, ADDED, EXISTING, DELETED]);
    let expected = [Some(9), Some(4), Some(5), Some(6)];
    assert_eq!(values(&data_sequence_numbers(&written, &status, &file).unwrap()), expected);
    assert_eq!(values(&file_sequence_numbers(&written, &status, &file)), expected);
}

#[test]
fn an_existing_or_deleted_entry_needs_a_sequence_number_of_its_own() {
    let file = manifest_file(ManifestContent::Data, 9);
    for (status, name) in [(EXISTING, "EXISTING"), (DELETED, "DELETED")] {
        let status = Int32Array::from(vec![ADDED, status]);
        let written = Int64Array::from(vec![None, None]);
        let error = data_sequence_numbers(&written, &status, &file).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.message().contains(&format!("entry 1 has the status {name}")), "{error}");
        // When the file was added is not needed for reading: unknown stays unknown.
        assert_eq!(values(&file_sequence_numbers(&written, &status, &file)), [Some(9), None]);
    }
}

#[test]
fn all_entries_of_a_v1_manifest_have_the_sequence_number_0() {
    let file = manifest_file(ManifestContent::Data, 0);
    let status = Int32Array::from(vec![EXISTING, ADDED, DELETED]);
    let numbers = data_sequence_numbers(&Int64Array::new_null(3), &status, &file).unwrap();
    assert_eq!(values(&numbers), [Some(0); 3]);
}

#[test]
fn an_entry_without_a_snapshot_takes_the_manifests() {
    let file = manifest_file(ManifestContent::Data, 1);
    let ids = snapshot_ids(&Int64Array::from(vec![Some(5), None]), &file);
    assert_eq!(values(&ids), [Some(5), Some(77)]);
}

#[test]
fn first_row_ids_count_on_over_entries_that_have_none() {
    let file = ManifestFile { first_row_id: Some(1000), ..manifest_file(ManifestContent::Data, 9) };
    let written = Int64Array::from(vec![None, Some(7), None, None, None]);
    let status = Int32Array::from(vec![ADDED, EXISTING, DELETED, EXISTING, ADDED]);
    let records = Int64Array::from(vec![10, 20, 40, 80, 160]);
    let (ids, assigned) = first_row_ids(&written, &status, &records, first_row_id(&file)).unwrap();
    assert_eq!(values(&ids), [Some(1000), Some(7), None, Some(1010), Some(1090)]);
    assert_eq!(assigned.rows, 250);
    let took: Vec<bool> = assigned.entries.unwrap().iter().collect();
    assert_eq!(took, [true, false, false, true, true]);
}

#[test]
fn a_manifest_without_a_first_row_id_hides_those_of_its_entries() {
    let file = manifest_file(ManifestContent::Data, 9);
    let one = Int64Array::from(vec![Some(7)]);
    let status = Int32Array::from(vec![ADDED]);
    assert_eq!(first_row_ids(&one, &status, &one, first_row_id(&file)).unwrap().0.null_count(), 1);
    // Delete manifests have none, whatever a writer put there.
    let file = ManifestFile { first_row_id: Some(1), ..manifest_file(ManifestContent::Deletes, 9) };
    assert_eq!(first_row_ids(&one, &status, &one, first_row_id(&file)).unwrap().0.null_count(), 1);
}

#[test]
fn row_ids_past_64_bits_are_an_error() {
    let file = ManifestFile { first_row_id: Some(i64::MAX - 1), ..manifest_file(ManifestContent::Data, 9) };
    let status = Int32Array::from(vec![ADDED]);
    let error =
        first_row_ids(&Int64Array::new_null(1), &status, &Int64Array::from(vec![2]), first_row_id(&file))
            .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
}
