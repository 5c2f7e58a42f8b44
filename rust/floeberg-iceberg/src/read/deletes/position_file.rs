//! Which rows does a position delete file delete?
//!
//! In: a file of (file path, position). Out: positions by data file.
//! Spec: Position Delete Files; Reserved Field IDs.
//!
//! Invariant: paths are compared in one normal form; a negative position is an error.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, StringArray};
use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_POS};
use floeberg_core::schema::{Field, NameMapping, PrimitiveType, Schema};
use floeberg_core::{Error, Result};
use floeberg_io::location::canonical;
use roaring::RoaringTreemap;

use super::rows::DeleteRows;
use crate::plan::DeleteFile;
use crate::read::open::FileAccess;

/// Deleted positions by the normal form of the data file's location.
#[derive(Debug, Default)]
pub(super) struct PositionDeletes(HashMap<String, RoaringTreemap>);

impl PositionDeletes {
    /// The positions of a data file, by the normal form of its location.
    pub(super) fn get(&self, data_file: &str) -> Option<&RoaringTreemap> {
        self.0.get(data_file)
    }
}

/// Reads all positions.
pub(super) fn read_all(access: &FileAccess, delete: &DeleteFile) -> Result<PositionDeletes> {
    read(access, delete, None)
}

/// Reads the positions of one data file.
pub(super) fn read_one(access: &FileAccess, delete: &DeleteFile, data_file: &str) -> Result<PositionDeletes> {
    read(access, delete, Some(data_file))
}

fn read(access: &FileAccess, delete: &DeleteFile, only: Option<&str>) -> Result<PositionDeletes> {
    let position = Field::required(DELETE_FILE_POS, "pos", PrimitiveType::Long);
    let path = Field::required(DELETE_FILE_PATH, "file_path", PrimitiveType::String);
    let both = Schema::new(0, vec![position, path.clone()])?;
    let file = DeleteRows::open(access, delete, &NameMapping::of_schema(&both))?;
    let mut deletes = PositionDeletes::default();
    for unit in file.units() {
        let one_path = file.one_text(&unit, &path);
        let wanted = if one_path.is_some() { &both.fields()[..1] } else { both.fields() };
        for batch in file.read(&unit, wanted)? {
            access.cancel.check()?;
            let batch = batch?;
            let found = positions_of(&batch)?;
            match one_path {
                Some(path) => add(&mut deletes, path, found, only),
                None => add_runs(&mut deletes, batch.column(1).as_string(), found, only),
            }
        }
    }
    Ok(deletes)
}

fn positions_of(batch: &RecordBatch) -> Result<&[i64]> {
    let positions = batch.column(0).as_primitive::<Int64Type>().values();
    match positions.iter().find(|position| **position < 0) {
        Some(negative) => {
            Err(Error::invalid_data(format!("expected a position delete of row 0 or more, found {negative}")))
        }
        None => Ok(positions),
    }
}

/// Adds positions, run of equal paths by run: writers sort by path, then by position.
fn add_runs(deletes: &mut PositionDeletes, paths: &StringArray, positions: &[i64], only: Option<&str>) {
    let mut start = 0;
    while start < paths.len() {
        let path = paths.value(start);
        let same = (start..paths.len()).take_while(|row| paths.value(*row) == path).count();
        add(deletes, path, &positions[start..start + same], only);
        start += same;
    }
}

/// Adds positions of one data file.
fn add(deletes: &mut PositionDeletes, path: &str, positions: &[i64], only: Option<&str>) {
    let path = canonical(path);
    if only.is_some_and(|only| only != path) {
        return;
    }
    if !deletes.0.contains_key(path) {
        deletes.0.insert(path.to_owned(), RoaringTreemap::new());
    }
    if let Some(rows) = deletes.0.get_mut(path) {
        let found = positions.iter().map(|position| *position as u64);
        // Appending is several times as fast; unsorted or repeated positions are inserted one by one.
        if rows.append(found.clone()).is_err() {
            rows.extend(found);
        }
    }
}
