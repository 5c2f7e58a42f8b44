//! What do the options of one write change?
//!
//! In: a table's properties, and options by their names or by Spark's. Out: the properties of the write.

use std::collections::BTreeMap;

use floeberg_core::{Error, Result};
use floeberg_files::WriteProperties;
use floeberg_io::StoreOptions;
use floeberg_properties::{
    FORMAT, METRICS_DEFAULT, METRICS_MOST_COLUMNS, OBJECT_STORAGE, OBJECT_STORAGE_PARTITIONED,
    PARQUET_SHRED_VARIANTS, PARQUET_VARIANT_BUFFER, TARGET_FILE_SIZE,
};

/// The names of options in Spark's writers, and the properties that they set for one write. `*` is the format of the
/// write.
const OPTIONS: [(&str, &str); 6] = [
    ("target-file-size-bytes", TARGET_FILE_SIZE.name),
    ("compression-codec", "write.*.compression-codec"),
    ("compression-level", "write.*.compression-level"),
    ("write-format", FORMAT.name),
    ("shred-variants", PARQUET_SHRED_VARIANTS.name),
    ("variant-inference-buffer-size", PARQUET_VARIANT_BUFFER.name),
];

/// The properties of a table, changed by the options of one write.
///
/// Errors: `InvalidInput` for an unknown option.
pub(crate) fn properties_of(
    table: &BTreeMap<String, String>,
    options: &BTreeMap<String, String>,
) -> Result<WriteProperties> {
    let of_table = table.iter().filter(|(name, _)| name.starts_with("write."));
    let mut properties: BTreeMap<_, _> =
        of_table.map(|(name, value)| (name.clone(), value.clone())).collect();
    let asked = options.get("write-format").or_else(|| options.get(FORMAT.name));
    let format = asked.or_else(|| properties.get(FORMAT.name)).map_or(FORMAT.default, String::as_str);
    let format = format.trim().to_ascii_lowercase();
    for (name, value) in options {
        let known = OPTIONS.iter().find(|(option, _)| option == name);
        let property = match known {
            Some((_, property)) => property.replace('*', &format),
            None if name.starts_with("write.") => name.clone(),
            None => {
                let known = OPTIONS.map(|(option, _)| option).join(", ");
                return Err(Error::invalid_input(format!(
                    "writing has no option {name:?}; it has {known} and properties that begin with \"write.\""
                )));
            }
        };
        properties.insert(property, value.clone());
    }
    Ok(WriteProperties::of_map(properties))
}

/// Properties for files with other columns than the table, without those that name a column of the table.
pub(crate) fn of_other_columns(properties: &WriteProperties) -> WriteProperties {
    let of_metrics = [METRICS_DEFAULT, METRICS_MOST_COLUMNS.name];
    let all = properties.as_map().iter();
    let kept = all.filter(|(name, _)| !name.contains(".column.") && !of_metrics.contains(&name.as_str()));
    WriteProperties::of_map(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The same for the files of an encrypted table: no location has values of a partition.
pub(super) fn of_paths(properties: WriteProperties, storage: &StoreOptions) -> WriteProperties {
    if storage.keys().is_none() {
        return properties;
    }
    let mut set = properties.as_map().clone();
    set.insert(OBJECT_STORAGE.name.to_owned(), "true".to_owned());
    set.insert(OBJECT_STORAGE_PARTITIONED.name.to_owned(), "false".to_owned());
    WriteProperties::of_map(set)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use floeberg_core::ErrorKind;

    use super::properties_of;
    use floeberg_files::WriteProperties;

    fn properties(
        pairs: &[(&str, &str)],
        options: &[(&str, &str)],
    ) -> floeberg_core::Result<WriteProperties> {
        let owned = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        properties_of(&owned(pairs), &owned(options))
    }

    #[test]
    fn options_change_properties_for_one_write() {
        let table = [("write.target-file-size-bytes", "1"), ("write.x", "a"), ("read.x", "b")];
        let options = [("target-file-size-bytes", "2"), ("write.y", "c")];
        let found = properties(&table, &options).unwrap();
        let expected = [("write.target-file-size-bytes", "2"), ("write.x", "a"), ("write.y", "c")];
        let found: Vec<_> =
            found.as_map().iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(properties(&[], &[("taget-file-size", "1")]).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[test]
    fn the_codec_of_one_write_is_that_of_its_format() {
        let codec = |table: &[(&str, &str)], options: &[(&str, &str)]| {
            let options: Vec<_> = [("compression-codec", "zstd")].iter().chain(options).copied().collect();
            let found = properties(table, &options).unwrap();
            found.as_map().keys().find(|name| name.ends_with("codec")).cloned().unwrap()
        };
        assert_eq!(codec(&[], &[]), "write.parquet.compression-codec");
        assert_eq!(codec(&[("write.format.default", "AVRO")], &[]), "write.avro.compression-codec");
        assert_eq!(codec(&[], &[("write-format", "avro")]), "write.avro.compression-codec");
        let back = [("write-format", "parquet")];
        assert_eq!(codec(&[("write.format.default", "avro")], &back), "write.parquet.compression-codec");
    }
}
