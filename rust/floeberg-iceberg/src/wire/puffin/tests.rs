#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use floeberg_core::ErrorKind;

use super::*;
use crate::wire::vector;

const VECTORS: &[u8] = include_bytes!("testdata/vectors.puffin");
const STATISTICS: &[u8] = include_bytes!("testdata/statistics.puffin");

/// A file of one blob, whose footer payload is compressed if a flag says so.
fn puffin(blob: &[u8], payload: &[u8], flags: [u8; 4]) -> Vec<u8> {
    let size = (payload.len() as i32).to_le_bytes();
    [b"PFA1", blob, b"PFA1", payload, &size, &flags, b"PFA1"].concat()
}

fn footer_json(blob_length: usize, codec: &str) -> String {
    format!(
        r#"{{"blobs":[{{"type":"t","fields":[1],"snapshot-id":7,"sequence-number":2,"offset":4,"length":{blob_length}{codec}}}]}}"#
    )
}

fn lz4(content: &[u8]) -> Vec<u8> {
    let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
    std::io::Write::write_all(&mut frame, content).unwrap();
    frame.finish().unwrap()
}

#[test]
fn a_footer_lists_the_blobs_of_java_statistics() {
    let footer = parse_footer(STATISTICS).unwrap();
    let [blob, second] = &footer.blobs[..] else { panic!("two blobs") };
    assert_eq!(footer_length(STATISTICS).unwrap(), STATISTICS.len() as u64 - (second.offset + second.length));
    assert_eq!(blob.blob_type, "apache-datasketches-theta-v1");
    assert_eq!(
        (blob.fields.as_slice(), blob.snapshot_id, blob.sequence_number),
        (&[2][..], 7_336_449_648_290_690_316, 2)
    );
    assert_eq!((blob.offset, blob.length, blob.compression), (4, 61, Some(Compression::Zstd)));
    assert_eq!(blob.properties["ndv"], "4");
    let content = read_blob(STATISTICS, blob).unwrap();
    assert_eq!((content.len(), &content[..8]), (48, &[2, 3, 3, 0, 0, 0x1a, 0xcc, 0x93][..]));
}

#[test]
fn a_vector_blob_holds_as_many_positions_as_its_properties_say() {
    let footer = parse_footer(VECTORS).unwrap();
    assert!(!footer.blobs.is_empty());
    for blob in &footer.blobs {
        assert_eq!(blob.blob_type, "deletion-vector-v1");
        let cardinality = blob.properties["cardinality"].parse().unwrap();
        vector::decode(&read_blob(VECTORS, blob).unwrap(), Some(cardinality)).unwrap();
    }
}

#[test]
fn a_vector_of_java_is_encoded_as_java_encoded_it() {
    let footer = parse_footer(VECTORS).unwrap();
    for blob in &footer.blobs {
        let content = read_blob(VECTORS, blob).unwrap();
        let positions = vector::decode(&content, None).unwrap();
        assert_eq!(vector::encode(&positions).unwrap(), content.as_ref());
    }
}

#[test]
fn what_is_encoded_is_read_back_from_where_the_footer_says() {
    let described = |number: i32| BlobMetadata {
        blob_type: "t".to_owned(),
        fields: vec![number, 2],
        snapshot_id: -1,
        sequence_number: 9,
        offset: 0,
        length: 0,
        compression: (number == 1).then_some(Compression::Lz4),
        properties: [("key".to_owned(), "\u{e9}\"".to_owned())].into(),
    };
    let contents: [&[u8]; 3] = [b"", &lz4(b"one"), b"22"];
    let mut encoder = PuffinEncoder::new([("created-by".to_owned(), "us".to_owned())].into());
    let mut file = PUFFIN_START.to_vec();
    for (number, content) in contents.iter().enumerate() {
        let blob = encoder.add(content.len() as u64, described(number as i32)).unwrap();
        assert_eq!((blob.offset, blob.length), (file.len() as u64, content.len() as u64));
        file.extend_from_slice(content);
    }
    let (end, said) = encoder.finish().unwrap();
    file.extend_from_slice(&end);
    assert_eq!(parse_footer(&file).unwrap(), said);
    assert_eq!(footer_length(&file).unwrap(), end.len() as u64);
    let read: Vec<_> = said.blobs.iter().map(|blob| read_blob(&file, blob).unwrap().into_owned()).collect();
    assert_eq!(read, [&b""[..], b"one", b"22"]);
}

#[test]
fn a_file_of_vectors_of_java_is_encoded_as_java_encoded_it() {
    // Keys are sorted here, and in the order of insertion in Java: the values are the same.
    let footer = parse_footer(VECTORS).unwrap();
    let mut encoder = PuffinEncoder::new(footer.properties.clone());
    for blob in &footer.blobs {
        encoder.add(blob.length, blob.clone()).unwrap();
    }
    let (end, said) = encoder.finish().unwrap();
    assert_eq!(said, footer);
    assert_eq!(end.len() as u64, footer_length(VECTORS).unwrap());
}

#[test]
fn a_footer_and_a_blob_may_be_lz4_frames() {
    let blob = lz4(b"the content");
    let json = footer_json(blob.len(), r#","compression-codec":"lz4""#);
    let file = puffin(&blob, &lz4(json.as_bytes()), [1, 0, 0, 0]);
    let footer = parse_footer(&file).unwrap();
    assert_eq!(read_blob(&file, &footer.blobs[0]).unwrap().as_ref(), b"the content");
    assert_eq!(parse_footer(&file[4 + blob.len()..]).unwrap(), footer, "from the end of the file alone");
}

#[test]
fn unknown_flags_and_codecs_are_unsupported() {
    let json = footer_json(0, "");
    let error = parse_footer(&puffin(b"", json.as_bytes(), [2, 0, 0, 0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let json = footer_json(0, r#","compression-codec":"gzip""#);
    let error = parse_footer(&puffin(b"", json.as_bytes(), [0; 4])).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Unsupported, "Puffin codec gzip: expected lz4 or zstd")
    );
}

#[test]
fn a_blob_outside_the_file_or_in_the_footer_is_refused() {
    let file = puffin(b"12345678", footer_json(8, "").as_bytes(), [0; 4]);
    let blob = parse_footer(&file).unwrap().blobs.remove(0);
    assert_eq!(read_blob(&file, &blob).unwrap().as_ref(), b"12345678");
    for (offset, length) in [(0, 4), (4, 9), (12, 1), (u64::MAX, 1), (4, u64::MAX), (4, 1 << 62)] {
        let error = read_blob(&file, &BlobMetadata { offset, length, ..blob.clone() }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert!(error.message().contains("between the bytes 4 and 12"), "{error}");
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    // 64 MiB of zeros and one more byte, as a footer: a quarter of a megabyte in the file.
    let payload = lz4(&vec![0; (64 << 20) + 1]);
    let error = parse_footer(&puffin(b"", &payload, [1, 0, 0, 0])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
}

#[test]
fn every_truncation_is_an_error_that_says_what_was_expected() {
    for file in [VECTORS, STATISTICS] {
        for length in 0..file.len() {
            let error = parse_footer(&file[..length]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
            assert!(error.message().contains("expected"), "{error}");
        }
    }
}

#[test]
fn no_flipped_byte_makes_the_reader_panic() {
    for file in [VECTORS, STATISTICS] {
        for index in 0..file.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = file.to_vec();
                damaged[index] ^= flip;
                let Ok(footer) = parse_footer(&damaged) else { continue };
                for blob in &footer.blobs {
                    let Ok(content) = read_blob(&damaged, blob) else { continue };
                    if blob.blob_type == "deletion-vector-v1" {
                        // The checksum finds every flipped byte of a vector.
                        let inside = (blob.offset..blob.offset + blob.length).contains(&(index as u64));
                        assert!(!inside || vector::decode(&content, None).is_err());
                    }
                }
            }
        }
    }
}

#[test]
fn a_compressed_blob_says_how_long_it_is_and_is_read_again() {
    let content: Vec<u8> = (0..10_000_u32).flat_map(|number| (number % 50).to_le_bytes()).collect();
    let stored = compress(&content, Some(Compression::Zstd)).unwrap();
    assert!(stored.len() < content.len() / 10);
    let length = zstd::zstd_safe::get_frame_content_size(&stored).unwrap();
    assert_eq!(length, Some(content.len() as u64));
    let blob = BlobMetadata {
        blob_type: "t".to_owned(),
        fields: vec![1],
        snapshot_id: 7,
        sequence_number: 2,
        offset: 4,
        length: stored.len() as u64,
        compression: Some(Compression::Zstd),
        properties: std::collections::BTreeMap::new(),
    };
    assert_eq!(blob_content(&stored, &blob).unwrap(), content);
    assert_eq!(compress(&content, None).unwrap(), content);
    assert_eq!(compress(&content, Some(Compression::Lz4)).unwrap_err().kind(), ErrorKind::Unsupported);
}
