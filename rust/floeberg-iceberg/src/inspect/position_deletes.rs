//! What is in the table `position_deletes`? One row per deleted position of delete files and deletion vectors.
//!
//! Spec: Position Delete Files; Deletion Vectors.
//!
//! Invariant: one delete file is open at a time, and its rows come batch by batch.

use std::collections::HashSet;
use std::sync::Arc;
use std::vec::IntoIter;

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, StructArray, UInt32Array};
use arrow_schema::SchemaRef;
use arrow_select::take::take;
use floeberg_core::schema::{Field, PrimitiveType as P, StructType, Type, reserved};
use floeberg_core::{Error, Result};

use super::rows::{arrow_schema, batch_of_columns};
use super::source::Source;
use crate::manifest::{EntryRequest, ManifestContent, ManifestFile};
use crate::plan::{DeleteFile, DeleteKind};
use crate::read::{ListedDeletes, ReadRequest};

/// Where a vector starts, in the ids that Iceberg Java reserves for its own columns.
const CONTENT_OFFSET: i32 = 2_147_483_641;
/// How long a vector is.
const CONTENT_SIZE: i32 = 2_147_483_640;

/// The file path, the position and the deleted row, which most writers leave out.
fn own_columns(source: &Source) -> [Field; 3] {
    let row = Type::Struct(source.metadata().current_schema().as_struct().clone());
    [
        Field::required(reserved::DELETE_FILE_PATH, "file_path", P::String),
        Field::required(reserved::DELETE_FILE_POS, "pos", P::Long),
        Field::optional(reserved::DELETE_FILE_ROW, "row", row),
    ]
}

/// The columns; that of the partition only where the table has partitions, those of vectors from v3 on.
fn fields(source: &Source) -> Vec<Field> {
    let mut fields = own_columns(source).to_vec();
    fields.extend(partition(source));
    fields.push(Field::required(reserved::SPEC_ID, "spec_id", P::Int));
    fields.push(Field::required(reserved::FILE, "delete_file_path", P::String));
    if source.metadata().format_version >= 3 {
        fields.push(Field::optional(CONTENT_OFFSET, "content_offset", P::Long));
        fields.push(Field::optional(CONTENT_SIZE, "content_size_in_bytes", P::Long));
    }
    fields
}

/// The partition column. Its fields get the lowest ids that no column of any schema has: those of partition fields may be
/// the ids of columns.
fn partition(source: &Source) -> Option<Field> {
    let field = source.partition().field(reserved::PARTITION)?;
    let fields = &source.partition().struct_type().fields;
    let mut used: HashSet<i32> = fields.iter().map(|field| field.id).collect();
    for schema in &source.metadata().schemas {
        used.extend(schema.names().map(|(_, id)| id));
    }
    let free = (1..=reserved::LAST_TABLE_FIELD_ID).filter(|id| !used.contains(id));
    let renumbered = fields.iter().zip(free).map(|(field, id)| Field { id, ..field.clone() }).collect();
    Some(Field { field_type: Type::Struct(StructType { fields: renumbered }), ..field })
}

/// The rows of a source's snapshot.
pub(super) struct PositionDeleteRows {
    source: Source,
    request: ReadRequest,
    schema: SchemaRef,
    columns: [Field; 3],
    manifests: IntoIter<ManifestFile>,
    files: IntoIter<Listed>,
    current: Option<(Listed, ListedDeletes)>,
}

/// A delete file, and its partition in the struct over all specs: one row.
struct Listed {
    delete: DeleteFile,
    partition: StructArray,
}

impl PositionDeleteRows {
    pub(super) fn new(source: Source) -> Result<Self> {
        let mut manifests = source.manifests()?;
        manifests.retain(|manifest| manifest.content == ManifestContent::Deletes);
        Ok(Self {
            request: source.read_request(),
            schema: arrow_schema(&fields(&source))?,
            columns: own_columns(&source),
            manifests: manifests.into_iter(),
            files: Vec::new().into_iter(),
            current: None,
            source,
        })
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn files_of(&self, manifest: &ManifestFile) -> Result<Vec<Listed>> {
        let entries = self.source.entries(manifest, &EntryRequest::default())?;
        let unified = self.source.partition();
        let unified = unified.unify(self.source.specs(), entries.spec_id, &entries.partition)?;
        let mut files = Vec::new();
        for row in (0..entries.len()).filter(|row| entries.file_content.value(*row) == 1) {
            let delete = self.source.delete_file(manifest, &entries, row)?;
            files.push(Listed { delete, partition: unified.slice(row, 1) });
        }
        Ok(files)
    }

    fn step(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some((listed, rows)) = &mut self.current {
                self.request.files.cancel.check()?;
                match rows.next().transpose()? {
                    Some(batch) => return whole(&self.schema, listed, &batch).map(Some),
                    None => self.current = None,
                }
            } else if let Some(listed) = self.files.next() {
                let rows = ListedDeletes::open(&self.request, &listed.delete, &self.columns)?;
                self.current = Some((listed, rows));
            } else if let Some(manifest) = self.manifests.next() {
                self.files = self.files_of(&manifest)?.into_iter();
            } else {
                return Ok(None);
            }
        }
    }
}

/// A batch of the file's own columns, with the columns that are constant for the file.
fn whole(schema: &SchemaRef, listed: &Listed, batch: &RecordBatch) -> Result<RecordBatch> {
    let (delete, rows) = (&listed.delete, batch.num_rows());
    let mut columns: Vec<ArrayRef> = batch.columns().to_vec();
    for field in &schema.fields()[3..] {
        columns.push(match field.name().as_str() {
            "partition" => {
                let repeated = take(&listed.partition, &UInt32Array::from_value(0, rows), None)
                    .map_err(|error| Error::internal("a repeated partition").caused_by(error))?;
                arrow_cast::cast(&repeated, field.data_type())
                    .map_err(|error| Error::internal("a renumbered partition").caused_by(error))?
            }
            "spec_id" => Arc::new(Int32Array::from_value(delete.spec_id, rows)),
            "delete_file_path" => {
                Arc::new(StringArray::from_iter_values((0..rows).map(|_| &delete.file_path)))
            }
            name => {
                let value = match (&delete.kind, name) {
                    (DeleteKind::Vector { content_offset, .. }, "content_offset") => Some(*content_offset),
                    (DeleteKind::Vector { content_size_in_bytes, .. }, _) => Some(*content_size_in_bytes),
                    _ => None,
                };
                Arc::new((0..rows).map(|_| value).collect::<Int64Array>())
            }
        });
    }
    batch_of_columns(Arc::clone(schema), columns, rows)
}

impl Iterator for PositionDeleteRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.step().transpose();
        if !matches!(batch, Some(Ok(_))) {
            // After an error nothing follows.
            self.current = None;
            self.files = Vec::new().into_iter();
            self.manifests = Vec::new().into_iter();
        }
        batch
    }
}
