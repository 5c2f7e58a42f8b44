//! What are the raw structures of a table's files?
//!
//! In: bytes of manifests, transactions and descriptions of data files. Out: structures of named fields, and back. No I/O.
//! Each message is a table of its fields, from which reading and writing follow (`floeberg_protobuf::message`).
//!
//! Invariant: what is not known is kept, and what was read is written again as the same bytes.

mod field;
mod fragment;
mod layout;
mod sparse;
mod rope;
mod fragments;
mod assembly;
mod manifest;
mod manifest_file;
mod descriptor;
mod index;
mod row_operations;
mod table_operations;
mod operation;
mod transaction;

#[cfg(test)]
mod tests;

#[doc(no_inline)]
pub use floeberg_protobuf::{Unknown, lookup, parse, to_bytes};

pub use assembly::FragmentPiece;
pub use descriptor::{FOOTER, FileDescriptor, FileFooter, FileSchema, buffer_of};
pub use field::SchemaField;
pub use fragment::{DataFile, DeletionFile, DeletionFileType, Fragment, Lineage};
pub use fragments::{FileOf, Fragments, LineageOf, type_name};
pub use index::{IndexMetadata, Uuid};
pub use layout::Layout;
pub use manifest::{BasePath, DataFormat, Manifest, ManifestHead, Timestamp, WriterVersion};
pub use manifest_file::{END, manifest_range, message_of, section_in, to_file};
pub use operation::Operation;
pub use row_operations::{
    Append, DataReplacement, DataReplacementGroup, Delete, Overwrite, Rewrite, RewriteGroup, Update,
};
pub use table_operations::{
    Clone, CreateIndex, Merge, Project, ReserveFragments, Restore, UpdateBases, UpdateConfig, UpdateMap,
};
pub use transaction::Transaction;
