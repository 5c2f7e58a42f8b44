//! Which columns are read for a changelog, and which are its result?
//!
//! ```text
//! read      selected columns | what tells rows apart
//! lineage   _pos | _row_id | _last_updated_sequence_number | key; the selected columns of rows that changed are read later
//! result    selected columns | _change_type | _change_ordinal | _commit_snapshot_id
//! ```
//!
//! Spec: Reserved Field IDs; Row Lineage.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{ArrowError, Schema as ArrowSchema, SchemaRef};
use arrow_select::filter::filter_record_batch;
use floeberg_core::rows::RowHashes;
use floeberg_core::schema::arrow::{fields_to_arrow, schema_to_arrow};
use floeberg_core::schema::reserved::{
    CHANGE_ORDINAL, CHANGE_TYPE, COMMIT_SNAPSHOT_ID, DELETED, LAST_UPDATED_SEQUENCE_NUMBER, POS, ROW_ID,
    metadata_column,
};
use floeberg_core::schema::{Field, Schema};
use floeberg_core::{Cancel, Error, Result};

use floeberg_rows::{ChangeType, RowNumbers};

use super::step::{Matching, Step, StepReaders};
use crate::Scan;
use crate::lookup::of_free_name;
use crate::read::{ReadRequest, TableReader};

/// The columns that a changelog adds to those that are selected.
const ADDED: [i32; 3] = [CHANGE_TYPE, CHANGE_ORDINAL, COMMIT_SNAPSHOT_ID];

/// What tells the rows of a batch apart, and where they are in their file, if their columns are read later.
#[derive(Debug)]
pub(super) struct NumberedRows {
    pub numbers: RowNumbers,
    pub positions: Option<Vec<u64>>,
}

/// The columns of one kind of step, and what they are for.
struct Layout {
    request: ReadRequest,
    /// Which of them tell rows apart.
    identity: Vec<usize>,
    /// Which of them are the key.
    keys: Vec<usize>,
}

/// What another process reads of files that changed, and what the columns are for.
pub(crate) struct SentColumns {
    /// The columns, the selected ones first.
    pub read: Schema,
    /// How many are selected.
    pub selected: usize,
    /// Which of them tell rows apart.
    pub identity: Vec<usize>,
    /// Which of them are the key.
    pub keys: Vec<usize>,
}

/// The columns of a changelog.
pub(super) struct Columns {
    nothing: Layout,
    /// The selected columns and the lineage of rows that another process matches.
    sent_lineage: Layout,
    lineage: Layout,
    values: Layout,
    /// Reads positions alone.
    positions: ReadRequest,
    hashes: RowHashes,
    /// Are copied rows found by their values, whatever their lineage?
    by_values: bool,
    /// How many columns are selected.
    selected: usize,
    output: SchemaRef,
}

impl Columns {
    /// For a scan, with the key columns of its rows, if they have a key. Without updates, only values identify rows. Values are those of all
    /// columns, or of the `selected_alone`, with the key.
    pub fn new(
        scan: &Scan,
        key: Option<&[i32]>,
        updates: bool,
        selected_alone: bool,
        cancel: &Cancel,
    ) -> Result<Self> {
        let request = scan.read_request(cancel)?;
        let table = scan.schema()?;
        let selected = scan.projection()?;
        let key_fields = fields_of(&table, key.unwrap_or_default())?;
        let lineage: Vec<Field> =
            [POS, ROW_ID, LAST_UPDATED_SEQUENCE_NUMBER].into_iter().map(metadata).collect::<Result<_>>()?;
        let none = Schema::new(table.schema_id(), Vec::new())?;
        let layout = |selected: &Schema, identity: Vec<Field>, key: &[Field]| {
            let (read, places) = with_fields(selected, &identity, &table)?;
            let (read, keys) = with_fields(&read, key, &table)?;
            let request = ReadRequest { projected: Arc::new(read), ..request.clone() };
            Ok::<_, Error>(Layout { request, identity: places, keys })
        };
        let is_compared = |field: &&Field| {
            let is_selected = selected.fields().iter().any(|selected| selected.id == field.id);
            !selected_alone || is_selected || key_fields.iter().any(|key| key.id == field.id)
        };
        let compared = table.fields().iter().filter(is_compared).cloned().collect();
        let position = Arc::new(Schema::new(table.schema_id(), vec![metadata(POS)?])?);
        let row_id = [metadata(ROW_ID)?];
        let row_id_and_sequence = lineage[1..].to_vec();
        let key_of_lineage = if key.is_some() { &key_fields[..] } else { &row_id[..] };
        Ok(Self {
            nothing: layout(&selected, Vec::new(), &[])?,
            sent_lineage: layout(&selected, row_id_and_sequence, &row_id)?,
            lineage: layout(&none, lineage, key_of_lineage)?,
            values: layout(&selected, compared, &key_fields)?,
            positions: ReadRequest { projected: position, ..request.clone() },
            hashes: RowHashes::default(),
            by_values: !updates,
            selected: selected.fields().len(),
            output: Arc::new(output_schema(scan)?),
        })
    }

    /// The schema of the result.
    pub fn output(&self) -> &SchemaRef {
        &self.output
    }

    /// Are copied rows found by their values, whatever their lineage?
    pub fn by_values(&self) -> bool {
        self.by_values
    }

    /// What reads the rows of a step.
    pub fn readers(&self, matching: Matching) -> StepReaders {
        let reader = |request: &ReadRequest| Arc::new(TableReader::new(request.clone()));
        let both = |request: &ReadRequest| [reader(request), reader(request)];
        let (rows, identity) = match matching {
            Matching::Nothing => (&self.nothing, None),
            Matching::Lineage => (&self.nothing, Some(&self.lineage)),
            Matching::Values => (&self.values, None),
        };
        StepReaders {
            rows: both(&rows.request),
            identity: identity.map(|layout| both(&layout.request)),
            positions: both(&self.positions),
        }
    }

    /// What another process reads. A key counts for more than lineage: a row that has one is found by its values, too.
    pub fn sent(&self, matching: Matching) -> SentColumns {
        let layout = match matching {
            Matching::Nothing => &self.nothing,
            Matching::Lineage if self.values.keys.is_empty() => &self.sent_lineage,
            Matching::Lineage | Matching::Values => &self.values,
        };
        SentColumns {
            read: layout.request.projected.as_ref().clone(),
            selected: self.selected,
            identity: layout.identity.clone(),
            keys: layout.keys.clone(),
        }
    }

    fn layout(&self, matching: Matching) -> &Layout {
        match matching {
            Matching::Nothing => &self.nothing,
            Matching::Lineage => &self.lineage,
            Matching::Values => &self.values,
        }
    }

    /// What tells the rows of a batch apart.
    pub fn numbers(&self, matching: Matching, batch: &RecordBatch) -> Result<NumberedRows> {
        let layout = self.layout(matching);
        let columns = |places: &[usize]| -> Vec<ArrayRef> {
            places.iter().map(|place| Arc::clone(batch.column(*place))).collect()
        };
        let hashed = |places: &[usize]| self.hashes.of(&columns(places), batch.num_rows());
        let longs = |place: &usize| batch.column(*place).as_primitive::<Int64Type>().values();
        let (rows, positions) = match (matching, layout.identity.as_slice()) {
            (Matching::Lineage, [position, row_id, sequence_number]) => {
                let both = longs(row_id).iter().zip(longs(sequence_number));
                let rows = both.map(|(row_id, number)| wide(*row_id) << 64 | wide(*number)).collect();
                let positions = longs(position).iter().map(|position| position.cast_unsigned());
                (rows, Some(positions.collect()))
            }
            (_, identity) => (hashed(identity)?, None),
        };
        let keys = match layout.keys.as_slice() {
            [] => None,
            [row_id] if matching == Matching::Lineage && layout.identity.contains(row_id) => {
                Some(longs(row_id).iter().map(|row_id| wide(*row_id)).collect())
            }
            keys => Some(hashed(keys)?),
        };
        Ok(NumberedRows { numbers: RowNumbers { rows, keys }, positions })
    }

    /// The selected columns of a batch.
    pub fn selected(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let places: Vec<usize> = (0..self.selected).collect();
        batch.project(&places).map_err(misfit)
    }

    /// The rows of a batch that changed, with what a changelog says of them. The batch begins with the selected columns.
    pub fn changes(
        &self,
        batch: &RecordBatch,
        types: &[Option<ChangeType>],
        step: &Step,
    ) -> Result<RecordBatch> {
        let mask: BooleanArray = types.iter().map(|change| Some(change.is_some())).collect();
        let kept = filter_record_batch(&self.selected(batch)?, &mask).map_err(misfit)?;
        let names = types.iter().flatten().map(|change| change.name());
        let rows = kept.num_rows();
        let mut columns = kept.columns().to_vec();
        columns.push(Arc::new(StringArray::from_iter_values(names)));
        columns.push(Arc::new(Int32Array::from_value(step.ordinal, rows)));
        columns.push(Arc::new(Int64Array::from_value(step.snapshot_id, rows)));
        RecordBatch::try_new(Arc::clone(&self.output), columns).map_err(misfit)
    }
}

/// A number without its sign.
fn wide(number: i64) -> u128 {
    u128::from(number.cast_unsigned())
}

/// Columns of a changelog are not those that it has.
pub(super) fn misfit(error: ArrowError) -> Error {
    Error::internal("the columns of a changelog do not fit").caused_by(error)
}

fn metadata(id: i32) -> Result<Field> {
    metadata_column(id).ok_or_else(|| Error::internal(format!("no metadata column has the id {id}")))
}

/// The columns of the result, as a schema of the table.
pub(super) fn with_added(scan: &Scan) -> Result<Schema> {
    let selected = scan.projection()?;
    let mut fields = selected.fields().to_vec();
    for id in ADDED {
        fields.push(metadata(id)?);
    }
    Schema::new(selected.schema_id(), fields)
}

/// The Arrow schema of the result.
///
/// Errors: `InvalidInput` for a selected column that a changelog cannot have.
pub(super) fn output_schema(scan: &Scan) -> Result<ArrowSchema> {
    let selected = scan.projection()?;
    let table = scan.schema()?;
    for field in selected.fields() {
        let is_part = table.field(field.id).is_some_and(|whole| whole.field_type != field.field_type);
        if is_part {
            let name = &field.name;
            return Err(Error::invalid_input(format!(
                "a changelog has whole columns, found a part of {name:?}: select {name:?}"
            )));
        }
        if field.id == DELETED {
            return Err(Error::invalid_input("a changelog has no column _deleted: see _change_type"));
        }
    }
    let added = ADDED.into_iter().map(metadata).collect::<Result<Vec<_>>>()?;
    if let Some(taken) = added.iter().find(|field| selected.find(&field.name, true).is_ok()) {
        return Err(Error::invalid_input(format!(
            "the table has a column {:?}, as every changelog has: select the other columns",
            taken.name
        )));
    }
    let mut fields: Vec<_> = schema_to_arrow(&selected)?.fields().iter().cloned().collect();
    fields.extend(fields_to_arrow(&added)?.iter().cloned());
    Ok(ArrowSchema::new(fields))
}

/// The fields of a key. Errors: `InvalidInput` for one that is not a column of its own.
fn fields_of(table: &Schema, key: &[i32]) -> Result<Vec<Field>> {
    let top = |id: &i32| {
        let column = table.fields().iter().find(|field| field.id == *id);
        column.cloned().ok_or_else(|| Error::invalid_input(format!("no column has the field id {id}")))
    };
    key.iter().map(top).collect()
}

/// A schema with these fields, those that it lacks at the end, and their places.
fn with_fields(schema: &Schema, wanted: &[Field], table: &Schema) -> Result<(Schema, Vec<usize>)> {
    let mut fields = schema.fields().to_vec();
    let mut places = Vec::new();
    for field in wanted {
        let known = fields.iter().position(|known| known.id == field.id);
        places.push(known.unwrap_or(fields.len()));
        if known.is_none() {
            let is_of_table = table.field(field.id).is_some();
            fields.push(if is_of_table { field.clone() } else { of_free_name(field.clone(), table) });
        }
    }
    Ok((Schema::new(schema.schema_id(), fields)?, places))
}
