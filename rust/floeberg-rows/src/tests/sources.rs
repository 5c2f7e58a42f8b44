use super::{batch, ints, numbers, texts};
use crate::SourceRows;

#[test]
fn rows_are_taken_by_their_numbers_from_any_piece() {
    let pieces: Vec<_> = [[0, 1], [2, 3], [4, 5]]
        .iter()
        .map(|some| batch(vec![("n", numbers(&some.map(Some))), ("s", texts(&["x", "y"]))]))
        .collect();
    let schema = pieces[0].schema();
    let mapped = SourceRows::in_file(schema.clone(), pieces.clone()).unwrap();
    let joined = SourceRows::in_memory(schema, pieces).unwrap();
    for rows in [mapped, joined] {
        assert_eq!(rows.rows(), 6);
        assert_eq!(ints(&rows.take_column(0, &[5, 0, 2, 2]).unwrap()), [Some(5), Some(0), Some(2), Some(2)]);
        assert_eq!(rows.take(&[]).unwrap().num_rows(), 0);
        assert_eq!(rows.select(&["n".to_owned()]).unwrap().num_rows(), 6);
        assert!(rows.select(&["nope".to_owned()]).is_err());
        let ranges: Vec<_> = rows.ranges(6).collect();
        assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), 6);
    }
}
