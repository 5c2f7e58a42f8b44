use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use floeberg_core::schema::{Field, PrimitiveType};
use floeberg_core::{Error, ErrorKind};

use super::read::{read, read_within};
use crate::Limits;
use crate::testing::{block, file, header, long, record};

const FIELD: &str = r#"{"name":"n","type":"long","field-id":1}"#;

fn wanted() -> Vec<Field> {
    vec![Field::required(1, "n", PrimitiveType::Long)]
}

fn compress(codec: &str, data: &[u8]) -> Vec<u8> {
    match codec {
        "deflate" => {
            let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let mut stored = vec![0; compressor.deflate_compress_bound(data.len())];
            let length = compressor.deflate_compress(data, &mut stored).unwrap();
            stored.truncate(length);
            stored
        }
        "snappy" => {
            let stored = snap::raw::Encoder::new().compress_vec(data).unwrap();
            [stored, crc32fast::hash(data).to_be_bytes().to_vec()].concat()
        }
        "zstandard" => zstd::bulk::compress(data, 1).unwrap(),
        _ => data.to_vec(),
    }
}

fn compressed(codec: &str, data: &[u8]) -> Vec<u8> {
    compress(codec, data)
}

fn refused(codec: &str, rows: i64, stored: &[u8]) -> Error {
    let bytes = [header(&record(FIELD), codec), block(rows, stored)].concat();
    read(&bytes, &wanted()).unwrap_err()
}

#[test]
fn every_codec_gives_the_same_rows() {
    let values: Vec<i64> = (0..100_000).map(|n| n * n % 1000 - 500).collect();
    for codec in ["null", "deflate", "snappy", "zstandard"] {
        let mut bytes = header(&record(FIELD), codec);
        for rows in values.chunks(40_000) {
            let data: Vec<u8> = rows.iter().flat_map(|&n| long(n)).collect();
            bytes.extend(block(rows.len() as i64, &compressed(codec, &data)));
        }
        let rows = read(&bytes, &wanted()).unwrap();
        assert_eq!(rows.column(0).as_primitive::<Int64Type>().values(), &values, "{codec}");
    }
}

#[test]
fn an_unknown_codec_is_unsupported() {
    let error = refused("xz", 1, &[2]);
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("Avro codec xz"), "{error}");
}

#[test]
fn damaged_blocks_are_invalid_data() {
    for codec in ["deflate", "snappy", "zstandard"] {
        let error = refused(codec, 1, b"neither of them");
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{codec}: {error}");
    }
    let mut stored = compressed("snappy", &long(5));
    *stored.last_mut().unwrap() ^= 1;
    assert!(refused("snappy", 1, &stored).message().contains("CRC-32"));
}

#[test]
fn a_bomb_stops_at_the_limit_of_a_block() {
    let limits = Limits { block_bytes: 1 << 20, ..Limits::default() };
    for codec in ["deflate", "snappy", "zstandard"] {
        let stored = compressed(codec, &vec![0; (1 << 20) + 1]);
        let bytes = [header(&record(FIELD), codec), block(1, &stored)].concat();
        let error = read_within(&bytes, &wanted(), &limits).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{codec}: {error}");
    }
}

#[test]
fn many_blocks_stop_at_the_limit_of_the_file() {
    let limits = Limits { file_bytes: 2500, ..Limits::default() };
    let zeros = compressed("deflate", &[0; 1000]);
    let mut bytes = header(&record(FIELD), "deflate");
    for blocks in 1..=3 {
        bytes.extend(block(1000, &zeros));
        assert_eq!(read_within(&bytes, &wanted(), &limits).is_ok(), blocks < 3);
    }
}

#[test]
fn a_wrong_sync_marker_and_bytes_left_over_are_errors() {
    let mut bytes = file(&record(FIELD), 1, &[2]);
    let last = bytes.len() - 1;
    bytes[last] = 0;
    assert!(read(&bytes, &wanted()).unwrap_err().message().contains("sync marker"));
    let error = read(&file(&record(FIELD), 1, &[2, 4]), &wanted()).unwrap_err();
    assert!(
        error.message().contains("offset 1: expected the end of a block after its last record, found 1"),
        "{error}"
    );
    let error = read(&file(&record(FIELD), 2, &[2]), &wanted()).unwrap_err();
    assert!(error.message().contains("expected at most 1 values"), "{error}");
}
