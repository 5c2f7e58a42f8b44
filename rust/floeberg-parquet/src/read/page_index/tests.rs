#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use bytes::Bytes;
use parquet::file::metadata::page_index::PageIndexBuilder;
use parquet::file::metadata::{
    PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader,
};
use parquet::file::page_index::offset_index::{OffsetIndexMetaData, PageLocation};

use super::trusted;
use crate::testing::paged_numbers;

const ROWS: i64 = 2_000;

/// The metadata of a file of two columns, four pages each.
fn metadata() -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&Bytes::from(paged_numbers(ROWS))).unwrap()
}

fn pages(metadata: &ParquetMetaData, column: usize) -> Option<&Vec<PageLocation>> {
    metadata.page_index().unwrap().page_locations(0, column)
}

/// What is left where the second column has other pages: those of the first column, and of the second.
fn left(metadata: &ParquetMetaData, other: Vec<PageLocation>) -> (bool, bool) {
    let mut index = PageIndexBuilder::new(1, 2);
    let of = |page_locations| OffsetIndexMetaData { page_locations, unencoded_byte_array_data_bytes: None };
    index.put_offset_index(of(pages(metadata, 0).unwrap().clone()), 0, 0);
    index.put_offset_index(of(other), 0, 1);
    let told = ParquetMetaDataBuilder::new_from_metadata(metadata.clone());
    let told = told.set_page_index(Some(Arc::new(index.build()))).build();
    let kept = trusted(told, &[0], &[0, 1]);
    (pages(&kept, 0).is_some(), pages(&kept, 1).is_some())
}

#[test]
fn pages_that_hold_rows_of_their_own_are_gone_by() {
    let metadata = metadata();
    let own = pages(&metadata, 1).unwrap().clone();
    assert_eq!(own.iter().map(|page| page.first_row_index).collect::<Vec<_>>(), [0, 500, 1_000, 1_500]);
    assert_eq!(left(&metadata, own), (true, true));
}

#[test]
fn a_column_whose_pages_do_not_tell_its_rows_is_read_whole() {
    let metadata = metadata();
    let change = |change: &dyn Fn(&mut Vec<PageLocation>)| {
        let mut pages = pages(&metadata, 1).unwrap().clone();
        change(&mut pages);
        left(&metadata, pages)
    };
    let whole = (true, false);
    assert_eq!(change(&|pages| pages[2].first_row_index = 500), whole, "a page without rows");
    assert_eq!(change(&|pages| pages[3].first_row_index = ROWS), whole, "a last page without rows");
    assert_eq!(change(&|pages| pages[0].first_row_index = 1), whole, "rows before the first page");
    assert_eq!(change(&|pages| pages[1].first_row_index = 1_200), whole, "rows that fall");
    assert_eq!(change(&|pages| pages[1].first_row_index = -1), whole, "a row before the first");
    assert_eq!(change(&|pages| pages[1].offset = pages[0].offset), whole, "pages over each other");
    assert_eq!(change(&|pages| pages[3].offset = i64::MAX), whole, "a page past the column");
    assert_eq!(change(&|pages| pages[0].offset = 4), whole, "a page before the column");
    assert_eq!(change(&|pages| pages[1].compressed_page_size = 0), whole, "a page without bytes");
    assert_eq!(change(&Vec::clear), whole, "no pages");
}
