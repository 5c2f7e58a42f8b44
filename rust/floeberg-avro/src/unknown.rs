//! Which fields do the records of a file have that a reader does not know, and which bytes do they have?
//!
//! In: a file, and the ids of the fields that are known. Out: declarations of the other fields, and their bytes in each record.
//! Spec: Avro 1.12, Schema Declaration and Binary Encoding.
//!
//! Invariant: a declaration stands by itself, whatever the file declares elsewhere, and allows null, so that it can be added to any record.
//! The bytes of a value are those of the file, but for the branch of the union that was added. Depth and number of types are bounded.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use floeberg_core::{Context, Error, ErrorKind, Result};
use serde_json::{Map, Value as Json};

use crate::read::{Container, Cursor, FixedForm, Skip, Skips};
use crate::schema::{AvroField, AvroSchema, AvroType, Limits, TypeId};
use crate::write::Encoder;

/// How deep declarations are nested at most.
const DEEPEST: usize = 64;
/// How many types a declaration has at most.
const MOST_TYPES: usize = 4096;

/// The bytes of each unknown field of a record.
type Values = Arc<[Box<[u8]>]>;

/// The fields of a record that a reader knows.
#[derive(Debug, Clone, Copy)]
pub struct KnownFields<'a> {
    /// The ids of its fields.
    pub fields: &'a [i32],
    /// The field that holds a record of its own, whose fields may be unknown too, if there is one.
    pub holder: Option<i32>,
    /// The ids of the fields of that record.
    pub of_holder: &'a [i32],
}

/// A field that a reader does not know.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownField {
    /// Is it a field of the record that the holder has? Else of the record itself.
    pub is_held: bool,
    id: Option<i32>,
    name: String,
    /// The declaration without a name, as JSON.
    declared: String,
    null: Box<[u8]>,
}

/// The values of unknown fields in the records of a file.
#[derive(Debug, Clone)]
pub struct UnknownValues {
    fields: Arc<[UnknownField]>,
    rows: Vec<Values>,
}

/// The values of unknown fields in a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct UnknownRow {
    fields: Arc<[UnknownField]>,
    values: Values,
}

impl UnknownField {
    /// Adds its declaration to those of a record. Where its name is taken it gets another one: it is found by its id.
    ///
    /// Errors: `Internal` where its declaration is not JSON.
    pub fn declare(&self, fields: &mut Vec<Json>) -> Result<()> {
        let taken: HashSet<&str> =
            fields.iter().filter_map(|each| each.get("name").and_then(Json::as_str)).collect();
        let mut name = self.name.clone();
        while taken.contains(name.as_str()) {
            name.push_str("_unknown");
        }
        let mut declared: Map<String, Json> = serde_json::from_str(&self.declared)
            .map_err(|error| Error::internal("the declaration of a field is JSON").caused_by(error))?;
        declared.insert("name".to_owned(), name.into());
        fields.push(Json::Object(declared));
        Ok(())
    }

    /// Its id, or else its name.
    fn key(&self) -> (bool, Option<i32>, &str) {
        (self.is_held, self.id, if self.id.is_some() { "" } else { &self.name })
    }
}

impl UnknownValues {
    /// The fields.
    pub fn fields(&self) -> &[UnknownField] {
        &self.fields
    }

    /// The values of a record. `None` past the end.
    pub fn row(&self, row: usize) -> Option<UnknownRow> {
        let values = self.rows.get(row)?;
        Some(UnknownRow { fields: Arc::clone(&self.fields), values: Arc::clone(values) })
    }

    /// The values of some records: those with `true`.
    #[must_use]
    pub fn only(self, wanted: impl IntoIterator<Item = bool>) -> Self {
        let rows = self.rows.into_iter().zip(wanted).filter_map(|(row, is_wanted)| is_wanted.then_some(row));
        Self { rows: rows.collect(), ..self }
    }
}

impl UnknownRow {
    /// Appends the value of a field, as its declaration says: null where this record does not have it.
    pub fn put(row: Option<&Self>, field: &UnknownField, out: &mut Encoder) {
        let found = row.and_then(|row| {
            let number = row.fields.iter().position(|each| each == field)?;
            row.values.get(number)
        });
        out.fixed(found.unwrap_or(&field.null));
    }

    /// The fields.
    pub fn fields(&self) -> &[UnknownField] {
        &self.fields
    }

    /// Are its fields among these?
    pub fn fits(&self, fields: &[UnknownField]) -> bool {
        self.fields.iter().all(|field| fields.contains(field))
    }
}

/// The fields of both: `None` where a field of both is not the same in both.
pub fn all_unknown_fields(one: &[UnknownField], other: &[UnknownField]) -> Option<Vec<UnknownField>> {
    let mut all = one.to_vec();
    for field in other {
        match all.iter().find(|each| each.key() == field.key()) {
            Some(known) if known == field => {}
            Some(_) => return None,
            None => all.push(field.clone()),
        }
    }
    Some(all)
}

/// The values of fields that are not known. `None` where all fields are known, where the file has no ids, and where the type of a field
/// cannot be declared by itself, since two other types have one name.
///
/// Errors: `InvalidData` for a damaged file; `LimitExceeded` for one beyond the limits.
pub fn unknown_values(
    container: &Container<'_>,
    schema: &AvroSchema,
    known: KnownFields<'_>,
) -> Result<Option<UnknownValues>> {
    if !schema.has_ids() || !has_unknown(schema, known) {
        return Ok(None);
    }
    let read = |form: FixedForm| -> Result<Option<UnknownValues>> {
        let mut compiler = Compiler {
            schema,
            known,
            fixed: form,
            skips: Skips::new(schema, container.limits()),
            found: Vec::new(),
        };
        let AvroType::Record(fields) = schema.root() else { return Ok(None) };
        let steps = compiler.record(fields, false, 0)?;
        // Who only reads the file does not need it.
        let Ok(found) = declared(container.schema_json()?, known, &compiler.found) else { return Ok(None) };
        let rows = read_rows(container, &steps, &found, container.limits())?;
        let fields = found.into_iter().map(|(field, _)| field).collect();
        Ok(Some(UnknownValues { fields, rows }))
    };
    match read(FixedForm::Bare) {
        // Iceberg Java writes fixed values of partitions after their length, though its schema says otherwise.
        Err(error) if error.kind() == ErrorKind::InvalidData => read(FixedForm::Prefixed).map_err(|_| error),
        done => done,
    }
}

/// Is there any field that is not known? It costs next to nothing.
fn has_unknown(schema: &AvroSchema, known: KnownFields<'_>) -> bool {
    let AvroType::Record(fields) = schema.root() else { return false };
    let is_unknown = |field: &AvroField, ids: &[i32]| field.id.is_none_or(|id| !ids.contains(&id));
    fields.iter().any(|field| match schema.get(field.field_type) {
        AvroType::Record(held) if known.holder.is_some() && field.id == known.holder => {
            held.iter().any(|field| is_unknown(field, known.of_holder))
        }
        _ => is_unknown(field, known.fields),
    })
}

/// How the bytes of a record are read.
enum Step {
    Skip(Skip),
    /// An unknown field of that number.
    Take(usize, Skip),
}

struct Compiler<'a> {
    schema: &'a AvroSchema,
    known: KnownFields<'a>,
    fixed: FixedForm,
    skips: Skips<'a>,
    /// The unknown fields: whether each is held, and its position in its record.
    found: Vec<(bool, usize)>,
}

impl Compiler<'_> {
    fn record(&mut self, fields: &[AvroField], is_held: bool, depth: usize) -> Result<Vec<Step>> {
        let schema = self.schema;
        let known = if is_held { self.known.of_holder } else { self.known.fields };
        let mut steps = Vec::new();
        for (position, field) in fields.iter().enumerate() {
            if let AvroType::Record(held) = schema.get(field.field_type)
                && !is_held
                && self.known.holder.is_some()
                && field.id == self.known.holder
            {
                steps.extend(self.record(held, true, depth + 1)?);
                continue;
            }
            let skip = self.skip(field.field_type, depth + 1)?;
            if field.id.is_some_and(|id| known.contains(&id)) {
                steps.push(Step::Skip(skip));
            } else {
                steps.push(Step::Take(self.found.len(), skip));
                self.found.push((is_held, position));
            }
        }
        Ok(steps)
    }

    /// The way past a type, in which fixed values may have their length before them.
    fn skip(&mut self, id: TypeId, depth: usize) -> Result<Skip> {
        if self.fixed == FixedForm::Bare {
            return self.skips.of(id, depth);
        }
        self.skips.count(depth)?;
        let schema = self.schema;
        match schema.get(id) {
            AvroType::Fixed(..) => Ok(Skip::Prefixed),
            AvroType::Record(fields) => fields.iter().try_fold(Skip::nothing(), |skip, field| {
                Ok::<_, Error>(skip.then(self.skip(field.field_type, depth + 1)?))
            }),
            AvroType::Union(branches) => {
                let branches = branches.iter().map(|branch| self.skip(*branch, depth + 1));
                Ok(Skip::Union(branches.collect::<Result<_>>()?))
            }
            _ => self.skips.of(id, depth),
        }
    }
}

/// What is put before the bytes of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Form {
    /// Nothing: null is a branch already.
    AsItIs,
    /// A branch.
    Branch(i64),
    /// Nothing, but its branch is one more.
    OneMore,
}

/// The declarations of unknown fields, and how their bytes are written.
fn declared(
    schema: &[u8],
    known: KnownFields<'_>,
    found: &[(bool, usize)],
) -> Result<Vec<(UnknownField, Form)>> {
    let invalid = || Error::invalid_data("Avro schema: expected a record with fields");
    let schema: Json = serde_json::from_slice(schema).map_err(|_| invalid())?;
    let root = schema.get("fields").and_then(Json::as_array).ok_or_else(invalid)?;
    let is_holder = |field: &&Json| {
        known.holder.is_some() && field.get("field-id").and_then(Json::as_i64) == known.holder.map(i64::from)
    };
    let held = root.iter().find(is_holder).and_then(|field| field.get("type"));
    let held = held.and_then(|held| held.get("fields")).and_then(Json::as_array);
    let mut names = HashMap::new();
    collect_names(&schema, &mut names, 0)?;
    let fields = found.iter().map(|(is_held, position)| {
        let fields = if *is_held { held.ok_or_else(invalid)? } else { root };
        let field = fields.get(*position).and_then(Json::as_object).ok_or_else(invalid)?;
        declared_field(field, *is_held, &names)
    });
    fields.collect()
}

fn declared_field(
    field: &Map<String, Json>,
    is_held: bool,
    names: &HashMap<&str, Option<&Json>>,
) -> Result<(UnknownField, Form)> {
    let invalid = || Error::invalid_data("Avro schema: expected a field with a name and a type");
    let name = field.get("name").and_then(Json::as_str).ok_or_else(invalid)?.to_owned();
    let id = field.get("field-id").and_then(Json::as_i64).and_then(|id| i32::try_from(id).ok());
    let prefix = id.map_or_else(|| format!("unknown_{name}"), |id| format!("unknown_{id}"));
    let mut inlining = Inlining { names, prefix, named: 0, types: 0 };
    let of_file = inlining.of(field.get("type").ok_or_else(invalid)?, 0).context("field", &name)?;
    let is_null = |branch: &Json| branch == "null" || branch.get("type").is_some_and(|kind| kind == "null");
    let (branches, form, null_at) = match of_file {
        Json::Array(branches) => match branches.iter().position(is_null) {
            Some(at) => (branches, Form::AsItIs, at),
            None => ([Json::from("null")].into_iter().chain(branches).collect(), Form::OneMore, 0),
        },
        null if is_null(&null) => (vec![null], Form::Branch(0), 0),
        other => (vec![Json::from("null"), other], Form::Branch(1), 0),
    };
    let mut declared = field.clone();
    for key in ["name", "aliases", "default", "order"] {
        declared.remove(key);
    }
    declared.insert("type".to_owned(), Json::Array(branches));
    if null_at == 0 {
        // A default is a value of the first branch.
        declared.insert("default".to_owned(), Json::Null);
    }
    let mut null = Encoder::default();
    null.long(null_at as i64);
    let declared = Json::Object(declared).to_string();
    Ok((UnknownField { is_held, id, name, declared, null: null.bytes().into() }, form))
}

/// The types that a schema declares, by their names without namespaces. `None` is a name of several.
fn collect_names<'a>(
    json: &'a Json,
    names: &mut HashMap<&'a str, Option<&'a Json>>,
    depth: usize,
) -> Result<()> {
    if depth > DEEPEST {
        return Err(Error::limit("an Avro schema is nested too deeply"));
    }
    match json {
        Json::Array(items) => items.iter().try_for_each(|item| collect_names(item, names, depth + 1)),
        Json::Object(fields) => {
            if let Some(name) = fields.get("name").and_then(Json::as_str)
                && fields.get("type").and_then(Json::as_str).is_some_and(is_named)
            {
                let known = names.entry(short(name)).or_insert(Some(json));
                *known = known.filter(|known| *known == json);
            }
            fields.values().try_for_each(|value| collect_names(value, names, depth + 1))
        }
        _ => Ok(()),
    }
}

/// A name without its namespace.
fn short(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn is_named(kind: &str) -> bool {
    matches!(kind, "record" | "error" | "enum" | "fixed")
}

/// Declares each type where it stands, under a name of its own.
struct Inlining<'a> {
    names: &'a HashMap<&'a str, Option<&'a Json>>,
    prefix: String,
    named: usize,
    types: usize,
}

impl Inlining<'_> {
    fn of(&mut self, json: &Json, depth: usize) -> Result<Json> {
        self.types += 1;
        if depth > DEEPEST || self.types > MOST_TYPES {
            return Err(Error::limit("an Avro type is nested too deeply"));
        }
        match json {
            Json::String(name) => match name.as_str() {
                "null" | "boolean" | "int" | "long" | "float" | "double" | "bytes" | "string" => {
                    Ok(json.clone())
                }
                name => {
                    let known = self.names.get(short(name)).copied().flatten();
                    let unknown = || {
                        Error::invalid_data(format!("Avro schema: expected one type of the name {name:?}"))
                    };
                    self.of(known.ok_or_else(unknown)?, depth + 1)
                }
            },
            Json::Array(branches) => {
                let branches = branches.iter().map(|branch| self.of(branch, depth + 1));
                Ok(Json::Array(branches.collect::<Result<_>>()?))
            }
            Json::Object(declared) => self.object(declared, depth),
            _ => Err(Error::invalid_data("Avro schema: expected a type")),
        }
    }

    fn object(&mut self, declared: &Map<String, Json>, depth: usize) -> Result<Json> {
        let mut declared = declared.clone();
        let kind = declared.get("type").cloned().unwrap_or(Json::Null);
        if kind.as_str().is_some_and(is_named) {
            self.named += 1;
            declared.insert("name".to_owned(), format!("{}_{}", self.prefix, self.named).into());
            declared.remove("namespace");
            declared.remove("aliases");
        }
        for key in ["items", "values"] {
            if let Some(inner) = declared.get(key) {
                let inner = self.of(inner, depth + 1)?;
                declared.insert(key.to_owned(), inner);
            }
        }
        if let Some(Json::Array(fields)) = declared.get_mut("fields") {
            for field in fields {
                if let Some(of_field) = field.get("type") {
                    let of_field = self.of(of_field, depth + 1)?;
                    field["type"] = of_field;
                }
            }
        }
        let is_word = kind.as_str().is_some_and(|kind| is_named(kind) || matches!(kind, "array" | "map"));
        if !is_word {
            declared.insert("type".to_owned(), self.of(&kind, depth + 1)?);
        }
        Ok(Json::Object(declared))
    }
}

fn read_rows(
    container: &Container<'_>,
    steps: &[Step],
    fields: &[(UnknownField, Form)],
    limits: &Limits,
) -> Result<Vec<Values>> {
    let (mut rows, mut empty_left) = (Vec::new(), limits.empty_values);
    let mut blocks = container.blocks();
    while let Some(block) = blocks.next_block()? {
        let (offset, data) = (block.offset, block.data);
        let mut cursor = Cursor::new(data);
        for _ in 0..block.rows {
            let start = cursor.position();
            let mut values: Vec<Box<[u8]>> = vec![Box::default(); fields.len()];
            for step in steps {
                let (Step::Skip(skip) | Step::Take(_, skip)) = step;
                let before = cursor.position();
                skip.run(&mut cursor, &mut empty_left).context("block_offset", offset)?;
                if let Step::Take(number, _) = step
                    && let (Some(value), Some((_, form))) = (values.get_mut(*number), fields.get(*number))
                {
                    *value = formed(&data[before..cursor.position()], *form)?;
                }
            }
            if cursor.position() == start {
                let left = empty_left.checked_sub(1);
                empty_left =
                    left.ok_or_else(|| Error::limit("records without bytes pass the limit of an Avro file"))?;
            }
            rows.push(values.into());
        }
        if cursor.remaining() > 0 {
            return Err(cursor.error("the end of the block")).context("block_offset", offset);
        }
    }
    Ok(rows)
}

/// The bytes of a value in a union with null.
fn formed(value: &[u8], form: Form) -> Result<Box<[u8]>> {
    let mut out = Encoder::default();
    match form {
        Form::AsItIs => return Ok(value.into()),
        Form::Branch(branch) => {
            out.long(branch);
            out.fixed(value);
        }
        Form::OneMore => {
            let mut cursor = Cursor::new(value);
            let branch = cursor.long()?;
            out.long(branch.saturating_add(1));
            out.fixed(&value[cursor.position()..]);
        }
    }
    Ok(out.bytes().into())
}
