use std::collections::BTreeMap;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::ErrorKind;
use floeberg_core::schema::{Field, PrimitiveType};
use proptest::prelude::*;

use crate::testing::{block, header, long, record};
use crate::{Container, FixedForm, Limits, Projection, decode_blocks};

const N: &str = r#"{"name":"n","type":"long","field-id":1}"#;

/// A file of the numbers from 0 on, in blocks of so many.
fn numbers(block_rows: &[usize]) -> Vec<u8> {
    let mut next = 0;
    let mut bytes = header(&record(N), "null");
    for rows in block_rows {
        let data: Vec<u8> = (next..next + *rows as i64).flat_map(long).collect();
        next += *rows as i64;
        bytes.extend(block(*rows as i64, &data));
    }
    bytes
}

proptest! {
    #[test]
    fn block_ranges_have_all_records_once_in_their_order(
        block_rows in prop::collection::vec(0_usize..40, 0..30),
        most_bytes in 0_usize..900,
    ) {
        let bytes = numbers(&block_rows);
        let container = Container::open(&bytes, &Limits::default()).unwrap();
        let schema = container.schema().unwrap();
        let fields = [Field::required(1, "n", PrimitiveType::Long)];
        let keyed = BTreeMap::new();
        let projection = Projection { fields: &fields, keyed: &keyed, fixed: FixedForm::Bare, stored: None };
        let mut read = Vec::new();
        let ranges = container.block_ranges(most_bytes).unwrap();
        for range in &ranges {
            prop_assert_eq!(range.first_row, read.len() as u64);
            let mut blocks = container.blocks_of(range);
            let rows = decode_blocks(&mut blocks, range.rows, &schema, &projection).unwrap();
            prop_assert_eq!(rows.len() as u64, range.rows);
            read.extend(rows.column(0).as_primitive::<Int64Type>().values().iter().copied());
        }
        prop_assert_eq!(read, (0..block_rows.iter().sum::<usize>() as i64).collect::<Vec<_>>());
        prop_assert!(!ranges.is_empty() && ranges.len() <= block_rows.len().max(1));
    }
}

#[test]
fn a_file_is_cut_into_about_equal_block_ranges() {
    let bytes = numbers(&[20; 40]);
    let container = Container::open(&bytes, &Limits::default()).unwrap();
    let sizes = |most| -> Vec<usize> {
        container.block_ranges(most).unwrap().iter().map(|range| range.bytes.len()).collect()
    };
    let whole: usize = sizes(usize::MAX)[0];
    assert_eq!(sizes(whole), [whole]);
    let halves = sizes(whole - 1);
    assert_eq!(halves.len(), 2);
    assert!(halves[0].abs_diff(halves[1]) < 100, "{halves:?}");
}

#[test]
fn a_block_that_is_cut_off_is_an_error_before_anything_is_decoded() {
    let bytes = numbers(&[20, 20]);
    let container = Container::open(&bytes[..bytes.len() - 3], &Limits::default()).unwrap();
    assert_eq!(container.block_ranges(100).unwrap_err().kind(), ErrorKind::InvalidData);
}
