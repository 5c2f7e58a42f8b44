//! Which steps turn the records of a writer into the wanted columns?
//!
//! In: a writer schema and a projection. Out: steps in the writer's order, empty columns, and how these become arrays.
//! Spec: Column Projection; Appendix A, Avro.
//!
//! Invariant: fields are found by id, and by name only in a file without ids. Every type that is not wanted becomes a
//! skip. A missing required field is an error here.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use floeberg_core::schema::arrow::{field_to_arrow, type_to_arrow};
use floeberg_core::schema::{Field, ListType, MapType, PrimitiveType, Type};
use floeberg_core::{Error, Result};

use super::column::{Column, Offsets, Values};
use super::finish::{Output, output_fields};
use super::leaf::{FixedForm, leaf};
use super::skip::Skip;
use super::skip_plan::Skips;
use super::step::{Branches, Items, Read, ReadStep, Step};
use crate::schema::{AvroField, AvroSchema, AvroType, Limits, TypeId};

/// The longest fixed type: a null of it takes no byte in the file, but as much memory as a value.
const LONGEST_FIXED: u32 = 1 << 16;

/// What to read of a file.
#[derive(Debug, Clone, Copy)]
pub struct Projection<'a> {
    /// The fields to read, by id, with their target types.
    pub fields: &'a [Field],
    /// Map fields with int keys that are read for single keys only. Such a field becomes a struct with one
    /// optional child per key, in ascending order of the keys.
    pub keyed: &'a BTreeMap<i32, Vec<i32>>,
    /// How `fixed` values are written.
    pub fixed: FixedForm,
    /// Neighbouring fields whose stored bytes are wanted beside their values.
    pub stored: Option<StoredFields<'a>>,
}

/// Neighbouring fields of a record, as they are stored.
#[derive(Debug, Clone, Copy)]
pub struct StoredFields<'a> {
    /// Which of the wanted fields becomes their bytes: the id of an optional binary field that no writer has. It is null in a file
    /// whose records do not have the same fields.
    pub into: i32,
    /// The fields: a schema of these alone.
    pub like: &'a AvroSchema,
}

/// A compiled projection.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) columns: Vec<Column>,
    pub(super) outputs: Vec<Output>,
    pub(super) record_may_be_empty: bool,
    /// The most bytes that a record adds to the columns beyond its own bytes, not counting items.
    pub(super) width: u64,
}

impl Program {
    pub(super) fn new(
        steps: Vec<Step>,
        columns: Vec<Column>,
        outputs: Vec<Output>,
        record_may_be_empty: bool,
    ) -> Self {
        let widths = outputs.iter().map(|output| output.row_bytes(&columns));
        let width = widths.fold(1, u64::saturating_add);
        Self { steps, columns, outputs, record_may_be_empty, width }
    }
}

/// Compiles a projection of a file's records.
pub(super) fn compile(schema: &AvroSchema, projection: &Projection<'_>, limits: &Limits) -> Result<Program> {
    let AvroType::Record(fields) = schema.root() else {
        return Err(Error::invalid_data("expected an Avro file of records, found another type at the top"));
    };
    let mut compiler =
        Compiler { schema, projection, skips: Skips::new(schema, limits), columns: Vec::new() };
    let (steps, outputs) = compiler.record(fields, projection.fields, 0)?;
    let record_may_be_empty = compiler.skips.of(schema.root, 0)?.may_be_empty();
    Ok(Program::new(steps, compiler.columns, outputs, record_may_be_empty))
}

struct Compiler<'a> {
    schema: &'a AvroSchema,
    projection: &'a Projection<'a>,
    skips: Skips<'a>,
    columns: Vec<Column>,
}

impl Compiler<'_> {
    fn record(
        &mut self,
        fields: &[AvroField],
        wanted: &[Field],
        depth: usize,
    ) -> Result<(Vec<Step>, Vec<Output>)> {
        let mut steps: Vec<Step> = Vec::new();
        let mut outputs: Vec<Option<Output>> = wanted.iter().map(|_| None).collect();
        let stored = self.stored(fields, wanted);
        let (mut before, mut stored_column) = (Vec::new(), None);
        for (number, field) in fields.iter().enumerate() {
            if let Some((place, run)) = stored.as_ref() {
                if number == run.start {
                    before = std::mem::take(&mut steps);
                    let column = self.add(Values::Bytes(Offsets::default(), Vec::new()));
                    let data_type = type_to_arrow(&wanted[*place].field_type)?;
                    outputs[*place] = Some(Output::Leaf { column, data_type });
                    stored_column = Some(column);
                }
                if let Some(column) = stored_column.filter(|_| number == run.end) {
                    let inner = std::mem::replace(&mut steps, std::mem::take(&mut before));
                    steps.push(Step::Stored { steps: inner, column });
                    stored_column = None;
                }
            }
            let Some(position) = self.position(field, wanted) else {
                let skip = self.skips.of(field.field_type, depth + 1)?;
                push_skip(&mut steps, skip);
                continue;
            };
            let found = &wanted[position];
            if outputs[position].is_some() {
                return Err(Error::invalid_data("the Avro schema has a field twice").with("field", found));
            }
            let (step, output) = self.field(field.field_type, found, depth + 1)?;
            steps.push(Step::Read(step));
            outputs[position] = Some(output);
        }
        // They were the last ones.
        if let Some(column) = stored_column {
            before.push(Step::Stored { steps, column });
            steps = before;
        }
        let outputs: Result<Vec<Output>> = outputs
            .into_iter()
            .zip(wanted)
            .map(|(output, field)| output.map_or_else(|| self.missing(field), Ok))
            .collect();
        Ok((steps, outputs?))
    }

    /// Which of the wanted fields becomes the bytes of stored fields, and the positions of these.
    fn stored(&self, fields: &[AvroField], wanted: &[Field]) -> Option<(usize, Range<usize>)> {
        let stored = self.projection.stored?;
        let place = wanted.iter().position(|field| field.id == stored.into)?;
        Some((place, self.schema.same_fields(fields, stored.like)?))
    }

    /// The wanted field of a writer's field. A column of unknown type is always null.
    fn position(&self, field: &AvroField, wanted: &[Field]) -> Option<usize> {
        let unknown = Type::Primitive(PrimitiveType::Unknown);
        let into = self.projection.stored.map(|stored| stored.into);
        wanted.iter().position(|wanted| match field.id {
            _ if wanted.field_type == unknown || Some(wanted.id) == into => false,
            Some(id) => id == wanted.id,
            None => !self.schema.has_ids() && field.name == wanted.name,
        })
    }

    fn missing(&self, field: &Field) -> Result<Output> {
        if field.required {
            return Err(
                Error::invalid_data("a required field is missing from the Avro schema").with("field", field)
            );
        }
        match self.projection.keyed.get(&field.id) {
            Some(keys) => {
                let value = keyed_value(field)?;
                let children = keys.iter().map(|_| Ok(Output::Missing(type_to_arrow(&value.field_type)?)));
                Output::keyed(None, keys, value, children.collect::<Result<_>>()?)
            }
            None => Ok(Output::Missing(type_to_arrow(&field.field_type)?)),
        }
    }

    /// The step of a wanted field, without the union around its type.
    fn field(&mut self, id: TypeId, wanted: &Field, depth: usize) -> Result<(ReadStep, Output)> {
        self.skips.count(depth)?;
        let (union, value) = match self.schema.get(id) {
            AvroType::Union(branches) => {
                let is_null = |branch: &&TypeId| matches!(self.schema.get(**branch), AvroType::Null);
                let position = |null: bool| {
                    branches
                        .iter()
                        .position(|branch| is_null(&branch) == null)
                        .map(|position| position as i64)
                };
                let values: Vec<TypeId> =
                    branches.iter().filter(|branch| !is_null(branch)).copied().collect();
                if values.len() > 1 {
                    return Err(Error::unsupported(
                        "an Avro union of several types besides null is not supported",
                    )
                    .with("field", wanted));
                }
                let union = Branches { null: position(true), value: position(false) };
                (Some(union), values.first().copied())
            }
            _ => (None, Some(id)),
        };
        let null = AvroType::Null;
        let writer = value.map_or(&null, |id| self.schema.get(id));
        let (read, column, output) = self.read(writer, wanted, depth)?;
        let label = format!("{}: {}", wanted.id, wanted.name).into_boxed_str();
        Ok((ReadStep { column, union, required: wanted.required, read, label }, output))
    }

    fn read(&mut self, writer: &AvroType, wanted: &Field, depth: usize) -> Result<(Read, usize, Output)> {
        if let Some(keys) = self.projection.keyed.get(&wanted.id) {
            return self.keyed(writer, wanted, keys, depth);
        }
        let mismatch = || {
            Error::invalid_data(format!("the Avro type {} does not fit the column", kind(writer)))
                .with("field", wanted)
        };
        match (&wanted.field_type, writer) {
            (Type::Primitive(PrimitiveType::Fixed(length)), _) if *length > LONGEST_FIXED => {
                Err(Error::limit(format!("an Avro fixed type has more than {LONGEST_FIXED} bytes"))
                    .with("field", wanted))
            }
            (Type::Primitive(primitive), writer) => {
                let (read, values) = leaf(writer, primitive, self.projection.fixed).ok_or_else(mismatch)?;
                let column = self.add(values);
                Ok((read, column, Output::Leaf { column, data_type: type_to_arrow(&wanted.field_type)? }))
            }
            (Type::Struct(fields), AvroType::Record(written)) => {
                let column = self.add(Values::Struct(Vec::new()));
                let (steps, children) = self.record(written, &fields.fields, depth)?;
                let direct = children.iter().filter_map(Output::column).collect();
                self.columns[column].values = Values::Struct(direct);
                let fields = output_fields(&fields.fields, &children)?;
                Ok((Read::Record(steps), column, Output::Struct { column, fields, children }))
            }
            (Type::List(list), AvroType::Array(array)) => self.list(array.items, list, depth),
            (Type::Map(map), AvroType::Map(written)) => self.string_map(written.values, map, wanted, depth),
            (Type::Map(map), AvroType::Array(array)) => self.array_map(array.items, map, wanted, depth),
            (Type::Variant | Type::Unrecognized(_), _) => {
                Err(Error::unsupported(format!("reading {} from Avro", wanted.field_type))
                    .with("field", wanted))
            }
            _ => Err(mismatch()),
        }
    }

    fn list(&mut self, items: TypeId, list: &ListType, depth: usize) -> Result<(Read, usize, Output)> {
        let column = self.add(Values::Items(Offsets::default()));
        let may_be_empty = self.skips.of(items, depth + 1)?.may_be_empty();
        let (step, child) = self.field(items, &list.element, depth + 1)?;
        let field = Arc::new(field_to_arrow(&list.element)?);
        let output = Output::List { column, field, child: Box::new(child) };
        let width = output.item_bytes(&self.columns);
        Ok((Read::Items(Items { steps: vec![Step::Read(step)], may_be_empty, width }), column, output))
    }

    fn string_map(
        &mut self,
        values: TypeId,
        map: &MapType,
        wanted: &Field,
        depth: usize,
    ) -> Result<(Read, usize, Output)> {
        let column = self.add(Values::Items(Offsets::default()));
        let (read, key_column, key) = self.read(&AvroType::String, &map.key, depth + 1)?;
        let key_step =
            ReadStep { column: key_column, union: None, required: true, read, label: "key".into() };
        let (value_step, value) = self.field(values, &map.value, depth + 1)?;
        let output = Output::map(column, wanted, key, value)?;
        let width = output.item_bytes(&self.columns);
        let steps = vec![Step::Read(key_step), Step::Read(value_step)];
        Ok((Read::Items(Items { steps, may_be_empty: false, width }), column, output))
    }

    /// A map as an array of records of a key and a value, by ids or else by their order.
    fn array_map(
        &mut self,
        items: TypeId,
        map: &MapType,
        wanted: &Field,
        depth: usize,
    ) -> Result<(Read, usize, Output)> {
        let (key, value) = self.pair(items, wanted)?;
        let column = self.add(Values::Items(Offsets::default()));
        let (key_step, key) = self.field(key, &map.key, depth + 1)?;
        let (value_step, value) = self.field(value, &map.value, depth + 1)?;
        let output = Output::map(column, wanted, key, value)?;
        let width = output.item_bytes(&self.columns);
        let steps = vec![Step::Read(key_step), Step::Read(value_step)];
        Ok((Read::Items(Items { steps, may_be_empty: false, width }), column, output))
    }

    fn keyed(
        &mut self,
        writer: &AvroType,
        wanted: &Field,
        keys: &[i32],
        depth: usize,
    ) -> Result<(Read, usize, Output)> {
        let AvroType::Array(array) = writer else {
            return Err(Error::invalid_data(format!(
                "expected an Avro array of keys and values, found {}",
                kind(writer)
            ))
            .with("field", wanted));
        };
        let (key, value) = self.pair(array.items, wanted)?;
        if !matches!(self.schema.get(key), AvroType::Int(_)) {
            return Err(Error::invalid_data("expected int keys in the Avro array of keys and values")
                .with("field", wanted));
        }
        let column = self.add(Values::Null(0));
        let skip = self.skips.of(value, depth + 1)?;
        let element = keyed_value(wanted)?;
        let (mut values, mut children, mut columns) = (Vec::new(), Vec::new(), Vec::new());
        for &key in keys {
            let (step, output) = self.field(value, element, depth + 1)?;
            columns.push((key, step.column));
            values.push((key, step));
            children.push(output);
        }
        self.columns[column].values = Values::Keyed(0, columns);
        Ok((Read::Keyed { values, skip }, column, Output::keyed(Some(column), keys, element, children)?))
    }

    /// The types of key and value in a map's array of records.
    fn pair(&self, items: TypeId, wanted: &Field) -> Result<(TypeId, TypeId)> {
        match self.schema.get(items) {
            AvroType::Record(fields) => match &fields[..] {
                [key, value] => Ok((key.field_type, value.field_type)),
                _ => Err(Error::invalid_data("a map's Avro records must have a key and a value")
                    .with("field", wanted)),
            },
            other => {
                Err(Error::invalid_data(format!("expected a map's Avro records, found {}", kind(other)))
                    .with("field", wanted))
            }
        }
    }

    fn add(&mut self, values: Values) -> usize {
        self.columns.push(Column::new(values));
        self.columns.len() - 1
    }
}

fn keyed_value(field: &Field) -> Result<&Field> {
    match &field.field_type {
        Type::Map(map) => Ok(&map.value),
        _ => Err(Error::internal("single keys are wanted of a field that is not a map").with("field", field)),
    }
}

pub(super) fn push_skip(steps: &mut Vec<Step>, skip: Skip) {
    match steps.pop() {
        Some(Step::Skip(before)) => steps.push(Step::Skip(before.then(skip))),
        Some(read) => {
            steps.push(read);
            steps.push(Step::Skip(skip));
        }
        None => steps.push(Step::Skip(skip)),
    }
}

pub(super) fn kind(avro_type: &AvroType) -> &'static str {
    match avro_type {
        AvroType::Null => "null",
        AvroType::Boolean => "boolean",
        AvroType::Int(_) => "int",
        AvroType::Long(_) => "long",
        AvroType::Float => "float",
        AvroType::Double => "double",
        AvroType::Bytes(_) => "bytes",
        AvroType::String => "string",
        AvroType::Fixed(..) => "fixed",
        AvroType::Enum(_) => "enum",
        AvroType::Record(_) => "record",
        AvroType::Array(_) => "array",
        AvroType::Map(_) => "map",
        AvroType::Union(_) => "union",
    }
}
