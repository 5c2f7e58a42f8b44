//! A table in memory, of manifests that are written here.

use std::sync::Arc;

use bytes::Bytes;
use floeberg_core::Result;
use floeberg_io::MemoryStore;
use floeberg_protobuf::Encoder;

use crate::metadata::NamingScheme;
use crate::row_ids::RowIds;
use crate::wire::{
    BasePath, DataFile, DataFormat, Fragment, Lineage, Manifest, ManifestHead, SchemaField, Timestamp,
    WriterVersion, to_file,
};
use crate::{Checkout, OpenOptions, Table};

pub(crate) const ROOT: &str = "memory://tables/t";

/// A column without parts.
pub(crate) fn column(id: i32, name: &str, logical_type: &str) -> SchemaField {
    SchemaField {
        kind: 2,
        id,
        name: name.to_owned(),
        parent_id: -1,
        logical_type: logical_type.to_owned(),
        nullable: true,
        ..SchemaField::default()
    }
}

/// A data file with fields 0 and 1.
pub(crate) fn data_file(path: &str) -> DataFile {
    DataFile {
        path: path.to_owned(),
        fields: vec![0, 1],
        column_indices: vec![0, 1],
        major: 2,
        minor: 1,
        size_bytes: 100,
        ..DataFile::default()
    }
}

/// A fragment of one file.
pub(crate) fn fragment(id: u64, rows: u64) -> Fragment {
    Fragment {
        id,
        physical_rows: rows,
        files: vec![data_file(&format!("{id}.lance"))],
        ..Fragment::default()
    }
}

/// A fragment whose rows have ids.
pub(crate) fn fragment_with_ids(id: u64, ids: &[u64]) -> Fragment {
    let row_ids = Some(Lineage::Inline(RowIds::new(ids).to_bytes()));
    Fragment { row_ids, ..fragment(id, ids.len() as u64) }
}

/// Everything but fragments of a version.
pub(crate) fn head(version: u64) -> ManifestHead {
    ManifestHead {
        version,
        fields: vec![column(0, "id", "int64"), column(1, "name", "string")],
        timestamp: Some(Timestamp { seconds: (version & 0xffff) as i64 * 100, ..Timestamp::default() }),
        data_format: Some(DataFormat {
            file_format: "lance".to_owned(),
            version: "2.1".to_owned(),
            ..DataFormat::default()
        }),
        writer_version: Some(WriterVersion {
            library: "floeberg".to_owned(),
            version: "0.1.0".to_owned(),
            ..WriterVersion::default()
        }),
        max_fragment_id: Some(0),
        ..ManifestHead::default()
    }
}

/// A manifest.
pub(crate) fn manifest(head: ManifestHead, fragments: &[Fragment]) -> Manifest {
    let mut out = Encoder::default();
    for fragment in fragments {
        out.message(2, fragment);
    }
    let fragments = Manifest::parse(&Bytes::from(out.finish())).unwrap().fragments;
    Manifest { head, fragments }
}

/// A table in memory.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    pub(crate) store: MemoryStore,
}

impl Tables {
    /// Writes a version into a folder below the root.
    pub(crate) fn write(&self, folder: &str, scheme: NamingScheme, mut manifest: Manifest) {
        let name = scheme.file_name(manifest.head.version);
        let file = to_file(&mut manifest, None, None).unwrap();
        self.put(&format!("{folder}_versions/{name}"), file);
    }

    /// Writes a file below the root.
    pub(crate) fn put(&self, path: &str, bytes: impl Into<Bytes>) {
        self.store.put(format!("{ROOT}/{path}"), bytes);
    }

    /// Opens a version.
    pub(crate) fn open(&self, checkout: Checkout) -> Result<Table> {
        let options = OpenOptions { checkout, ..OpenOptions::default() };
        Table::open_in(Arc::new(self.store.clone()), ROOT, &options)
    }
}

/// A table of one version.
pub(crate) fn table_of(manifest: Manifest) -> Result<Table> {
    let tables = Tables::default();
    tables.write("", NamingScheme::V2, manifest);
    tables.open(Checkout::default())
}

/// Another folder.
pub(crate) fn base(id: u32, path: &str, is_dataset_root: bool) -> BasePath {
    BasePath { id, path: path.to_owned(), is_dataset_root, ..BasePath::default() }
}
