//! How are the bytes of a record copied, and single values of it replaced?
//!
//! In: the writer schema and the ids of fields. Out: steps, which copy the bytes of a record.
//! Spec: Avro 1.12, Binary Encoding.
//!
//! Invariant: fields are found by id, in a file without ids by name, and not within lists and maps. Depth and number of the types are
//! within the limits.

use floeberg_core::{Error, Result};

use super::{Change, Found, FoundValue};
use crate::read::{Cursor, FixedForm, Skip, Skips};
use crate::schema::{AvroArray, AvroSchema, AvroType, Limits, TypeId};
use crate::write::Encoder;

/// How the bytes of a type are copied.
#[derive(Debug)]
pub(super) enum Step {
    /// As they are.
    Copy(Skip),
    /// A string or bytes of a field.
    Bytes(i32),
    /// A number of a field.
    Long(i32),
    /// A list of a field, as a whole.
    List(i32, Skip),
    /// The values of a map of a field, by the int before each.
    Keyed(Box<Step>),
    /// One after the other.
    Record(Vec<Step>),
    /// A branch and its value.
    Union(Vec<Step>),
}

/// Makes steps.
pub(super) struct Compiler<'a> {
    schema: &'a AvroSchema,
    fields: &'a [(i32, &'a str)],
    fixed: FixedForm,
    skips: Skips<'a>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        schema: &'a AvroSchema,
        fields: &'a [(i32, &'a str)],
        fixed: FixedForm,
        limits: &'a Limits,
    ) -> Self {
        Self { schema, fields, fixed, skips: Skips::new(schema, limits) }
    }

    /// The step of a type, which may be that of a field that changes.
    pub(super) fn of(&mut self, id: TypeId, field: Option<i32>, depth: usize) -> Result<Step> {
        self.skips.count(depth)?;
        let schema = self.schema;
        match (schema.get(id), field) {
            (AvroType::Record(fields), None) => {
                let mut steps = Vec::new();
                for each in fields {
                    let known = self.fields.iter().find(|(id, name)| {
                        if schema.has_ids() { each.id == Some(*id) } else { each.name == *name }
                    });
                    push(&mut steps, self.of(each.field_type, known.map(|(id, _)| *id), depth + 1)?);
                }
                Ok(match (steps.pop(), steps.is_empty()) {
                    (None, _) => Step::Copy(Skip::nothing()),
                    (Some(Step::Copy(skip)), true) => Step::Copy(skip),
                    (Some(last), _) => {
                        steps.push(last);
                        Step::Record(steps)
                    }
                })
            }
            (AvroType::Union(branches), field) => {
                let steps = branches.iter().map(|branch| self.of(*branch, field, depth + 1));
                let steps = steps.collect::<Result<Vec<_>>>()?;
                let copied = steps.iter().map(|step| match step {
                    Step::Copy(skip) => Some(skip.clone()),
                    _ => None,
                });
                Ok(match copied.collect::<Option<Box<[Skip]>>>() {
                    Some(skips) => Step::Copy(Skip::Union(skips)),
                    None => Step::Union(steps),
                })
            }
            (AvroType::Fixed(..), None) if self.fixed == FixedForm::Prefixed => {
                Ok(Step::Copy(Skip::Prefixed))
            }
            (AvroType::Null, _) | (_, None) => Ok(Step::Copy(self.skips.of(id, depth)?)),
            (AvroType::String | AvroType::Bytes(_), Some(field)) => Ok(Step::Bytes(field)),
            (AvroType::Int(_) | AvroType::Long(_), Some(field)) => Ok(Step::Long(field)),
            (AvroType::Array(array), Some(field)) => match self.keyed_value(*array) {
                Some(value) => Ok(Step::Keyed(Box::new(self.of(value, Some(field), depth + 1)?))),
                None => Ok(Step::List(field, self.skips.of(id, depth)?)),
            },
            (_, Some(field)) => Err(Error::invalid_data(format!(
                "Avro schema: expected field {field} to be a string, bytes, a number, a list or a map of ints"
            ))),
        }
    }

    /// The type of the values, if the items are pairs of an int and a value.
    fn keyed_value(&self, array: AvroArray) -> Option<TypeId> {
        let AvroType::Record(pair) = self.schema.get(array.items) else { return None };
        match pair.as_slice() {
            [key, value] if matches!(self.schema.get(key.field_type), AvroType::Int(_)) => {
                Some(value.field_type)
            }
            _ => None,
        }
    }
}

/// Adds a step; copies become one.
fn push(steps: &mut Vec<Step>, next: Step) {
    match (steps.pop(), next) {
        (Some(Step::Copy(before)), Step::Copy(next)) => steps.push(Step::Copy(before.then(next))),
        (before, next) => steps.extend(before.into_iter().chain([next])),
    }
}

/// Copies records of a block.
pub(super) struct Copier<'a, F> {
    /// The decompressed block.
    pub(super) data: &'a [u8],
    pub(super) cursor: Cursor<'a>,
    pub(super) empty_left: &'a mut u64,
    pub(super) row: u64,
    pub(super) change: &'a mut F,
}

impl<'a, F: FnMut(&Found<'_>) -> Result<Change>> Copier<'a, F> {
    /// Copies a value. Is it still there?
    pub(super) fn copy(&mut self, step: &Step, key: Option<i32>, out: &mut Encoder) -> Result<bool> {
        match step {
            Step::Copy(skip) => {
                let copied = self.skip(skip)?;
                out.fixed(copied);
            }
            Step::Bytes(field) => {
                let value = self.cursor.prefixed()?;
                match self.asked(*field, key, FoundValue::Bytes(value))? {
                    Change::Keep => out.prefixed(value),
                    Change::Bytes(other) => out.prefixed(&other),
                    Change::Remove if key.is_some() => return Ok(false),
                    other => return Err(unfit(*field, &other)),
                }
            }
            Step::Long(field) => {
                let value = self.cursor.long()?;
                match self.asked(*field, key, FoundValue::Long(value))? {
                    Change::Keep => out.long(value),
                    Change::Long(other) => out.long(other),
                    Change::Remove if key.is_some() => return Ok(false),
                    other => return Err(unfit(*field, &other)),
                }
            }
            Step::List(field, skip) => {
                let value = self.skip(skip)?;
                match self.asked(*field, key, FoundValue::List)? {
                    Change::Keep => out.fixed(value),
                    Change::Longs(other) => out.items(other.into_iter(), Encoder::long),
                    other => return Err(unfit(*field, &other)),
                }
            }
            Step::Keyed(value) => self.copy_map(value, out)?,
            Step::Record(steps) => {
                for step in steps {
                    self.copy(step, None, out)?;
                }
            }
            Step::Union(branches) => {
                let branch = self.cursor.long()?;
                let step = usize::try_from(branch).ok().and_then(|branch| branches.get(branch));
                let Some(step) = step else {
                    let expected = format!("one of the {} branches of a union before here", branches.len());
                    return Err(self.cursor.error(&format!("{expected}, found {branch}")));
                };
                out.long(branch);
                return self.copy(step, key, out);
            }
        }
        Ok(true)
    }

    /// Copies a map: one block, without the values that are removed.
    fn copy_map(&mut self, value: &Step, out: &mut Encoder) -> Result<()> {
        let (mut kept, mut pairs) = (0, Encoder::default());
        loop {
            let block = self.cursor.item_block()?;
            if block.count == 0 {
                break;
            }
            if block.count > self.cursor.remaining() as u64 {
                let left = self.cursor.remaining();
                return Err(self.cursor.error(&format!("at most {left} pairs, found {}", block.count)));
            }
            let start = self.cursor.position();
            for _ in 0..block.count {
                let (before, key) = (pairs.bytes().len(), self.cursor.int()?);
                pairs.int(key);
                if self.copy(value, Some(key), &mut pairs)? {
                    kept += 1;
                } else {
                    pairs.truncate(before);
                }
            }
            self.cursor.check_size(start, &block)?;
        }
        if kept > 0 {
            out.long(kept);
            out.fixed(pairs.bytes());
        }
        out.long(0);
        Ok(())
    }

    fn skip(&mut self, skip: &Skip) -> Result<&'a [u8]> {
        let start = self.cursor.position();
        skip.run(&mut self.cursor, self.empty_left)?;
        Ok(&self.data[start..self.cursor.position()])
    }

    fn asked(&mut self, field: i32, key: Option<i32>, value: FoundValue<'_>) -> Result<Change> {
        (self.change)(&Found { row: self.row, field, key, value })
    }
}

fn unfit(field: i32, change: &Change) -> Error {
    Error::internal(format!("the value of field {field} cannot become {change:?}"))
}
