//! Is a file what its entry and the table say, by its footer?
//!
//! Spec: Data File Fields; Column Projection; Delete Formats.

use floeberg_core::finding::{Findings, split};
use floeberg_core::schema::reserved::{DELETE_FILE_PATH, DELETE_FILE_POS};
use floeberg_core::schema::{NameMapping, Schema};
use floeberg_core::{ErrorKind, Result};
use floeberg_files::{FileConstants, FileField, FileReader, Modes, Projection};

use crate::check::manifest::{DATA, EQUALITY};
use crate::check::rules::files::{
    COLUMN_TYPE, DELETE_COLUMNS, FIELD_IDS, FILE_READABLE, RECORD_COUNT, ROW_GROUPS,
};

use super::entry::FileEntry;

/// Checks a file that is open.
///
/// Errors: those of the store.
pub(super) fn check_footer(
    found: &mut Findings,
    entry: &FileEntry,
    file: &dyn FileReader,
    schema: &Schema,
    mapping: Option<&NameMapping>,
    constants: &FileConstants,
) -> Result<()> {
    let nothing = Schema::new(0, Vec::new())?;
    match split(file.metrics(&nothing, &Modes::only([])))? {
        Ok(metrics) => {
            found.equal(&RECORD_COUNT, "", (metrics.record_count, entry.rows()));
            let said = entry.stored.split_offsets(entry.row).filter(|said| !said.is_empty());
            if let (Some(said), Some(offsets)) = (said, metrics.split_offsets)
                && said != offsets
            {
                let (said, starts) = (&said[..said.len().min(8)], &offsets[..offsets.len().min(8)]);
                found.add(
                    &ROW_GROUPS,
                    "",
                    format_args!("the entry says {said:?}, row groups start at {starts:?}"),
                );
            }
        }
        Err(error) => found.add(&FILE_READABLE, "", error),
    }
    let fields = file.fields();
    if !fields.has_ids && mapping.is_none() && !fields.fields.is_empty() && entry.content() == DATA {
        found.add(&FIELD_IDS, "", "the file has no field ids, and the table no name mapping");
    }
    match entry.content() {
        // Which column is which, nothing says.
        DATA if !fields.has_ids && mapping.is_none() => {}
        DATA => match Projection::new(schema, fields, constants) {
            Ok(_) => {}
            // What this version cannot read yet is not wrong.
            Err(error) if error.kind() == ErrorKind::Unsupported => {}
            Err(error) => found.add(&COLUMN_TYPE, "", error),
        },
        EQUALITY => {
            for id in
                entry.stored.equality_ids(entry.row).iter().filter(|id| !has_field(&fields.fields, **id))
            {
                found.add(&DELETE_COLUMNS, "", format_args!("the file has no column with the field id {id}"));
            }
        }
        _ => {
            for (id, name) in [(DELETE_FILE_PATH, "file_path"), (DELETE_FILE_POS, "pos")] {
                let is_there = fields
                    .fields
                    .iter()
                    .any(|field| field.id == Some(id) || (!fields.has_ids && field.name == name));
                if !is_there {
                    found.add(
                        &DELETE_COLUMNS,
                        "",
                        format_args!("the file has no column {name}, of field id {id}"),
                    );
                }
            }
        }
    }
    Ok(())
}

/// Is there a field with an id, at any depth? The depth is that of a type, which was checked.
pub(super) fn has_field(fields: &[FileField], id: i32) -> bool {
    fields.iter().any(|field| field.id == Some(id) || has_field(&field.children, id))
}
