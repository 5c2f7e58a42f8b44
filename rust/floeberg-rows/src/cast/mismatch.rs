//! Do values of an Arrow type fit a column of another type?
//!
//! In: two types. Out: what does not fit, at every depth. Whether a single value fits is another question: see `values`.
//!
//! Invariant: values that fit have the same meaning in the type of the column. Dictionaries, runs, views and extensions are
//! what they stand for.

use std::collections::BTreeSet;

use arrow_schema::{DataType, Field, Fields};
use floeberg_core::schema::from_arrow::written_out;

use super::fields::{element, entries, extension, is_written_uuid};
use super::leaf::rule;
use super::names::{field_type_name, quoted};

/// What of a type does not fit a column: a part of a sentence for each mismatch, with the full name of its column.
///
/// `from` is the field of the values, and `to` that of the column, whose name is used.
pub fn mismatches(from: &Field, to: &Field) -> Vec<String> {
    let mut wrong = Vec::new();
    of_column(to.name(), from, to, &mut wrong);
    wrong
}

/// What of the columns of rows does not fit those of a table, by their names: each mismatch as a part of a sentence.
pub fn field_mismatches(found: &Fields, wanted: &Fields) -> Vec<String> {
    let mut wrong = Vec::new();
    of_fields("", found, wanted, &mut wrong);
    wrong
}

fn of_column(name: &str, from: &Field, to: &Field, wrong: &mut Vec<String>) {
    let (given, plain) = (written_out(from.data_type()), written_out(to.data_type()));
    let other_meaning = matches!((extension(from), extension(to)), (Some(one), Some(other)) if one != other);
    if *given == DataType::Null || is_written_uuid(from, to) {
        return;
    }
    let fits = match (given, plain) {
        _ if other_meaning => false,
        (DataType::Struct(found), DataType::Struct(wanted)) => return of_fields(name, found, wanted, wrong),
        _ => match (element(given), element(plain), entries(given), entries(plain)) {
            (Some(one), Some(other), ..) => {
                return of_column(&format!("{name}.element"), one, other, wrong);
            }
            (.., Some(given), Some(plain)) => {
                for (part, (one, other)) in ["key", "value"].into_iter().zip(given.into_iter().zip(plain)) {
                    of_column(&format!("{name}.{part}"), one, other, wrong);
                }
                return;
            }
            _ => given == plain || rule(given, plain).is_some(),
        },
    };
    if !fits {
        wrong.push(format!(
            "column {} is of type {}, found {}: convert them first",
            quoted(name),
            field_type_name(to),
            field_type_name(from)
        ));
    }
}

fn of_fields(above: &str, found: &Fields, wanted: &Fields, wrong: &mut Vec<String>) {
    let full =
        |name: &str| quoted(&if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") });
    let names: Vec<&str> = found.iter().map(|each| each.name().as_str()).collect();
    let twice: BTreeSet<&str> = names
        .iter()
        .copied()
        .filter(|name| names.iter().filter(|other| *other == name).count() > 1)
        .collect();
    wrong.extend(twice.iter().map(|name| format!("the rows have two columns {}", full(name))));
    for given in found {
        if let Some((_, own)) = wanted.find(given.name()) {
            let name =
                if above.is_empty() { given.name().clone() } else { format!("{above}.{}", given.name()) };
            of_column(&name, given, own, wrong);
            continue;
        }
        let alike = wanted.iter().find(|own| own.name().to_lowercase() == given.name().to_lowercase());
        let hint = match alike {
            Some(own) => format!(", which has {}: rename it", full(own.name())),
            None if above.is_empty() => {
                let own: Vec<_> = wanted.iter().map(|own| quoted(own.name())).collect();
                format!(", its columns are {}", own.join(", "))
            }
            None => String::new(),
        };
        wrong.push(format!("the table has no column {}{hint}", full(given.name())));
    }
    let is_missing =
        |own: &&arrow_schema::FieldRef| !own.is_nullable() && !names.contains(&own.name().as_str());
    wrong.extend(
        wanted
            .iter()
            .filter(is_missing)
            .map(|own| format!("column {} is required, and the rows do not have it", full(own.name()))),
    );
}
