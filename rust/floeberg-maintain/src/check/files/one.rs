//! What is wrong with a file that a manifest names?
//!
//! Spec: Data File Fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use floeberg_core::arrow_values::from_array;
use floeberg_core::finding::{Findings, Level, split};
use floeberg_core::schema::{NameMapping, Schema};
use floeberg_core::transform::Transform;
use floeberg_core::value::Value;
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_files::FileConstants;
use floeberg_iceberg::plan::FileFormat;
use floeberg_iceberg::read::FileAccess;
use floeberg_io::Source;

use crate::check::known::Known;
use crate::check::manifest::{DATA, POSITIONS};
use crate::check::reading::Reading;
use crate::check::rules::files::{FILE_READABLE, FILE_SIZE, FILE_THERE};

use super::entry::FileEntry;
use super::footer::check_footer;
use super::positions::{check_positions, position_schema};
use super::puffin::check_vector;
use super::rows::check_rows;

/// What checking files needs.
#[derive(Debug)]
pub(in crate::check) struct FileChecks {
    pub(in crate::check) known: Arc<Known>,
    pub(in crate::check) reading: Reading,
    pub(in crate::check) level: Level,
    pub(in crate::check) mapping: Option<NameMapping>,
    pub(in crate::check) cancel: Cancel,
}

/// Checks a file, with the schema of a snapshot that has it. `rows` is the number of rows of the data file that a vector is of.
///
/// Errors: those of the store.
pub(in crate::check) fn check_file(
    checks: &FileChecks,
    entry: &FileEntry,
    schema: &Schema,
    rows: Option<i64>,
) -> Result<Findings> {
    let mut found = Findings::of(entry.path());
    let (source, size) = match checks.reading.open(entry.path())? {
        Ok(opened) => opened,
        Err(error) => {
            let rule = if error.kind() == ErrorKind::NotFound { &FILE_THERE } else { &FILE_READABLE };
            found.add(rule, "", error);
            return Ok(found);
        }
    };
    let said = entry.size();
    let stored = match split(stored_size(source.as_ref(), size))? {
        Ok(stored) => stored,
        Err(error) => {
            found.add(&FILE_READABLE, "", error);
            return Ok(found);
        }
    };
    if i64::try_from(stored) != Ok(said) {
        found.add(&FILE_SIZE, "", format_args!("the entry says {said} bytes, found {stored}"));
    }
    // A format that is not known is a finding of the entry.
    let Ok(format) = entry.stored.format.value(entry.row).parse::<FileFormat>() else { return Ok(found) };
    if entry.is_encrypted() && checks.reading.store.keys().is_none() {
        return Ok(found);
    }
    if entry.stored.is_vector(entry.row) {
        check_vector(&mut found, entry, source.as_ref(), size, rows)?;
        return Ok(found);
    }
    let access = FileAccess {
        store: Arc::clone(&checks.reading.store),
        batch_rows: 65_536,
        cancel: checks.cancel.clone(),
    };
    let of_positions = position_schema()?;
    let by_position = NameMapping::of_schema(&of_positions);
    let is_positions = entry.content() == POSITIONS;
    let mapping = if is_positions { Some(&by_position) } else { checks.mapping.as_ref() };
    let location = checks.reading.relocation.apply(entry.path());
    let file = match split(access.open_file(&location, format, mapping, schema))? {
        Ok(file) => file,
        // What this version cannot read yet is not wrong.
        Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(found),
        Err(error) => {
            found.add(&FILE_READABLE, "", error);
            return Ok(found);
        }
    };
    let constants = FileConstants::new(identity_values(&checks.known, entry)?);
    check_footer(&mut found, entry, file.as_ref(), schema, mapping, &constants)?;
    let is_known = file.fields().has_ids || mapping.is_some();
    if checks.level >= Level::Rows && is_known {
        if is_positions {
            check_positions(&mut found, entry, &file, &checks.cancel)?;
        } else {
            check_rows(&mut found, &checks.known, entry, &file, schema, &checks.cancel)?;
        }
    }
    Ok(found)
}

/// How many bytes are stored, of a file that may be encrypted.
fn stored_size(source: &dyn Source, size: u64) -> Result<u64> {
    source.native().map_or(Ok(size), |(stored, _)| stored.size())
}

/// The values of columns that a file may lack, since it is partitioned by them.
fn identity_values(known: &Known, entry: &FileEntry) -> Result<BTreeMap<i32, Option<Value>>> {
    let mut values = BTreeMap::new();
    if entry.content() != DATA {
        return Ok(values);
    }
    let spec = known.metadata.spec(entry.spec_id)?;
    let Some(types) = known.partition_types.get(&entry.spec_id) else { return Ok(values) };
    for (number, (field, typed)) in spec.fields.iter().zip(&types.fields).enumerate() {
        if field.transform == Transform::Identity && number < entry.stored.partition.num_columns() {
            let column = entry.stored.partition.column(number);
            if let [source] = field.source_ids.as_slice() {
                values.insert(*source, from_array(column.as_ref(), entry.row, &typed.field_type)?);
            }
        }
    }
    Ok(values)
}
