//! How does a user write a partition or sort field?
//!
//! In: a text (`day(ts)`, `bucket(16, id) as shard`, `ts desc nulls last`), or an object with the keys of Appendix C, or with
//! `source` for the name of a column or a list of names. Out: the declared field.
//! Spec: Appendix C, Partition Specs and Sort Orders.
//!
//! Invariant: a string that does not start with a known transform is the whole name of a column. Names in double quotes or
//! backticks, as in filters, are never words of the text.

use floeberg_core::expr::QuotedNames;
use floeberg_core::transform::Transform;
use floeberg_core::{Context, Error, Result};
use serde_json::Value as Json;

use super::{ColumnChoice, DeclaredPartition, DeclaredSort, DeclaredSource};
use crate::metadata::{NullOrder, SortDirection};

/// The partition fields of a list, or of the `fields` of an object; null is an empty list.
///
/// Errors: `InvalidInput`.
pub(super) fn parse_partitions(json: &Json) -> Result<Vec<DeclaredPartition>> {
    fields(json)?.iter().map(|each| parse_partition(each).context("partition field", each)).collect()
}

/// The sort fields of a list, or of the `fields` of an object; null is an empty list. Errors: `InvalidInput`.
pub fn parse_sorts(json: &Json) -> Result<Vec<DeclaredSort>> {
    fields(json)?.iter().map(|each| parse_sort(each).context("sort field", each)).collect()
}

pub(super) fn fields(json: &Json) -> Result<&[Json]> {
    match json {
        Json::Null => Ok(&[]),
        Json::Array(fields) => Ok(fields),
        Json::Object(object) => match object.get("fields") {
            Some(Json::Array(fields)) => Ok(fields),
            _ => Err(Error::invalid_input("expected a list of fields under \"fields\"")),
        },
        _ => Err(Error::invalid_input("expected a list of fields")),
    }
}

/// A partition field, as a string or an object. Errors: `InvalidInput`.
pub(in crate::metadata) fn parse_partition(json: &Json) -> Result<DeclaredPartition> {
    if let Json::String(text) = json {
        let names = QuotedNames::of(text);
        let (call, name) = match split_as(&names.text) {
            Some((call, name)) => (call, Some(names.restored(name))),
            None => (names.text.as_str(), None),
        };
        return Ok(DeclaredPartition { source: parse_call(call, &names, false)?, name });
    }
    let name = match json.get("name") {
        None | Some(Json::Null) => None,
        Some(Json::String(name)) => Some(name.clone()),
        Some(_) => return Err(Error::invalid_input("expected a string as the name")),
    };
    Ok(DeclaredPartition { source: source_of(json)?, name })
}

pub(super) fn parse_sort(json: &Json) -> Result<DeclaredSort> {
    if let Json::String(text) = json {
        return parse_sort_text(text);
    }
    let direction = match word(json, "direction")?.as_deref() {
        None | Some("asc") => SortDirection::Ascending,
        Some("desc") => SortDirection::Descending,
        Some(other) => return Err(Error::invalid_input(format!("expected asc or desc, found {other:?}"))),
    };
    let null_order = match word(json, "null-order")?.as_deref() {
        None => None,
        Some("nulls-first") => Some(NullOrder::First),
        Some("nulls-last") => Some(NullOrder::Last),
        Some(other) => {
            return Err(Error::invalid_input(format!("expected nulls-first or nulls-last, found {other:?}")));
        }
    };
    Ok(DeclaredSort { source: source_of(json)?, direction, null_order })
}

fn parse_sort_text(text: &str) -> Result<DeclaredSort> {
    let names = QuotedNames::of(text);
    parse_sort_of(&names.text, &names, false)
}

/// A sort field, in whose text quoted names were replaced. Errors: `InvalidInput`.
pub(super) fn parse_sort_of(text: &str, names: &QuotedNames, may_swap: bool) -> Result<DeclaredSort> {
    let (rest, null_order) =
        match (without_end(text, &["nulls", "first"]), without_end(text, &["nulls", "last"])) {
            (Some(rest), _) => (rest, Some(NullOrder::First)),
            (None, Some(rest)) => (rest, Some(NullOrder::Last)),
            (None, None) => (text, None),
        };
    let (rest, direction) = match (without_end(rest, &["asc"]), without_end(rest, &["desc"])) {
        (_, Some(rest)) => (rest, SortDirection::Descending),
        (Some(rest), None) => (rest, SortDirection::Ascending),
        (None, None) => (rest, SortDirection::Ascending),
    };
    Ok(DeclaredSort { source: parse_call(rest, names, may_swap)?, direction, null_order })
}

/// What stands before an ` as ` in either case, and the one word after it.
fn split_as(text: &str) -> Option<(&str, &str)> {
    let (before, name) = text.trim().rsplit_once(char::is_whitespace)?;
    Some((without_end(before, &["as"])?, name))
}

/// A string without the words at its end, in any case; `None` if it does not end with them, or would be empty.
fn without_end<'a>(text: &'a str, words: &[&str]) -> Option<&'a str> {
    let mut rest = text.trim_end();
    for word in words.iter().rev() {
        let (before, last) = rest.rsplit_once(char::is_whitespace)?;
        if !last.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = before.trim_end();
    }
    (!rest.is_empty()).then_some(rest)
}

/// `name`, `transform(name)`, `bucket(16, name)`, with Spark's plurals (`days`) too. `names` were quoted. With `may_swap` the number may be last,
/// as in the orders of Spark's procedures.
fn parse_call(text: &str, names: &QuotedNames, may_swap: bool) -> Result<DeclaredSource> {
    let text = text.trim();
    let of = |column: &str, transform| DeclaredSource {
        columns: vec![ColumnChoice::Name(names.restored(column))],
        transform,
    };
    let whole = || Ok(of(text, Transform::Identity));
    let Some((name, arguments)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) else {
        return whole();
    };
    let name = name.trim().to_ascii_lowercase();
    let written = match (name.as_str(), arguments.split_once(',')) {
        ("bucket" | "truncate", Some((number, column))) if is_number(number) => {
            Some((format!("{name}[{}]", number.trim()), column))
        }
        ("bucket" | "truncate", Some((column, number))) if may_swap && is_number(number) => {
            Some((format!("{name}[{}]", number.trim()), column))
        }
        ("identity" | "year" | "month" | "day" | "hour" | "void", _) => Some((name, arguments)),
        ("years" | "months" | "days" | "hours", _) => {
            Some((name.trim_end_matches('s').to_owned(), arguments))
        }
        _ => None,
    };
    match written {
        None => whole(),
        Some((written, column)) => Ok(of(column.trim(), parse_transform(&written)?)),
    }
}

fn is_number(text: &str) -> bool {
    text.trim().parse::<i64>().is_ok()
}

fn parse_transform(written: &str) -> Result<Transform> {
    written.parse::<Transform>().map_err(Error::of_input)
}

/// The columns and the transform of an object.
fn source_of(json: &Json) -> Result<DeclaredSource> {
    let transform = match json.get("transform") {
        None | Some(Json::Null) => Transform::Identity,
        Some(Json::String(written)) => parse_transform(written)?,
        Some(_) => return Err(Error::invalid_input("expected a string as \"transform\"")),
    };
    let id = |json: &Json| json.as_i64().and_then(|id| i32::try_from(id).ok()).map(ColumnChoice::Id);
    let name = |json: &Json| json.as_str().map(|name| ColumnChoice::Name(name.to_owned()));
    let columns: Option<Vec<_>> = match (json.get("source"), json.get("source-id"), json.get("source-ids")) {
        (Some(Json::Array(names)), None, None) => names.iter().map(name).collect(),
        (Some(one), None, None) => name(one).map(|name| vec![name]),
        (None, Some(one), None) => id(one).map(|id| vec![id]),
        (None, None, Some(Json::Array(ids))) => ids.iter().map(id).collect(),
        _ => None,
    };
    let columns = columns.filter(|columns| !columns.is_empty()).ok_or_else(|| {
        Error::invalid_input(
            "expected one column, by `source` (its name) or `source-id`, or several, by `source` (a list) or `source-ids`",
        )
    })?;
    Ok(DeclaredSource { columns, transform })
}

/// The string under a key, in lower case; `None` if the key is missing.
fn word(json: &Json, key: &str) -> Result<Option<String>> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.to_ascii_lowercase())),
        Some(_) => Err(Error::invalid_input(format!("expected a string as {key:?}"))),
    }
}
