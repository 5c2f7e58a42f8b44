#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use super::{MOST_ROWS, check};
use crate::testing::numbers;

/// The metadata of a file whose one row group claims so many rows.
fn claiming(rows: i64) -> (ParquetMetaData, u64) {
    let file = numbers(10, 10);
    let footer = &file[file.len() - 8..][..4];
    let length = u32::from_le_bytes(footer.try_into().unwrap()) as usize;
    let metadata =
        ParquetMetaDataReader::decode_metadata(&file[file.len() - 8 - length..file.len() - 8]).unwrap();
    let group = metadata.row_group(0).clone().into_builder().set_num_rows(rows).build().unwrap();
    (ParquetMetaData::new(metadata.file_metadata().clone(), vec![group]), file.len() as u64)
}

#[test]
fn a_row_group_is_as_large_as_writers_make_them() {
    for (rows, refused) in [
        (10, None),
        (MOST_ROWS, None),
        (MOST_ROWS + 1, Some(ErrorKind::LimitExceeded)),
        (i64::MAX, Some(ErrorKind::LimitExceeded)),
        (-1, Some(ErrorKind::InvalidData)),
    ] {
        let (metadata, size) = claiming(rows);
        assert_eq!(check(&metadata, size).err().map(|error| error.kind()), refused, "{rows} rows");
    }
}
