//! Files are laid out as the table's properties ask for it, whoever writes them with how many threads.

use floeberg_core::schema::{Field, PrimitiveType as P};
use floeberg_core::value::Value;
use floeberg_core::{ErrorKind, Result};
use floeberg_io::Store as _;
use parquet::basic::{Compression, Encoding};
use parquet::file::metadata::RowGroupMetaData;

use super::fixture::{Rows, footer, recipe, rows_of, try_write, with, write};
use crate::write::WriteRecipe;

fn numbers(properties: &[(&str, &str)]) -> WriteRecipe {
    with(recipe(vec![Field::required(1, "n", P::Long), Field::optional(2, "s", P::String)]), properties)
}

fn rows(number: i64) -> Rows {
    // Mixed so that nothing compresses well.
    let mixed = |n: i64| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64);
    let row = |n| vec![Some(Value::Long(mixed(n))), Some(Value::String(format!("{:x}", mixed(n + 1))))];
    (0..number).map(row).collect()
}

#[test]
fn files_end_near_the_size_that_is_asked_for() {
    let recipe = numbers(&[("write.target-file-size-bytes", "50000")]);
    let rows = rows(20_000);
    let (store, receipt) = write(&recipe, &rows, 700);
    assert!(receipt.files().len() > 3, "{}", receipt.files().len());
    let (last, whole) = receipt.files().split_last().unwrap();
    for written in whole {
        let size = written.file.file_size_in_bytes;
        assert!((25_000..80_000).contains(&size), "{size}");
    }
    assert!(last.file.file_size_in_bytes < 80_000);
    let read: Rows = receipt.files().iter().flat_map(|file| rows_of(&store, &recipe, file)).collect();
    assert!(read == rows);
    let sizes =
        receipt.files().iter().map(|written| store.open(&written.file.file_path).unwrap().size().unwrap());
    assert_eq!(sizes.sum::<u64>(), receipt.size());
}

#[test]
fn row_groups_end_near_the_size_that_is_asked_for() {
    let recipe = numbers(&[("write.parquet.row-group-size-bytes", "20000")]);
    let (store, receipt) = write(&recipe, &rows(20_000), 700);
    let footer = footer(&store, &receipt.files()[0]);
    let groups = footer.row_groups();
    assert!(groups.len() > 10);
    for group in &groups[..groups.len() - 1] {
        assert!((10_000..40_000).contains(&group.compressed_size()), "{}", group.compressed_size());
        assert!(group.num_rows() >= 100);
    }
}

#[test]
fn row_groups_have_at_most_the_rows_that_are_asked_for() {
    for (limit, batch) in [("1000", 700), ("50", 64), ("1", 7), ("4999", 20_000)] {
        let recipe = numbers(&[("write.parquet.row-group-limit", limit)]);
        let (store, receipt) = write(&recipe, &rows(5_000), batch);
        let most: i64 = limit.parse().unwrap();
        let footer = footer(&store, &receipt.files()[0]);
        let counts: Vec<_> = footer.row_groups().iter().map(RowGroupMetaData::num_rows).collect();
        assert!(counts.iter().all(|count| *count <= most), "{limit}: {counts:?}");
        assert_eq!(counts.len() as i64, (5_000 + most - 1) / most, "{limit}");
        assert!(rows_of(&store, &recipe, &receipt.files()[0]) == rows(5_000));
    }
}

/// Sizes of row groups, encoded.
fn group_sizes(recipe: &WriteRecipe, rows: &Rows) -> Vec<i64> {
    let (store, receipt) = write(recipe, rows, rows.len());
    let footer = footer(&store, &receipt.files()[0]);
    assert!(rows_of(&store, recipe, &receipt.files()[0]) == *rows);
    footer.row_groups().iter().map(RowGroupMetaData::compressed_size).collect()
}

#[test]
fn the_size_of_a_row_group_is_looked_at_as_often_as_is_asked_for() {
    // Rows that take no room, and then rows that take much: no estimate sees them coming.
    let equal = |n: i64| vec![Some(Value::Long(n / 5_000)), Some(Value::String("a".to_owned()))];
    let rows: Rows = (0..5_000).map(equal).chain(rows(5_000)).collect();
    let size = ("write.parquet.row-group-size-bytes", "20000");
    let often = ("write.parquet.row-group-check-max-record-count", "200");
    let largest = |properties: &[_]| group_sizes(&numbers(properties), &rows).into_iter().max().unwrap();
    assert!(largest(&[size]) > 60_000);
    assert!(largest(&[size, often]) < 40_000);
    let wrong = numbers(&[("write.parquet.row-group-check-max-record-count", "99")]);
    let store = std::sync::Arc::new(floeberg_io::MemoryStore::new());
    assert_eq!(try_write(&wrong, store, &rows, 1).unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn row_groups_end_by_the_size_of_their_rows_where_that_is_asked_for() {
    let equal = vec![Some(Value::Long(7)), Some(Value::String("the same in all rows".to_owned()))];
    let rows: Rows = vec![equal; 10_000];
    let size = ("write.parquet.row-group-size-bytes", "20000");
    assert_eq!(group_sizes(&numbers(&[size]), &rows).len(), 1);
    let raw = ("write.parquet.row-group-size-track-uncompressed", "true");
    // A row takes 8 bytes and 24.
    let groups = group_sizes(&numbers(&[size, raw]), &rows).len();
    assert!((14..=20).contains(&groups), "{groups}");
}

#[test]
fn pages_and_dictionaries_are_as_the_properties_ask() {
    let properties = [
        ("write.parquet.page-row-limit", "1024"),
        ("write.parquet.dict-encoding-enabled.column.n", "false"),
        ("write.parquet.dict-encoding-enabled.column.s", "true"),
        ("write.parquet.stats-enabled.column.s", "false"),
        ("write.parquet.bloom-filter-enabled.column.s", "true"),
        ("write.parquet.bloom-filter-enabled.column.dropped", "true"),
    ];
    let (store, receipt) = write(&numbers(&properties), &rows(4_096), 4_096);
    let footer = footer(&store, &receipt.files()[0]);
    let (number, text) = (footer.row_group(0).column(0), footer.row_group(0).column(1));
    let pages = footer.page_index_for_row_group(0).num_data_pages(0);
    assert_eq!(pages, Some(4));
    assert!(!number.encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY));
    assert!(text.encodings().any(|encoding| encoding == Encoding::RLE_DICTIONARY));
    assert!(number.statistics().is_some() && text.statistics().is_none());
    assert!(number.bloom_filter_offset().is_none() && text.bloom_filter_offset().is_some());
    // Of a column without statistics nothing is known but its size.
    let file = &receipt.files()[0].file;
    assert_eq!(file.value_counts.as_ref().unwrap().keys().collect::<Vec<_>>(), [&1]);
    assert_eq!(file.column_sizes.as_ref().unwrap().keys().collect::<Vec<_>>(), [&1, &2]);
}

fn codec(properties: &[(&str, &str)]) -> Result<Compression> {
    let store = floeberg_io::MemoryStore::new();
    let receipt = try_write(&numbers(properties), std::sync::Arc::new(store.clone()), &rows(1), 1)?;
    Ok(footer(&store, &receipt.files()[0]).row_group(0).column(0).compression())
}

#[test]
fn codecs_and_levels_are_as_the_properties_ask() {
    const CODEC: &str = "write.parquet.compression-codec";
    const LEVEL: &str = "write.parquet.compression-level";
    let same = |one: Compression, other: &str| assert!(format!("{one:?}").starts_with(other), "{one:?}");
    same(codec(&[]).unwrap(), "ZSTD");
    for (name, expected) in [
        ("GZIP", "GZIP"),
        ("snappy", "SNAPPY"),
        ("brotli", "BROTLI"),
        ("lz4", "LZ4_RAW"),
        ("uncompressed", "UNCOMPRESSED"),
    ] {
        same(codec(&[(CODEC, name)]).unwrap(), expected);
    }
    codec(&[(CODEC, "zstd"), (LEVEL, "19")]).unwrap();
    for wrong in [
        [(CODEC, "zip"), (LEVEL, "1")],
        [(CODEC, "zstd"), (LEVEL, "99")],
        [(CODEC, "gzip"), (LEVEL, "-1")],
        [(CODEC, "zstd"), ("write.parquet.row-group-size-bytes", "0")],
        [(CODEC, "zstd"), ("write.parquet.row-group-limit", "0")],
        [(CODEC, "zstd"), ("write.parquet.row-group-limit", "many")],
        [(CODEC, "zstd"), ("write.parquet.page-version", "v3")],
        [(CODEC, "zstd"), ("write.parquet.row-group-size-track-uncompressed", "yes")],
        [(CODEC, "zstd"), ("write.parquet.bloom-filter-adaptive-enabled", "yes")],
    ] {
        assert_eq!(codec(&wrong).unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

#[test]
fn a_column_whose_values_hardly_repeat_has_no_dictionary_unless_it_is_asked_for() {
    let repeating = |n: i64| vec![Some(Value::Long(n)), Some(Value::String((n % 50).to_string()))];
    let rows: Rows = (0..20_000).map(repeating).collect();
    let has_dictionaries = |properties: &[(&str, &str)], rows: &Rows, batch: usize| {
        let recipe = numbers(properties);
        let (store, receipt) = write(&recipe, rows, batch);
        assert!(rows_of(&store, &recipe, &receipt.files()[0]) == *rows);
        let footer = footer(&store, &receipt.files()[0]);
        let columns = footer.row_group(0).columns().iter();
        columns.map(|column| column.dictionary_page_offset().is_some()).collect::<Vec<_>>()
    };
    assert_eq!(has_dictionaries(&[], &rows, 20_000), [false, true]);
    assert_eq!(has_dictionaries(&[], &rows, 100), [false, true]);
    assert_eq!(has_dictionaries(&[], &rows[..2_000].to_vec(), 2_000), [false, true]);
    let asked = [("write.parquet.dict-encoding-enabled.column.n", "true")];
    assert_eq!(has_dictionaries(&asked, &rows, 20_000), [true, true]);
}

#[test]
fn without_a_level_a_column_has_the_faster_one_where_it_is_as_small() {
    const LEVEL: &str = "write.parquet.compression-level";
    const WORDS: [&str; 8] =
        ["iron", "carefully", "deposits", "sleep", "above", "furious", "ideas", "pending"];
    let text = |n: i64| -> String {
        let word = |at: i64| {
            let mixed = (n * 6 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64).cast_unsigned() >> 33;
            WORDS[(mixed % 8) as usize]
        };
        (0..6).map(word).collect::<Vec<_>>().join(" ")
    };
    let row = |n: i64| vec![Some(Value::Long(n * 16)), Some(Value::String(text(n)))];
    // More than the rows that decide.
    let rows: Rows = (0..400_000).map(row).collect();
    let sizes = |properties: &[(&str, &str)]| {
        let (store, receipt) = write(&numbers(properties), &rows, 50_000);
        let footer = footer(&store, &receipt.files()[0]);
        [0, 1].map(|column| footer.row_group(0).column(column).compressed_size())
    };
    let [found, usual, fast] = [sizes(&[]), sizes(&[(LEVEL, "3")]), sizes(&[(LEVEL, "1")])];
    assert!(usual[0] != fast[0] && usual[1] < fast[1], "{usual:?} {fast:?}");
    assert_eq!(found, [fast[0], usual[1]]);
}
