//! As which columns does a file store variants?
//!
//! In: the fields of the group that a file stores a variant as. Out: what each column is for.
//! Spec: Parquet `VariantShredding.md`, Value Shredding.
//!
//! Invariant: columns are found by name; types that the specification does not list are refused; nesting is bounded.

use arrow_schema::{DataType, Field, Fields, TimeUnit};

use crate::error::{Error, Result};

/// How deep typed columns may nest.
const DEEPEST: usize = 100;

/// The columns of a variant in one file.
#[derive(Debug, Clone)]
pub struct Layout {
    pub(super) metadata: usize,
    pub(super) root: ValueColumns,
}

/// Where one value is stored: columns by their number in their group.
#[derive(Debug, Clone)]
pub(super) struct ValueColumns {
    pub(super) value: Option<usize>,
    pub(super) typed: Option<(usize, Typed)>,
}

/// What a `typed_value` column is.
#[derive(Debug, Clone)]
pub(super) enum Typed {
    /// A value without parts.
    Primitive,
    /// The shredded fields of an object, in the order of their names.
    Object(Vec<ShreddedField>),
    /// The elements of an array.
    Array(Box<ValueColumns>),
}

/// A field of objects that has columns of its own.
#[derive(Debug, Clone)]
pub(super) struct ShreddedField {
    pub(super) name: String,
    /// The number of its group.
    pub(super) group: usize,
    pub(super) place: ValueColumns,
}

impl Layout {
    /// Of the fields of a group.
    ///
    /// Errors: `InvalidData` for columns that are no variant, or shredded in a way that the specification does not
    /// have; `LimitExceeded` for columns that nest too deep.
    pub fn new(fields: &Fields) -> Result<Self> {
        let mut metadata = None;
        let mut others = Vec::new();
        for (number, field) in fields.iter().enumerate() {
            if field.name() == "metadata" && metadata.is_none() {
                check_binary(field)?;
                metadata = Some(number);
            } else {
                others.push((number, field.as_ref()));
            }
        }
        let Some(metadata) = metadata else { return Err(invalid("it has no column \"metadata\"")) };
        Ok(Self { metadata, root: place(&others, 0)? })
    }

    /// Are parts of values stored in typed columns?
    pub fn is_shredded(&self) -> bool {
        self.root.typed.is_some()
    }
}

fn place(fields: &[(usize, &Field)], depth: usize) -> Result<ValueColumns> {
    if depth > DEEPEST {
        return Err(Error::limit(format!("the typed columns of a variant nest deeper than {DEEPEST}")));
    }
    let mut found = ValueColumns { value: None, typed: None };
    for (number, field) in fields {
        match field.name().as_str() {
            "value" if found.value.is_none() => {
                check_binary(field)?;
                found.value = Some(*number);
            }
            "typed_value" if found.typed.is_none() => {
                found.typed = Some((*number, typed(field.data_type(), depth)?));
            }
            name => return Err(invalid(&format!("a group of it has a column {name:?} too many"))),
        }
    }
    if found.value.is_none() && found.typed.is_none() {
        return Err(invalid("a group of it has neither \"value\" nor \"typed_value\""));
    }
    Ok(found)
}

fn typed(data_type: &DataType, depth: usize) -> Result<Typed> {
    use DataType as T;
    match data_type {
        T::Boolean | T::Int8 | T::Int16 | T::Int32 | T::Int64 | T::Float32 | T::Float64 => {
            Ok(Typed::Primitive)
        }
        T::Decimal128(_, scale) if *scale >= 0 => Ok(Typed::Primitive),
        T::Date32 | T::Time64(TimeUnit::Microsecond) => Ok(Typed::Primitive),
        T::Timestamp(TimeUnit::Microsecond | TimeUnit::Nanosecond, _) => Ok(Typed::Primitive),
        T::Binary | T::Utf8 | T::FixedSizeBinary(16) => Ok(Typed::Primitive),
        T::Struct(fields) => {
            let shredded = fields.iter().enumerate().map(|(group, field)| {
                let name = field.name().clone();
                Ok(ShreddedField { place: group_of(field, &name, depth)?, name, group })
            });
            let mut shredded = shredded.collect::<Result<Vec<_>>>()?;
            shredded.sort_by(|one, other| one.name.cmp(&other.name));
            if let Some(pair) = shredded.windows(2).find(|pair| pair[0].name == pair[1].name) {
                return Err(invalid(&format!("the field {:?} is shredded twice", pair[0].name)));
            }
            Ok(Typed::Object(shredded))
        }
        T::List(element) => Ok(Typed::Array(Box::new(group_of(element, "element", depth)?))),
        other => Err(invalid(&format!("values cannot be shredded as {other}"))),
    }
}

/// The group of a shredded field or element.
fn group_of(field: &Field, name: &str, depth: usize) -> Result<ValueColumns> {
    let DataType::Struct(children) = field.data_type() else {
        return Err(invalid(&format!("expected a group for {name:?}, found {}", field.data_type())));
    };
    let children: Vec<_> = children.iter().map(AsRef::as_ref).enumerate().collect();
    place(&children, depth + 1)
}

fn check_binary(field: &Field) -> Result<()> {
    if *field.data_type() == DataType::Binary {
        return Ok(());
    }
    Err(invalid(&format!("its column {:?} is {}, expected bytes", field.name(), field.data_type())))
}

fn invalid(why: &str) -> Error {
    Error::invalid_data(format!("the file stores a variant in invalid columns: {why}"))
}
