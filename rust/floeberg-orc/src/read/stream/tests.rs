#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::Write;

use bytes::Bytes;
use floeberg_core::ErrorKind;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{Blocks, ByteStream};
use crate::wire::Compression;

/// A block as it stands in a file.
fn block(stored: &[u8], is_original: bool) -> Vec<u8> {
    let header = ((stored.len() as u32) << 1 | u32::from(is_original)).to_le_bytes();
    [&header[..3], stored].concat()
}

fn compressed(compression: Compression, data: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => data.to_vec(),
        Compression::Zlib => {
            let mut out = vec![0; data.len() * 2 + 100];
            let mut deflate = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
            let length = deflate.deflate_compress(data, &mut out).unwrap();
            out[..length].to_vec()
        }
        Compression::Snappy => snap::raw::Encoder::new().compress_vec(data).unwrap(),
        Compression::Lz4 => lz4_flex::block::compress(data),
        Compression::Zstd => {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            encoder.write_all(data).unwrap();
            encoder.finish().unwrap()
        }
    }
}

const CODECS: [Compression; 4] =
    [Compression::Zlib, Compression::Snappy, Compression::Lz4, Compression::Zstd];

fn blocks(bytes: &[u8], compression: Compression, size: usize) -> Blocks {
    Blocks::new(Bytes::copy_from_slice(bytes), compression, size)
}

#[test]
fn every_codec_reads_blocks_and_those_stored_as_they_were() {
    let data: Vec<u8> = (0..9_000_u32).flat_map(|number| (number / 7).to_le_bytes()).collect();
    for codec in CODECS {
        let mut stored = block(&compressed(codec, &data), false);
        stored.extend(block(b"as it was", true));
        stored.extend(block(&compressed(codec, b""), false));
        stored.extend(block(&compressed(codec, b"the end"), false));
        let expected = [data.as_slice(), b"as it was", b"the end"].concat();
        let all = blocks(&stored, codec, 1 << 18).read_all(1 << 20, "a test").unwrap();
        assert!(all == expected, "{codec:?}");
        // Byte by byte over the borders of blocks, and no further.
        let mut stream = ByteStream::new(blocks(&stored, codec, 1 << 18));
        let mut read = vec![0; expected.len() - 3];
        stream.fill(&mut read).unwrap();
        assert_eq!([stream.byte().unwrap(), stream.byte().unwrap(), stream.byte().unwrap()], *b"end");
        assert!(read == expected[..read.len()]);
        assert_eq!(stream.byte().unwrap_err().kind(), ErrorKind::InvalidData);
    }
}

#[test]
fn a_block_longer_than_the_file_says_is_an_error() {
    let data = vec![7; 100_000];
    for codec in CODECS {
        let stored = block(&compressed(codec, &data), false);
        assert_eq!(
            blocks(&stored, codec, data.len()).read_all(1 << 20, "a test").unwrap(),
            data,
            "{codec:?}"
        );
        let error = blocks(&stored, codec, data.len() - 1).read_all(1 << 20, "a test").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{codec:?}");
        let error = blocks(&stored, codec, data.len()).read_all(data.len() - 1, "a test").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{codec:?}");
    }
}

#[test]
fn cut_and_damaged_blocks_are_errors() {
    for codec in CODECS {
        let whole = block(&compressed(codec, &[1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8]), false);
        for length in 1..whole.len() {
            assert!(
                blocks(&whole[..length], codec, 100).read_all(100, "a test").is_err(),
                "{codec:?} {length}"
            );
        }
        let noise = block(&[0xff; 40], false);
        assert!(blocks(&noise, codec, 1000).read_all(1000, "a test").is_err(), "{codec:?}");
    }
}

#[test]
fn numbers_have_signs_and_an_end() {
    let mut stream = ByteStream::new(blocks(&[0x80, 0x01, 0x03, 0x04], Compression::None, 0));
    assert_eq!(stream.number().unwrap(), 128);
    assert_eq!(stream.signed().unwrap(), -2);
    assert_eq!(stream.wide().unwrap(), 2);
    let endless = [0xff; 40];
    assert!(ByteStream::new(blocks(&endless, Compression::None, 0)).number().is_err());
    assert!(ByteStream::new(blocks(&endless, Compression::None, 0)).wide().is_err());
    let smallest = [&[0xff; 18][..], &[0x03]].concat();
    assert_eq!(ByteStream::new(blocks(&smallest, Compression::None, 0)).wide().unwrap(), i128::MIN);
}

proptest! {
    #[test]
    fn any_bytes_end_in_data_or_an_error(bytes in vec(any::<u8>(), 0..300), size in 0_usize..2000) {
        for codec in CODECS {
            let _ = blocks(&bytes, codec, size).read_all(1 << 20, "a test");
            let _ = blocks(&block(&bytes, false), codec, size).read_all(1 << 20, "a test");
        }
    }

    #[test]
    fn any_data_comes_back(data in vec(any::<u8>(), 0..3000)) {
        for codec in CODECS {
            let stored = block(&compressed(codec, &data), false);
            prop_assert_eq!(&blocks(&stored, codec, data.len()).read_all(1 << 20, "a test").unwrap(), &data);
        }
    }
}
