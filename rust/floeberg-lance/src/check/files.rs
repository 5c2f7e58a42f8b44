//! Are the files of a fragment there, and are they what the manifest says of them?
//!
//! In: a fragment of a manifest. Out: findings of its data files and its deletion file. Footers are read, pages are not.
//! Spec: Lance, Data Files; Deletion Files; File Format, Offsets & Footer.
//!
//! Invariant: what another rule found in the manifest is passed over here.

use floeberg_core::finding::{Findings, split};
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_io::{Source, Store};

use super::reading::Document;
use super::rules::files::{
    COLUMN_TYPE, DELETION_COUNT, DELETION_READABLE, DELETION_ROWS, DELETION_THERE, FILE_COLUMNS,
    FILE_READABLE, FILE_ROWS, FILE_SIZE, FILE_THERE, FOOTER_VERSION,
};
use crate::deletes;
use crate::metadata::Schema;
use crate::plan::TaskFile;
use crate::read::{FieldIds, FileColumns, FileField, Tail};
use crate::wire::{DeletionFile, Layout};

const MAGIC: &[u8] = b"LANC";

/// A file that is opened.
#[derive(Debug, Clone)]
pub(super) enum File {
    /// A data file.
    Data(TaskFile),
    /// A deletion file, and where it is.
    Deletion(DeletionFile, String),
}

/// A file of a fragment.
#[derive(Debug, Clone)]
pub(super) struct FileOfFragment {
    pub(super) file: File,
    /// The place of the fragment in the manifest.
    pub(super) place: usize,
    /// The rows of the fragment, deleted ones included.
    pub(super) rows: u64,
}

impl FileOfFragment {
    /// Where the file is.
    pub(super) fn location(&self) -> &str {
        match &self.file {
            File::Data(file) => &file.location,
            File::Deletion(_, location) => location,
        }
    }
}

/// The files of a fragment whose places are known.
pub(super) fn files_of(document: &Document, place: usize) -> Vec<FileOfFragment> {
    let fragments = &document.file.manifest.fragments;
    let rows = fragments.physical_rows()[place];
    let data = fragments.files(place).filter_map(|file| {
        let location = document.bases.data_file(file.base_id, file.path).ok()?;
        Some(File::Data(TaskFile { location, layout: file.layout.clone(), size_bytes: file.size_bytes }))
    });
    let deletion = fragments.deletion_file(place).ok().flatten().and_then(|file| {
        let location = document.bases.deletion_file(fragments.ids()[place], &file).ok()?;
        Some(File::Deletion(file, location))
    });
    data.chain(deletion).map(|file| FileOfFragment { file, place, rows }).collect()
}

/// Checks a file. Errors: those of the store.
pub(super) fn check_file(
    store: &dyn Store,
    schema: Option<&Schema>,
    fragment_id: u64,
    file: &FileOfFragment,
    version: u64,
) -> Result<Findings> {
    let mut found = Findings::of_snapshot(file.location(), version as i64);
    let part = format!("fragment {fragment_id}");
    match &file.file {
        File::Data(data) => match split(store.open(&data.location))? {
            Err(error) if error.kind() == ErrorKind::NotFound => found.add(&FILE_THERE, &part, error),
            Err(error) => found.add(&FILE_READABLE, &part, error),
            Ok(source) => check_data(source.as_ref(), schema, &part, data, file.rows, &mut found)?,
        },
        File::Deletion(deletion, location) => {
            check_deletion(store, &part, deletion, location, file.rows, &mut found)?;
        }
    }
    Ok(found)
}

fn check_data(
    source: &dyn Source,
    schema: Option<&Schema>,
    part: &str,
    file: &TaskFile,
    rows: u64,
    found: &mut Findings,
) -> Result<()> {
    let tail = match split(Tail::of(source))? {
        Ok(tail) => tail,
        Err(error) => {
            // A store may say only now that nothing is there.
            let rule = if error.kind() == ErrorKind::NotFound { &FILE_THERE } else { &FILE_READABLE };
            found.add(rule, part, error);
            return Ok(());
        }
    };
    if file.size_bytes != 0 && file.size_bytes != tail.size {
        let message = format!("expected {} bytes, found {}", file.size_bytes, tail.size);
        found.add(&FILE_SIZE, part, message);
    }
    if file.layout.is_legacy() {
        if !tail.bytes().ends_with(MAGIC) {
            found.add(&FILE_READABLE, part, "expected `LANC` at the end of a data file, found other bytes");
        }
        return Ok(());
    }
    let (footer, descriptor) = match split(tail.describe())? {
        Ok(described) => described,
        Err(error) => {
            found.add(&FILE_READABLE, part, error);
            return Ok(());
        }
    };
    let version = Layout { major: footer.major, minor: footer.minor, ..Layout::default() }.version();
    found.equal(&FOOTER_VERSION, part, (file.layout.version(), version));
    if rows != 0 {
        found.equal(&FILE_ROWS, part, (rows, descriptor.rows));
    }
    let Some(schema) = schema else { return Ok(()) };
    match FileColumns::new(&descriptor, footer, &file.layout, &FieldIds::new(schema)) {
        Err(error) => found.add(&FILE_COLUMNS, part, error),
        Ok(columns) => {
            let fields = schema.all().into_iter().map(|field| (field.id, field.logical_type.as_str()));
            let types: std::collections::HashMap<i32, &str> = fields.collect();
            columns.fields().iter().for_each(|field| check_type(field, &types, part, found));
        }
    }
    Ok(())
}

fn check_type(
    field: &FileField,
    types: &std::collections::HashMap<i32, &str>,
    part: &str,
    found: &mut Findings,
) {
    let expected = field.id.and_then(|id| types.get(&id));
    if let Some(expected) = expected.filter(|expected| **expected != field.logical_type) {
        let message = format!("expected the type {expected:?}, found {:?}", field.logical_type);
        found.add(&COLUMN_TYPE, format_args!("{part}, column {:?}", field.name), message);
    }
    field.children.iter().for_each(|child| check_type(child, types, part, found));
}

fn check_deletion(
    store: &dyn Store,
    part: &str,
    file: &DeletionFile,
    location: &str,
    rows: u64,
    found: &mut Findings,
) -> Result<()> {
    let read = deletes::bytes(store, location, rows);
    let deleted = match split(read)? {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            found.add(&DELETION_THERE, part, error);
            return Ok(());
        }
        Err(error) => Err(error),
        Ok(bytes) => {
            let deleted = deletes::rows_of(&bytes, file.file_type);
            if deleted.is_ok()
                && let Err(error) = deletes::check_header(&bytes, file.file_type)
            {
                found.add(&DELETION_READABLE, part, Error::message(&error));
            }
            deleted
        }
    };
    match deleted {
        Err(error) => found.add(&DELETION_READABLE, part, Error::message(&error)),
        Ok(deleted) => {
            if file.num_deleted_rows != 0 {
                found.equal(&DELETION_COUNT, part, (file.num_deleted_rows, deleted.len()));
            }
            if let Some(last) = deleted.max().filter(|last| rows != 0 && u64::from(*last) >= rows) {
                found.add(&DELETION_ROWS, part, format_args!("expected rows below {rows}, found {last}"));
            }
        }
    }
    Ok(())
}
