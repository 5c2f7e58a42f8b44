//! Which columns does a partition or sort field mean?
//!
//! Spec: Partitioning (source columns are primitive, and in no list or map); Appendix C, Partition Specs (`source-ids`).
//!
//! Invariant: several columns are taken from format version 3 on, and by a transform that this version does not know: all known ones
//! take one column.

use floeberg_core::schema::{Schema, Type};
use floeberg_core::transform::Transform;
use floeberg_core::{Error, Result};

/// A column, named by a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ColumnChoice {
    /// By its full dotted name.
    Name(String),
    /// By its id in the schema of the user.
    Id(i32),
}

impl ColumnChoice {
    /// The id of the column in a schema.
    ///
    /// Errors: `InvalidInput` for an unknown column, naming near matches. If the name looks like more than a name, the error says how
    /// a field is written.
    pub(in crate::metadata) fn find(
        &self,
        schema: &Schema,
        case_sensitive: bool,
        written: &str,
    ) -> Result<i32> {
        match self {
            Self::Name(name) => schema.find(name, case_sensitive).map_err(|error| {
                let is_more =
                    name.contains(|letter: char| "()[],".contains(letter) || letter.is_whitespace());
                if is_more { Error::invalid_input(format!("{}; {written}", error.message())) } else { error }
            }),
            Self::Id(id) if schema.field(*id).is_some() => Ok(*id),
            Self::Id(id) => Err(Error::invalid_input(format!("the schema has no column with the id {id}"))),
        }
    }
}

/// The format version in which fields of several columns came.
const SEVERAL_COLUMNS: u8 = 3;

/// The columns of a field and their transform, as a user writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredSource {
    /// The columns, in the order in which the transform takes them.
    pub columns: Vec<ColumnChoice>,
    /// The transform.
    pub transform: Transform,
}

impl DeclaredSource {
    /// The ids of the columns in a schema.
    ///
    /// Errors: `InvalidInput` for an unknown column, one that the transform does not take, and for several columns where one is
    /// expected; `Unsupported` for an unknown transform of one column.
    pub(in crate::metadata) fn ids(
        &self,
        schema: &Schema,
        format_version: u8,
        case_sensitive: bool,
        written: &str,
    ) -> Result<Vec<i32>> {
        let transform = &self.transform;
        let found = self.columns.iter().map(|column| column.find(schema, case_sensitive, written));
        let ids = found.collect::<Result<Vec<_>>>()?;
        match transform {
            Transform::Unknown(name) if ids.len() > 1 => check_name(name)?,
            Transform::Unknown(name) => {
                return Err(Error::unsupported(format!(
                    "the transform {name:?} is not known to this version, and cannot be used to write"
                )));
            }
            _ if ids.len() > 1 => {
                return Err(Error::invalid_input(format!(
                    "{transform} takes one column, found {}; a column in a struct is named with dots",
                    ids.len()
                )));
            }
            _ => {}
        }
        if ids.len() > 1 && format_version < SEVERAL_COLUMNS {
            return Err(Error::invalid_input(format!(
                "a field of several columns needs format version {SEVERAL_COLUMNS}, and the table has {format_version}: \
                 upgrade it"
            )));
        }
        for (place, id) in ids.iter().enumerate() {
            check_source(schema, *id, transform)?;
            if ids[..place].contains(id) {
                let name = schema.full_name(*id).unwrap_or_default();
                return Err(Error::invalid_input(format!("{transform} names the column {name:?} twice")));
            }
        }
        Ok(ids)
    }
}

/// Checks that a transform is written as those of the specification are: `word` or `word[parameter]`.
fn check_name(name: &str) -> Result<()> {
    let (word, parameter) = match name.split_once('[') {
        Some((word, rest)) => (word, rest.strip_suffix(']')),
        None => (name, Some("1")),
    };
    let is_word = |text: &str| {
        !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "_-.,".contains(letter))
    };
    if is_word(word) && parameter.is_some_and(is_word) {
        return Ok(());
    }
    Err(Error::invalid_input(format!("expected a transform as zorder[4], found {name:?}")))
}

/// Checks that values of a column may be transformed to partition or to sort by. Errors: `InvalidInput`, naming the column.
fn check_source(schema: &Schema, source_id: i32, transform: &Transform) -> Result<()> {
    let path = schema.path(source_id).unwrap_or_default();
    let Some((column, parents)) = path.split_last() else {
        return Err(Error::invalid_input(format!("the schema has no column with the id {source_id}")));
    };
    let name = schema.full_name(source_id).unwrap_or_default();
    let refuse = |why: String| {
        Err(Error::invalid_input(format!("column {name:?} cannot be a source of {transform}: {why}")))
    };
    if !matches!(column.field_type, Type::Primitive(_)) {
        return refuse(format!("{} is not a primitive type", column.field_type));
    }
    if parents.iter().any(|parent| parent.field_type.as_struct().is_none()) {
        return refuse("it is in a list or a map".to_owned());
    }
    if !transform.accepts(&column.field_type) {
        return refuse(format!("it is of type {}", column.field_type));
    }
    Ok(())
}
