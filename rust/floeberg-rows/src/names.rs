//! How are columns found by their names?
//!
//! Invariant: a name that differs in case alone is found only where the case of names does not count, and only where one column has it.

use arrow_array::{Array as _, ArrayRef};
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, Fields, Schema};
use floeberg_core::{Error, Result};

pub(crate) use crate::cast::quoted;
use crate::cast::{element, entries};

/// The number of the column with a name: the one that has exactly this name; else, where case does not count, the only one that
/// differs from it in case alone.
pub fn find_column<'n>(
    names: impl Iterator<Item = &'n str> + Clone,
    name: &str,
    case_sensitive: bool,
) -> Option<usize> {
    if let Some(found) = names.clone().position(|each| each == name) {
        return Some(found);
    }
    if case_sensitive {
        return None;
    }
    let wanted = name.to_lowercase();
    let mut alike = names.enumerate().filter(|(_, each)| each.to_lowercase() == wanted);
    let first = alike.next();
    first.filter(|_| alike.next().is_none()).map(|(number, _)| number)
}

/// The columns of a source by the columns of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinedColumns {
    /// The key columns, by the names of the table.
    pub keys: Vec<String>,
    /// All columns of the source in the order of the table: the name in the table, and the name in the source.
    pub used: Vec<(String, String)>,
}

impl JoinedColumns {
    /// Resolves the columns of a source that is joined by keys. With `replaces`, source values overwrite table values.
    ///
    /// Errors: `InvalidInput` for a key or another column that is unknown, and for a struct that replaces one and lacks a field.
    pub fn of(
        source: &Schema,
        table: &Schema,
        keys: &[String],
        case_sensitive: bool,
        replaces: bool,
    ) -> Result<Self> {
        let of_source = columns_of_source(source, table, case_sensitive)?;
        let keys = keys
            .iter()
            .map(|name| key_column(name, table, &of_source, case_sensitive))
            .collect::<Result<Vec<_>>>()?;
        let mut used = Vec::with_capacity(of_source.len());
        for (number, field) in table.fields().iter().enumerate() {
            let Some((_, given)) = of_source.iter().find(|(target, _)| *target == number) else { continue };
            let given = &source.fields()[*given];
            if replaces {
                check_fields(field.name(), given.data_type(), field.data_type())?;
            }
            used.push((field.name().clone(), given.name().clone()));
        }
        Ok(Self { keys, used })
    }
}

/// For each column of a source its number in the table, and its own number.
///
/// Errors: `InvalidInput` for a column that the table does not have, and for two columns of the source that are one.
pub fn columns_of_source(
    source: &Schema,
    table: &Schema,
    case_sensitive: bool,
) -> Result<Vec<(usize, usize)>> {
    let mut found: Vec<(usize, usize)> = Vec::with_capacity(source.fields().len());
    for (number, field) in source.fields().iter().enumerate() {
        let Some(target) = find_column(names_of(table), field.name(), case_sensitive) else {
            return Err(Error::invalid_input(format!(
                "the table has no column {}, which the source has. Its columns are {}; schema_mode='merge' adds new ones",
                quoted(field.name()),
                listed(names_of(table)),
            )));
        };
        if found.iter().any(|(earlier, _)| *earlier == target) {
            return Err(Error::invalid_input(format!(
                "two columns of the source match the column {} of the table",
                quoted(table.field(target).name())
            )));
        }
        found.push((target, number));
    }
    Ok(found)
}

fn key_column(
    given: &str,
    table: &Schema,
    source: &[(usize, usize)],
    case_sensitive: bool,
) -> Result<String> {
    let Some(found) = find_column(names_of(table), given, case_sensitive) else {
        check_is_no_field(given, table)?;
        return Err(Error::invalid_input(format!(
            "the table has no key column {}, its columns are {}",
            quoted(given),
            listed(names_of(table))
        )));
    };
    if !source.iter().any(|(target, _)| *target == found) {
        return Err(Error::invalid_input(format!("the source has no key column {}", quoted(given))));
    }
    Ok(table.field(found).name().clone())
}

/// The number of a column that joins a side of a merge.
///
/// Errors: `InvalidInput` for a name that the side does not have.
pub fn join_column(side: &str, given: &str, schema: &Schema, case_sensitive: bool) -> Result<usize> {
    if let Some(found) = find_column(names_of(schema), given, case_sensitive) {
        return Ok(found);
    }
    check_is_no_field(given, schema)?;
    Err(Error::invalid_input(format!(
        "the {side} has no column {} to join by: expected one of {}",
        quoted(given),
        listed(names_of(schema))
    )))
}

fn check_is_no_field(given: &str, schema: &Schema) -> Result<()> {
    let above = given.split('.').next().unwrap_or_default();
    if names_of(schema).any(|name| name == above) {
        return Err(Error::invalid_input(format!(
            "{} cannot be a key: rows are joined by columns, not by fields of structs",
            quoted(given)
        )));
    }
    Ok(())
}

/// The numbers of the columns of a table that get new values, by names that may stand after `target.`.
///
/// Errors: `InvalidInput` for a column that the table does not have, and for one that is given twice.
pub fn assigned_columns(table: &Schema, names: &[String], case_sensitive: bool) -> Result<Vec<usize>> {
    let mut found = Vec::with_capacity(names.len());
    for given in names {
        let alone = given.strip_prefix("target.");
        let candidates = [Some(given.as_str()), alone];
        let column = candidates
            .into_iter()
            .flatten()
            .find_map(|name| find_column(names_of(table), name, case_sensitive));
        let Some(column) = column else {
            let hint = if given.contains('.') { ": fields of structs are not set one by one" } else { "" };
            return Err(Error::invalid_input(format!(
                "updates: the table has no column {}{hint}; its columns are {}",
                quoted(given),
                listed(names_of(table))
            )));
        };
        if found.contains(&column) {
            return Err(Error::invalid_input(format!(
                "updates: the column {} is given twice",
                quoted(table.field(column).name())
            )));
        }
        found.push(column);
    }
    Ok(found)
}

/// Structs are replaced as a whole: a field that the source lacks would be lost.
fn check_fields(name: &str, source: &DataType, table: &DataType) -> Result<()> {
    match (source, table) {
        (DataType::Struct(source), DataType::Struct(table)) => {
            for field in table {
                let full = format!("{name}.{}", field.name());
                let Some(given) = source.iter().find(|each| each.name() == field.name()) else {
                    return Err(Error::invalid_input(format!(
                        "the source has no field {}, and a struct is replaced as a whole: add the field to the source",
                        quoted(&full)
                    )));
                };
                check_fields(&full, given.data_type(), field.data_type())?;
            }
            Ok(())
        }
        (source, table) => {
            let below = match (entries(source), entries(table)) {
                (Some([_, source]), Some([_, table])) => Some(("value", source, table)),
                _ => element(source).zip(element(table)).map(|(source, table)| ("element", source, table)),
            };
            below.map_or(Ok(()), |(part, source, table)| {
                check_fields(&format!("{name}.{part}"), source.data_type(), table.data_type())
            })
        }
    }
}

/// The names of columns, in order.
pub(crate) fn names_of(schema: &Schema) -> impl Iterator<Item = &str> + Clone {
    names_in(schema.fields())
}

pub(crate) fn names_in(fields: &Fields) -> impl Iterator<Item = &str> + Clone {
    fields.iter().map(|field| field.name().as_str())
}

/// Names in errors.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(quoted).collect::<Vec<_>>().join(", ")
}

/// A value in errors: texts are quoted.
pub(crate) fn shown_value(values: &ArrayRef, row: usize) -> Result<String> {
    if values.is_null(row) {
        return Ok("None".to_owned());
    }
    let shown = array_value_to_string(values, row)
        .map_err(|error| Error::internal("a value is shown").caused_by(error))?;
    let is_text = matches!(values.data_type(), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    Ok(if is_text { quoted(&shown) } else { shown })
}
