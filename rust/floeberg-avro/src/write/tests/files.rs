use std::io::{self, Write};

use apache_avro::Reader;
use apache_avro::types::Value;
use floeberg_core::{Error, ErrorKind};
use proptest::prelude::*;

use super::super::{Compression, ContainerOptions, ContainerWriter};
use crate::read::Cursor;
use crate::{Container, Limits};

const SCHEMA: &str = r#"{"type":"record","name":"r","fields":[{"name":"long","type":"long"},{"name":"text","type":"string"}]}"#;

fn write(rows: &[(i64, String)], options: &ContainerOptions) -> Vec<u8> {
    let metadata = [("b", "2".to_owned()), ("a", "1".to_owned())];
    let mut writer = ContainerWriter::new(Vec::new(), SCHEMA, &metadata, options).unwrap();
    for (long, text) in rows {
        writer
            .add(|out| {
                out.long(*long);
                out.prefixed(text.as_bytes());
                Ok(())
            })
            .unwrap();
    }
    let (bytes, length) = writer.finish().unwrap();
    assert_eq!(bytes.len() as u64, length);
    bytes
}

/// The rows, and how many bytes each block has before it is compressed.
fn read(bytes: &[u8]) -> (Vec<(i64, String)>, Vec<usize>) {
    let container = Container::open(bytes, &Limits::default()).unwrap();
    let (mut rows, mut sizes) = (Vec::new(), Vec::new());
    let mut blocks = container.blocks();
    while let Some(block) = blocks.next_block().unwrap() {
        let mut cursor = Cursor::new(block.data);
        for _ in 0..block.rows {
            let long = cursor.long().unwrap();
            rows.push((long, String::from_utf8(cursor.prefixed().unwrap().to_vec()).unwrap()));
        }
        assert_eq!(cursor.remaining(), 0);
        sizes.push(block.data.len());
    }
    (rows, sizes)
}

fn compressions() -> impl Strategy<Value = Compression> {
    prop_oneof![
        Just(Compression::Null),
        (1..=12).prop_map(Compression::Deflate),
        Just(Compression::Snappy),
        // Higher levels take long to start, and differ in nothing else.
        (1..=9).prop_map(Compression::Zstandard),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_file_is_read_as_it_was_written(
        rows in prop::collection::vec((any::<i64>(), ".{0,40}"), 0..60),
        compression in compressions(),
        block_bytes in 0_usize..400,
    ) {
        let options = ContainerOptions { compression, block_bytes, sync: None };
        let bytes = write(&rows, &options);
        let (found, sizes) = read(&bytes);
        prop_assert_eq!(&found, &rows);
        let whole = &sizes[..sizes.len().saturating_sub(1)];
        prop_assert!(whole.iter().all(|size| *size >= block_bytes && *size < block_bytes + 200), "{:?}", sizes);
        if matches!(compression, Compression::Null | Compression::Deflate(_)) {
            let theirs = Reader::new(&bytes[..]).unwrap().map(|row| match row.unwrap() {
                Value::Record(fields) => match (&fields[0].1, &fields[1].1) {
                    (Value::Long(long), Value::String(text)) => (*long, text.clone()),
                    other => panic!("{other:?}"),
                },
                other => panic!("{other:?}"),
            });
            prop_assert_eq!(theirs.collect::<Vec<_>>(), rows);
        }
    }
}

#[test]
fn the_header_has_schema_and_codec_and_then_what_was_given_in_order() {
    let options = ContainerOptions { sync: Some([7; 16]), ..ContainerOptions::default() };
    let bytes = write(&[], &options);
    let at = |text: &str| bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    let places = ["avro.schema", SCHEMA, "avro.codec", "deflate", "\u{2}b\u{2}2", "\u{2}a\u{2}1"].map(at);
    assert!(places.is_sorted(), "{places:?}");
    assert!(bytes.ends_with(&[7; 16]));
    assert_eq!(bytes, write(&[], &options));
    let drawn = ContainerOptions::default();
    assert_ne!(write(&[], &drawn), write(&[], &drawn), "another marker");
}

#[test]
fn a_record_that_failed_leaves_the_file_as_it_was() {
    let options = ContainerOptions { compression: Compression::Null, ..ContainerOptions::default() };
    let mut writer = ContainerWriter::new(Vec::new(), SCHEMA, &[], &options).unwrap();
    let whole = |number: i64| {
        move |out: &mut super::super::Encoder| {
            out.long(number);
            out.prefixed(b"x");
            Ok(())
        }
    };
    writer.add(whole(1)).unwrap();
    let error = writer.add(|out| {
        out.long(2);
        Err(Error::invalid_input("no text"))
    });
    assert_eq!(error.unwrap_err().message(), "no text");
    writer.add(whole(3)).unwrap();
    let (bytes, _) = writer.finish().unwrap();
    let (rows, _) = read(&bytes);
    assert_eq!(rows, [(1, "x".to_owned()), (3, "x".to_owned())]);
}

#[test]
fn levels_that_a_codec_does_not_have_are_refused() {
    for wrong in [0, 13, -1].map(Compression::Deflate).into_iter().chain([0, 23].map(Compression::Zstandard))
    {
        let options = ContainerOptions { compression: wrong, ..ContainerOptions::default() };
        let error = ContainerWriter::new(Vec::new(), SCHEMA, &[], &options).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::InvalidInput, "{wrong:?}");
    }
}

/// Fails after so many bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 { Err(io::Error::other("the disk is full")) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_output_that_fails_anywhere_is_a_storage_error() {
    let options = ContainerOptions { block_bytes: 10, ..ContainerOptions::default() };
    let whole = write(&[(5, "first".to_owned()), (6, "second".to_owned())], &options).len();
    for room in 0..whole - 40 {
        let written = ContainerWriter::new(Full(room), SCHEMA, &[], &options).and_then(|mut writer| {
            for text in ["first", "second"] {
                writer.add(|out| {
                    out.long(5);
                    out.prefixed(text.as_bytes());
                    Ok(())
                })?;
            }
            writer.finish().map(|_| ())
        });
        assert_eq!(written.unwrap_err().kind(), ErrorKind::Storage, "{room}");
    }
}
