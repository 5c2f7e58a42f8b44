//! Does a build that is not a fuzzer's make every check that fuzzers pass over?
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use bytes::Bytes;
use floeberg_avro::{Container, Limits};
use floeberg_core::Result;
use floeberg_iceberg::GroupRecipe;
use floeberg_iceberg::wire::puffin::parse_footer;
use floeberg_iceberg::wire::vector;
use floeberg_io::{MemoryStore, Store};
use floeberg_orc::OrcFile;

/// A vector of the positions 3 and 90, with its length and without its checksum.
const VECTOR: &[u8] = b"\0\0\0\x20\xd1\xd3\x39\x64\x01\0\0\0\0\0\0\0\0\0\0\0\x3a\x30\0\0\x01\0\0\0\0\0\x01\0\x10\0\0\0\x03\0\x5a\0";
/// A file without blobs.
const PUFFIN: &[u8] = b"PFA1PFA1{\"blobs\":[]}\x0c\0\0\0\0\0\0\0PFA1";
/// A file without stripes and with one column, whose postscript says ORC.
const ORC: &[u8] = b"ORC\x22\x02\x08\x0c\x08\x04\x10\x00\x82\xf4\x03\x03ORC\x0b";

/// The bytes with one of them turned around.
fn damaged(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x01;
    bytes
}

fn refused<T>(result: Result<T>, what: &str) {
    let error = result.err().expect(what);
    assert!(error.message().contains("expected"), "{what}: {error}");
}

/// A file of one record without fields, in one block.
fn record() -> Vec<u8> {
    const SYNC: &[u8] = b"0123456789abcdef";
    let schema = br#"{"type":"record","name":"r","fields":[]}"#;
    let entry = [b"Obj\x01\x02\x16avro.schema", &[schema.len() as u8 * 2][..], schema, b"\0"].concat();
    [&entry, SYNC, b"\x02\0", SYNC].concat()
}

fn avro(bytes: &[u8]) -> Result<()> {
    let container = Container::open(bytes, &Limits::default())?;
    container.schema()?;
    container.blocks().next_block().map(|_| ())
}

fn orc(bytes: Vec<u8>) -> Result<OrcFile> {
    let store = MemoryStore::new();
    store.put("memory://t/f", Bytes::from(bytes));
    OrcFile::open(store.open("memory://t/f")?)
}

#[test]
fn magic_and_checksum_of_a_vector_are_checked() {
    let mut body = VECTOR[4..].to_vec();
    let checksum = crc32(&body);
    let whole = [&(body.len() as u32).to_be_bytes()[..], &body, &checksum.to_be_bytes()].concat();
    assert_eq!(vector::decode(&whole, None).unwrap().into_iter().collect::<Vec<_>>(), [3, 90]);
    refused(vector::decode(&damaged(&whole, whole.len() - 1), None), "the checksum");
    body[0] ^= 1;
    let other = [&(body.len() as u32).to_be_bytes()[..], &body, &crc32(&body).to_be_bytes()].concat();
    refused(vector::decode(&other, None), "the magic");
}

#[test]
fn magic_of_a_puffin_file_is_checked() {
    parse_footer(PUFFIN).unwrap();
    refused(parse_footer(&damaged(PUFFIN, 4)), "the magic of the footer");
    refused(parse_footer(&damaged(PUFFIN, PUFFIN.len() - 1)), "the magic at the end");
}

#[test]
fn magic_and_markers_of_an_avro_file_are_checked() {
    let file = record();
    avro(&file).unwrap();
    refused(avro(&damaged(&file, 0)), "the magic");
    refused(avro(&damaged(&file, file.len() - 1)), "the marker");
}

#[test]
fn magic_of_an_orc_file_is_checked() {
    orc(ORC.to_vec()).unwrap();
    let mut both = damaged(ORC, ORC.len() - 2);
    orc(both.clone()).unwrap();
    both[0] ^= 1;
    refused(orc(both), "the magic at both ends");
}

#[test]
fn a_recipe_that_is_text_is_no_recipe() {
    assert!(GroupRecipe::from_bytes(b"{}").unwrap_err().message().contains("damaged"));
}

/// The checksum of the specification, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}
