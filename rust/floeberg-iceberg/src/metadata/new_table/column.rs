//! Which column does a partition or sort field mean?
//!
//! Spec: Partitioning (source columns are primitive, and in no list or map).

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

/// Checks that values of a column may be transformed to partition or to sort by.
///
/// Errors: `InvalidInput`, naming the column; `Unsupported` for a transform that this version does not know.
pub(in crate::metadata) fn check_transform(
    schema: &Schema,
    source_id: i32,
    transform: &Transform,
) -> Result<()> {
    if let Transform::Unknown(name) = transform {
        return Err(Error::unsupported(format!(
            "the transform {name:?} is not known to this version, and cannot be used to write"
        )));
    }
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
