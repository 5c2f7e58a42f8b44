use arrow_array::{Array as _, Int32Array};

use crate::plan::columns::Selection;

fn entries(mask: Option<Vec<bool>>) -> Vec<usize> {
    let kept = Selection::new(mask, 4);
    let found: Vec<usize> = (0..kept.len()).map(|row| kept.entry(row)).collect();
    let taken = kept.take(&Int32Array::from_iter_values(0..4)).unwrap();
    assert_eq!(*taken, Int32Array::from_iter_values(found.iter().map(|entry| *entry as i32)), "of one mind");
    assert_eq!(taken.len(), kept.len());
    found
}

#[test]
fn a_kept_file_knows_which_entry_it_is() {
    assert_eq!(entries(None), [0, 1, 2, 3]);
    assert_eq!(entries(Some(vec![true; 4])), [0, 1, 2, 3]);
    assert_eq!(entries(Some(vec![false, true, false, true])), [1, 3]);
    assert_eq!(entries(Some(vec![false; 4])), [0; 0]);
}
