//! How are shredded variants put together again?
//!
//! In: the columns that a file stores variants as. Out: `metadata` and `value` of each row.
//! Spec: Parquet `VariantShredding.md`, Reconstructing a Shredded Variant.
//!
//! Invariant: values that are not shredded are shared, not copied, and their bytes are not looked at. Of shredded ones
//! everything that is moved is checked to be whole; where `value` and `typed_value` contradict each other is an error.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BinaryArray, StructArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_schema::Fields;

use super::Layout;
use super::bytes::offset;
use super::columns::{Columns, FieldColumns, Names, TypedColumn};
use super::dictionary::Dictionary;
use super::encode::{Entry, close_array, close_object, is_object};
use super::value::Container;
use super::value::{NULL, check_one};
use crate::error::{Error, Result};

impl Layout {
    /// The variants of a batch, in a struct of the bytes `metadata` and `value`, neither of them ever null.
    ///
    /// Errors: `InvalidData` for damaged metadata or values, as far as they must be looked at, and for values that
    /// are shredded against the rules; `LimitExceeded` for more bytes than 32-bit offsets reach.
    pub fn read(&self, group: &StructArray, target: &Fields) -> Result<StructArray> {
        let metadata = group.columns().get(self.metadata).and_then(|column| column.as_binary_opt());
        let metadata = metadata.ok_or_else(|| Error::internal("a variant was decoded without metadata"))?;
        if !is_covered(metadata.nulls(), group.nulls()) {
            return Err(Error::invalid_data("a variant has no metadata"));
        }
        let value = match self.stored_values(group) {
            Some(value) => without_nulls(value),
            None => self.rebuilt_values(group, metadata)?,
        };
        let columns: Vec<ArrayRef> = vec![Arc::new(without_nulls(metadata)), Arc::new(value)];
        StructArray::try_new(target.clone(), columns, group.nulls().cloned())
            .map_err(|error| Error::internal(format!("variants do not fit into a column: {error}")))
    }

    /// The column of values, if it has the whole value of every row.
    fn stored_values<'a>(&self, group: &'a StructArray) -> Option<&'a BinaryArray> {
        let value = match &self.root.typed {
            None => self.root.value,
            Some(_) => None,
        };
        let value = group.columns().get(value?)?.as_binary_opt()?;
        is_covered(value.nulls(), group.nulls()).then_some(value)
    }

    fn rebuilt_values(&self, group: &StructArray, metadata: &BinaryArray) -> Result<BinaryArray> {
        let mut names = Names::new();
        let columns = Columns::new(group, &self.root, &mut names)?;
        let mut builder = Builder::new(&names);
        let mut offsets = Vec::with_capacity(group.len() + 1);
        offsets.push(0);
        for row in 0..group.len() {
            if group.is_valid(row) {
                builder.take_metadata(metadata.value(row))?;
                if !builder.write(&columns, row)? {
                    builder.out.extend_from_slice(NULL);
                }
            }
            offsets.push(offset(builder.out.len())?);
        }
        let values = Buffer::from_vec(builder.out);
        BinaryArray::try_new(OffsetBuffer::new(offsets.into()), values, None)
            .map_err(|error| Error::internal(format!("variants do not fit into a column: {error}")))
    }
}

/// Values, appended row by row.
struct Builder<'a> {
    out: Vec<u8>,
    /// The numbers of the shredded names.
    numbers: HashMap<&'a [u8], usize>,
    /// The ids of the shredded names in the metadata of the row.
    ids: Vec<Option<usize>>,
    metadata: Option<(&'a [u8], Dictionary<'a>)>,
    /// The fields of the objects that are not closed yet, the innermost last.
    entries: Vec<Entry<'a>>,
    /// The elements of the arrays that are not closed yet, the innermost last.
    elements: Vec<usize>,
}

impl<'a> Builder<'a> {
    fn new(names: &[&'a str]) -> Self {
        Self {
            out: Vec::new(),
            numbers: names.iter().enumerate().map(|(number, name)| (name.as_bytes(), number)).collect(),
            ids: vec![None; names.len()],
            metadata: None,
            entries: Vec::new(),
            elements: Vec::new(),
        }
    }

    /// Takes the metadata of the next row, which is often that of the row before.
    fn take_metadata(&mut self, bytes: &'a [u8]) -> Result<()> {
        if self.metadata.is_some_and(|(known, _)| known == bytes) {
            return Ok(());
        }
        let dictionary = Dictionary::new(bytes)?;
        self.ids.fill(None);
        if !self.numbers.is_empty() {
            for id in 0..dictionary.len() {
                if let Some(number) = self.numbers.get(dictionary.name(id)?) {
                    self.ids[*number].get_or_insert(id);
                }
            }
        }
        self.metadata = Some((bytes, dictionary));
        Ok(())
    }

    /// Appends the value of a row; `false` is a missing one, of which nothing is appended.
    fn write(&mut self, columns: &Columns<'a>, row: usize) -> Result<bool> {
        let value = columns.value(row);
        match (columns.typed(row), value) {
            (None, None) => return Ok(false),
            (None, Some(value)) => {
                check_one(value)?;
                self.out.extend_from_slice(value);
            }
            (Some(TypedColumn::Object(_, fields)), value) => self.write_object(fields, value, row)?,
            (Some(_), Some(_)) => {
                return Err(Error::invalid_data(
                    "a variant is stored both as \"value\" and as \"typed_value\", which only objects may be",
                ));
            }
            (Some(TypedColumn::Primitive(leaf)), None) => leaf.write(row, &mut self.out)?,
            (Some(TypedColumn::Array(list, element)), None) => {
                let (start, first) = (self.out.len(), self.elements.len());
                let offsets = list.value_offsets();
                for item in offsets[row]..offsets[row + 1] {
                    self.elements.push(self.out.len() - start);
                    // An element must be there; one that is missing is null.
                    if !self.write(element, item as usize)? {
                        self.out.extend_from_slice(NULL);
                    }
                }
                close_array(&mut self.out, start, &self.elements[first..])?;
                self.elements.truncate(first);
            }
        }
        Ok(true)
    }

    /// Appends an object of its shredded fields and of those that `rest` has.
    fn write_object(
        &mut self,
        fields: &[FieldColumns<'a>],
        rest: Option<&'a [u8]>,
        row: usize,
    ) -> Result<()> {
        let (start, first) = (self.out.len(), self.entries.len());
        for field in fields {
            let offset = self.out.len() - start;
            if self.write(&field.columns, row)? {
                let id = self.ids[field.name_number].ok_or_else(|| {
                    let name = field.name;
                    Error::invalid_data(format!(
                        "the shredded field {name:?} is not among the names of a variant's metadata"
                    ))
                })?;
                self.entries.push(Entry { name: field.name.as_bytes(), id, offset });
            }
        }
        if let Some(rest) = rest {
            self.write_rest(rest, fields, start)?;
        }
        close_object(&mut self.out, start, &mut self.entries[first..])?;
        self.entries.truncate(first);
        Ok(())
    }

    /// Appends the fields of an object that have no columns of their own.
    fn write_rest(&mut self, rest: &'a [u8], shredded: &[FieldColumns<'_>], start: usize) -> Result<()> {
        if !is_object(rest) {
            return Err(Error::invalid_data(
                "a variant has shredded fields beside a \"value\" that is not an object",
            ));
        }
        check_one(rest)?;
        let Some((_, dictionary)) = self.metadata else {
            return Err(Error::internal("an object is written before its metadata is known"));
        };
        for field in Container::new(rest)?.fields() {
            let (id, value) = field?;
            let name = dictionary.name(id)?;
            if shredded.binary_search_by(|field| field.name.as_bytes().cmp(name)).is_ok() {
                let name = String::from_utf8_lossy(name);
                return Err(Error::invalid_data(format!(
                    "the \"value\" of a variant has the field {name:?}, which has columns of its own"
                )));
            }
            self.entries.push(Entry { name, id, offset: self.out.len() - start });
            self.out.extend_from_slice(value);
        }
        Ok(())
    }
}

/// Is a null always within a null of its parent?
fn is_covered(nulls: Option<&NullBuffer>, parent: Option<&NullBuffer>) -> bool {
    match (nulls, parent) {
        (None, _) => true,
        (Some(nulls), None) => nulls.null_count() == 0,
        (Some(nulls), Some(parent)) => parent.contains(nulls),
    }
}

fn without_nulls(array: &BinaryArray) -> BinaryArray {
    let (offsets, values, _) = array.clone().into_parts();
    // The offsets are those of an array already.
    BinaryArray::new(offsets, values, None)
}
