//! Do the rows of a file fit its metrics, its partition and its sort order?
//!
//! Spec: Field-level Metrics and Statistics; Partitioning; Sorting; Schemas and Data Types.
//!
//! Invariant: only columns that the file has are read, each once. Memory holds a batch.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use floeberg_core::arrow_values::column_in_structs;
use floeberg_core::finding::{Findings, split};
use floeberg_core::rows::DeletedRows;
use floeberg_core::schema::{Field, Schema, StructType, Type};
use floeberg_core::{Cancel, ErrorKind, Result};
use floeberg_files::{FileConstants, FileFilter, FileReader, Projection, UnitRequest, field_place};

use crate::check::known::Known;
use crate::check::manifest::DATA;
use crate::check::rules::rows::ROWS_READABLE;

use super::entry::FileEntry;
use super::leaf::Leaf;
use super::order::RowOrder;
use super::partition::{PartitionValue, partition_values};

/// Bounds by column.
type Bounds = BTreeMap<i32, Vec<u8>>;

/// Rows of a batch.
const BATCH_ROWS: usize = 65_536;

/// Checks the rows of a data file, or of a file of equality deletes.
///
/// Errors: those of the store.
pub(super) fn check_rows(
    found: &mut Findings,
    known: &Known,
    entry: &FileEntry,
    file: &Arc<dyn FileReader>,
    schema: &Schema,
    cancel: &Cancel,
) -> Result<()> {
    let wanted = present(schema, file.as_ref())?;
    let projection = match Projection::new(&wanted, file.fields(), &FileConstants::default()) {
        Ok(projection) => Arc::new(projection),
        // A column that cannot be read is a finding of the footer.
        Err(_) => return Ok(()),
    };
    let mut rows = Rows::new(known, entry, schema, &wanted)?;
    let deletes = Arc::new(DeletedRows::default());
    let units = file.units(None, &FileFilter::All);
    let prepared = split(Arc::clone(file).prepared(&units, &projection, &FileFilter::All))?;
    let file = match prepared {
        Ok(file) => file,
        Err(error) => {
            found.add(&ROWS_READABLE, "", error);
            return Ok(());
        }
    };
    for unit in &units {
        let request = UnitRequest {
            unit,
            projection: &projection,
            deletes: &deletes,
            predicate: None,
            batch_rows: BATCH_ROWS,
            cancel,
            counts: None,
        };
        let reader = match split(Arc::clone(&file).read(&request))? {
            Ok(reader) => reader,
            Err(error) => {
                found.add(&ROWS_READABLE, "", error);
                return Ok(());
            }
        };
        for batch in reader {
            cancel.check()?;
            match split(batch)? {
                Ok(batch) => rows.add(found, &batch)?,
                Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(()),
                Err(error) => {
                    found.add(&ROWS_READABLE, "", error);
                    return Ok(());
                }
            }
        }
    }
    rows.finish(found, entry);
    Ok(())
}

/// The columns of a schema that a file has, all of them optional, so that a null in a required one can be read.
pub(crate) fn present(schema: &Schema, file: &dyn FileReader) -> Result<Schema> {
    let fields = &file.fields().fields;
    let mut wanted = Vec::new();
    for field in schema.fields() {
        if field_place(fields, field.id).ok().flatten().is_some() && !has_unrecognized(&field.field_type) {
            wanted.push(optional(field));
        }
    }
    Schema::new(schema.schema_id(), wanted)
}

fn has_unrecognized(field_type: &Type) -> bool {
    matches!(field_type, Type::Unrecognized(_))
        || field_type.children().iter().any(|child| has_unrecognized(&child.field_type))
}

/// The same field, and those in structs below it, without a need for values.
fn optional(field: &Field) -> Field {
    let field_type = match &field.field_type {
        Type::Struct(fields) => {
            Type::Struct(StructType { fields: fields.fields.iter().map(optional).collect() })
        }
        other => other.clone(),
    };
    Field { required: false, field_type, initial_default: None, ..field.clone() }
}

/// What is looked at, as batches come.
struct Rows {
    leaves: Vec<Leaf>,
    partition: Vec<PartitionValue>,
    order: Option<RowOrder>,
    first: i64,
}

impl Rows {
    fn new(known: &Known, entry: &FileEntry, schema: &Schema, wanted: &Schema) -> Result<Self> {
        let bounds = (entry.lower_bounds(), entry.upper_bounds());
        let mut leaves = Vec::new();
        for (place, field) in wanted.fields().iter().enumerate() {
            add_leaves(field, schema, vec![place], &bounds, &mut leaves);
        }
        let has = |id: i32| leaves.iter().any(|leaf| leaf.id == id);
        let order = entry.sort_order_id().and_then(|id| known.metadata.sort_order(id));
        let order = order.and_then(|order| RowOrder::new(order, has));
        let mut partition =
            if entry.content() == DATA { partition_values(known, entry)? } else { Vec::new() };
        partition.retain(|value| has(value.source));
        Ok(Self { leaves, partition, order, first: 0 })
    }

    fn add(&mut self, found: &mut Findings, batch: &RecordBatch) -> Result<()> {
        let whole: ArrayRef = Arc::new(StructArray::from(batch.clone()));
        let mut columns = BTreeMap::new();
        let wanted: Vec<i32> = self
            .partition
            .iter()
            .map(|value| value.source)
            .chain(self.order.iter().flat_map(RowOrder::sources))
            .collect();
        for leaf in &mut self.leaves {
            let array = column_in_structs(&whole, &leaf.path)?;
            leaf.add(&array)?;
            if wanted.contains(&leaf.id) {
                columns.insert(leaf.id, (array, leaf.field_type.clone()));
            }
        }
        for value in &mut self.partition {
            if let Some((array, source)) = columns.get(&value.source) {
                value.add(found, array, source, self.first)?;
            }
        }
        if let Some(order) = &mut self.order {
            let keys: Vec<_> = order.sources().filter_map(|id| columns.get(&id).cloned()).collect();
            order.add(found, &keys, self.first)?;
        }
        self.first += batch.num_rows() as i64;
        Ok(())
    }

    fn finish(self, found: &mut Findings, entry: &FileEntry) {
        let (values, nulls, nans) = (entry.value_counts(), entry.null_counts(), entry.nan_counts());
        for leaf in self.leaves {
            let id = leaf.id;
            leaf.finish(found, [&values, &nulls, &nans].map(|counts| counts.get(&id).copied()));
        }
    }
}

/// Adds the columns of primitive values that stand in no list and no map.
fn add_leaves(
    field: &Field,
    schema: &Schema,
    path: Vec<usize>,
    bounds: &(Bounds, Bounds),
    leaves: &mut Vec<Leaf>,
) {
    match &field.field_type {
        Type::Primitive(_) => {
            let is_required =
                schema.path(field.id).is_some_and(|path| path.iter().all(|field| field.required));
            let (lower, upper) = (bounds.0.get(&field.id), bounds.1.get(&field.id));
            leaves.push(Leaf::new(field.id, field.field_type.clone(), path, is_required, lower, upper));
        }
        Type::Struct(fields) => {
            for (place, child) in fields.fields.iter().enumerate() {
                let path = path.iter().copied().chain([place]).collect();
                add_leaves(child, schema, path, bounds, leaves);
            }
        }
        _ => {}
    }
}
