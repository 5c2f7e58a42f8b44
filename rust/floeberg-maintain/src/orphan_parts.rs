//! How do several workers look for the files that nothing names?
//!
//! In: folders to list, and manifests to read. Out: the places of the files, which an engine compares.
//!
//! ```text
//! folders    ->  the places of files, and what is known of each
//! manifests  ->  the places of the files that they name         ->  files whose place nothing names  ->  judged as others are
//! ```
//!
//! Spec: Manifests; Manifest Lists.
//!
//! Invariant: two files are the same for these workers exactly where they are for [`Orphans::find`](crate::Orphans::find).

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow_schema::{Field, Schema};
use floeberg_core::{Cancel, Error, ErrorKind, Result};
use floeberg_iceberg::Table;
use floeberg_iceberg::manifest::{
    LiveFiles, LiveFilesTask, ManifestCache, ManifestFile, ManifestReader, ReachableFile,
};
use floeberg_io::{FoundFile, Relocation, Store};

use crate::listed::other_format;
use crate::place::{Places, Prefixes};

/// Manifests that a task reads at least, where there are so many.
const LEAST_MANIFESTS: usize = 8;

/// The files in a folder: of this level with the folders in it, or of all levels. The columns are `prefix`, `path`, `location`, `size`,
/// `modified`, `is_other` (it says that a table of another format is there) and `is_folder`. A folder that is gone is empty if `may_be_gone`.
///
/// Errors: those of [`Store::files_below`].
pub fn listed_places(
    store: &dyn Store,
    folder: &str,
    all_levels: bool,
    may_be_gone: bool,
    prefixes: &Prefixes,
) -> Result<RecordBatch> {
    let listed = if all_levels {
        store.files_below(folder).map(|files| (files, Vec::new()))
    } else {
        store.files_in(folder)
    };
    let (files, folders) = match listed {
        Err(error) if may_be_gone && error.kind() == ErrorKind::NotFound => (Vec::new(), Vec::new()),
        listed => listed?,
    };
    let mut places = Places::new(prefixes);
    let mut rows = ListedRows::default();
    for FoundFile { location, size, modified_ms } in files {
        let place = places.of(&location);
        let is_other = other_format(&place.path).is_some();
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        rows.add((place.prefix, place.path, location), (size, modified_ms), (is_other, false));
    }
    for location in folders {
        rows.add((String::new(), String::new(), location), (0, 0), (false, true));
    }
    rows.finish()
}

#[derive(Default)]
struct ListedRows {
    texts: [Vec<String>; 3],
    numbers: [Vec<i64>; 2],
    flags: [Vec<bool>; 2],
}

impl ListedRows {
    fn add(&mut self, texts: (String, String, String), numbers: (i64, i64), flags: (bool, bool)) {
        self.texts[0].push(texts.0);
        self.texts[1].push(texts.1);
        self.texts[2].push(texts.2);
        self.numbers[0].push(numbers.0);
        self.numbers[1].push(numbers.1);
        self.flags[0].push(flags.0);
        self.flags[1].push(flags.1);
    }

    fn finish(self) -> Result<RecordBatch> {
        let names = ["prefix", "path", "location", "size", "modified", "is_other", "is_folder"];
        let texts = self.texts.into_iter().map(|texts| Arc::new(StringArray::from(texts)) as ArrayRef);
        let numbers = self.numbers.into_iter().map(|numbers| Arc::new(Int64Array::from(numbers)) as ArrayRef);
        let flags = self.flags.into_iter().map(|flags| Arc::new(BooleanArray::from(flags)) as ArrayRef);
        batch(&names, texts.chain(numbers).chain(flags).collect())
    }
}

pub(crate) fn batch(names: &[&str], columns: Vec<ArrayRef>) -> Result<RecordBatch> {
    let field = |(name, column): (&&str, &ArrayRef)| Field::new(*name, column.data_type().clone(), false);
    let fields: Vec<Field> = names.iter().zip(&columns).map(field).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)
        .map_err(|error| Error::internal("places of files").caused_by(error))
}

/// The files that a table names without its manifests' entries: their places, and tasks that read the manifests, at most so many.
///
/// Errors: those of reading the manifest lists; `InvalidData` for one that was cut off.
pub fn named_parts(
    table: &Table,
    most_tasks: usize,
    prefixes: &Prefixes,
    cancel: &Cancel,
) -> Result<(RecordBatch, Vec<Vec<u8>>)> {
    let (mut own, manifests, live) = table.reachable_files(cancel)?.strict().by_manifests()?;
    own.extend(manifests.iter().map(ReachableFile::of_manifest));
    Ok((places(own, prefixes)?, tasks(&manifests, &live, most_tasks)?))
}

/// Tasks that read manifests, at most so many.
pub(crate) fn tasks(manifests: &[ManifestFile], live: &LiveFiles, most_tasks: usize) -> Result<Vec<Vec<u8>>> {
    let share = manifests.len().div_ceil(most_tasks.max(1)).max(LEAST_MANIFESTS);
    manifests.chunks(share).map(|some| LiveFilesTask::new(some, live).to_bytes()).collect()
}

/// The places of the files that the manifests of a task name: `prefix` and `path`.
///
/// Errors: `InvalidInput` for bytes that are no task; `InvalidData` for a manifest that is damaged or was cut off; those of the store.
pub fn named_places(
    task: &[u8],
    store: Arc<dyn Store>,
    threads: usize,
    prefixes: &Prefixes,
    cancel: &Cancel,
) -> Result<RecordBatch> {
    let reader = ManifestReader {
        store,
        relocation: Arc::new(Relocation::default()),
        cache: Arc::new(ManifestCache::new(0)),
        threads,
        cancel: cancel.clone(),
        is_planned_by_server: false,
    };
    places(LiveFilesTask::from_bytes(task)?.read(&reader)?, prefixes)
}

fn places(files: Vec<ReachableFile>, prefixes: &Prefixes) -> Result<RecordBatch> {
    let mut places = Places::new(prefixes);
    let found: Vec<_> = files.into_iter().map(|file| places.of(&file.location)).collect();
    let column = |texts: Vec<&str>| Arc::new(StringArray::from(texts)) as ArrayRef;
    let columns = vec![
        column(found.iter().map(|place| place.prefix.as_str()).collect()),
        column(found.iter().map(|place| place.path.as_str()).collect()),
    ];
    batch(&["prefix", "path"], columns)
}
