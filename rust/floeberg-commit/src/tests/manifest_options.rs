use floeberg_core::ErrorKind;
use floeberg_iceberg::metadata::SnapshotManifests;

use super::kit::{Kit, append, bytes, map};
use crate::Operation;
use crate::produce::manifest_options;

/// Does a file have this in its header?
fn says(location: &str, text: &str) -> bool {
    bytes(location).windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn manifests_and_lists_are_stored_as_the_properties_say() {
    let codecs = [("gzip", "deflate"), ("zstd", "zstandard"), ("snappy", "snappy"), ("Uncompressed", "null")];
    for (codec, name) in codecs {
        let mut kit = Kit::partitioned(2, &[("write.manifest.compression-codec", codec)]);
        kit.commit(vec![append("a", "x")]);
        assert_eq!(kit.live_paths(), ["a"]);
        let SnapshotManifests::List(list) = &kit.metadata().current_snapshot().unwrap().manifests else {
            panic!("a list")
        };
        let manifest = kit.manifests().remove(0).manifest_path;
        for location in [list, &manifest] {
            // A prefix of its length, zigzag, stands before the codec's name.
            let written = format!("avro.codec{}{name}", char::from(name.len() as u8 * 2));
            assert!(says(location, &written), "{codec}: {location}");
        }
    }
}

#[test]
fn a_codec_or_level_that_is_not_known_is_an_error_that_names_the_property() {
    for (name, value) in [("codec", "lzo"), ("level", "high"), ("level", "99")] {
        let property = format!("write.manifest.compression-{name}");
        let properties = map(&[(&property, value)]);
        // Where it is set, and where a table of others has it.
        let error = Kit::partitioned(2, &[]).refused(Operation::SetProperties(properties.clone()));
        for error in [error, manifest_options(&properties).unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::InvalidInput, "{error}");
            assert!(error.to_string().contains(&property), "{error}");
        }
    }
}
