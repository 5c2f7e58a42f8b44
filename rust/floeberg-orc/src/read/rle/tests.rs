#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use arrow_buffer::BooleanBuffer;
use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::{any, prop_assert_eq, proptest};

use super::{Bits, ByteRuns, Integers};
use crate::read::stream::{Blocks, ByteStream};
use crate::wire::Compression;

fn stream(bytes: &[u8]) -> ByteStream {
    ByteStream::new(Blocks::new(Bytes::copy_from_slice(bytes), Compression::None, 0))
}

fn second(bytes: &[u8], signed: bool, count: usize) -> Vec<i64> {
    Integers::new(stream(bytes), signed, true).read(count).unwrap()
}

fn first(bytes: &[u8], signed: bool, count: usize) -> Vec<i64> {
    Integers::new(stream(bytes), signed, false).read(count).unwrap()
}

#[test]
fn bytes_are_runs_and_lists() {
    let mut bytes = Vec::new();
    let mut runs = ByteRuns::new(stream(&[0x61, 0x00, 0xfe, 0x44, 0x45]));
    runs.append(60, &mut bytes).unwrap();
    runs.append(42, &mut bytes).unwrap();
    assert_eq!(bytes.len(), 102);
    assert_eq!(bytes[99..], [0, 0x44, 0x45]);
    assert!(runs.append(1, &mut bytes).is_err());
}

#[test]
fn bits_are_read_from_the_highest_of_a_byte() {
    let mut bits = Bits::new(stream(&[0xfe, 0b1011_0000, 0b0100_0001]));
    let read = |bits: &mut Bits, count| bits.read(count).unwrap().iter().collect::<Vec<_>>();
    assert_eq!(read(&mut bits, 3), [true, false, true]);
    assert_eq!(read(&mut bits, 2), [true, false]);
    assert_eq!(read(&mut bits, 0), Vec::<bool>::new());
    let mut rest = vec![false; 11];
    (rest[4], rest[10]) = (true, true);
    assert_eq!(read(&mut bits, 11), rest);
    assert!(bits.read(1).is_err());
}

#[test]
fn the_first_version_has_runs_and_literals() {
    assert_eq!(first(&[0x61, 0x00, 0x07], false, 100), [7; 100]);
    let down: Vec<i64> = (1..=100).rev().collect();
    assert_eq!(first(&[0x61, 0xff, 0x64], false, 100), down);
    assert_eq!(first(&[0xfb, 0x02, 0x03, 0x06, 0x07, 0xb], false, 5), [2, 3, 6, 7, 11]);
    assert_eq!(first(&[0xfd, 0x01, 0x04, 0x03], true, 3), [-1, 2, -2]);
}

#[test]
fn the_examples_of_the_second_version_are_read() {
    assert_eq!(second(&[0x0a, 0x27, 0x10], false, 5), [10000; 5]);
    let direct = [0x5e, 0x03, 0x5c, 0xa1, 0xab, 0x1e, 0xde, 0xad, 0xbe, 0xef];
    assert_eq!(second(&direct, false, 4), [23713, 43806, 57005, 48879]);
    let delta = [0xc6, 0x09, 0x02, 0x02, 0x22, 0x42, 0x42, 0x46];
    assert_eq!(second(&delta, false, 10), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]);
    let patched = [
        0x8e, 0x13, 0x2b, 0x21, 0x07, 0xd0, 0x1e, 0x00, 0x14, 0x70, 0x28, 0x32, 0x3c, 0x46, 0x50, 0x5a, 0x64,
        0x6e, 0x78, 0x82, 0x8c, 0x96, 0xa0, 0xaa, 0xb4, 0xbe, 0xfc, 0xe8,
    ];
    let mut expected = vec![2030, 2000, 2020, 1_000_000];
    expected.extend((2040..=2190).step_by(10));
    assert_eq!(second(&patched, false, 20), expected);
}

#[test]
fn runs_of_the_second_version_have_signs() {
    // Zigzag in repeats and in direct values; fixed and falling differences.
    assert_eq!(second(&[0x00, 0x03], true, 3), [-2; 3]);
    assert_eq!(second(&[0x46, 0x02, 0x13, 0x20], true, 3), [-1, -2, 1]);
    assert_eq!(second(&[0xc0, 0x03, 0x05, 0x03], true, 4), [-3, -5, -7, -9]);
    assert_eq!(second(&[0xc6, 0x02, 0x14, 0x01, 0x30], true, 3), [10, 9, 6]);
    // The base of patched values is a sign and a magnitude.
    let patched = [0x8e, 0x01, 0x20, 0x00, 0x80, 0x05, 0x01, 0x02];
    assert_eq!(second(&patched, true, 2), [-4, -3]);
}

#[test]
fn values_go_on_where_the_last_read_ended() {
    let mut integers = Integers::new(stream(&[0x0a, 0x27, 0x10, 0x08, 0x00, 0x07]), false, true);
    assert_eq!(integers.read(2).unwrap(), [10000; 2]);
    assert_eq!(integers.read(4).unwrap(), [10000, 10000, 10000, 7]);
}

#[test]
fn damaged_runs_are_errors() {
    let read = |bytes: &[u8]| Integers::new(stream(bytes), false, true).read(1 << 40);
    for bytes in [
        // An end within a value, and no end of a number.
        [0x0a, 0x27].as_slice(),
        &[0xc0, 0x03, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        // A patch past the end, patches that are too wide, a difference of one value.
        &[0x8e, 0x00, 0x20, 0x21, 0x00, 0x01, 0xff, 0xff],
        &[0x8e, 0x00, 0x3f, 0xe1, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00],
        &[0xc6, 0x00, 0x00, 0x00, 0x00],
    ] {
        assert!(read(bytes).is_err(), "{bytes:x?}");
    }
}

fn big_endian(values: &[i64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for run in values.chunks(512) {
        let length = run.len() - 1;
        bytes.extend([0x40 | 0x3e | (length >> 8) as u8, length as u8]);
        bytes.extend(run.iter().flat_map(|value| ((value << 1) ^ (value >> 63)).to_be_bytes()));
    }
    bytes
}

proptest! {
    #[test]
    fn any_values_of_64_bits_are_read_in_any_pieces(
        values in vec(any::<i64>(), 0..1500), pieces in vec(1_usize..400, 1..20),
    ) {
        let mut integers = Integers::new(stream(&big_endian(&values)), true, true);
        let mut read = Vec::new();
        for piece in pieces.iter().cycle() {
            let piece = (*piece).min(values.len() - read.len());
            read.extend(integers.read(piece).unwrap());
            if read.len() == values.len() {
                break;
            }
        }
        prop_assert_eq!(read, values);
    }

    #[test]
    fn any_bits_are_read_in_any_pieces(bytes in vec(any::<u8>(), 1..120), pieces in vec(1_usize..30, 1..20)) {
        let mut stored = vec![0_u8.wrapping_sub(bytes.len() as u8)];
        stored.extend(&bytes);
        let mut bits = Bits::new(stream(&stored));
        let reversed: Vec<u8> = bytes.iter().map(|byte| byte.reverse_bits()).collect();
        let expected = BooleanBuffer::new(reversed.into(), 0, bytes.len() * 8);
        let mut read = 0;
        for piece in pieces.iter().cycle() {
            let piece = (*piece).min(expected.len() - read);
            prop_assert_eq!(bits.read(piece).unwrap(), expected.slice(read, piece));
            read += piece;
            if read == expected.len() {
                break;
            }
        }
    }

    #[test]
    fn any_bytes_end_in_values_or_an_error(bytes in vec(any::<u8>(), 0..200), signed in any::<bool>()) {
        for version in [false, true] {
            let _ = Integers::new(stream(&bytes), signed, version).read(100_000);
        }
    }
}
