//! Puffin files and deletion vectors.

use floeberg_iceberg::wire::puffin::{parse_footer, read_blob};
use floeberg_iceberg::wire::vector;

use crate::judge::decoded;

/// So much a blob of a fuzzer's file may say it is compressed from: the codecs have fuzzers of their own.
const BLOBS: usize = 8;

/// The footer of a file and what its blobs hold.
pub(crate) fn puffin(bytes: &[u8]) {
    let Some(footer) = decoded(parse_footer(bytes)) else { return };
    for blob in footer.blobs.iter().take(BLOBS) {
        let Some(content) = decoded(read_blob(bytes, blob)) else { continue };
        if blob.blob_type == "deletion-vector-v1" {
            positions(&content);
        }
    }
}

/// The positions of a vector.
pub(crate) fn deletion_vector(bytes: &[u8]) {
    positions(bytes);
    decoded(vector::decode_positions(bytes));
}

fn positions(blob: &[u8]) {
    let Some(positions) = decoded(vector::decode(blob, None)) else { return };
    // Asked for as many as there are it is the same; for one more it is refused.
    assert_eq!(vector::decode(blob, Some(positions.len())).as_ref().ok(), Some(&positions));
    assert!(vector::decode(blob, Some(positions.len().wrapping_add(1))).is_err());
    assert!(positions.max().is_none_or(|last| i64::try_from(last).is_ok()), "a position above 63 bits");
    let mut written = Vec::new();
    positions.serialize_into(&mut written).expect("memory takes what is written");
    assert_eq!(vector::decode_positions(&written).as_ref().ok(), Some(&positions));
}
