//! Do files fit the table that they are added to?
//!
//! In: files with the schema and spec that they were written for, and the table. Out: nothing, or why they do not fit.
//! Spec: Schema Evolution; Column Projection; Partition Evolution.
//!
//! Invariant: rows read as they were written, in the columns that they were written for. A required column gets no null.

use floeberg_core::schema::reserved::LAST_TABLE_FIELD_ID;
use floeberg_core::schema::{Field, Schema, Type, promotes_to};
use floeberg_core::{Error, ErrorKind, Result};
use floeberg_iceberg::manifest::{DataFile, FileContent};
use floeberg_iceberg::metadata::TableMetadata;
use floeberg_iceberg::write::{Purpose, Receipt, WrittenFile};

/// Where files come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileOrigin {
    /// The commit adds the files: no value of theirs may be lost.
    Written,
    /// A branch is moved to a snapshot that has the files: no value of theirs may be lost.
    Published,
    /// The branch had the files when its columns were changed: columns may have been dropped, and others may have the names.
    OfBranch,
}

impl FileOrigin {
    /// What the user can do about files that do not fit.
    fn remedy(self) -> &'static str {
        match self {
            Self::Written => "Write the rows again",
            Self::Published | Self::OfBranch => "Read the snapshot by its id",
        }
    }

    fn conflict(self, what: &str) -> Error {
        self.conflict_or(what, "")
    }

    /// The conflict, with another way out besides the remedy.
    fn conflict_or(self, what: &str, other: &str) -> Error {
        let remedy = self.remedy();
        let message = format!("the table changed since the files were written: {what}. {remedy}{other}");
        Error::new(ErrorKind::CommitConflict, message)
    }
}

/// Looks at files before they are added.
///
/// Errors: `InvalidInput` for files of another table; `CommitConflict` if columns or the spec changed since, so that their rows
/// would read as something else or could not be read.
pub(crate) fn check_schema_and_spec(
    metadata: &TableMetadata,
    files: &[WrittenFile],
    origin: FileOrigin,
) -> Result<()> {
    let (purposes, numbers) = Receipt::purposes(files);
    let mut has_rows = vec![false; purposes.len()];
    for (WrittenFile { file, .. }, number) in files.iter().zip(&numbers) {
        if let Some(has_rows) = number.and_then(|at| has_rows.get_mut(at)) {
            *has_rows |= file.content == FileContent::Data;
        }
    }
    let required = purposes.iter().zip(has_rows).map(|(purpose, has_rows)| {
        check_purpose(metadata, purpose, origin)?;
        // Deletes are no rows of the table: they read as they were written, whatever the columns are by now.
        if has_rows { newly_required(metadata, &purpose.schema, origin) } else { Ok(Vec::new()) }
    });
    let required: Vec<Vec<i32>> = required.collect::<Result<_>>()?;
    let data_files =
        files.iter().zip(numbers).filter(|(written, _)| written.file.content == FileContent::Data);
    for (WrittenFile { file, .. }, number) in data_files {
        let Some((purpose, required)) = number.and_then(|at| purposes.get(at).zip(required.get(at))) else {
            continue;
        };
        if let Some(id) = required.iter().find(|id| !has_no_null(purpose.schema.field(**id), file)) {
            return Err(origin
                .conflict_or(
                    &format!(
                        "column {:?} is required now, and the file may hold nulls",
                        purpose.schema.full_name(*id).unwrap_or_default()
                    ),
                    ", or make the column optional",
                )
                .with("file_path", &file.file_path));
        }
    }
    Ok(())
}

/// Do all rows of a schema fit the table, whatever their values are?
pub(crate) fn fits_always(metadata: &TableMetadata, then: &Schema) -> bool {
    newly_required(metadata, then, FileOrigin::Written).is_ok_and(|required| required.is_empty())
}

/// The columns of files that have become required since they were written. Errors: those of [`check_schema_and_spec`].
fn newly_required(metadata: &TableMetadata, then: &Schema, origin: FileOrigin) -> Result<Vec<i32>> {
    let now = metadata.current_schema();
    if then.fields() == now.fields() {
        return Ok(Vec::new());
    }
    if origin != FileOrigin::OfBranch {
        check_common(then, now, origin)?;
    }
    let mut required = Vec::new();
    // Row ids and last updates are stored with rows that are written again, and are not columns of the table.
    for field in every_field(then).into_iter().filter(|field| field.id <= LAST_TABLE_FIELD_ID) {
        let name = || then.full_name(field.id).unwrap_or_default();
        let known = metadata.schemas.iter().filter_map(|schema| schema.field(field.id));
        if !known.into_iter().any(|known| known.name == field.name) {
            return Err(origin.conflict(&format!("column {:?} has another field id now", name())));
        }
        match now.field(field.id) {
            Some(found) if !reads(&field.field_type, &found.field_type) => {
                let (name, then, now) = (name(), &field.field_type, &found.field_type);
                return Err(
                    origin.conflict(&format!("column {name:?} was of type {then} and is of type {now}"))
                );
            }
            Some(found) if found.required && !field.required => required.push(field.id),
            // A dropped column is not read, as if it had been dropped after this commit. A new column of that name would be empty.
            None if origin != FileOrigin::OfBranch && now.find(&name(), true).is_ok() => {
                return Err(origin
                    .conflict(&format!("column {:?} was dropped, and another column has its name", name())));
            }
            _ => {}
        }
    }
    for field in
        every_field(now).into_iter().filter(|field| field.required && field.initial_default.is_none())
    {
        let path = now.path(field.id).unwrap_or_default();
        let parent_is_there = match path.as_slice() {
            [.., parent, _] => then.field(parent.id).is_some(),
            _ => true,
        };
        if then.field(field.id).is_none() && parent_is_there {
            let name = now.full_name(field.id).unwrap_or_default();
            return Err(origin.conflict(&format!("column {name:?} is new and required")));
        }
    }
    Ok(required)
}

/// Rows none of whose columns the table still has would read as nulls alone. That happens where the table was replaced.
///
/// Errors: `CommitConflict`, naming the columns.
fn check_common(then: &Schema, now: &Schema, origin: FileOrigin) -> Result<()> {
    let columns = || then.fields().iter().filter(|field| field.id <= LAST_TABLE_FIELD_ID);
    if columns().next().is_none() || columns().any(|field| now.field(field.id).is_some()) {
        return Ok(());
    }
    let named = |fields: &mut dyn Iterator<Item = &Field>| {
        fields.map(|field| format!("{:?}", field.name)).collect::<Vec<_>>().join(", ")
    };
    Err(origin.conflict(&format!(
        "it has none of their columns {} any more; it has {}",
        named(&mut columns()),
        named(&mut now.fields().iter())
    )))
}

/// Errors: `InvalidInput` for another table, `CommitConflict` where the spec is not there any more.
fn check_purpose(metadata: &TableMetadata, purpose: &Purpose, origin: FileOrigin) -> Result<()> {
    check_table(metadata, purpose)?;
    check_spec(metadata, purpose, origin)
}

/// Errors: `InvalidInput` for another table.
fn check_table(metadata: &TableMetadata, purpose: &Purpose) -> Result<()> {
    if purpose.is_of(metadata.table_uuid.as_deref(), &metadata.location) {
        return Ok(());
    }
    let named = |uuid: &Option<String>, location: &str| {
        uuid.as_ref().map_or_else(|| location.to_owned(), |uuid| format!("{location} with the uuid {uuid}"))
    };
    Err(Error::invalid_input(format!(
        "the files were written for another table: expected {}, found {}. Field ids differ between \
         tables: write the rows again for this table",
        named(&metadata.table_uuid, &metadata.location),
        named(&purpose.table_uuid, &purpose.location),
    )))
}

/// Errors: `CommitConflict` where the table has no such spec any more.
fn check_spec(metadata: &TableMetadata, purpose: &Purpose, origin: FileOrigin) -> Result<()> {
    let id = purpose.spec.spec_id;
    match metadata.spec(id) {
        Ok(spec) if spec.fields == purpose.spec.fields => Ok(()),
        _ => Err(origin.conflict(&format!("partition spec {id} was changed or removed"))),
    }
}

/// Can values of one type be read as the other type?
fn reads(then: &Type, now: &Type) -> bool {
    match (then, now) {
        (Type::Primitive(then), Type::Primitive(now)) => promotes_to(then, now),
        (Type::Struct(_), Type::Struct(_))
        | (Type::List(_), Type::List(_))
        | (Type::Map(_), Type::Map(_)) => true,
        (then, now) => then == now,
    }
}

/// Is it known that a file has no null in a column? A struct has none if one of its fields has none.
fn has_no_null(field: Option<&Field>, file: &DataFile) -> bool {
    let Some(field) = field else { return false };
    let nulls = file.null_value_counts.as_ref().and_then(|counts| counts.get(&field.id));
    let below = || match &field.field_type {
        Type::Struct(fields) => fields.fields.iter().any(|field| has_no_null(Some(field), file)),
        _ => false,
    };
    file.record_count == 0 || nulls == Some(&0) || below()
}

/// All fields of a schema, at every depth.
fn every_field(schema: &Schema) -> Vec<&Field> {
    let mut all: Vec<&Field> = schema.fields().iter().collect();
    let mut next = 0;
    while let Some(field) = all.get(next) {
        all.extend(field.field_type.children());
        next += 1;
    }
    all
}
