//! Are row groups read from their places in the streams, and do indexes prove only what is true?

use arrow_array::RecordBatch;
use floeberg_core::Result;
use floeberg_core::expr::Share;
use floeberg_core::schema::PrimitiveType as P;
use floeberg_core::value::Value;

use super::fixture::{assert_rows, leaves, open, rows, written};
use crate::Compression;

const ROWS: u64 = 45_678;

#[test]
fn row_groups_are_the_rows_at_their_places() {
    for compression in [Compression::None, Compression::Zlib, Compression::Lz4] {
        let (bytes, _) = written(compression, &[], &[100, ROWS], 9_999);
        let file = open(&bytes);
        let leaves = leaves(&file);
        let mut index = file.index(1, &[2].into()).unwrap().unwrap();
        assert_eq!(index.groups(), 5);
        let all = [0..1, 1..2, 2..4, 3..5, 4..5, 0..5];
        let ranges = file.group_ranges(&mut index, &leaves, &all).unwrap().unwrap();
        for range in ranges {
            let (start, count) = (range.rows.start, range.rows.end - range.rows.start);
            let read = file.read_groups(&index, &leaves, 3_000, range).unwrap();
            let read: Vec<RecordBatch> = read.collect::<Result<_>>().unwrap();
            assert_rows(&read, 100 + start, count);
        }
    }
}

#[test]
fn statistics_of_row_groups_bound_their_rows() {
    let (bytes, _) = written(Compression::Zstd, &[], &[ROWS], ROWS);
    let file = open(&bytes);
    let index = file.index(0, &[1, 2, 10].into()).unwrap().unwrap();
    let long = index.stats(4, 2, &P::Long.into());
    assert_eq!((long.lower, long.upper), (Some(Value::Long(120_000)), Some(Value::Long(3 * 45_677))));
    assert_eq!(long.nulls, Share::None);
    assert_eq!(index.stats(0, 1, &P::Int.into()).nulls, Share::Some);
    // Not read, and past the end.
    assert_eq!(index.stats(0, 4, &P::Double.into()).nulls, Share::Unknown);
    assert_eq!(index.stats(9, 2, &P::Long.into()).nulls, Share::Unknown);
}

#[test]
fn bloom_filters_have_every_value_and_few_others() {
    use arrow_array::cast::AsArray as _;
    let (bytes, _) = written(Compression::Zlib, &[3, 11, 7, 5, 6], &[ROWS], ROWS);
    let file = open(&bytes);
    let index = file.index(0, &[2, 4, 5, 6, 10].into()).unwrap().unwrap();
    let columns = rows(0, ROWS);
    let texts = columns[10].as_string::<i32>();
    let doubles = columns[4].as_primitive::<arrow_array::types::Float64Type>();
    let days = columns[6].as_primitive::<arrow_array::types::Date32Type>();
    for row in (0..ROWS as usize).step_by(13) {
        let group = row / 10_000;
        let has = |leaf, field_type: P, value| index.may_have(group, leaf, &field_type.into(), &[value]);
        assert!(has(2, P::Long, Value::Long(row as i64 * 3)));
        assert!(
            has(10, P::String, Value::String(texts.value(row).to_owned())) || texts.value(row).is_empty()
        );
        assert!(has(4, P::Double, Value::Double(doubles.value(row))) || doubles.value(row) == 0.0);
        assert!(has(6, P::Date, Value::Date(days.value(row))) || days.value(row) == 0);
    }
    let others =
        (0..1_000).filter(|number| index.may_have(0, 2, &P::Long.into(), &[Value::Long(number * 3 + 1)]));
    assert!(others.count() < 150);
    // One of several, a column without a filter, and one whose form is not certain.
    assert!(index.may_have(0, 2, &P::Long.into(), &[Value::Long(1), Value::Long(3)]));
    assert!(index.may_have(0, 1, &P::Int.into(), &[Value::Int(-1)]));
    let decimal = P::Decimal { precision: 38, scale: 3 };
    assert!(index.may_have(0, 5, &decimal.into(), &[Value::Decimal { unscaled: 1, scale: 3 }]));
    assert!(index.may_have(0, 4, &P::Double.into(), &[Value::Double(f64::NAN)]));
}

#[test]
fn damaged_files_are_errors_or_rows() {
    let (bytes, _) = written(Compression::Zlib, &[3], &[12_000], 12_000);
    let step = bytes.len() / 400;
    for place in (0..bytes.len()).step_by(step.max(1)) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        // Neither panics nor hangs; what is read has the right number of rows.
        let read = || -> Result<()> {
            let store = floeberg_io::MemoryStore::new();
            let mut sink = floeberg_io::Store::create(&store, "memory://t/f.orc")?;
            sink.write(&damaged)?;
            sink.finish()?;
            let file = crate::OrcFile::open(floeberg_io::Store::open(&store, "memory://t/f.orc")?)?;
            let leaves = leaves(&file);
            for number in 0..file.stripes().len() {
                file.stripe_stats(number, 2, &P::Long.into())?;
                if let Some(mut index) = file.index(number, &leaves)? {
                    let groups = 1..index.groups();
                    let ranges = file.group_ranges(&mut index, &leaves, &[groups])?;
                    for range in ranges.into_iter().flatten() {
                        for batch in file.read_groups(&index, &leaves, 5_000, range)? {
                            batch?;
                        }
                    }
                }
            }
            Ok(())
        };
        let _ = read();
    }
}
