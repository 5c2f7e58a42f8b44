//! Which steps turn the records of a writer into some of its own columns?
//!
//! In: a writer schema, its Arrow fields, and the leaves that are wanted. Out: steps in the writer's order, empty
//! columns, and how these become arrays of the Arrow fields.
//! Spec: Appendix A, Avro.
//!
//! Invariant: a column is decoded if and only if one of its leaves is wanted. Leaves are numbered as in the file's fields; a
//! struct without fields is a leaf. Values get the types of the file; the caller maps them to columns of the table.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_buffer::BooleanBufferBuilder;
use arrow_schema::{DataType, Field, FieldRef, Fields};
use floeberg_core::{Error, Result};

use super::column::{Column, Offsets, Values};
use super::compile::{Program, kind, push_skip};
use super::finish::Output;
use super::skip_plan::Skips;
use super::step::{Branches, Items, Read, ReadStep, Step};
use crate::schema::{AvroField, AvroSchema, AvroType, Limits, TypeId};
use crate::schema::{optional, pair};

/// Compiles a projection of a file's leaves. Also returns the resulting fields.
pub(super) fn compile_leaves(
    schema: &AvroSchema,
    fields: &Fields,
    leaves: &BTreeSet<usize>,
    limits: &Limits,
) -> Result<(Program, Fields)> {
    let AvroType::Record(written) = schema.root() else {
        return Err(Error::invalid_data("expected an Avro file of records, found another type at the top"));
    };
    let mut compiler =
        Compiler { schema, leaves, skips: Skips::new(schema, limits), columns: Vec::new(), leaf: 0 };
    let record = compiler.record(written, fields)?;
    let record_may_be_empty = compiler.skips.of(schema.root, 0)?.may_be_empty();
    let program = Program::new(record.steps, compiler.columns, record.outputs, record_may_be_empty);
    Ok((program, record.fields))
}

struct Compiler<'a> {
    schema: &'a AvroSchema,
    leaves: &'a BTreeSet<usize>,
    skips: Skips<'a>,
    columns: Vec<Column>,
    /// The number of the next leaf.
    leaf: usize,
}

/// The wanted fields of a record.
struct Record {
    steps: Vec<Step>,
    outputs: Vec<Output>,
    fields: Fields,
}

/// A wanted value: how it is read, what it is converted to, and its field, reduced to the wanted parts.
struct Wanted {
    step: ReadStep,
    output: Output,
    field: FieldRef,
}

/// How a value without a union is read into a column.
struct Value {
    read: Read,
    column: usize,
    output: Output,
    data_type: DataType,
}

impl Compiler<'_> {
    fn record(&mut self, written: &[AvroField], fields: &Fields) -> Result<Record> {
        let mut record = Record { steps: Vec::new(), outputs: Vec::new(), fields: Fields::empty() };
        let mut wanted_fields = Vec::new();
        for (written, field) in written.iter().zip(fields) {
            match self.field(written.field_type, field)? {
                Some(wanted) => {
                    record.steps.push(Step::Read(wanted.step));
                    record.outputs.push(wanted.output);
                    wanted_fields.push(wanted.field);
                }
                None => push_skip(&mut record.steps, self.skips.of(written.field_type, 0)?),
            }
        }
        record.fields = wanted_fields.into();
        Ok(record)
    }

    /// A value, if a leaf of it is wanted, without the union around its type.
    fn field(&mut self, id: TypeId, field: &FieldRef) -> Result<Option<Wanted>> {
        let (union, value) = match self.schema.get(id) {
            AvroType::Union(branches) => match optional(self.schema, branches) {
                Some(optional) => {
                    let value = optional.value;
                    let union = Branches { null: optional.null, value: value.map(|(branch, _)| branch) };
                    (Some(union), value.map(|(_, id)| id))
                }
                None => (None, Some(id)),
            },
            _ => (None, Some(id)),
        };
        let written = value.map_or(&AvroType::Null, |id| self.schema.get(id));
        let Some(value) = self.value(written, field)? else { return Ok(None) };
        let Value { read, column, output, data_type } = value;
        let label = field.name().as_str().into();
        let step = ReadStep { column, union, required: false, read, label };
        let field = Arc::new(Field::clone(field).with_data_type(data_type));
        Ok(Some(Wanted { step, output, field }))
    }

    fn value(&mut self, written: &AvroType, field: &Field) -> Result<Option<Value>> {
        match (written, field.data_type()) {
            (AvroType::Record(written), DataType::Struct(fields)) => self.fields(written, fields),
            (AvroType::Array(array), DataType::List(element)) => {
                let may_be_empty = self.skips.of(array.items, 0)?.may_be_empty();
                let Some(item) = self.field(array.items, element)? else { return Ok(None) };
                let column = self.add(Values::Items(Offsets::default()));
                let data_type = DataType::List(Arc::clone(&item.field));
                let output = Output::List { column, field: item.field, child: Box::new(item.output) };
                let width = output.item_bytes(&self.columns);
                let items = Items { steps: vec![Step::Read(item.step)], may_be_empty, width };
                Ok(Some(Value { read: Read::Items(items), column, output, data_type }))
            }
            (AvroType::Array(array), DataType::Map(entries, _)) => match pair(self.schema, array.items) {
                Some([key, value]) => {
                    let [key_field, value_field] = map_fields(entries)?;
                    let key = self.field(key.field_type, key_field)?;
                    let value = self.field(value.field_type, value_field)?;
                    self.map(entries, key, value)
                }
                None => Err(not_as_its_fields(written)),
            },
            (AvroType::Map(map), DataType::Map(entries, _)) => {
                let [key_field, value_field] = map_fields(entries)?;
                let key = self.value(&AvroType::String, key_field)?.map(|key| Wanted {
                    step: ReadStep {
                        column: key.column,
                        union: None,
                        required: true,
                        read: key.read,
                        label: "key".into(),
                    },
                    output: key.output,
                    field: Arc::clone(key_field),
                });
                let value = self.field(map.values, value_field)?;
                self.map(entries, key, value)
            }
            (AvroType::Record(_) | AvroType::Array(_) | AvroType::Map(_), _) => {
                Err(not_as_its_fields(written))
            }
            (written, data_type) => self.leaf(written, data_type),
        }
    }

    fn fields(&mut self, written: &[AvroField], fields: &Fields) -> Result<Option<Value>> {
        let is_wanted = fields.is_empty() && self.next_leaf();
        let record = self.record(written, fields)?;
        if record.outputs.is_empty() && !is_wanted {
            return Ok(None);
        }
        let direct = record.outputs.iter().filter_map(Output::column).collect();
        let column = self.add(Values::Struct(direct));
        let data_type = DataType::Struct(record.fields.clone());
        let output = Output::Struct { column, fields: record.fields, children: record.outputs };
        Ok(Some(Value { read: Read::Record(record.steps), column, output, data_type }))
    }

    /// A map with a wanted leaf: its keys and values are both decoded.
    fn map(
        &mut self,
        entries: &FieldRef,
        key: Option<Wanted>,
        value: Option<Wanted>,
    ) -> Result<Option<Value>> {
        let (key, value) = match (key, value) {
            (None, None) => return Ok(None),
            (Some(key), Some(value)) => (key, value),
            _ => return Err(Error::internal("a leaf of a map is wanted without its key or its value")),
        };
        let column = self.add(Values::Items(Offsets::default()));
        let pair = Fields::from(vec![key.field, value.field]);
        let entries = Arc::new(Field::clone(entries).with_data_type(DataType::Struct(pair)));
        let data_type = DataType::Map(Arc::clone(&entries), false);
        let (key_output, value_output) = (Box::new(key.output), Box::new(value.output));
        let output = Output::Map { column, entries, key: key_output, value: value_output };
        let width = output.item_bytes(&self.columns);
        let steps = vec![Step::Read(key.step), Step::Read(value.step)];
        let items = Items { steps, may_be_empty: false, width };
        Ok(Some(Value { read: Read::Items(items), column, output, data_type }))
    }

    fn leaf(&mut self, written: &AvroType, data_type: &DataType) -> Result<Option<Value>> {
        if !self.next_leaf() {
            return Ok(None);
        }
        let bytes = || Values::Bytes(Offsets::default(), Vec::new());
        let (read, values) = match (written, data_type) {
            (AvroType::Null, _) => (Read::Null, Values::Null(0)),
            (AvroType::Boolean, _) => (Read::Boolean, Values::Boolean(BooleanBufferBuilder::new(0))),
            (AvroType::Int(_), _) => (Read::Int32, Values::Int32(Vec::new())),
            (AvroType::Long(_), _) => (Read::Int64, Values::Int64(Vec::new())),
            (AvroType::Float, _) => (Read::Float32, Values::Float32(Vec::new())),
            (AvroType::Double, _) => (Read::Float64, Values::Float64(Vec::new())),
            (AvroType::Fixed(size, _), DataType::Decimal128(..)) => {
                (Read::DecimalFixed(*size), Values::Decimal(Vec::new()))
            }
            (AvroType::Bytes(_), DataType::Decimal128(..)) => {
                (Read::DecimalBytes, Values::Decimal(Vec::new()))
            }
            (AvroType::Fixed(size, _), _) => (Read::Fixed(*size), Values::Fixed(*size, Vec::new())),
            (AvroType::Bytes(_) | AvroType::String, _) => (Read::Prefixed, bytes()),
            (AvroType::Enum(symbols), _) => (Read::Symbol(symbols.clone()), bytes()),
            (AvroType::Union(_), _) => {
                return Err(Error::unsupported(
                    "an Avro union of several types besides null is not supported",
                ));
            }
            (AvroType::Record(_) | AvroType::Array(_) | AvroType::Map(_), _) => {
                return Err(not_as_its_fields(written));
            }
        };
        let column = self.add(values);
        let output = Output::Leaf { column, data_type: data_type.clone() };
        Ok(Some(Value { read, column, output, data_type: data_type.clone() }))
    }

    /// Is the next leaf wanted? The one after it is next then.
    fn next_leaf(&mut self) -> bool {
        let leaf = self.leaf;
        self.leaf += 1;
        self.leaves.contains(&leaf)
    }

    fn add(&mut self, values: Values) -> usize {
        self.columns.push(Column::new(values));
        self.columns.len() - 1
    }
}

fn map_fields(entries: &Field) -> Result<[&FieldRef; 2]> {
    match entries.data_type() {
        DataType::Struct(fields) => match fields.as_ref() {
            [key, value] => Ok([key, value]),
            _ => Err(Error::internal("the entries of an Arrow map are not a key and a value")),
        },
        _ => Err(Error::internal("the entries of an Arrow map are not a struct")),
    }
}

fn not_as_its_fields(written: &AvroType) -> Error {
    Error::internal(format!("the Arrow field of an Avro {} is of another kind", kind(written)))
}
