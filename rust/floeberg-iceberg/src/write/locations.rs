//! Which location does a data file get?
//!
//! In: a table's location, properties, a partition and a file's name. Out: a new location.
//! Spec: Appendix F, Path Construction (and Iceberg Java's location providers).
//!
//! Invariant: two files of one table never get one location: their names hold the id of their write.

use floeberg_core::transform::bucket::hash_bytes;
use floeberg_core::value::Value;
use floeberg_core::{Error, Result};
use floeberg_files::WriteProperties;
use floeberg_io::location::{self, without_end_slashes};
use floeberg_properties::{
    DATA_PATH, FORMER_DATA_PATHS, LOCATION_PROVIDER, OBJECT_STORAGE, OBJECT_STORAGE_PARTITIONED,
};

use crate::metadata::PartitionSpec;

/// How the locations of a table's files are chosen.
#[derive(Debug, Clone)]
pub(super) struct Locations {
    folder: String,
    hashed: Option<Hashed>,
}

/// Folders that spread files over an object store.
#[derive(Debug, Clone)]
struct Hashed {
    /// The database and the table, if the folder is not the table's own.
    context: Option<String>,
    with_partitions: bool,
}

impl Locations {
    /// Errors: `Unsupported` for a location provider that is a Java class, `InvalidInput` for former properties.
    pub fn new(table: &str, properties: &WriteProperties) -> Result<Self> {
        if let Some(class) = properties.text(LOCATION_PROVIDER) {
            return Err(Error::unsupported(format!(
                "the table chooses file locations by the Java class {class} ({LOCATION_PROVIDER:?}), which \
                 cannot be run here"
            )));
        }
        if let Some(name) = FORMER_DATA_PATHS.into_iter().find(|name| properties.text(name).is_some()) {
            return Err(Error::invalid_input(format!(
                "expected {DATA_PATH:?} in place of the former property {name:?}"
            )));
        }
        let table = without_end_slashes(table);
        let path = properties.text(DATA_PATH).map(without_end_slashes).filter(|path| !path.is_empty());
        let folder = location::within(table, path.unwrap_or("data"));
        let hashed = OBJECT_STORAGE.of(properties.as_map())?.then_some(()).map(|()| {
            let with_partitions = OBJECT_STORAGE_PARTITIONED.of(properties.as_map())?;
            let context = if folder.starts_with(table) { None } else { Some(context(table)) };
            Ok::<_, Error>(Hashed { context, with_partitions })
        });
        Ok(Self { folder, hashed: hashed.transpose()? })
    }

    /// The location of a file of a partition.
    pub fn of(&self, spec: &PartitionSpec, partition: &[Option<Value>], name: &str) -> String {
        let folder = (!spec.fields.is_empty()).then(|| spec.partition_path(partition));
        self.place(folder.as_deref(), name)
    }

    /// The location of a file that is of no partition.
    pub fn of_no_partition(&self, name: &str) -> String {
        self.place(None, name)
    }

    fn place(&self, partition: Option<&str>, name: &str) -> String {
        let in_partition =
            || partition.map_or_else(|| name.to_owned(), |partition| format!("{partition}/{name}"));
        let Some(Hashed { context, with_partitions }) = &self.hashed else {
            return format!("{}/{}", self.folder, in_partition());
        };
        let name = if *with_partitions { in_partition() } else { name.to_owned() };
        let hash = folders_of_hash(&name);
        match context {
            Some(context) => format!("{}/{hash}/{context}/{name}", self.folder),
            None if *with_partitions => format!("{}/{hash}/{name}", self.folder),
            None => format!("{}/{hash}-{name}", self.folder),
        }
    }
}

/// The last two names of a table's location.
fn context(table: &str) -> String {
    let name = location::file_name(table).unwrap_or_default();
    match location::parent(table).and_then(location::file_name) {
        Some(parent) => format!("{parent}/{name}"),
        None => name.to_owned(),
    }
}

/// Twenty bits of a hash, as three folders of four digits and one of eight.
fn folders_of_hash(name: &str) -> String {
    let bits = format!("{:020b}", hash_bytes(name.as_bytes()) & 0xf_ffff);
    format!("{}/{}/{}/{}", &bits[..4], &bits[4..8], &bits[8..12], &bits[12..])
}

#[cfg(test)]
mod tests;
